use super::container::{Files, checked_directory};
use super::{ByteReader, DecodeError};
use crate::memory::{TryPush, copied, joined};
use alloc::string::String;
use alloc::vec::Vec;

/// An entry of a container for one tier. The tier is in its own file, which may be absent.
#[derive(Debug, Clone, PartialEq)]
pub struct TierMark {
    /// Name of the tier.
    pub name: String,
    /// Tolerance that the clips meet without this tier and the tiers after it, metres.
    pub tolerance_m: f32,
    /// Identifies the file: equals its [`TierFile::checksum`].
    pub checksum: u32,
    /// Size of the file in bytes.
    pub bytes: u64,
}

/// A `.posepress-tier` file: detail that was moved out of the clips of one container.
///
/// ```text
/// magic          8 bytes, as in a container, with T for R
/// version        u16, 1
/// flags          u16, 0
/// directory      u32 length, u32 CRC-32 of the 16 bytes before the CRC and of the directory
///   name         u16 length, UTF-8
///   clips        u32 count, then u32 length and u32 CRC-32 of each, in the order of the container
/// tiers          of the clips, back to back, up to the end of the file
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TierFile {
    /// Name of the tier.
    pub name: String,
    /// Checksum of the directory, which contains the checksums of all clips.
    pub checksum: u32,
    /// Bytes per clip, in the order of the container; see `join_tier`.
    pub clips: Vec<Vec<u8>>,
}

/// The version of tier files.
pub const TIER_FILE_VERSION: u16 = 1;

impl TierMark {
    /// Reads a mark.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub(super) fn read(input: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        let name = joined(&[input.text("name of a tier")?])?;
        let at = input.position();
        let tolerance_m = input.f32("tolerance without a tier")?;
        if tolerance_m < 0.0 {
            return Err(DecodeError::invalid("tolerance without a tier", at, tolerance_m, "zero or more metres"));
        }
        let (checksum, bytes) = (input.u32("checksum of a tier")?, input.u64("bytes of a tier")?);
        Ok(Self { name, tolerance_m, checksum, bytes })
    }
}

impl TierFile {
    /// Reads a file and checks structure and checksums.
    ///
    /// # Errors
    /// See [`DecodeError`]. Any bytes are safe to pass; no more is allocated than the bytes hold.
    pub fn read(bytes: &[u8]) -> Result<Self, DecodeError> {
        let (checksum, directory) = checked_directory(bytes, &Files::TIER)?;
        let mut input = ByteReader::new(directory);
        let name = joined(&[input.text("name of a tier")?])?;
        let mut rest = ByteReader::new(bytes);
        rest.bytes("directory", super::CONTAINER_HEADER_BYTES + directory.len())?;
        let mut clips = Vec::new();
        for clip in 0..input.u32("count of clips")? {
            let length = input.u32("length of a clip's tier")? as usize;
            let expected = input.u32("checksum of a clip's tier")?;
            let bytes = rest.bytes("tier of a clip", length)?;
            let found = super::checksum([bytes]);
            if found != expected {
                return Err(DecodeError::checksum(format_args!("tier of clip {clip}"), found, expected));
            }
            clips.try_push(copied(bytes)?)?;
        }
        input.finish("directory of a tier")?;
        rest.finish("tier")?;
        Ok(Self { name, checksum, clips })
    }
}
