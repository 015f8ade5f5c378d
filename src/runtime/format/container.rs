//! The `.posepress` file: a rig, and clips as their codecs wrote them.
//!
//! ```text
//! magic          8 bytes, not text, so that a text-mode transfer is detected
//! version        u16, 1
//! flags          u16, 0
//! directory      u32 length, u32 CRC-32 of the 16 bytes before the CRC and of the directory
//!   rig digest   32 bytes, blake3 of the rig section
//!   rig          section; of length 0 when stripped
//!   float tracks varint count, names
//!   kinds        varint count, then per kind (clips that differ only in tolerance): codec id (4 bytes), recipe (varint
//!                length, TOML; empty if omitted)
//!   clips        varint count, then per clip: name, kind (varint), tolerance (f32, metres), section
//!   tiers        u8 count, then per tier: name (u16 length, UTF-8), tolerance (f32, metres), CRC-32 (u32), bytes (u64)
//! sections       back to back in the order of the directory, up to the end of the file
//! ```
//! A section entry is its length (varint) and its CRC-32 (u32). Numbers are little endian. A name is the number of first bytes that it
//! shares with the name before it in the list (u8, at most 64), the number of bytes that follow (varint), then these bytes as UTF-8.

use super::checksum::checksum;
use super::error::Verbatim;
use super::names::read_name;
use super::tier_file::{TIER_FILE_VERSION, TierMark};
use super::{ByteReader, DecodeError, RigSection, SharedText};
use crate::memory::{TryList, TryPush, copied};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Arguments;

/// One clip of a [`Container`].
#[derive(Debug, Clone, PartialEq)]
pub struct ClipEntry {
    /// Name of the clip.
    pub name: String,
    /// Identifier of the codec that reads the bytes.
    pub codec: [u8; 4],
    /// Recipe without the tolerance, as TOML; empty if omitted. Clips with equal recipes share it.
    pub recipe: SharedText,
    /// Tolerance asked of the encoder, metres.
    pub tolerance_m: f32,
    /// Header, payload, float tracks, held intervals.
    pub bytes: Vec<u8>,
}

/// The contents of a `.posepress` file.
///
/// # Example
/// ```
/// use posepress_runtime::Container;
///
/// # let file = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/press.posepress"));
/// let container = Container::read(file)?;
/// assert!(!container.clips.is_empty());
/// assert_eq!(container.missing_tiers().count(), container.tiers.len());
/// # Ok::<(), posepress_runtime::DecodeError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Container {
    /// The rig; `None` if it was stripped because the reader already has it.
    pub rig: Option<RigSection>,
    /// Identifies the rig of the clips, even if the rig was stripped: blake3 of the rig section.
    pub rig_digest: [u8; 32],
    /// Names of the float tracks of every clip.
    pub float_names: Vec<String>,
    /// Clips, in index order.
    pub clips: Vec<ClipEntry>,
    /// Tiers that are not joined yet, in joining order.
    pub tiers: Vec<TierMark>,
}

/// First bytes of every container: a non-ASCII byte, and line ends that a text-mode transfer would change.
pub const CONTAINER_MAGIC: [u8; 8] = *b"\x93PPR\r\n\x1a\n";
/// The version of containers.
pub const CONTAINER_VERSION: u16 = 1;
/// First bytes of every tier file.
pub const TIER_MAGIC: [u8; 8] = *b"\x93PPT\r\n\x1a\n";

/// Bytes before the directory.
pub const CONTAINER_HEADER_BYTES: usize = 20;
/// Bytes of the header that its checksum covers: all before the checksum.
const CHECKED_HEADER_BYTES: usize = 16;

/// A directory entry of a section.
#[derive(Debug, Clone, Copy)]
struct Section {
    len: u64,
    crc: u32,
}

/// Codec and recipe, shared by clips that differ only in their tolerance.
struct Kind {
    codec: [u8; 4],
    recipe: SharedText,
}

impl Container {
    /// Reads a file and checks its structure and checksums. Payloads are checked when a clip is opened.
    ///
    /// # Errors
    /// See [`DecodeError`]. Any bytes are safe to pass; no more is allocated than the bytes hold.
    pub fn read(bytes: &[u8]) -> Result<Self, DecodeError> {
        let (_, directory) = checked_directory(bytes, &Files::CONTAINER)?;
        let mut sections = Sections { bytes, next: CONTAINER_HEADER_BYTES + directory.len() };
        let mut input = ByteReader::new(directory);
        let mut rig_digest = [0; 32];
        rig_digest.copy_from_slice(input.bytes("digest of the rig", 32)?);
        let rig_bytes = sections.take(Section::read(&mut input)?, format_args!("the rig"))?;
        let mut float_names: Vec<String> = Vec::new();
        for _ in 0..input.varint("count of float tracks")? {
            let before = float_names.last().map_or("", String::as_str);
            let name = read_name(&mut input, before, "name of a float track")?;
            float_names.try_push(name)?;
        }
        let kinds = read_kinds(&mut input)?;
        let mut clips: Vec<ClipEntry> = Vec::new();
        for _ in 0..input.varint("count of clips")? {
            let before = clips.last().map_or("", |clip| &clip.name);
            let clip = read_clip(&mut input, before, &kinds, &mut sections)?;
            clips.try_push(clip)?;
        }
        let tiers = (0..input.u8("count of tiers")?).map(|_| TierMark::read(&mut input)).try_list_of()?;
        input.finish("directory")?;
        sections.finish()?;
        let rig = if rig_bytes.is_empty() { None } else { Some(RigSection::read(rig_bytes)?) };
        Ok(Self { rig, rig_digest, float_names, clips, tiers })
    }
}

impl Section {
    fn read(input: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { len: input.varint("length of a section")?, crc: input.u32("checksum of a section")? })
    }
}

/// Returns sections in file order.
struct Sections<'a> {
    bytes: &'a [u8],
    next: usize,
}

impl<'a> Sections<'a> {
    fn take(&mut self, section: Section, name: Arguments<'_>) -> Result<&'a [u8], DecodeError> {
        let left = self.bytes.len() - self.next;
        let needed = usize::try_from(section.len).unwrap_or(usize::MAX);
        if needed > left {
            return Err(DecodeError::Truncated { what: "section", at: self.next, needed, left });
        }
        let bytes = &self.bytes[self.next..self.next + needed];
        self.next += needed;
        let found = checksum([bytes]);
        if found != section.crc {
            return Err(DecodeError::checksum(name, found, section.crc));
        }
        Ok(bytes)
    }

    fn finish(self) -> Result<(), DecodeError> {
        match self.bytes.len() - self.next {
            0 => Ok(()),
            more => {
                let found = format_args!("followed by {more} more bytes");
                Err(DecodeError::invalid("last section", self.next, found, "the end of the file"))
            }
        }
    }
}

/// Magic, version and names of a kind of file.
pub(super) struct Files {
    magic: [u8; 8],
    magic_of: &'static str,
    kind: &'static str,
    version: u16,
}

impl Files {
    const CONTAINER: Self = Self {
        magic: CONTAINER_MAGIC,
        magic_of: "magic of a .posepress file",
        kind: "that of a .posepress file",
        version: CONTAINER_VERSION,
    };
    pub(super) const TIER: Self = Self {
        magic: TIER_MAGIC,
        magic_of: "magic of a .posepress-tier file",
        kind: "that of a .posepress-tier file",
        version: TIER_FILE_VERSION,
    };
}

/// Checks magic, version, flags and checksum, and returns checksum and directory.
pub(super) fn checked_directory<'a>(bytes: &'a [u8], files: &Files) -> Result<(u32, &'a [u8]), DecodeError> {
    let mut input = ByteReader::new(bytes);
    let magic = input.bytes(files.magic_of, files.magic.len())?;
    if magic != files.magic {
        return Err(DecodeError::invalid("magic", 0, format_args!("{magic:02x?}"), files.kind));
    }
    let version = input.u16("version")?;
    if version != files.version {
        let expected = format_args!("{}: open it with the Posepress that wrote it, or a newer one", files.version);
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
        return Err(DecodeError::checksum(format_args!("the directory"), found, expected));
    }
    Ok((expected, directory))
}

/// Checksum of a directory and of the header before it, without the checksum itself.
pub fn directory_crc(header: &[u8], directory: &[u8]) -> u32 {
    checksum([header, directory])
}

fn read_kinds(input: &mut ByteReader<'_>) -> Result<Vec<Kind>, DecodeError> {
    let mut kinds = Vec::new();
    for _ in 0..input.varint("count of kinds")? {
        let mut codec = [0; 4];
        codec.copy_from_slice(input.bytes("codec of clips", 4)?);
        kinds.try_push(Kind { codec, recipe: SharedText::new(input.long_text("recipe of clips")?)? })?;
    }
    Ok(kinds)
}

fn read_clip(
    input: &mut ByteReader<'_>,
    before: &str,
    kinds: &[Kind],
    sections: &mut Sections<'_>,
) -> Result<ClipEntry, DecodeError> {
    let name = read_name(input, before, "name of a clip")?;
    let at = input.position();
    let number = input.varint("kind of a clip")?;
    let kind = usize::try_from(number).ok().and_then(|number| kinds.get(number));
    let kind =
        kind.ok_or_else(|| DecodeError::invalid("kind of a clip", at, number, format_args!("below {}", kinds.len())))?;
    let at = input.position();
    let tolerance_m = input.f32("tolerance of a clip")?;
    if tolerance_m < 0.0 {
        return Err(DecodeError::invalid("tolerance of a clip", at, tolerance_m, "zero or more metres"));
    }
    let bytes = copied(sections.take(Section::read(input)?, format_args!("clip '{}'", Verbatim(&name)))?)?;
    Ok(ClipEntry { name, codec: kind.codec, recipe: kind.recipe.clone(), tolerance_m, bytes })
}
