//! The `.posepress` file: a rig, and clips as their codecs wrote them.
//!
//! ```text
//! magic          8 bytes, not text, so that a transfer as text shows
//! version        u16, 1; 2 where there are tiers
//! flags          u16, 0
//! directory      u32 length, u32 CRC-32 of everything before it but itself and of the directory
//!   rig digest   32 bytes, blake3 of the rig section
//!   rig          section; of length 0 when stripped
//!   float tracks u16 count, names
//!   clips        u32 count, then a clip: name, codec id (4 bytes), recipe (u32 length, TOML), section
//!   tiers        of version 2: u8 count, one or more, then a tier: name, tolerance (f32, metres), CRC-32 (u32), bytes (u64)
//! sections       back to back in the order of the directory, up to the end of the file
//! ```
//! A section is u64 offset, u64 length, u32 CRC-32. Numbers are little endian; names are u16 length and UTF-8.

use super::tier_file::{TIER_FILE_VERSION, TierMark};
use super::{ByteReader, DecodeError, RigSection};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::RangeInclusive;

/// One clip of a [`Container`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClipEntry {
    /// Name of the clip.
    pub name: String,
    /// Which codec reads its bytes.
    pub codec: [u8; 4],
    /// How it was made, as TOML.
    pub recipe: String,
    /// All that belongs to it: header, payload, float tracks, held intervals.
    pub bytes: Vec<u8>,
}

/// What a `.posepress` file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Container {
    /// The rig; `None` when it was stripped because the reader has it.
    pub rig: Option<RigSection>,
    /// Tells which rig the clips fit, also where the rig itself was stripped: blake3 of the rig section.
    pub rig_digest: [u8; 32],
    /// Names of the float tracks that every clip carries.
    pub float_names: Vec<String>,
    /// In the order in which they are indexed.
    pub clips: Vec<ClipEntry>,
    /// What was taken out of the clips, and in which order it is put back.
    pub tiers: Vec<TierMark>,
}

/// First bytes of every container: a byte that is no ASCII, line ends that transfers as text change.
pub const CONTAINER_MAGIC: [u8; 8] = *b"\x93PPR\r\n\x1a\n";
/// The version of containers. Every version once written stays readable.
pub const CONTAINER_VERSION: u16 = 1;
/// That of containers whose clips have tiers.
pub const TIERED_VERSION: u16 = 2;
/// First bytes of every tier file.
pub const TIER_MAGIC: [u8; 8] = *b"\x93PPT\r\n\x1a\n";

/// Bytes before the directory.
pub const CONTAINER_HEADER_BYTES: usize = 20;
/// Bytes of the header that its checksum covers: all before the checksum.
const CHECKED_HEADER_BYTES: usize = 16;

/// Where a section lies.
#[derive(Debug, Clone, Copy)]
struct Section {
    offset: u64,
    len: u64,
    crc: u32,
}

impl Container {
    /// Reads a file and checks everything but what codecs alone can: structure and checksums.
    ///
    /// # Errors
    /// See [`DecodeError`]. Any bytes are safe to pass; no more is allocated than the bytes hold.
    pub fn read(bytes: &[u8]) -> Result<Self, DecodeError> {
        let (version, _, directory) = checked_directory(bytes, &Files::CONTAINER)?;
        let mut sections = Sections { bytes, next: CONTAINER_HEADER_BYTES + directory.len() };
        let mut input = ByteReader::new(directory);
        let mut rig_digest = [0; 32];
        rig_digest.copy_from_slice(input.bytes("digest of the rig", 32)?);
        let rig_bytes = sections.take(Section::read(&mut input)?, || "the rig".into())?;
        let float_count = input.u16("count of float tracks")?;
        let float_names = (0..float_count)
            .map(|_| input.text("name of a float track").map(str::to_owned))
            .collect::<Result<_, _>>()?;
        let clip_count = input.u32("count of clips")?;
        let mut clips = Vec::new();
        for _ in 0..clip_count {
            clips.push(read_clip(&mut input, &mut sections)?);
        }
        let tiers = if version == TIERED_VERSION { read_tiers(&mut input)? } else { Vec::new() };
        input.finish("directory")?;
        sections.finish()?;
        let rig = if rig_bytes.is_empty() { None } else { Some(RigSection::read(rig_bytes)?) };
        Ok(Self { rig, rig_digest, float_names, clips, tiers })
    }
}

impl Section {
    fn read(input: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            offset: input.u64("offset of a section")?,
            len: input.u64("length of a section")?,
            crc: input.u32("checksum of a section")?,
        })
    }
}

/// Hands out sections in the order of the file.
struct Sections<'a> {
    bytes: &'a [u8],
    next: usize,
}

impl<'a> Sections<'a> {
    fn take(&mut self, section: Section, name: impl Fn() -> String) -> Result<&'a [u8], DecodeError> {
        if section.offset != self.next as u64 {
            let expected = format!("{}, where the section before ends", self.next);
            return Err(DecodeError::invalid("offset of a section", self.next, section.offset, expected));
        }
        let left = self.bytes.len() - self.next;
        let needed = usize::try_from(section.len).unwrap_or(usize::MAX);
        if needed > left {
            return Err(DecodeError::Truncated { what: "section", at: self.next, needed, left });
        }
        let bytes = &self.bytes[self.next..self.next + needed];
        self.next += needed;
        let found = crc32fast::hash(bytes);
        if found != section.crc {
            return Err(DecodeError::Checksum { what: name(), found, expected: section.crc });
        }
        Ok(bytes)
    }

    fn finish(self) -> Result<(), DecodeError> {
        match self.bytes.len() - self.next {
            0 => Ok(()),
            more => {
                let found = format!("followed by {more} more bytes");
                Err(DecodeError::invalid("last section", self.next, found, "the end of the file"))
            }
        }
    }
}

/// What files of a kind begin with.
pub(super) struct Files {
    magic: [u8; 8],
    magic_of: &'static str,
    kind: &'static str,
    versions: RangeInclusive<u16>,
}

impl Files {
    const CONTAINER: Self = Self {
        magic: CONTAINER_MAGIC,
        magic_of: "magic of a .posepress file",
        kind: "that of a .posepress file",
        versions: CONTAINER_VERSION..=TIERED_VERSION,
    };
    pub(super) const TIER: Self = Self {
        magic: TIER_MAGIC,
        magic_of: "magic of a .posepress-tier file",
        kind: "that of a .posepress-tier file",
        versions: TIER_FILE_VERSION..=TIER_FILE_VERSION,
    };
}

/// Checks magic, version, flags and checksum, and returns version, checksum and directory.
pub(super) fn checked_directory<'a>(bytes: &'a [u8], files: &Files) -> Result<(u16, u32, &'a [u8]), DecodeError> {
    let mut input = ByteReader::new(bytes);
    let magic = input.bytes(files.magic_of, files.magic.len())?;
    if magic != files.magic {
        return Err(DecodeError::invalid("magic", 0, format!("{magic:02x?}"), files.kind));
    }
    let version = input.u16("version")?;
    if !files.versions.contains(&version) {
        let expected = format!("{}: open it with the Posepress that wrote it, or a newer one", files.versions.end());
        return Err(DecodeError::invalid("version", 8, version, expected));
    }
    let flags = input.u16("flags")?;
    if flags != 0 {
        return Err(DecodeError::invalid("flags", 10, flags, 0));
    }
    let directory_len = input.u32("length of the directory")? as usize;
    let expected = input.u32("checksum of the directory")?;
    let directory = input.bytes("directory", directory_len)?;
    let found = directory_crc(&bytes[..CHECKED_HEADER_BYTES], directory);
    if found != expected {
        return Err(DecodeError::Checksum { what: "the directory".into(), found, expected });
    }
    Ok((version, expected, directory))
}

fn read_tiers(input: &mut ByteReader<'_>) -> Result<Vec<TierMark>, DecodeError> {
    let at = input.position();
    let count = input.u8("count of tiers")?;
    if count == 0 {
        return Err(DecodeError::invalid("count of tiers", at, count, "1 or more in a file of version 2"));
    }
    (0..count).map(|_| TierMark::read(input)).collect()
}

/// Checksum of a directory and of the header before it, without the checksum itself.
pub fn directory_crc(header: &[u8], directory: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(header);
    hasher.update(directory);
    hasher.finalize()
}

fn read_clip(input: &mut ByteReader<'_>, sections: &mut Sections<'_>) -> Result<ClipEntry, DecodeError> {
    let name = input.text("name of a clip")?.to_owned();
    let mut codec = [0; 4];
    codec.copy_from_slice(input.bytes("codec of a clip", 4)?);
    let recipe_len = input.u32("length of a recipe")? as usize;
    let at = input.position();
    let recipe = core::str::from_utf8(input.bytes("recipe of a clip", recipe_len)?)
        .map_err(|e| DecodeError::invalid("recipe of a clip", at + e.valid_up_to(), "other bytes", "UTF-8"))?
        .to_owned();
    let bytes = sections.take(Section::read(input)?, || format!("clip '{name}'"))?.to_vec();
    Ok(ClipEntry { name, codec, recipe, bytes })
}
