//! Which bytes of a clip a pose reads, found out from outside, for any codec: bytes are changed, and the pose changes or not.

use super::{Codec, open};
use crate::format::DecodeError;
use crate::math::Transform;
use crate::model::Pose;
use posepress_runtime::{Cursor, Opened};
use std::mem::take;
use std::ops::Range;

/// What memory is fetched in, bytes: a cache line of most processors.
pub const CACHE_LINE_BYTES: usize = 64;

/// Bytes of a clip that a whole pose depends on, in cache lines, as if the clip began with one: the mean over places, in samples
/// from its start, each for a player that comes from there. What opening worked out and keeps in memory of its own is not among
/// them; `None` where poses depend on nothing else.
///
/// # Errors
/// See [`DecodeError`].
pub fn touched_bytes(
    codec: &dyn Codec,
    bytes: &[u8],
    bind: &[Transform],
    places: &[f64],
) -> Result<Option<f64>, DecodeError> {
    let clip = open(codec, bytes.to_vec(), bind)?;
    let mut probe = Probe { fresh: clip.cursor()?, clip, spare: bytes.to_vec() };
    let lines: usize = places.iter().map(|at_sample| probe.lines(*at_sample)).sum();
    Ok((lines > 0).then(|| (lines * CACHE_LINE_BYTES) as f64 / places.len() as f64))
}

struct Probe {
    clip: Opened<Vec<u8>>,
    fresh: Cursor<'static>,
    /// The clip's bytes once more.
    spare: Vec<u8>,
}

/// What bytes are changed by: every bit; and some of them, for what is compared and not only read.
const CHANGES: [fn(usize) -> u8; 2] = [|_| 0xff, |place| (place as u8).wrapping_mul(167) ^ 0x5a];

impl Probe {
    /// Lines that the pose at a place depends on.
    fn lines(&mut self, at_sample: f64) -> usize {
        let pose = self.pose_bits(at_sample);
        let count = self.spare.len().div_ceil(CACHE_LINE_BYTES);
        lines_where(0..count, &mut |lines| self.changes(at_sample, lines, &pose))
    }

    fn changes(&mut self, at_sample: f64, lines: Range<usize>, pose: &[u32]) -> bool {
        let end = (lines.end * CACHE_LINE_BYTES).min(self.spare.len());
        let bytes = lines.start * CACHE_LINE_BYTES..end;
        CHANGES.iter().any(|change| self.changed_bits(at_sample, &bytes, change) != pose)
    }

    /// The pose of changed bytes, which are then put back.
    fn changed_bits(&mut self, at_sample: f64, bytes: &Range<usize>, change: &fn(usize) -> u8) -> Vec<u32> {
        self.change(bytes, change);
        self.swap();
        let bits = self.pose_bits(at_sample);
        self.swap();
        self.change(bytes, change);
        bits
    }

    fn swap(&mut self) {
        self.spare = self.clip.replace_bytes(take(&mut self.spare));
    }

    /// Twice is not at all.
    fn change(&mut self, bytes: &Range<usize>, change: &fn(usize) -> u8) {
        self.spare[bytes.clone()].iter_mut().enumerate().for_each(|(place, byte)| *byte ^= change(place));
    }

    /// As bits: of changed bytes no numbers may come.
    fn pose_bits(&self, at_sample: f64) -> Vec<u32> {
        let header = self.clip.header();
        let mut pose = Pose::with_size(header.joints, header.float_tracks);
        self.clip.sample(&mut self.fresh.clone(), at_sample, &mut pose);
        pose.joints.iter().flat_map(|joint| joint.numbers()).chain(pose.floats).map(f32::to_bits).collect()
    }
}

/// How many of the lines by themselves have what all of them together have, if any of them has: halves without are not looked into.
fn lines_where(lines: Range<usize>, any_has: &mut impl FnMut(Range<usize>) -> bool) -> usize {
    if lines.is_empty() || !any_has(lines.clone()) {
        return 0;
    }
    if lines.len() == 1 {
        return 1;
    }
    let middle = lines.start + lines.len() / 2;
    lines_where(lines.start..middle, any_has) + lines_where(middle..lines.end, any_has)
}
