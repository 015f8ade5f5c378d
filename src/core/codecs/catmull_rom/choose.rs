//! Curves as a way to choose the keys of a track.

use super::fit::{CurveFit, FitSettings, KeyValues};
use crate::codecs::encode::keys::{KeyChooser, KeyedTrack, TrackKeys, TrackToKey};
use crate::codecs::encode::write::{WriteCoding, WriteKey};
use crate::codecs::runtime::{KeyCoding, RangeSource, Spline, SplineShape};
use crate::math::Range3;
use crate::model::Channel;
use glam::Vec4;

/// Fits a curve to each track.
#[derive(Debug, Clone, Copy)]
pub struct CurveChooser {
    pub settings: FitSettings,
    pub spline: Spline,
    /// One per channel, of formats whose range all tracks of a clip share.
    pub clip_ranges: [Range3; 3],
}

/// Values of least squares lie beyond the samples by no more than this part of their range, or are cut.
const OVERSHOOT: f32 = 0.05;

impl CurveChooser {
    /// A fit of one track that has two keys yet; `targets` are its samples.
    pub fn fit<'a, F: WriteKey>(
        &self,
        coding: KeyCoding<F>,
        targets: &'a [Vec4],
        stride: usize,
    ) -> CurveFit<'a, impl Fn(Vec4) -> Vec4 + use<'a, F>> {
        let shape = SplineShape { spline: self.spline, is_rotation: F::IS_ROTATION };
        CurveFit::new(self.settings, shape, targets, stride, move |value| {
            F::numbers(coding.round_trip(F::key_of(value)))
        })
    }
}

impl KeyChooser for CurveChooser {
    const TAKES_STORED: bool = false;

    fn overshoot(&self) -> f32 {
        match self.settings.values {
            KeyValues::Interpolation => 0.0,
            KeyValues::LeastSquares => OVERSHOOT,
        }
    }

    fn range<F: WriteKey>(&self, format: F, channel: Channel, raw: &[F::Key]) -> Range3 {
        match (format.range_source(), self.settings.values) {
            (RangeSource::Clip, _) => self.clip_ranges[channel as usize],
            (RangeSource::Track, KeyValues::LeastSquares) => widened(format.range(raw)),
            _ => format.range(raw),
        }
    }

    fn choose<F: WriteKey>(
        &self,
        track: &TrackToKey<'_, F>,
        error_sq: impl Fn(usize, F::Key, f32) -> f32,
    ) -> Option<KeyedTrack<F>> {
        let TrackToKey { coding, stride, .. } = *track;
        let targets: Vec<Vec4> = track.raw.iter().map(|key| F::numbers(*key)).collect();
        let mut fit = self.fit(coding, &targets, stride);
        let error_sq = |step, value| error_sq(step, F::key_of(value), f32::INFINITY);
        if !fit.run(track.limit_sq, track.max_keys, error_sq) {
            return None;
        }
        let values = fit.curve().into_iter().map(F::key_of).collect();
        let times = fit.samples();
        let (keys, inserted) = fit.into_values();
        let keys = keys.into_iter().map(F::key_of).collect();
        Some(KeyedTrack { keys: TrackKeys { coding, times, keys, inserted }, values })
    }
}

/// A range with room for values of least squares.
pub fn widened(range: Range3) -> Range3 {
    let room = range.extent * OVERSHOOT;
    Range3 { min: range.min - room, extent: range.extent + 2.0 * room }
}
