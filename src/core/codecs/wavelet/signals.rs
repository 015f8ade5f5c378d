//! Tracks as signals, and signals as integers.

use super::decode::{
    CoefficientRange, JOINED_VALUES, Layout, MAX_BLOCK_VALUES, Numbers, REFERENCE, RotationMap, Track, band_extent,
    band_step,
};
use crate::codecs::encode::constant_value;
use crate::codecs::encode::farthest_component;
use crate::codecs::encode::lattice::LatticeTrack;
use crate::codecs::encode::write::{WriteKey, vector_extent_codes};
use crate::codecs::runtime::TrackTable;
use crate::math::{Range3, Transform, dot4, drop_component, nearest, product, rotation_log};
use crate::model::{Channel, Clip};
use glam::{Quat, Vec3};

/// One animated track over the whole clip.
#[derive(Debug, Clone)]
pub struct TrackSignals {
    pub track: Track,
    /// The rotation that others are relative to, before it is rounded for storing.
    pub centre: Quat,
    /// One signal per component, one number per sample.
    pub components: [Vec<f32>; 3],
}

impl TrackSignals {
    fn new(clip: &Clip, of: &LatticeTrack, layout: &Layout) -> Self {
        let (joint, channel) = (of.joint, of.channel);
        let middle = constant_value(clip.track(joint)).rotation;
        let numbers = match (channel, layout.rotation) {
            (Channel::Rotation, RotationMap::Farthest) => {
                Numbers::Dropped(farthest_component(clip.track(joint).map(|t| t.rotation)) as u8)
            }
            (Channel::Rotation, RotationMap::W) => Numbers::Dropped(3),
            (Channel::Rotation, RotationMap::Log) => Numbers::Log(REFERENCE.round_trip(middle, &Range3::UNIT)),
            (Channel::Rotation, RotationMap::Rodrigues) => Numbers::Rodrigues(of.reference()),
            _ => Numbers::Vector,
        };
        let mut before = Quat::IDENTITY;
        let mut of_sample = |t: Transform| match (channel, numbers) {
            (Channel::Rotation, Numbers::Dropped(dropped)) => drop_component(t.rotation, usize::from(dropped)),
            (Channel::Rotation, Numbers::Log(reference)) => {
                let turn = product(reference.conjugate(), t.rotation);
                // The first sample takes the sign of the shorter way. After that the track stays continuous.
                before = if dot4(before.into(), turn.into()) < 0.0 { -turn } else { turn };
                rotation_log(before)
            }
            (Channel::Rotation, Numbers::Rodrigues(_)) => of.parameters(t.rotation).into(),
            (Channel::Scale, _) => t.scale,
            _ => t.translation,
        };
        let values: Vec<Vec3> = clip.track(joint).map(&mut of_sample).collect();
        let components = [0, 1, 2].map(|c| values.iter().map(|v| v[c]).collect());
        let centre = if layout.rotation == RotationMap::Rodrigues { of.centre } else { middle };
        Self { track: Track { joint, channel, numbers }, centre, components }
    }
}

/// The signals of tracks, in the order of the format.
pub fn track_signals(clip: &Clip, tracks: &[LatticeTrack], layout: &Layout) -> Vec<TrackSignals> {
    tracks.iter().map(|track| TrackSignals::new(clip, track, layout)).collect()
}

/// The layout with blocks that fit a decoder's cache. Blocks of joined tracks are also short enough that a channel fits one signal, and of
/// equal length.
pub fn fitted(mut layout: Layout, table: &TrackTable, samples: usize) -> Layout {
    let tracks = Channel::ALL.map(|c| table.animated(c).count());
    let total: usize = tracks.iter().sum();
    let mut most = MAX_BLOCK_VALUES / total.max(1);
    if layout.is_joined {
        most = most.min(JOINED_VALUES / (3 * tracks.into_iter().max().unwrap_or(0)).max(1));
    }
    layout.block_samples = layout.block_samples.min(most).max(1);
    // Otherwise the zeros that pad signals to a power of two cost more than a short block at the end.
    if layout.is_joined || layout.padded(3) == 3 {
        layout.block_samples = samples.div_ceil(layout.blocks(samples).max(1)).max(1);
    }
    layout
}

/// A transformed signal in its stored form, in steps of its tracks.
#[derive(Debug, Default, PartialEq)]
pub struct SignalCodes {
    /// The float32 numbers at its start.
    pub whole: Vec<f32>,
    /// Upper halves of the float32 ranges of the other bands, if bands have ranges.
    pub extents: Vec<u16>,
    /// All other numbers.
    pub codes: Vec<i32>,
}

/// The largest code that fits, with room for the sums of a joined signal.
const LARGEST_CODE: f64 = (1 << 23) as f64;

/// True if the largest coefficient fits into a code with this step. Otherwise the track is stored as float32.
pub fn fits(largest: f64, step: f64) -> bool {
    largest <= LARGEST_CODE * step
}

/// Searches copy signals often, so copies reuse memory.
impl Clone for SignalCodes {
    fn clone(&self) -> Self {
        Self { whole: self.whole.clone(), extents: self.extents.clone(), codes: self.codes.clone() }
    }

    fn clone_from(&mut self, from: &Self) {
        self.whole.clone_from(&from.whole);
        self.extents.clone_from(&from.extents);
        self.codes.clone_from(&from.codes);
    }
}

impl SignalCodes {
    /// The quantized coefficients of a padded signal, given in steps.
    pub fn new(layout: &Layout, coefficients: &[f64]) -> Self {
        let mut out = Self::default();
        out.quantize(layout, coefficients);
        out
    }

    /// Becomes the quantized coefficients of a padded signal, given in steps.
    pub fn quantize(&mut self, layout: &Layout, coefficients: &[f64]) {
        let (whole, rest) = coefficients.split_at(layout.whole_of(coefficients.len()));
        let Self { whole: stored, extents, codes } = self;
        stored.clear();
        stored.extend(whole.iter().map(|c| *c as f32));
        extents.clear();
        codes.clear();
        if layout.range == CoefficientRange::Track {
            codes.extend(rest.iter().map(|c| nearest(*c)));
            return;
        }
        // At least the scale is stored whole, so the rest starts with a band. A band is as long as everything before it.
        let mut start = whole.len();
        while start < coefficients.len() {
            let band = &coefficients[start..2 * start];
            let extent = band.iter().fold(0.0, |extent: f64, c| extent.max(c.abs()));
            let [code, ..] = vector_extent_codes(Vec3::splat((extent as f32).next_up()));
            let step = band_step(band_extent(code), layout.fixed_bits);
            extents.push(code);
            codes.extend(band.iter().map(|c| (c / step).round() as i32));
            start *= 2;
        }
    }

    /// The decoded coefficients, in steps.
    pub fn dequantize(&self, layout: &Layout, out: &mut [f64]) {
        let (whole, rest) = out.split_at_mut(self.whole.len());
        whole.iter_mut().zip(&self.whole).for_each(|(out, v)| *out = f64::from(*v));
        let mut extents = self.extents.iter();
        let mut step = 1.0;
        for (place, (out, code)) in rest.iter_mut().zip(&self.codes).enumerate() {
            if layout.range == CoefficientRange::Band && (place + whole.len()).is_power_of_two() {
                step = extents.next().map_or(0.0, |code| band_step(band_extent(*code), layout.fixed_bits));
            }
            *out = f64::from(*code) * step;
        }
    }

    /// True if every number is zero.
    pub fn is_zero(&self) -> bool {
        self.codes.iter().all(|c| *c == 0)
    }
}
