//! Rows of bits, float32 tracks and tracks that do not move, as decoders need them.

use super::head::Head;
use crate::Channel;
use crate::format::{BindPose, BitReader, DecodeError};
use crate::math::{Range3, Transform};
use crate::memory::{NoMemory, TryPush};
use crate::parts::{KeyFormat, PoseSlice, RotationFormat, StillPose, VectorFormat, check_key};
use alloc::vec::Vec;

/// Format of float32 rotations.
const EXACT_ROTATION: RotationFormat = RotationFormat::Full;
/// Format of float32 translations and scales.
const EXACT_VECTOR: VectorFormat = VectorFormat::Float96;

/// Bits of a float32 sample of a channel.
pub fn exact_bits(channel: Channel) -> usize {
    match channel {
        Channel::Rotation => EXACT_ROTATION.bits() as usize,
        Channel::Translation | Channel::Scale => EXACT_VECTOR.bits() as usize,
    }
}

/// Rows of equal length.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rows {
    pub first_bit: usize,
    pub row_bits: usize,
}

impl Rows {
    /// Skips rows that are read later.
    pub fn read(
        input: &mut BitReader<'_>,
        what: &'static str,
        row_bits: usize,
        rows: usize,
    ) -> Result<Self, DecodeError> {
        Ok(Self { first_bit: input.skip(what, rows.saturating_mul(row_bits))?, row_bits })
    }

    /// First bit of a row.
    #[inline(always)]
    pub fn row(&self, row: usize) -> usize {
        self.first_bit + row * self.row_bits
    }
}

/// A track of float32 samples.
#[derive(Debug)]
struct ExactTrack {
    joint: usize,
    channel: Channel,
    /// Bits from the start of a sample.
    at: usize,
}

impl ExactTrack {
    /// Checks a sample once, so that reading it needs no checks.
    fn check(&self, bytes: &[u8], rows: &Rows, sample: usize) -> Result<(), DecodeError> {
        let at = rows.row(sample) + self.at;
        match self.channel {
            Channel::Rotation => check_key(bytes, at, EXACT_ROTATION),
            Channel::Translation | Channel::Scale => check_key(bytes, at, EXACT_VECTOR),
        }
    }

    /// Writes the track's value between `sample` and the next one. `alpha` is the fraction, 0 at `sample`.
    fn put(&self, bytes: &[u8], rows: &Rows, sample: usize, alpha: f32, out: &mut Transform) {
        match self.channel {
            Channel::Rotation => out.rotation = self.value(EXACT_ROTATION, bytes, rows, sample, alpha),
            Channel::Translation => out.translation = self.value(EXACT_VECTOR, bytes, rows, sample, alpha),
            Channel::Scale => out.scale = self.value(EXACT_VECTOR, bytes, rows, sample, alpha),
        }
    }

    fn value<F: KeyFormat>(&self, format: F, bytes: &[u8], rows: &Rows, sample: usize, alpha: f32) -> F::Key {
        let read = |sample: usize| format.read(bytes, rows.row(sample) + self.at, &Range3::UNIT);
        if alpha > 0.0 { F::blend(read(sample), read(sample + 1), alpha) } else { read(sample) }
    }
}

/// The tracks of float32 samples, and their rows.
#[derive(Debug)]
pub struct ExactRows {
    tracks: Vec<ExactTrack>,
    rows: Rows,
}

impl ExactRows {
    /// Reads and checks the rows of `samples` samples.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(head: &Head, input: &mut BitReader<'_>, bytes: &[u8], samples: usize) -> Result<Self, DecodeError> {
        let (mut tracks, mut at) = (Vec::new(), 0);
        head.each_animated(|joint, channel, is_exact| {
            if is_exact {
                tracks.try_push(ExactTrack { joint, channel, at })?;
                at += exact_bits(channel);
            }
            Ok::<(), NoMemory>(())
        })?;
        // A damaged header may claim very many samples, which take no bytes without tracks.
        let samples = if tracks.is_empty() { 0 } else { samples };
        let rows = Rows::read(input, "float32 samples", at, samples)?;
        let out = Self { tracks, rows };
        (0..samples)
            .try_for_each(|sample| out.tracks.iter().try_for_each(|track| track.check(bytes, &rows, sample)))?;
        Ok(out)
    }

    /// Writes the wanted tracks between `sample` and the next one. `alpha` is the fraction, 0 at `sample`.
    pub fn put(&self, bytes: &[u8], sample: usize, alpha: f32, out: &mut PoseSlice<'_>) {
        for track in &self.tracks {
            if let Some(out) = out.joint(track.joint) {
                track.put(bytes, &self.rows, sample, alpha, out);
            }
        }
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&self.tracks[..])
    }
}

/// The pose of the tracks that do not move. `head_bytes` is the place of errors.
///
/// # Errors
/// [`DecodeError`] for a constant that is no rotation, or too large.
pub fn still_pose(head: &Head, bind: &BindPose, head_bytes: usize) -> Result<StillPose, DecodeError> {
    let mut still = StillPose::with_room(bind, head.constants.iter().map(|constant| constant.channel))?;
    for constant in &head.constants {
        let mut local = Transform::IDENTITY;
        constant.put(head.is_full, &mut local, head_bytes)?;
        still.add(constant.joint, constant.channel, &local)?;
    }
    Ok(still)
}
