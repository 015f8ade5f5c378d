//! File formats: the readers of the runtime, and their writers.

mod byte_writer;
mod container_file;
mod tier_to_write;

pub use byte_writer::{ByteWriter, surrounded};
pub use container_file::{ClipToWrite, ContainerFile, ContainerToWrite, ListedClip, RigDigest, bytes_besides_clips};
pub use posepress_runtime::internal::format::*;
pub use tier_to_write::TierToWrite;

use std::io::{self, Write};

/// The contents of a file to write. They may lie in several places, so that long takes are not copied.
pub trait FileBytes {
    /// Writes the contents.
    ///
    /// # Errors
    /// Errors of the writer.
    fn write_to(&self, out: &mut dyn Write) -> io::Result<()>;
}

impl<B: AsRef<[u8]> + ?Sized> FileBytes for B {
    fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.as_ref())
    }
}
