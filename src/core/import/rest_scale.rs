use super::Finding;
use glam::Vec3;

/// Relative tolerance of rest scales, between axes and from 1. Smaller differences are rounding errors.
const SCALE_EPSILON: f32 = 1e-3;

/// The scale of a uniform scale, or 1 if the axes differ.
pub(super) fn uniform_scale(scale: Vec3) -> f32 {
    let size = scale.abs();
    let mean = size.element_sum() / 3.0;
    let is_uniform = mean > 0.0 && (size - Vec3::splat(mean)).abs().max_element() <= SCALE_EPSILON * mean;
    if is_uniform && mean.is_finite() && (mean - 1.0).abs() > SCALE_EPSILON { mean } else { 1.0 }
}

/// A note about a scale that was multiplied into the lengths below it.
pub(super) fn taken_out(subject: impl Into<String>, what: String) -> Finding {
    let meaning = "The scale was multiplied into the lengths below it, so that errors are true lengths at every joint. It looks the same.";
    Finding::note(subject, what, meaning)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_scale_of_all_axes_that_is_more_than_rounding_is_taken_out() {
        let cases = [
            ([100.0, 100.0, 100.0], 100.0),
            ([-0.5, -0.5, -0.5], 0.5),
            ([1.000_1, 1.0, 0.999_9], 1.0),
            ([2.0, 1.0, 1.0], 1.0),
            ([0.0; 3], 1.0),
            ([f32::NAN; 3], 1.0),
        ];
        for (scale, expected) in cases {
            assert_eq!(uniform_scale(Vec3::from(scale)), expected, "{scale:?}");
        }
    }
}
