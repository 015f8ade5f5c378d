//! Curve fitting as the way to choose the keys of a track.

use super::fit::{CurveFit, FitSettings, KeyValues};
use crate::codecs::encode::keys::{Interest, KeyChooser, KeyedTrack, TrackKeys, TrackToKey};
use crate::codecs::encode::write::{WriteCoding, WriteKey};
use crate::codecs::runtime::{KeyCoding, RangeSource, Spline, SplineShape};
use crate::math::Range3;
use crate::model::Channel;
use glam::Vec4;

/// Fits a curve to each track.
#[derive(Debug, Clone, Copy)]
pub struct CurveChooser<'a> {
    /// At least one. The fit with the fewest keys wins; ties go to the first.
    pub fits: &'a [FitSettings],
    /// True if keys are removed again once a curve fits.
    pub thins_out: bool,
    pub spline: Spline,
    /// One range per channel, for formats in which all tracks of a clip share one.
    pub clip_ranges: [Range3; 3],
}

/// Values of least squares are clamped to the samples' range, extended by this part of it.
const OVERSHOOT: f32 = 0.05;

/// The targets of a fit: the samples of a track before and after a round trip through its format.
pub struct FitTargets {
    raw: Vec<Vec4>,
    rounded: Vec<Vec4>,
    /// Weight per sample in least squares. Empty if all are 1.
    weights: Vec<f32>,
}

impl FitTargets {
    pub fn new<F: WriteKey>(raw: &[F::Key], rounded: &[F::Key]) -> Self {
        let numbers = |keys: &[F::Key]| keys.iter().map(|key| F::numbers(*key)).collect();
        Self { raw: numbers(raw), rounded: numbers(rounded), weights: Vec::new() }
    }
}

/// True if all fits solve for values, which may lie outside the samples' range. If other fits are tried too, room in the range costs them
/// more than it gains.
pub fn leaves_range(fits: &[FitSettings]) -> bool {
    fits.iter().all(|fit| fit.values == KeyValues::LeastSquares)
}

/// A fit of one track with its first two keys.
pub fn begun<F: WriteKey>(
    settings: FitSettings,
    spline: Spline,
    coding: KeyCoding<F>,
    targets: &FitTargets,
    stride: usize,
) -> CurveFit<'_, impl Fn(usize, Vec4) -> Vec4 + use<'_, F>> {
    let shape = SplineShape { spline, is_rotation: F::IS_ROTATION };
    CurveFit::new(settings, shape, (&targets.raw, &targets.weights), stride, move |sample, value| {
        match settings.values {
            KeyValues::Interpolation => targets.rounded[sample],
            KeyValues::LeastSquares => F::numbers(coding.round_trip(F::key_of(value))),
        }
    })
}

impl KeyChooser for CurveChooser<'_> {
    const TAKES_STORED: bool = false;
    const WANTS_WEIGHTS: bool = true;

    fn overshoot(&self) -> f32 {
        if leaves_range(self.fits) { OVERSHOOT } else { 0.0 }
    }

    fn range<F: WriteKey>(&self, format: F, channel: Channel, raw: &[F::Key]) -> Range3 {
        match format.range_source() {
            RangeSource::Clip => self.clip_ranges[channel as usize],
            RangeSource::Track if leaves_range(self.fits) => widened(format.range(raw)),
            _ => format.range(raw),
        }
    }

    fn choose<F: WriteKey>(
        &self,
        track: &TrackToKey<'_, F>,
        error_sq: impl Fn(usize, F::Key, Interest) -> f32,
    ) -> Option<KeyedTrack<F>> {
        let TrackToKey { coding, stride, limit_sq, max_keys, .. } = *track;
        // A fit that can be replayed has no weights, since the replay has none.
        let weights = if self.thins_out { track.weights.to_vec() } else { Vec::new() };
        let targets = FitTargets { weights, ..FitTargets::new::<F>(track.raw, track.rounded) };
        let error_sq = |step, value, asked| error_sq(step, F::key_of(value), asked);
        // Half of the keys or more may be removed again.
        let room = if self.thins_out { max_keys.saturating_mul(2) } else { max_keys };
        let fits = self.fits.iter().filter_map(|settings| {
            let mut fit = begun(*settings, self.spline, coding, &targets, stride);
            if !fit.run(limit_sq, room, error_sq) {
                return None;
            }
            if self.thins_out {
                fit.thin_out(limit_sq, error_sq);
            }
            (fit.count() <= max_keys).then_some(fit)
        });
        let fit = fits.min_by_key(CurveFit::count)?;
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
