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
    /// The difference that is most limits of its track.
    pub judged: JudgedWeight,
}

/// A difference of a float track that is held against the track's limit.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JudgedWeight {
    /// Float track.
    pub track: usize,
    /// When.
    pub time_secs: f32,
    /// The difference, in the track's own unit.
    pub error: f32,
    /// How far the track may be off, in the same unit.
    pub limit: f32,
    /// How many limits the difference is, less what float32 rounds off.
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

    /// True when every track is within its limit.
    pub fn is_same(&self) -> bool {
        self.judged.limits <= 1.0
    }
}
