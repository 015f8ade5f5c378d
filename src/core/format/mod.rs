//! Files: what the runtime reads, and what writes it.

mod bit_writer;
mod byte_writer;
mod container_file;

pub use bit_writer::BitWriter;
pub use byte_writer::{ByteWriter, surrounded};
pub use container_file::{ClipToWrite, ContainerFile, ContainerToWrite, RigDigest};
pub use posepress_runtime::format::*;
