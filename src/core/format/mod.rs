//! Files: what the runtime reads, and what writes it.

mod byte_writer;
mod container_file;
mod tier_to_write;

pub use byte_writer::{ByteWriter, surrounded};
pub use container_file::{ClipToWrite, ContainerFile, ContainerToWrite, ListedClip, RigDigest, bytes_besides_clips};
pub use posepress_runtime::internal::format::*;
pub use tier_to_write::TierToWrite;

use std::io::{self, Write};

/// What a file is to hold. It may lie in several places: long takes are not copied to be written.
pub trait FileBytes {
    /// Writes all of it.
    ///
    /// # Errors
    /// Those of the writer.
    fn write_to(&self, out: &mut dyn Write) -> io::Result<()>;
}

impl<B: AsRef<[u8]> + ?Sized> FileBytes for B {
    fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.as_ref())
    }
}
