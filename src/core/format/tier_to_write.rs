use super::container_file::file_header;
use super::{ByteWriter, FileBytes, TIER_FILE_VERSION, TIER_MAGIC, TierMark};
use std::io::{self, Write};

/// A tier file to write. It borrows the parts of the clips of one container.
#[derive(Debug)]
pub struct TierToWrite<'a> {
    name: &'a str,
    /// The part of each clip, in the order of the container.
    clips: Vec<&'a [u8]>,
    header: Vec<u8>,
    directory: Vec<u8>,
}

impl<'a> TierToWrite<'a> {
    /// `clips` has one part per clip of the container, in its order.
    pub fn new(name: &'a str, clips: Vec<&'a [u8]>) -> Self {
        let mut out = ByteWriter::new();
        out.text(name);
        out.u32(clips.len() as u32);
        for clip in &clips {
            out.u32(clip.len() as u32);
            out.u32(crc32fast::hash(clip));
        }
        let directory = out.finish();
        let header = file_header(&TIER_MAGIC, TIER_FILE_VERSION, &directory);
        Self { name, clips, header, directory }
    }

    /// Length of the file, bytes.
    #[allow(clippy::len_without_is_empty)] // a file is never empty
    pub fn len(&self) -> usize {
        self.header.len() + self.directory.len() + self.clips.iter().map(|clip| clip.len()).sum::<usize>()
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.len());
        self.write_to(&mut out).expect("writing to memory does not fail");
        out
    }

    /// The entry of this tier in the container.
    pub fn mark(&self, tolerance_m: f32) -> TierMark {
        let checksum = self.header.last_chunk().copied().map_or(0, u32::from_le_bytes);
        TierMark { name: self.name.into(), tolerance_m, checksum, bytes: self.len() as u64 }
    }
}

impl FileBytes for TierToWrite<'_> {
    fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&self.header)?;
        out.write_all(&self.directory)?;
        self.clips.iter().try_for_each(|clip| out.write_all(clip))
    }
}
