//! Settings that are stored once per track, and float32 tracks.

use super::layout::{Layout, SIZE_BITS, residual_bias};
use super::places::PackedIntegers;
use crate::Channel;
use crate::format::{BitReader, DecodeError, bits_at};
use crate::math::{Range3, Transform};
use crate::memory::TryPush;
use crate::parts::{
    KeyFormat, LATTICE_REFERENCE, RotationFormat, StoredTracks, VectorFormat, check_key, lattice_step, unzigzag32,
};
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

/// Bits of the reference of a track; 0 for vectors.
pub fn reference_bits(channel: Channel) -> usize {
    if channel == Channel::Rotation { LATTICE_REFERENCE.bits() as usize } else { 0 }
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

impl LatticeTrack {
    /// Its anchors in a row.
    pub fn anchors_at(&self, bytes: &[u8], row: usize) -> [i32; 3] {
        let integers = self.anchors.read(bytes, row);
        [0, 1, 2].map(|i| integers[i].wrapping_add(self.lowest[i]))
    }
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

/// Reads the settings that are stored once per track.
pub struct Records {
    layout: Layout,
    /// First of the float32 flags, if any track is float32.
    flags_bit: Option<usize>,
    track: usize,
    /// Bits of a sample's anchors.
    pub anchor_bits: u32,
    pub exact: Vec<ExactTrack>,
    /// Bits of a sample of all float32 tracks.
    pub exact_bits: usize,
}

impl Records {
    /// Starts after the layout.
    pub fn new(layout: &Layout, table: &StoredTracks, input: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        let tracks = Channel::ALL.into_iter().map(|channel| table.animated(channel).count()).sum();
        let flags_bit = layout.has_exact.then(|| input.skip("exact tracks", tracks)).transpose()?;
        Ok(Self { layout: *layout, flags_bit, track: 0, anchor_bits: 0, exact: Vec::new(), exact_bits: 0 })
    }

    /// Reads the tracks of a channel. Returns those on lattices.
    pub fn read(
        &mut self,
        input: &mut BitReader<'_>,
        bytes: &[u8],
        table: &StoredTracks,
        channel: Channel,
    ) -> Result<Vec<LatticeTrack>, DecodeError> {
        let mut tracks = Vec::new();
        for joint in table.animated(channel) {
            tracks.try_extend(self.next(input, bytes, joint, channel)?)?;
        }
        Ok(tracks)
    }

    /// Reads the next track. Returns `None` for a float32 track.
    pub fn next(
        &mut self,
        input: &mut BitReader<'_>,
        bytes: &[u8],
        joint: usize,
        channel: Channel,
    ) -> Result<Option<LatticeTrack>, DecodeError> {
        let is_exact = self.flags_bit.is_some_and(|bit| bits_at(bytes, bit + self.track, 1) == 1);
        self.track += 1;
        if !is_exact {
            return self.lattice(input, bytes, joint, channel).map(Some);
        }
        self.exact.try_push(ExactTrack { joint, channel, at: self.exact_bits })?;
        self.exact_bits += exact_bits(channel);
        Ok(None)
    }

    fn lattice(
        &mut self,
        input: &mut BitReader<'_>,
        bytes: &[u8],
        joint: usize,
        channel: Channel,
    ) -> Result<LatticeTrack, DecodeError> {
        let is_rotation = channel == Channel::Rotation;
        let (least, bits) = (self.layout.least_code, self.layout.code_bits);
        let mut step = || {
            let code = input.read("step of a track", bits)?;
            Ok::<_, DecodeError>(lattice_step(least.saturating_add(code as u8), is_rotation))
        };
        let steps = [step()?, step()?, step()?];
        let reference = if is_rotation {
            let at = input.skip("reference of a track", LATTICE_REFERENCE.bits() as usize)?;
            LATTICE_REFERENCE.read(bytes, at, &Range3::UNIT)
        } else {
            Quat::IDENTITY
        };
        let (mut anchors, mut lowest) = (PackedIntegers { at: self.anchor_bits, widths: [0; 3] }, [0; 3]);
        for (width, lowest) in anchors.widths.iter_mut().zip(&mut lowest) {
            *width = input.read("width of anchors", SIZE_BITS)? as u8;
            *lowest = if input.read("flag of an offset", 1)? == 1 {
                let offset_bits = input.read("width of an offset", SIZE_BITS)? as u32;
                unzigzag32(input.read("offset of anchors", offset_bits)? as u32)
            } else {
                -residual_bias(*width)
            };
            self.anchor_bits += u32::from(*width);
        }
        Ok(LatticeTrack { joint, steps, reference, anchors, lowest })
    }
}
