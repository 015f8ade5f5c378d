use super::Stats;

/// Where and when the largest error is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Worst {
    /// Joint.
    pub joint: usize,
    /// Time.
    pub time_secs: f32,
    /// How large.
    pub error_m: f32,
}

/// Error of one joint over the clip.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointError {
    /// Largest.
    pub max_m: f32,
    /// Root of the mean square.
    pub rms_m: f32,
    /// Time of the largest.
    pub worst_secs: f32,
}

/// Shell error over a set of times.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ShellReport {
    /// Over all joints and times of the set.
    pub stats: Stats,
    /// The largest.
    pub worst: Worst,
    /// One a joint.
    pub per_joint: Vec<JointError>,
}

/// The error that counts most, where not all count alike.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct WeighedWorst {
    /// Where it is, and how large.
    pub worst: Worst,
    /// How many times it counts.
    pub weight: f32,
}
