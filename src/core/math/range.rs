use glam::Vec3;
use posepress_runtime::internal::math::Range3;

/// Makes ranges, and fractions of them.
pub trait ReduceRange: Sized {
    /// The smallest box around finite values; [`Range3::UNIT`] around none.
    fn around(values: impl IntoIterator<Item = Vec3>) -> Self;
    /// The position of a value in the range, `0..=1` per component. Zero for a component without extent.
    fn fraction(&self, value: Vec3) -> Vec3;
}

impl ReduceRange for Range3 {
    fn around(values: impl IntoIterator<Item = Vec3>) -> Self {
        let mut values = values.into_iter();
        let Some(first) = values.next() else { return Self::UNIT };
        let (min, max) = values.fold((first, first), |(min, max), v| (min.min(v), max.max(v)));
        Self { min, extent: max - min }
    }

    fn fraction(&self, value: Vec3) -> Vec3 {
        let inverse = Vec3::select(self.extent.cmpgt(Vec3::ZERO), self.extent.recip(), Vec3::ZERO);
        // Extents so small that their reciprocal is infinite hold one value.
        let inverse = Vec3::select(inverse.cmple(Vec3::splat(f32::MAX)), inverse, Vec3::ZERO);
        ((value - self.min) * inverse).clamp(Vec3::ZERO, Vec3::ONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_and_values_undo_each_other() {
        let values = [Vec3::new(-3.0, 2.0, 7.0), Vec3::new(5.0, 2.0, 7.5), Vec3::new(1.0, 2.0, 7.25)];
        let range = Range3::around(values);
        assert_eq!(range, Range3 { min: Vec3::new(-3.0, 2.0, 7.0), extent: Vec3::new(8.0, 0.0, 0.5) });
        for v in values {
            assert!((range.value(range.fraction(v)) - v).length() < 1e-6);
        }
        assert_eq!(range.fraction(values[2]), Vec3::new(0.5, 0.0, 0.5));
    }

    #[test]
    fn a_range_too_thin_to_divide_by_stays_finite() {
        let range = Range3::around([Vec3::ZERO, Vec3::splat(1e-45)]);
        assert!(range.fraction(Vec3::splat(1e-45)).is_finite());
    }
}
