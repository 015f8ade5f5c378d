use super::ModelTrack;

/// How far float tracks, morph weights above all, are from those of the raw clip.
///
/// Containers keep them as they are, so that a difference means other weights: a file that was changed, or made from another
/// source.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FloatError {
    /// The largest difference, in the tracks' own units.
    pub max: f32,
    /// Float track of the largest.
    pub track: usize,
    /// Time of the largest.
    pub time_secs: f32,
}

/// Weights closer than this look the same: a thousandth of a full shape.
const SAME_WEIGHT: f32 = 1e-3;

impl FloatError {
    /// Looks at every step.
    pub(super) fn measure(raw: &ModelTrack, lossy: &ModelTrack) -> Self {
        let mut out = Self::default();
        if raw.floats(0).is_empty() {
            return out;
        }
        for step in 0..raw.steps() {
            for (track, (a, b)) in raw.floats(step).iter().zip(&*lossy.floats(step)).enumerate() {
                let off = (a - b).abs();
                if off > out.max {
                    out = Self { max: off, track, time_secs: raw.time_secs(step) };
                }
            }
        }
        out
    }

    /// True when nobody could see a difference.
    pub fn is_same(&self) -> bool {
        self.max <= SAME_WEIGHT
    }
}
