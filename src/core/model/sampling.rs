use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The sampling error: the largest shell error of uniform samples, blended as players do, against the curves of the file. It
/// arises before any codec.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SamplingError {
    /// Size of the error, metres.
    pub error_m: f32,
    /// Joint with the error.
    pub joint: usize,
    /// Time of the error.
    pub time_secs: f32,
}

/// Errors of a clip's samples against the curves of its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sampling {
    /// The largest error.
    pub worst: SamplingError,
    /// The errors of feet over time.
    pub feet: Arc<FootSampling>,
}

/// Shell errors of feet between samples, against the curves of the file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FootSampling {
    /// Joints with names of feet.
    pub joints: Vec<usize>,
    /// The largest error in each interval between two samples, for each of these joints, metres.
    pub errors_m: Vec<f32>,
}

impl Sampling {
    /// The same errors on another rig. Joints that it lacks are dropped. `None` if it lacks the joint of the largest error.
    pub fn on_joints(&self, joint_of: impl Fn(usize) -> Option<usize>) -> Option<Self> {
        let worst = SamplingError { joint: joint_of(self.worst.joint)?, ..self.worst };
        let known: Vec<_> =
            self.feet.joints.iter().enumerate().filter_map(|(at, joint)| Some((at, joint_of(*joint)?))).collect();
        let rows = self.feet.errors_m.chunks(self.feet.joints.len().max(1));
        let errors_m = rows.flat_map(|row| known.iter().map(|(at, _)| row[*at])).collect();
        let feet = FootSampling { joints: known.iter().map(|(_, joint)| *joint).collect(), errors_m };
        Some(Self { worst, feet: feet.into() })
    }

    /// The same errors of a clip that is so many times as long.
    pub fn stretched(mut self, times: f32) -> Self {
        self.worst.time_secs *= times;
        self
    }
}

impl FootSampling {
    /// The largest error of some joints over intervals of a clip. In a loop, intervals may lie beyond the clip's end. `None` if
    /// none of the joints is a foot.
    pub fn largest_m(&self, joints: &[usize], intervals: RangeInclusive<usize>) -> Option<f32> {
        let columns: Vec<_> = (0..self.joints.len()).filter(|at| joints.contains(&self.joints[*at])).collect();
        let count = self.errors_m.len() / self.joints.len().max(1);
        if columns.is_empty() || count == 0 {
            return None;
        }
        let error = |interval: usize| {
            let row = &self.errors_m[interval % count * self.joints.len()..];
            columns.iter().map(|at| row[*at]).fold(0.0, f32::max)
        };
        Some(intervals.map(error).fold(0.0, f32::max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_feet_are_found_by_joint_and_time_and_move_with_the_joints() {
        let feet = FootSampling { joints: vec![3, 7], errors_m: vec![0.1, 0.2, 0.5, 0.4, 0.3, 0.6] };
        assert_eq!(feet.largest_m(&[3], 0..=0), Some(0.1));
        assert_eq!(feet.largest_m(&[3], 0..=2), Some(0.5));
        assert_eq!(
            feet.largest_m(&[3, 7], 2..=3),
            Some(0.6),
            "the interval behind the last is the first of the next cycle"
        );
        assert_eq!(feet.largest_m(&[4], 0..=2), None);
        let worst = SamplingError { error_m: 0.6, joint: 7, time_secs: 1.0 };
        let sampling = Sampling { worst, feet: feet.into() };
        let moved = sampling.on_joints(|joint| (joint == 7).then_some(1)).unwrap();
        assert_eq!((moved.worst.joint, &moved.feet.joints), (1, &vec![1]));
        assert_eq!(moved.feet.errors_m, [0.2, 0.4, 0.6]);
        assert_eq!(sampling.on_joints(|joint| (joint == 3).then_some(1)), None);
        assert_eq!(sampling.stretched(2.0).worst.time_secs, 2.0);
    }
}
