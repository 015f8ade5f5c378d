use super::ModelTrack;

/// How far float tracks, morph weights above all, are from those of the raw clip.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FloatError {
    /// The largest difference, in the tracks' own units.
    pub max: f32,
    /// Float track of the largest.
    pub track: usize,
    /// Time of the largest.
    pub time_secs: f32,
    /// How many times its limit the difference of any track is at most.
    pub limits: f32,
}

/// What float32 may round off beside what is measured, as a part of the value.
const ROUNDING: f32 = 1e-6;

impl FloatError {
    /// Looks at every step. `limits`: how far each track may be off; see [`float_limits`](super::float_limits).
    pub fn measure(raw: &ModelTrack, lossy: &ModelTrack, limits: &[f32]) -> Self {
        let mut out = Self::default();
        if raw.floats(0).is_empty() {
            return out;
        }
        for step in 0..raw.steps() {
            let (raw_floats, lossy_floats) = (raw.floats(step), lossy.floats(step));
            for (track, ((a, b), limit)) in raw_floats.iter().zip(&*lossy_floats).zip(limits).enumerate() {
                let off = (a - b).abs();
                out.limits = out.limits.max((off - ROUNDING * a.abs()).max(0.0) / limit);
                if off > out.max {
                    out = Self { max: off, track, time_secs: raw.time_secs(step), ..out };
                }
            }
        }
        out
    }

    /// True when every track is within its limit.
    pub fn is_same(&self) -> bool {
        self.limits <= 1.0
    }
}
