use super::key_format::{WriteKey, push_each};
use crate::codecs::runtime::{RangeSource, VectorFormat};
use crate::format::BitWriter;
use crate::math::{Range3, ReduceRange, unorm_encode};
use glam::{Vec3, Vec4};

impl WriteKey for VectorFormat {
    fn range(self, keys: &[Vec3]) -> Range3 {
        if self.range_source() == RangeSource::None { Range3::UNIT } else { Range3::around(keys.iter().copied()) }
    }

    fn without(_: u8, key: Vec3) -> Vec3 {
        key
    }

    #[inline]
    fn four_without(_: u8, [x, y, z]: [Vec4; 3]) -> [Vec4; 4] {
        [x, y, z, Vec4::ZERO]
    }

    fn best_dropped(_: &[Vec3]) -> u8 {
        0
    }

    /// Numbers outside the format's range are clamped.
    fn write(self, v: Vec3, range: &Range3, out: &mut BitWriter) {
        match self {
            Self::Float96 => v.to_array().into_iter().for_each(|c| out.push_f32(c)),
            Self::Fixed48 => push_each(Range3::symmetric(Self::FIXED_LIMIT).fraction(v), [16; 3], unorm_encode, out),
            Self::IntervalFixed32 => push_each(range.fraction(v), [11, 11, 10], unorm_encode, out),
            Self::ClipRange48 | Self::TrackRange48 => push_each(range.fraction(v), [16; 3], unorm_encode, out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector(limit: f32) -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-limit..limit).prop_map(Vec3::from_array)
    }

    proptest! {
        #[test]
        fn ranges_give_half_a_step(a in vector(3.0), b in vector(3.0), c in vector(3.0)) {
            let range = Range3::around([a, b, c]);
            let cases = [
                (VectorFormat::ClipRange48, Vec3::splat(1.0 / 65_535.0)),
                (VectorFormat::TrackRange48, Vec3::splat(1.0 / 65_535.0)),
                (VectorFormat::IntervalFixed32, Vec3::new(1.0 / 2047.0, 1.0 / 2047.0, 1.0 / 1023.0)),
            ];
            for (format, step) in cases {
                let bound = range.extent * step * 0.5 + Vec3::splat(1e-6);
                for v in [a, b, c] {
                    prop_assert!((format.round_trip(v, &range) - v).abs().cmple(bound).all(), "{format:?}");
                }
            }
        }

        #[test]
        fn twenty_metres_in_16_bits_is_a_third_of_a_millimetre(v in vector(20.0)) {
            let bound = Vec3::splat(0.5 * 40.0 / 65_535.0 + 4e-6);
            prop_assert!((VectorFormat::Fixed48.round_trip(v, &Range3::UNIT) - v).abs().cmple(bound).all());
        }
    }

    #[test]
    fn float96_is_exact_and_the_fixed_range_clamps() {
        let v = Vec3::new(1e9, -0.1, 3e-30);
        assert_eq!(VectorFormat::Float96.round_trip(v, &Range3::UNIT), v);
        let clamped = VectorFormat::Fixed48.round_trip(v, &Range3::UNIT);
        assert!((clamped.x - 20.0).abs() < 1e-4 && (clamped.y + 0.1).abs() < 4e-4, "{clamped}");
    }

    #[test]
    fn sizes_are_those_on_disk() {
        for format in VectorFormat::ALL {
            let mut out = BitWriter::new();
            format.write(Vec3::ONE, &Range3::UNIT, &mut out);
            assert_eq!(out.bit_len(), format.bits() as usize);
        }
    }
}
