//! Counts the bytes of a clip that a pose reads, for any codec: changes bytes and looks whether the pose changes.

use super::{Codec, open};
use crate::format::DecodeError;
use crate::math::Transform;
use crate::model::Pose;
use posepress_runtime::{Cursor, Opened};
use std::mem::take;
use std::ops::Range;

/// The size of a cache line on most processors, bytes.
pub const CACHE_LINE_BYTES: usize = 64;

/// Bytes of a clip that a whole pose depends on, in whole cache lines. The clip is assumed to begin at the start of a line.
///
/// Returns the mean over `places`, in samples from the start, each read by a new player. Data that opening the clip expanded into other
/// memory does not count. `None` if poses depend on nothing else.
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
    /// A copy of the clip's bytes.
    spare: Vec<u8>,
}

/// The changes: every bit, and some of the bits, for bytes that are compared and not only read.
const CHANGES: [fn(usize) -> u8; 2] = [|_| 0xff, |place| (place as u8).wrapping_mul(167) ^ 0x5a];

impl Probe {
    /// The number of lines that the pose at a place depends on.
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

    /// The pose from changed bytes, which are then restored.
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

    /// Applying the change twice restores the bytes.
    fn change(&mut self, bytes: &Range<usize>, change: &fn(usize) -> u8) {
        self.spare[bytes.clone()].iter_mut().enumerate().for_each(|(place, byte)| *byte ^= change(place));
    }

    /// The pose as bits, because changed bytes may give values that are not numbers.
    fn pose_bits(&self, at_sample: f64) -> Vec<u32> {
        let header = self.clip.header();
        let mut pose = Pose::with_size(header.joints, header.float_tracks);
        self.clip.sample(&mut self.fresh.clone(), at_sample, &mut pose);
        pose.joints.iter().flat_map(|joint| joint.numbers()).chain(pose.floats).map(f32::to_bits).collect()
    }
}

/// The number of lines that alone have a property, by bisection. A half without it as a whole is skipped.
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
