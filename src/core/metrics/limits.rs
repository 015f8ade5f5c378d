use super::Verdict;
use serde::{Deserialize, Serialize};

/// Limits for errors that the tolerance does not bound: on the skin, between samples, at the seam, jitter, drift of the root, and from sampling the
/// source. They do not depend on the tolerance, so recipes with small tolerances meet the same limits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ErrorLimits {
    /// The largest error at the samples that the recipe lets one expect, metres. The limits grow with it, so that it does not warn.
    pub allowed_m: f32,
    /// An error on the skin or between samples warns from here, metres. Default 0.001.
    pub warn_m: f32,
    /// An error on the skin or between samples fails from here, metres. Default 0.005.
    pub fail_m: f32,
    /// An error from sampling warns from here, metres. Default 0.001.
    pub warn_sampling_m: f32,
    /// An error from sampling fails from here, metres. Default 0.01.
    pub fail_sampling_m: f32,
    /// Jitter warns from here, metres. Default 0.0005.
    pub warn_jitter_m: f32,
    /// Jitter fails from here, or from the tolerance if that is larger, metres. Default 0.002.
    pub fail_jitter_m: f32,
    /// Drift of the root warns from this length per metre of way. Default 0.01.
    pub warn_root_m: f32,
    /// Drift of the root fails from this length per metre of way. Default 0.05.
    pub fail_root_m: f32,
}

/// Bound on a vertex's error divided by the shell error of its joint, for a vertex within the shell that moves with that joint alone. A
/// search over small rotations and shifts found a ratio of 2.80 at worst.
pub(super) const SKIN_TIMES: f32 = 3.0;

impl ErrorLimits {
    /// The default limits.
    pub const USUAL: Self = Self {
        allowed_m: 0.0,
        warn_m: 0.001,
        fail_m: 0.005,
        warn_sampling_m: 0.001,
        fail_sampling_m: 0.01,
        warn_jitter_m: 0.0005,
        fail_jitter_m: 0.002,
        warn_root_m: 0.01,
        fail_root_m: 0.05,
    };

    /// The warn and fail limits for an error that may reach `times` the tolerance, metres.
    ///
    /// If the error may exceed the warn limit, both limits grow by the same factor.
    pub(super) fn where_allowed(&self, times: f32, weight: f32) -> [f32; 2] {
        let grown = (self.allowed_with(weight) * times / self.warn_m.max(f32::MIN_POSITIVE)).max(1.0);
        [self.warn_m * grown, self.fail_m.max(self.warn_m) * grown]
    }

    /// The limits from which jitter of a joint with a weight warns and fails, metres.
    ///
    /// It warns even where the tolerance allows it, because it is seen as trembling. It fails only beyond the tolerance.
    pub(super) fn of_jitter(&self, weight: f32) -> [f32; 2] {
        let fail_m = self.fail_jitter_m.max(self.warn_jitter_m);
        [self.warn_jitter_m, fail_m.max(self.allowed_with(weight))]
    }

    /// The limits from which the drift of a root warns and fails after a way, metres.
    pub(super) fn of_root(&self, way_m: f32) -> [f32; 2] {
        [self.warn_root_m, self.fail_root_m.max(self.warn_root_m)].map(|per_metre_m| per_metre_m * way_m)
    }

    /// The error to be expected of a joint with a weight, metres. A joint with a weight above 1 is judged like the rest.
    fn allowed_with(&self, weight: f32) -> f32 {
        self.allowed_m / weight.clamp(f32::MIN_POSITIVE, 1.0)
    }

    /// The limits from which a jump at a loop's seam warns and fails, metres.
    pub(super) fn of_seam(&self) -> [f32; 2] {
        self.where_allowed(1.0, 1.0)
    }

    /// The verdict on a jump at a loop's seam, or on a change of speed there per sample.
    pub fn seam_verdict(&self, jump_m: f32) -> Verdict {
        Verdict::of(jump_m, self.of_seam())
    }

    /// An error between samples as a share of the warn limit, for a joint of that weight.
    pub(super) fn part_between(&self, error_m: f32, weight: f32) -> f32 {
        error_m / self.where_allowed(1.0, weight)[0]
    }

    /// An error on the skin as a share of the warn limit.
    pub(super) fn part_on_skin(&self, error_m: f32, weight: f32) -> f32 {
        error_m / self.where_allowed(SKIN_TIMES, weight)[0]
    }

    /// The limit from which an error between samples warns, metres.
    pub fn warn_between_m(&self) -> f32 {
        self.where_allowed(1.0, 1.0)[0]
    }

    /// The larger of a clip's errors between samples and on the skin, as a share of the warn limit.
    pub fn part(&self, between_m: f32, skin_m: f32) -> f32 {
        self.part_between(between_m, 1.0).max(self.part_on_skin(skin_m, 1.0))
    }
}

impl Default for ErrorLimits {
    fn default() -> Self {
        Self::USUAL
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::shell_error_m;
    use glam::{Affine3A, Quat, Vec3};

    /// The worst factor that a search from 60 starts found.
    #[test]
    fn a_vertex_within_the_shell_stays_within_so_many_times_its_error() {
        const SMALL: f32 = 1e-3;
        let (shift, axis) = (Vec3::new(0.7557, -0.6294, -0.6252), Vec3::new(0.0, -0.9956, 1.0));
        let moved = Affine3A::from_rotation_translation(Quat::from_scaled_axis(axis * SMALL), shift * SMALL);
        let shell_m = shell_error_m(&Affine3A::IDENTITY, &moved, 1.0);
        let farthest = shift.cross(axis).normalize();
        let times = (moved.transform_point3(farthest) - farthest).length() / shell_m;
        assert!(times > 2.78 && times < SKIN_TIMES, "{times}");
    }
}
