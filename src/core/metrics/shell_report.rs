use super::Stats;
use crate::model::SamplingError;
use serde::{Deserialize, Serialize};

/// The largest error, with its joint and time.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the type says it")]
pub struct Worst {
    pub joint: usize,
    pub time_secs: f32,
    pub error_m: f32,
}

impl From<SamplingError> for Worst {
    fn from(SamplingError { joint, time_secs, error_m }: SamplingError) -> Self {
        Self { joint, time_secs, error_m }
    }
}

/// Error of one joint over the clip.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct JointError {
    /// Largest error, metres.
    pub max_m: f32,
    /// Root mean square, metres.
    pub rms_m: f32,
    /// Mean, metres.
    pub mean_m: f32,
    /// Time of the largest error.
    pub worst_secs: f32,
}

/// Shell error over a set of times.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ShellReport {
    /// Over all joints and times of the set.
    pub stats: Stats,
    /// The largest error.
    pub worst: Worst,
    /// One entry per joint.
    pub per_joint: Vec<JointError>,
}

/// The largest weighed error, for clips whose joints have different weights.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct WeighedWorst {
    /// The error before weighing.
    pub worst: Worst,
    /// Its weight.
    pub weight: f32,
}

impl ShellReport {
    /// The largest mean of a joint, metres.
    pub fn largest_mean_m(&self) -> f32 {
        self.per_joint.iter().map(|joint| joint.mean_m).fold(0.0, f32::max)
    }
}

impl WeighedWorst {
    /// The error times its weight, metres.
    pub(super) fn error_m(&self) -> f32 {
        self.worst.error_m * self.weight
    }
}
