//! The tracks of a clip, as decoders need them.

use super::head::{Head, REFERENCE_BITS, packed};
use super::places::PackedIntegers;
use crate::Channel;
use crate::format::{BindPose, BitReader, DecodeError};
use crate::math::{Range3, Transform};
use crate::memory::{NoMemory, TryPush};
use crate::parts::{KeyFormat, LATTICE_REFERENCE, RotationFormat, StillPose, VectorFormat, check_key, lattice_step};
use alloc::vec::Vec;
use glam::Quat;

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

/// One track on a lattice.
pub struct LatticeTrack {
    pub joint: usize,
    pub steps: [f32; 3],
    pub reference: Quat,
    /// Place of its anchors in their row.
    pub anchors: PackedIntegers,
    /// Values of zero bits of anchors.
    pub lowest: [i32; 3],
}

/// A track of float32 samples.
#[derive(Debug)]
pub struct ExactTrack {
    pub joint: usize,
    channel: Channel,
    /// Bits from the start of a sample.
    at: usize,
}

impl ExactTrack {
    /// Checks a sample once, so that reading it needs no checks.
    pub fn check(&self, bytes: &[u8], rows: &Rows, sample: usize) -> Result<(), DecodeError> {
        let at = rows.row(sample) + self.at;
        match self.channel {
            Channel::Rotation => check_key(bytes, at, EXACT_ROTATION),
            Channel::Translation | Channel::Scale => check_key(bytes, at, EXACT_VECTOR),
        }
    }

    /// Writes the track's value between `sample` and the next one. `alpha` is the fraction, 0 at `sample`.
    pub fn put(&self, bytes: &[u8], rows: &Rows, sample: usize, alpha: f32, out: &mut Transform) {
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

/// All animated tracks of a clip.
#[derive(Default)]
pub struct Tracks {
    /// Tracks on lattices: rotations, translations, scales.
    pub on_lattices: [Vec<LatticeTrack>; 3],
    /// Bits of a sample's anchors.
    pub anchor_bits: u32,
    pub exact: Vec<ExactTrack>,
    /// Bits of a sample of all float32 tracks.
    pub exact_bits: usize,
}

impl Tracks {
    /// The tracks of a head.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn of(head: &Head) -> Result<Self, NoMemory> {
        let mut out = Self::default();
        for record in &head.tracks {
            let anchors = PackedIntegers { at: out.anchor_bits, widths: record.anchors.map(|range| range.bits as u8) };
            out.anchor_bits += anchors.bits();
            out.on_lattices[record.channel as usize].try_push(LatticeTrack {
                joint: record.joint,
                steps: record.codes.map(|code| lattice_step(code, record.is_rotation())),
                reference: LATTICE_REFERENCE.read(&packed(record.reference, REFERENCE_BITS), 0, &Range3::UNIT),
                anchors,
                lowest: record.anchors.map(|range| range.lowest),
            })?;
        }
        for ((joint, channel), _) in head.animated().filter(|(_, is_exact)| *is_exact) {
            out.exact.try_push(ExactTrack { joint, channel, at: out.exact_bits })?;
            out.exact_bits += exact_bits(channel);
        }
        Ok(out)
    }
}

/// The pose of the tracks that do not move. `head_bytes` is the place of errors.
///
/// # Errors
/// [`DecodeError`] for a constant that is no rotation, or too large.
pub fn still_pose(head: &Head, bind: &BindPose, head_bytes: usize) -> Result<StillPose, DecodeError> {
    let by_joint = || head.constants.chunk_by(|a, b| a.joint == b.joint);
    let mut still = StillPose::new(bind, by_joint().count())?;
    for constants in by_joint() {
        let joint = constants[0].joint;
        let mut local = bind[joint];
        constants.iter().try_for_each(|constant| constant.put(head.is_full, &mut local, head_bytes))?;
        still.set(joint, local)?;
    }
    Ok(still)
}
