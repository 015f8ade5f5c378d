/// From which lengths on errors are judged that the tolerance does not bound: on the skin, between samples, and what sampling
/// lost. They are lengths: recipes of small tolerances meet the same limits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorLimits {
    /// What the recipe allows at the samples, metres: nothing that it asks for warns.
    pub tolerance_m: f32,
    /// Skin and between samples: warns. Default 0.001.
    pub warn_m: f32,
    /// Skin and between samples: fails. Default 0.005.
    pub fail_m: f32,
    /// What sampling lost: warns. Default 0.001.
    pub warn_sampling_m: f32,
    /// What sampling lost: fails. Default 0.01.
    pub fail_sampling_m: f32,
}

/// How many times the shell error of a joint a vertex is off at most that lies within the shell and moves with that joint
/// alone: 2.80 for the worst of small turns and shifts that a search finds to move the three points of the shell by one.
pub(super) const SKIN_TIMES: f32 = 3.0;

impl ErrorLimits {
    /// The defaults.
    pub const USUAL: Self =
        Self { tolerance_m: 0.0, warn_m: 0.001, fail_m: 0.005, warn_sampling_m: 0.001, fail_sampling_m: 0.01 };

    /// Where an error warns and fails that is at most `times` what is allowed where it is, metres. Where a joint is held to
    /// less than the rest (a weight above 1) it is judged as the rest is. Both limits grow alike where more is allowed than
    /// would warn.
    pub(super) fn where_allowed(&self, times: f32, weight: f32) -> [f32; 2] {
        let allowed_m = self.tolerance_m * times / weight.clamp(f32::MIN_POSITIVE, 1.0);
        let grown = (allowed_m / self.warn_m.max(f32::MIN_POSITIVE)).max(1.0);
        [self.warn_m * grown, self.fail_m.max(self.warn_m) * grown]
    }

    /// What part of what warns an error between samples is, of a joint that counts that much.
    pub(super) fn part_between(&self, error_m: f32, weight: f32) -> f32 {
        error_m / self.where_allowed(1.0, weight)[0]
    }

    /// The same on the skin.
    pub(super) fn part_on_skin(&self, error_m: f32, weight: f32) -> f32 {
        error_m / self.where_allowed(SKIN_TIMES, weight)[0]
    }

    /// From where on an error between samples warns, metres.
    pub fn warn_between_m(&self) -> f32 {
        self.where_allowed(1.0, 1.0)[0]
    }

    /// What part of what warns a clip has, the larger of its errors between samples and on the skin.
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

    /// The worst that a search of 60 starts found.
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
