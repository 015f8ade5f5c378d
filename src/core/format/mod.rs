//! Files: what the runtime reads, and what writes it.

mod byte_writer;
mod container_file;

pub use byte_writer::ByteWriter;
pub use container_file::{ContainerFile, RigDigest};
pub use posepress_runtime::format::*;
