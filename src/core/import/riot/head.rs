use super::super::{Fault, readable};
use crate::math::Range3;
use crate::model::Skeleton;
use glam::Vec3;
use posepress_runtime::internal::format::ByteReader;
use std::ops::RangeInclusive;

/// First bytes of a file with compressed keys.
pub(crate) const MAGIC: &[u8; 8] = b"r3d2canm";
/// First bytes of a file with a pose per frame.
const UNPACKED_MAGIC: &[u8; 8] = b"r3d2anmd";
/// Supported versions, which share a layout.
const VERSIONS: RangeInclusive<u32> = 1..=3;
/// Byte of the file from which the offsets in the header count.
pub(crate) const PLACES_START: usize = 12;
/// Bits of the joint index in a frame. The bits above are the channel.
pub(crate) const JOINT_BITS: u32 = 14;
/// Flag: tangents depend on the times between keys. Without it, splines through uneven keys overshoot.
pub(crate) const FOLLOWS_TIMES: u32 = 0b100;
/// Keys per track that a player needs at a time, and that a jump cache has: two around the time, and one on each side.
pub(crate) const JUMP_KEYS: usize = 4;
/// Largest number of frames for which a frame index has 16 bits.
pub(crate) const SHORT_FRAMES: usize = 1 << 16;

/// The header of a file.
#[derive(Debug)]
pub(super) struct Head {
    pub joints: usize,
    pub frames: usize,
    pub duration_secs: f32,
    pub rate_hz: f32,
    pub follows_times: bool,
    /// Range of translations, in the unit of the file.
    pub translations: Range3,
    pub scales: Range3,
    /// Start of the frames, bytes from the start of the file.
    pub frames_place: usize,
    hashes_place: usize,
}

impl Head {
    /// Reads the header. Checks its values, and that the file has all jump caches.
    pub fn read(bytes: &[u8]) -> Result<Self, Fault> {
        let mut reader = ByteReader::new(bytes);
        check_kind(&mut reader)?;
        reader.bytes("size and token", 8)?;
        let flags = reader.u32("flags")?;
        let mut count = |what| reader.u32(what).map(|count| count as usize);
        let (joints, frames, jumps) =
            (count("number of joints")?, count("number of frames")?, count("number of jump caches")?);
        if !(1..=Skeleton::MAX_JOINTS).contains(&joints) {
            let what = format!("it moves {joints} joints; expected 1 to {}", Skeleton::MAX_JOINTS);
            return Err(Fault::new(what).at("byte 24"));
        }
        let (duration_secs, rate_hz) = (reader.f32("duration")?, reader.f32("frames per second")?);
        if !(duration_secs > 0.0 && (1.0..=1000.0).contains(&rate_hz)) {
            let what = format!(
                "it lasts {duration_secs} s at {rate_hz} frames per second; expected more than 0 s, at 1 to 1000"
            );
            return Err(Fault::new(what).at("byte 36"));
        }
        reader.bytes("error metrics", 24)?;
        let (translations, scales) = (range(&mut reader, 68)?, range(&mut reader, 92)?);
        let mut place = |what| reader.u32(what).map(|place| (place as usize).saturating_add(PLACES_START));
        let (frames_place, jumps_place, hashes_place) =
            (place("place of frames")?, place("place of jump caches")?, place("place of joints")?);
        let follows_times = flags & FOLLOWS_TIMES != 0;
        let head = Self {
            joints,
            frames,
            duration_secs,
            rate_hz,
            follows_times,
            translations,
            scales,
            frames_place,
            hashes_place,
        };
        let word = if frames <= SHORT_FRAMES { 2 } else { 4 };
        head.section(bytes, "jump caches", jumps_place, jumps.saturating_mul(joints), 3 * JUMP_KEYS * word)?;
        Ok(head)
    }

    /// Bytes of `count` elements of `size` bytes each. `what` is their name in the fault.
    pub fn section<'a>(
        &self,
        bytes: &'a [u8],
        what: &str,
        place: usize,
        count: usize,
        size: usize,
    ) -> Result<&'a [u8], Fault> {
        let needed = count.saturating_mul(size);
        bytes.get(place..place.saturating_add(needed)).ok_or_else(|| {
            let what = format!("its {what} take {needed} bytes; the file has {} in all", bytes.len());
            Fault::new(what).at(format!("byte {place}"))
        })
    }

    /// Hashes of joint names, in file order. Some files by Riot have a hash twice.
    pub fn hashes(&self, bytes: &[u8]) -> Result<Vec<u32>, Fault> {
        let words = self.section(bytes, "joints", self.hashes_place, self.joints, 4)?;
        Ok(words
            .chunks_exact(4)
            .map(|word| word.iter().rev().fold(0, |hash, byte| hash << 8 | u32::from(*byte)))
            .collect())
    }
}

fn check_kind(reader: &mut ByteReader<'_>) -> Result<(), Fault> {
    let magic = reader.bytes("kind", MAGIC.len())?;
    if magic == UNPACKED_MAGIC {
        let what = "it holds a pose per frame ('r3d2anmd'); only compressed animations ('r3d2canm') are read";
        return Err(Fault::new(what).at("byte 0").advise("Export it again, compressed"));
    }
    if magic != MAGIC {
        let found = readable(&String::from_utf8_lossy(magic));
        return Err(Fault::new(format!("it begins with '{found}'; expected 'r3d2canm'")).at("byte 0"));
    }
    let version = reader.u32("version")?;
    match VERSIONS.contains(&version) {
        true => Ok(()),
        false => Err(Fault::new(format!("it is of version {version}; expected 1 to 3")).at("byte 8")),
    }
}

/// Reads the smallest and the largest value per component.
fn range(reader: &mut ByteReader<'_>, byte: usize) -> Result<Range3, Fault> {
    let mut ends = [Vec3::ZERO; 2];
    for end in &mut ends {
        *end = Vec3::new(reader.f32("range")?, reader.f32("range")?, reader.f32("range")?);
    }
    let [min, max] = ends;
    let range = Range3 { min, extent: max - min };
    match range.extent.is_finite() {
        true => Ok(range),
        false => Err(Fault::new("its range of values is too wide for a number").at(format!("byte {byte}"))),
    }
}
