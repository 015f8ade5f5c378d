use super::key_format::{WriteKey, push_each};
use crate::codecs::encode::farthest_component;
use crate::codecs::runtime::RotationFormat;
use crate::format::BitWriter;
use crate::math::{
    LARGEST_DROPPED_LIMIT, Range3, ReduceRange, drop_component, drop_largest, drop_w, harmonic_map, mini_float_encode,
    restore_largest, restore_last, snorm_decode, snorm_encode, snorm_half, unorm_encode,
};
use glam::{Quat, Vec3, Vec4};

impl WriteKey for RotationFormat {
    fn range(self, keys: &[Quat]) -> Range3 {
        if self.has_range() { Range3::around(keys.iter().copied().map(drop_w)) } else { Range3::UNIT }
    }

    fn without(dropped: u8, key: Quat) -> Vec3 {
        drop_component(key, usize::from(dropped))
    }

    #[inline]
    fn four_without(dropped: u8, rest: [Vec4; 3]) -> [Vec4; 4] {
        let [a, b, c, largest] = restore_last(rest);
        match dropped & 3 {
            0 => [largest, a, b, c],
            1 => [a, largest, b, c],
            2 => [a, b, largest, c],
            _ => [a, b, c, largest],
        }
    }

    fn best_dropped(keys: &[Quat]) -> u8 {
        farthest_component(keys.iter().copied()) as u8
    }

    fn write(self, q: Quat, range: &Range3, out: &mut BitWriter) {
        match self {
            Self::Identity => {}
            Self::Full => q.to_array().into_iter().for_each(|c| out.push_f32(c)),
            Self::Float96 => drop_w(q).to_array().into_iter().for_each(|c| out.push_f32(c)),
            Self::Fixed48 => push_each(drop_w(q), [16; 3], snorm_encode, out),
            Self::Harmonic48 => push_each(harmonic_map(q), [16; 3], snorm_encode, out),
            Self::Fixed32 => push_each(drop_w(q), [11, 11, 10], snorm_encode, out),
            Self::IntervalFixed32 => push_each(range.fraction(drop_w(q)), [11, 11, 10], unorm_encode, out),
            Self::Float32 => {
                let v = drop_w(q);
                for (x, mantissa_bits) in v.to_array().into_iter().zip(Self::MINI_MANTISSA_BITS) {
                    out.push(u64::from(mini_float_encode(x, mantissa_bits)), mantissa_bits + 4);
                }
            }
            Self::Largest48 => {
                push_largest::<15>(q, out);
                out.push(0, 1);
            }
            Self::Largest32 => push_largest::<10>(q, out),
            Self::Largest62 => push_largest::<20>(q, out),
        }
    }
}

/// Two bits for the dropped component, then the others over plus or minus [`LARGEST_DROPPED_LIMIT`].
///
/// Where the two largest components are so near that rounding may swap them, the one is dropped whose codes are nearer. So a value that
/// was read is written with its own codes.
fn push_largest<const BITS: u32>(q: Quat, out: &mut BitWriter) {
    let (largest, _) = drop_largest(q);
    let sizes = q.to_array().map(f32::abs);
    let swap = 2.0 * LARGEST_DROPPED_LIMIT / snorm_half(BITS);
    let mut best = LargestCodes::<BITS>::nearest(q, largest);
    for other in (0..4).filter(|index| *index != largest && sizes[largest] - sizes[*index] < swap) {
        let other = LargestCodes::nearest(q, other);
        if other.error_sq(q) < best.error_sq(q) {
            best = other;
        }
    }
    let [a, b, c] = best.codes.map(u64::from);
    out.push(best.dropped as u64 | a << 2 | b << (2 + BITS), 2 + 2 * BITS);
    out.push(c, BITS);
}

/// The codes of three components, without the dropped one.
struct LargestCodes<const BITS: u32> {
    dropped: usize,
    codes: [u32; 3],
}

impl<const BITS: u32> LargestCodes<BITS> {
    /// Rounds each code down or up, in the combination of eight that brings the whole quaternion nearest. So all four components stay
    /// within one step. Rounding each code to its nearest may add up to 1.5 steps in the dropped component.
    fn nearest(q: Quat, dropped: usize) -> Self {
        let rest = drop_component(q, dropped);
        let highest = snorm_encode(1.0, BITS);
        let around = |x: f32| {
            let x = x / LARGEST_DROPPED_LIMIT;
            let nearest = snorm_encode(x, BITS);
            let low = nearest - u32::from(nearest > 0 && snorm_decode(nearest, BITS) > x);
            [low, (low + 1).min(highest)]
        };
        let codes = [around(rest.x), around(rest.y), around(rest.z)];
        let number = |axis: usize, end: usize| snorm_decode(codes[axis][end], BITS) * LARGEST_DROPPED_LIMIT;
        let (near, far) =
            (Vec3::new(number(0, 0), number(1, 0), number(2, 0)), Vec3::new(number(0, 1), number(1, 1), number(2, 1)));
        // Each pass handles four corners of a cube, in four lanes. The lower two bits of a corner's number are along x and y.
        let (x, y) = (Vec4::new(near.x, far.x, near.x, far.x), Vec4::new(near.y, near.y, far.y, far.y));
        let wanted = restore_largest(dropped as f32, rest.to_array());
        let errors = |z: f32| {
            let [x, y, z, w] = restore_largest(Vec4::splat(dropped as f32), [x, y, Vec4::splat(z)]);
            let (x, y, z, w) = (x - wanted[0], y - wanted[1], z - wanted[2], w - wanted[3]);
            x * x + y * y + z * z + w * w
        };
        let (below, above) = (errors(near.z), errors(far.z));
        // The first of the nearest corners, without a branch for each of them.
        let nearest = Vec4::splat(below.min(above).min_element());
        let is_nearest = below.cmpeq(nearest).bitmask() | above.cmpeq(nearest).bitmask() << 4;
        let best = is_nearest.trailing_zeros() as usize;
        let code = |axis: usize| codes[axis][best >> axis & 1];
        Self { dropped, codes: [code(0), code(1), code(2)] }
    }

    /// Squared distance of the decoded quaternion or its opposite.
    fn error_sq(&self, q: Quat) -> f32 {
        let rest = self.codes.map(|code| snorm_decode(code, BITS) * LARGEST_DROPPED_LIMIT);
        let decoded = Quat::from_array(restore_largest(self.dropped as f32, rest));
        (decoded - q).length_squared().min((decoded + q).length_squared())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::tests::unit_quat;
    use proptest::prelude::*;

    fn worst_component(format: RotationFormat, q: Quat) -> f32 {
        let back = format.round_trip(q, &format.range(&[q, Quat::IDENTITY]));
        let largest = |q: Quat| Vec4::from(q).abs().max_element();
        largest(back - q).min(largest(back + q))
    }

    /// Largest error of w if x, y, z each have an error of up to `half_step`: that of its square, under the root.
    fn dropped_w_bound(q: Quat, half_step: Vec3) -> f32 {
        let v = q.xyz().abs();
        let square_error = 2.0 * v.dot(half_step) + half_step.length_squared() + 4.0 * f32::EPSILON;
        square_error.sqrt().min(if q.w == 0.0 { f32::MAX } else { square_error / q.w.abs() })
    }

    /// Riot: "This 48-bit quantization of quaternions guarantees a numerical precision of 0.000043."
    const RIOT_PRECISION: f32 = 0.000_043;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn riots_48_bits_have_the_precision_that_the_article_claims(q in unit_quat()) {
            prop_assert!(worst_component(RotationFormat::Largest48, q) <= RIOT_PRECISION);
        }

        #[test]
        fn the_largest_dropped_formats_stay_within_one_step(q in unit_quat()) {
            for (format, bits) in [(RotationFormat::Largest32, 10), (RotationFormat::Largest62, 20)] {
                let bound = (1.0 / snorm_half(bits)) * LARGEST_DROPPED_LIMIT + 4.0 * f32::EPSILON;
                prop_assert!(worst_component(format, q) <= bound, "{format:?}");
            }
        }

        #[test]
        fn dropping_w_is_bounded_by_the_root_of_the_squares_error(q in unit_quat()) {
            let steps = |bits: [u32; 3]| Vec3::from_array(bits.map(|bits| 1.0 / snorm_half(bits))) * 0.5 + Vec3::splat(1e-7);
            let interval = Vec3::new(1.0 / 2047.0, 1.0 / 2047.0, 1.0 / 1023.0) * 0.5;
            let cases = [
                (RotationFormat::Fixed48, steps([16; 3])),
                (RotationFormat::Fixed32, steps([11, 11, 10])),
                (RotationFormat::IntervalFixed32, drop_w(q).abs() * interval + Vec3::splat(1e-6)),
                (RotationFormat::Float32, Vec3::new(1.0 / 512.0, 1.0 / 512.0, 1.0 / 256.0)),
                (RotationFormat::Float96, Vec3::splat(1e-7)),
            ];
            for (format, half_step) in cases {
                // Numbers too long for a unit quaternion are scaled back, which moves each by at most the bound of w.
                let bound = half_step.max_element().max(dropped_w_bound(q, half_step));
                let found = worst_component(format, q);
                prop_assert!(found <= bound * 1.01 + 1e-6, "{:?} has an error of {}, over {}", format, found, bound);
            }
        }

        #[test]
        fn the_harmonic_map_spreads_its_steps_evenly(q in unit_quat()) {
            // The map's inverse stretches lengths by at most 4 / (sqrt(2) + 1).
            let half_diagonal = 0.5 * (1.0 / snorm_half(16)) * 3.0f32.sqrt();
            prop_assert!(worst_component(RotationFormat::Harmonic48, q) <= 4.0 / 2.414 * half_diagonal + 1e-6);
        }

        #[test]
        fn what_was_read_is_written_with_its_own_codes(q in unit_quat(), apart in -2f32..2.0, small in -2f32..2.0, digits in 2i32..8) {
            // Rounding may swap two components that are nearly equal and larger than the others.
            let (largest, unit) = (0.5f32.sqrt(), 0.1f32.powi(digits));
            let tie = Quat::from_xyzw(largest + apart * unit, small * unit, 0.12 * small, largest).normalize();
            let turned = Quat::from_xyzw(tie.z, tie.x, tie.w, tie.y);
            for format in [RotationFormat::Largest32, RotationFormat::Largest48, RotationFormat::Largest62] {
                for q in [q, tie, turned] {
                    let once = format.round_trip(q, &Range3::UNIT);
                    let twice = format.round_trip(once, &Range3::UNIT);
                    prop_assert!(twice == once || twice == -once, "{format:?} of {q} is {once}, then {twice}");
                }
            }
        }

        #[test]
        fn full_is_exact(q in unit_quat()) {
            prop_assert_eq!(RotationFormat::Full.round_trip(q, &Range3::UNIT), q);
        }
    }

    #[test]
    fn the_worst_corner_of_riots_format_stays_within_its_precision() {
        // All four components are equal. Nearest rounding would have an error of 0.000065 in the dropped one.
        for i in 0..20_000u32 {
            let wobble =
                |k: u32| 0.5 + 1e-4 * ((i.wrapping_mul(2_654_435_761).rotate_left(8 * k) & 0xffff) as f32 / 65_536.0);
            let q = Quat::from_xyzw(wobble(0), wobble(1), wobble(2), wobble(3)).normalize();
            let error = worst_component(RotationFormat::Largest48, q);
            assert!(error <= RIOT_PRECISION, "{error} at {q}");
        }
    }

    #[test]
    fn sizes_are_those_on_disk() {
        for format in RotationFormat::ALL {
            let mut out = BitWriter::new();
            format.write(Quat::from_rotation_x(1.0), &Range3::UNIT, &mut out);
            assert_eq!(out.bit_len(), format.bits() as usize);
        }
        // Riot: "With a reduction from 128 bits to 48 bits, we achieve a compression ratio of 0.375."
        assert_eq!(f64::from(RotationFormat::Largest48.bits()) / f64::from(RotationFormat::Full.bits()), 0.375);
        assert_eq!(RotationFormat::Identity.round_trip(Quat::from_rotation_x(1.0), &Range3::UNIT), Quat::IDENTITY);
    }
}
