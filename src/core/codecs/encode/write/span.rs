use crate::codecs::runtime::{ROTATION_STEPS, ValueSpan};
use crate::format::BitWriter;
use crate::math::unorm_encode;
use glam::{Vec3, Vec3A};

/// Position of a value in a span, as fractions. Zero along a component without extent.
pub fn span_fraction(span: &ValueSpan, value: Vec3A) -> Vec3A {
    let inverse = span.extent.recip();
    let inverse = Vec3A::select(inverse.cmple(Vec3A::splat(f32::MAX)), inverse, Vec3A::ZERO);
    ((value - span.min) * inverse).clamp(Vec3A::ZERO, Vec3A::ONE)
}

/// Code of the smallest segment span around fractions of the clip's span.
pub fn segment_span_code(min: Vec3A, max: Vec3A) -> u64 {
    let steps = |x: f32| x.clamp(0.0, 1.0) * ValueSpan::SEGMENT_STEPS;
    let low = min.to_array().map(|x| steps(x).floor() as u64);
    let high = max.to_array().map(|x| steps(x).ceil() as u64);
    (0..3).fold(0, |code, i| code | low[i] << (8 * i) | (high[i] - low[i]) << (24 + 8 * i))
}

/// Three numbers in `0..=1` as integers of `bits` (1 to 23) each.
pub fn quantize3(fraction: Vec3A, bits: u32) -> [u32; 3] {
    fraction.to_array().map(|x| unorm_encode(x, bits))
}

/// Codes of the smallest stored span around values of unit quaternions: three minima, three extents.
pub fn rotation_span_codes(min: Vec3A, max: Vec3A) -> [u16; 6] {
    let low = min.to_array().map(|x| ((x + 1.0).clamp(0.0, 2.0) * ROTATION_STEPS).floor() as u16);
    let high = max.to_array().map(|x| ((x + 1.0).clamp(0.0, 2.0) * ROTATION_STEPS).ceil() as u16);
    std::array::from_fn(|i| if i < 3 { low[i] } else { high[i - 3] - low[i - 3] })
}

/// Upper halves of the smallest such float32 that are at least `extent` (zero or more, finite).
pub fn vector_extent_codes(extent: Vec3) -> [u16; 3] {
    extent.to_array().map(|x| (x.to_bits().div_ceil(1 << 16)) as u16)
}

/// Appends the codes of a rotation's span.
pub fn write_rotation_span(codes: [u16; 6], out: &mut BitWriter) {
    codes.into_iter().for_each(|c| out.push(u64::from(c), 16));
}

/// Appends a vector's span: its minimum, and the codes of [`vector_extent_codes`].
pub fn write_vector_span(min: Vec3, extent: [u16; 3], out: &mut BitWriter) {
    min.to_array().into_iter().for_each(|x| out.push_f32(x));
    extent.into_iter().for_each(|c| out.push(u64::from(c), 16));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codecs::runtime::{dequantize3, rotation_span, rotation3, vector_extent};
    use crate::math::{drop_component, restore_largest};
    use glam::Quat;
    use proptest::prelude::*;

    fn numbers(low: f32, high: f32) -> impl Strategy<Value = Vec3A> {
        prop::array::uniform3(low..=high).prop_map(Vec3A::from_array)
    }

    proptest! {
        #[test]
        fn codes_mean_their_numbers_within_half_a_step(v in numbers(0.0, 1.0), bits in 3u32..=23) {
            let half_step = 0.5 / ((1u32 << bits) - 1) as f32 + 2.0 * f32::EPSILON;
            let error = (dequantize3(quantize3(v, bits), bits) - v).abs();
            prop_assert!(error.cmple(Vec3A::splat(half_step)).all());
        }

        #[test]
        fn stored_spans_hold_their_values(a in numbers(-1.0, 1.0), b in numbers(-1.0, 1.0), scale in 1e-6f32..1e6) {
            let (min, max) = (a.min(b), a.max(b));
            let near = |span: ValueSpan, slack: f32| {
                let slack = Vec3A::splat(slack);
                span.min.cmple(min + slack).all() && span.value(Vec3A::ONE).cmpge(max - slack).all()
            };
            prop_assert!(near(rotation_span(rotation_span_codes(min, max)), 1e-6));
            let (low, high) = ((min + 1.0) * 0.5, (max + 1.0) * 0.5);
            let segment = ValueSpan::from_segment_code(segment_span_code(low, high));
            prop_assert!(segment.min.cmple(low + 1e-6).all() && segment.value(Vec3A::ONE).cmpge(high - 1e-6).all());
            let extent = Vec3::from((max - min) * scale);
            let stored = vector_extent(vector_extent_codes(extent));
            prop_assert!(stored.cmpge(extent).all() && stored.cmple(extent * 1.008 + Vec3::splat(1e-37)).all());
        }
    }

    #[test]
    fn any_component_can_be_dropped_and_is_restored() {
        let q = Quat::from_xyzw(0.5, 0.7, 0.1, 0.5).normalize();
        for dropped in 0..4 {
            let rest = drop_component(q, dropped);
            let back = rotation3(dropped as u8, rest.into());
            let expected = Quat::from_array(restore_largest(dropped as f32, rest.to_array()));
            assert!((back - expected).length() < 1e-6 && back.dot(q) > 1.0 - 1e-6);
        }
        let too_long = rotation3(3, Vec3A::splat(2.0));
        assert!((too_long.length() - 1.0).abs() < 1e-6 && too_long.w == 0.0);
    }

    #[test]
    fn the_whole_clip_as_a_segment_changes_no_value() {
        assert_eq!(ValueSpan::from_segment_code(segment_span_code(Vec3A::ZERO, Vec3A::ONE)), ValueSpan::UNIT);
    }
}
