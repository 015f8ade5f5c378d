//! Quality tiers: detail of clips in separate files, which may be absent. Joining them restores the detail.
//!
//! A clip without its tiers is an ordinary clip with fewer bytes and more error. Tiers are joined in the order of the container. The last
//! one restores the original clip, byte for byte.

use crate::codecs::check_version;
use crate::codecs::press::Contents;
use crate::format::{BindPose, ByteReader, ClipEntry, Container, DecodeError, TierFile, checksum, section};
use crate::memory::{NoMemory, TryList, TryPush, copied, with_room};
use crate::parts::{ClipHeader, Stretches};
use crate::{ClipSections, CodecId, TimeGrid};
use alloc::vec::Vec;
use core::ops::Range;

/// The codec whose payloads have tiers.
pub const TIERED: CodecId = CodecId(*b"PRS1");
/// Version: the first byte of a clip's tier.
pub const TIER_VERSION: u8 = 1;
/// Bytes of a length, u32.
const LENGTH_BYTES: usize = 4;

/// The position of the tiered payload in a clip's bytes. Joint groups, float tracks and the rest do not change.
#[derive(Debug)]
pub struct TieredPayload {
    range: Range<usize>,
    is_grouped: bool,
    /// The cut of the clip into stretches.
    cut: Stretches,
    /// Header and bytes of each stretch.
    stretches: Vec<(ClipHeader, Range<usize>)>,
}

impl TieredPayload {
    /// Finds the payload. Any bytes are safe to pass.
    ///
    /// # Errors
    /// See [`DecodeError`]: clips of other codecs have no tiers.
    pub fn find(codec: CodecId, clip: &[u8]) -> Result<Self, DecodeError> {
        if codec != TIERED {
            let expected = "PRS1, that of press: other codecs have no tiers";
            return Err(DecodeError::invalid("codec of a clip with tiers", 0, codec.0.escape_ascii(), expected));
        }
        let sections = ClipSections::read(clip)?;
        let stored = sections.stored();
        let version_at = sections.payload.start.saturating_sub(1);
        check_version(codec, &stored, "version of the payload", (version_at, sections.version))?;
        let range = match sections.is_grouped {
            true => {
                let mut input = ByteReader::new(section(clip, &sections.payload));
                let length = input.u32("bytes of a payload")? as usize;
                input.bytes("payload", length)?;
                let start = sections.payload.start + LENGTH_BYTES;
                start..start + length
            }
            false => sections.payload,
        };
        let cut = Stretches::of(stored.joints, stored.grid.samples());
        let stretches = stretches_of(&stored, cut, clip, &range)?;
        Ok(Self { range, is_grouped: sections.is_grouped, cut, stretches })
    }

    /// Header and byte range of each stretch. A clip that is not cut has one stretch.
    pub fn stretches(&self) -> &[(ClipHeader, Range<usize>)] {
        &self.stretches
    }

    /// Samples of a stretch.
    pub fn samples_of(&self, stretch: usize) -> Range<usize> {
        self.cut.samples_of(stretch)
    }

    /// The clip with other payloads, one per stretch.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn replaced(&self, clip: &[u8], payloads: &[Vec<u8>]) -> Result<Vec<u8>, NoMemory> {
        let lengths = || payloads.iter().filter(|_| payloads.len() > 1).map(|p| (p.len() as u32).to_le_bytes());
        let payload_len = payloads.iter().map(Vec::len).sum::<usize>() + lengths().count() * LENGTH_BYTES;
        let mut out = with_room(clip.len() + payload_len - self.range.len())?;
        out.extend_from_slice(section(clip, &(0..self.range.start)));
        let mut grow = |at: usize| {
            if let Some(length) = out.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<LENGTH_BYTES>()) {
                let longer = u32::from_le_bytes(*length) as usize + payload_len - self.range.len();
                *length = (longer as u32).to_le_bytes();
            }
        };
        grow(ClipHeader::BYTES);
        if self.is_grouped {
            grow(self.range.start - LENGTH_BYTES);
        }
        lengths().for_each(|length| out.extend_from_slice(&length));
        payloads.iter().for_each(|payload| out.extend_from_slice(payload));
        out.extend_from_slice(section(clip, &(self.range.end..clip.len())));
        Ok(out)
    }
}

fn stretches_of(
    header: &ClipHeader,
    stretches: Stretches,
    clip: &[u8],
    payload: &Range<usize>,
) -> Result<Vec<(ClipHeader, Range<usize>)>, DecodeError> {
    if stretches.count() == 1 {
        return Ok([(*header, payload.clone())].into_iter().try_list()?);
    }
    let mut input = ByteReader::new(section(clip, payload));
    let mut lengths = ByteReader::new(input.bytes("lengths of stretches", LENGTH_BYTES * stretches.count())?);
    let mut out = Vec::new();
    for stretch in 0..stretches.count() {
        let length = lengths.u32("length of a stretch")? as usize;
        let start = payload.start + input.position();
        input.bytes("stretch", length)?;
        let grid = TimeGrid::new(stretches.samples_of(stretch).len(), 0.0);
        out.try_push((ClipHeader { grid, ..*header }, start..start + length))?;
    }
    input.finish("stretches")?;
    Ok(out)
}

/// Joins a tier with a clip's bytes, and returns the bytes of the joined clip. Call it once, when the clip is loaded. `bind` is the bind pose
/// of the clip's rig.
///
/// Bytes of a tier: [`TIER_VERSION`]; CRC-32 of the clip without the tier, u32; CRC-32 of the clip with the tier, u32; then the bit
/// planes of each stretch. In a clip of several stretches, the length of its planes (u32) precedes each. An
/// empty tier does not change the clip.
///
/// # Errors
/// See [`DecodeError`]: damaged bytes, or a tier of another clip. Any bytes are safe to pass.
pub fn join_tier(codec: CodecId, clip: &[u8], tier: &[u8], bind: &BindPose) -> Result<Vec<u8>, DecodeError> {
    if tier.is_empty() {
        return Ok(copied(clip)?);
    }
    let mut input = ByteReader::new(tier);
    let version = input.u8("version of a tier")?;
    if version != TIER_VERSION {
        let expected = format_args!("{TIER_VERSION}: use the Posepress that wrote it, or a newer one");
        return Err(DecodeError::invalid("version of a tier", 0, version, expected));
    }
    let (without, with) = (input.u32("checksum of the clip")?, input.u32("checksum of the joined clip")?);
    let found = checksum([clip]);
    if found != without {
        let expected = format_args!("{without:08x}, that of the clip that the tier belongs to");
        return Err(DecodeError::invalid("checksum of the clip of a tier", 1, format_args!("{found:08x}"), expected));
    }
    let payload = TieredPayload::find(codec, clip)?;
    let mut payloads = Vec::new();
    if let Some((header, _)) = payload.stretches().first().filter(|(header, _)| header.joints != bind.len()) {
        return Err(DecodeError::invalid(
            "joints of a clip with tiers",
            0,
            header.joints,
            format_args!("the rig's {}", bind.len()),
        ));
    }
    for (header, range) in payload.stretches() {
        let length = match payload.stretches().len() {
            1 => input.left(),
            _ => input.u32("bytes of a stretch of a tier")? as usize,
        };
        let bytes = section(clip, range);
        let planes = input.bytes("stretch of a tier", length)?;
        payloads.try_push(Contents::read(header, bytes, bind, length)?.join(bind, planes)?)?;
    }
    input.finish("tier")?;
    let out = payload.replaced(clip, &payloads)?;
    match checksum([&out]) {
        found if found == with => Ok(out),
        found => Err(DecodeError::checksum(format_args!("the joined clip"), found, with)),
    }
}

impl Container {
    /// Joins the next tier with the clips. After the last one, the container equals the original without tiers. `bind` is the bind pose of the
    /// clips' rig, which a container may lack.
    ///
    /// # Errors
    /// [`DecodeError`] for a tier of another container or a tier out of order. The container is then unchanged.
    pub fn join(&mut self, tier: &TierFile, bind: &BindPose) -> Result<(), DecodeError> {
        let Some(next) = self.tiers.first() else {
            return Err(DecodeError::invalid("tier", 0, format_args!("'{}'", tier.name), "none: every clip is whole"));
        };
        if next.checksum != tier.checksum {
            let found = format_args!("'{}' with checksum {:08x}", tier.name, tier.checksum);
            let (name, checksum) = (&next.name, next.checksum);
            return Err(match self.tiers.iter().any(|mark| mark.checksum == tier.checksum) {
                true => DecodeError::invalid("tier", 0, found, format_args!("'{name}' before it")),
                false => {
                    let expected = format_args!("'{name}' with checksum {checksum:08x}: it belongs to another file");
                    DecodeError::invalid("tier", 0, found, expected)
                }
            });
        }
        if tier.clips.len() != self.clips.len() {
            return Err(DecodeError::invalid("clips of a tier", 0, tier.clips.len(), self.clips.len()));
        }
        let join = |(clip, tier): (&ClipEntry, &Vec<u8>)| join_tier(CodecId(clip.codec), &clip.bytes, tier, bind);
        let joined = self.clips.iter().zip(&tier.clips).map(join).try_list_of()?;
        self.clips.iter_mut().zip(joined).for_each(|(clip, joined)| clip.bytes = joined);
        self.tiers.remove(0);
        Ok(())
    }

    /// Names of the missing tiers, the next one first.
    pub fn missing_tiers(&self) -> impl Iterator<Item = &str> {
        self.tiers.iter().map(|mark| mark.name.as_str())
    }
}
