use super::ModelTrack;
use serde::{Deserialize, Serialize};

/// The largest errors of float tracks, mainly morph weights, against the raw clip.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct FloatError {
    /// The largest error, in the track's own units.
    pub max: f32,
    /// Float track of the largest error.
    pub track: usize,
    /// Time of the largest error.
    pub time_secs: f32,
    /// The error that is largest compared with its track's limit.
    pub judged: JudgedWeight,
}

/// An error of a float track, with the track's limit.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct JudgedWeight {
    /// Float track.
    pub track: usize,
    /// Time.
    pub time_secs: f32,
    /// The error, in the track's own units.
    pub error: f32,
    /// The limit of the track, in the same units.
    pub limit: f32,
    /// The error divided by the limit, after subtracting rounding of float32.
    pub limits: f32,
}

/// Rounding of float32 that is subtracted from an error, as a part of the value.
const ROUNDING: f32 = 1e-6;

impl FloatError {
    /// Compares every step. `limits` has the limit of each track; see [`float_limits`](super::float_limits).
    pub fn measure(raw: &ModelTrack, lossy: &ModelTrack, limits: &[f32]) -> Self {
        let mut out = Self::default();
        if raw.floats(0).is_empty() {
            return out;
        }
        for step in 0..raw.steps() {
            let (raw_floats, lossy_floats) = (raw.floats(step), lossy.floats(step));
            for (track, ((a, b), &limit)) in raw_floats.iter().zip(&*lossy_floats).zip(limits).enumerate() {
                let (error, time_secs) = ((a - b).abs(), raw.time_secs(step));
                let limits = (error - ROUNDING * a.abs()).max(0.0) / limit;
                if limits > out.judged.limits {
                    out.judged = JudgedWeight { track, time_secs, error, limit, limits };
                }
                if error > out.max {
                    out = Self { max: error, track, time_secs, ..out };
                }
            }
        }
        out
    }

    /// True if every track is within its limit.
    pub fn is_same(&self) -> bool {
        self.judged.limits <= 1.0
    }
}
