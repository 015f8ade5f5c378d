use crate::math::{
    LARGEST_DROPPED_LIMIT, Range3, ReduceRange, drop_largest, restore_largest, unorm_decode, unorm_encode,
};
use glam::{Quat, Vec3, Vec4};
use half::f16;
use serde::{Deserialize, Serialize};

/// Limit on the ratio of squared distances below which a rounding counts as nearer. Larger ratios may be float32 rounding.
const NEARER: f32 = 0.99;
/// Bits of each component of [`SmallestThree`].
const COMPONENT_BITS: u32 = 15;
/// Bits of each component of [`Numbers::Within`].
const FRACTION_BITS: u32 = 16;

/// The number format of values in a file.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Numbers {
    /// float32.
    Floats,
    /// Normalized signed 16-bit integers.
    Shorts,
    /// float16.
    Halves,
    /// See [`SmallestThree`].
    SmallestThree,
    /// 16 bits per component between the ends of a range.
    Within(Range3),
}

impl Numbers {
    /// The value that a reader gets for a value.
    pub fn read(self, value: Vec4) -> Vec4 {
        match self {
            Self::Floats => value,
            Self::Shorts => from_shorts(to_shorts(value)),
            Self::Halves => Vec4::from(value.to_array().map(|v| f16::from_f32(v).to_f32())),
            Self::SmallestThree => SmallestThree::of(value).value(),
            Self::Within(range) => {
                let fractions = to_fractions(&range, value.truncate()).map(|f| unorm_decode(f.into(), FRACTION_BITS));
                range.value(Vec3::from(fractions)).extend(0.0)
            }
        }
    }
}

impl Numbers {
    /// The worst value that a reader can get near this value. For steps within a range that is half a step away, since a value may happen
    /// to lie on a step.
    pub fn at_worst(self, value: Vec4) -> Vec4 {
        match self {
            Self::Within(range) => value + (range.extent * (0.5 / 65_535.0)).extend(0.0),
            Self::Floats | Self::Shorts | Self::Halves | Self::SmallestThree => self.read(value),
        }
    }
}

/// A rotation as normalized 16-bit integers.
pub fn to_shorts(rotation: Vec4) -> [i16; 4] {
    rotation.to_array().map(|v| (v.clamp(-1.0, 1.0) * f32::from(i16::MAX)).round() as i16)
}

fn from_shorts(shorts: [i16; 4]) -> Vec4 {
    Vec4::from(shorts.map(|v| f32::from(v) / f32::from(i16::MAX)))
}

/// Bits of a vector as float16, rounded to nearest.
pub fn to_halves(value: Vec3) -> [u16; 3] {
    value.to_array().map(|v| f16::from_f32(v).to_bits())
}

/// Position of a vector in a range, in units of 1/65,535.
pub fn to_fractions(range: &Range3, value: Vec3) -> [u16; 3] {
    range.fraction(value).to_array().map(|f| unorm_encode(f, FRACTION_BITS) as u16)
}

/// A rotation without its largest component, as ozz and Riot store it. The others are at most 1/√2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmallestThree {
    /// Index of the dropped component.
    pub largest: u16,
    /// True if that component is negative.
    pub is_negative: bool,
    /// The other components in order, 15 bits each.
    pub others: [u16; 3],
}

impl SmallestThree {
    /// Rounds each component up or down, in the combination that reads nearest. What is read from it is stored as the same value again. If
    /// two components are about equally large and rounding swaps them, that holds within one step.
    pub fn of(rotation: Vec4) -> Self {
        let q = Quat::from_vec4(rotation).normalize();
        let (largest, others) = drop_largest(q);
        let is_negative = q.to_array()[largest] < 0.0;
        let others = if is_negative { -others } else { others };
        let steps = ((1u32 << COMPONENT_BITS) - 1) as f32;
        let place = others.to_array().map(|v| (0.5 + 0.5 * v / LARGEST_DROPPED_LIMIT) * steps);
        let nearest = place.map(|place| place.round().clamp(0.0, steps) as u16);
        let others = [0, 1, 2, 3, 4, 5, 6, 7].map(|corner: u16| {
            let code = |axis: usize| (place[axis].floor() + f32::from(corner >> axis & 1)).clamp(0.0, steps) as u16;
            [code(0), code(1), code(2)]
        });
        let read = |others: [u16; 3]| Self { largest: largest as u16, is_negative, others };
        let off = |one: &Self| one.value().distance_squared(Vec4::from(q.to_array()));
        // If several are about equally near, rounds each component to its nearest.
        let corners = others.into_iter().map(read);
        corners.fold(read(nearest), |best, one| if off(&one) < NEARER * off(&best) { one } else { best })
    }

    /// The same rotation, with the largest component positive.
    pub fn positive(rotation: Vec4) -> Self {
        let turned = if Self::of(rotation).is_negative { -rotation } else { rotation };
        Self::of(turned)
    }

    fn value(self) -> Vec4 {
        let component = |code: u16| LARGEST_DROPPED_LIMIT * (2.0 * unorm_decode(code.into(), COMPONENT_BITS) - 1.0);
        let mut q = restore_largest(f32::from(self.largest), self.others.map(component));
        if self.is_negative {
            q[usize::from(self.largest)] *= -1.0;
        }
        Vec4::from(q)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rotations() -> impl Iterator<Item = Vec4> {
        let axis = |i: i32| Vec3::new(i as f32 * 0.37, i as f32 * 0.11, 1.0) * 0.1;
        (0..1000).map(move |i| Vec4::from(Quat::from_scaled_axis(axis(i)).to_array()))
    }

    /// The largest angle error.
    fn worst(numbers: Numbers) -> f32 {
        rotations().map(|q| 2.0 * (q - numbers.read(q)).length()).fold(0.0, f32::max)
    }

    #[test]
    fn sixteen_bits_keep_rotations_to_a_twentieth_of_a_milliradian() {
        let worst = worst(Numbers::Shorts);
        assert!(worst > 1e-6 && worst < 6.2e-5, "{worst}");
    }

    #[test]
    fn three_components_of_fifteen_bits_keep_rotations_and_signs() {
        // Half a step per component, and the error of the fourth: 4 sqrt(3) half steps.
        let worst = worst(Numbers::SmallestThree);
        assert!(worst > 1e-6 && worst < 1.5e-4, "{worst}");
        for q in rotations() {
            assert!(q.dot(Numbers::SmallestThree.read(q)) > 0.99 && q.dot(Numbers::SmallestThree.read(-q)) < -0.99);
            assert!(!SmallestThree::positive(q).is_negative);
        }
    }

    #[test]
    fn what_is_read_is_stored_as_the_same_again_within_a_step() {
        let step = 2.0 * LARGEST_DROPPED_LIMIT / 32767.0;
        let tied = (0..500).map(|i| Vec4::new(0.1 + i as f32 * 1e-3, 0.6, -0.6 - i as f32 * 1e-8, 0.05).normalize());
        for q in rotations().chain(tied) {
            let read = Numbers::SmallestThree.read(q);
            assert!(Numbers::SmallestThree.read(read).distance(read) < step, "{q}");
            let positive = SmallestThree::positive(read).value();
            assert!(positive.distance(read).min(positive.distance(-read)) < step, "{q}");
        }
    }

    #[test]
    fn vectors_keep_eleven_bits_or_a_part_of_their_range() {
        let value = Vec4::new(1.234_567, -0.012_345_6, 98.765, 0.0);
        let read = Numbers::Halves.read(value);
        assert!(((read - value) / value).truncate().abs().max_element() <= 1.0 / 2048.0 && read != value, "{read}");
        let range = Range3::around([Vec3::splat(-2.0), Vec3::splat(100.0)]);
        let read = Numbers::Within(range).read(value);
        assert!((read - value).abs().max_element() <= 102.0 * 0.51 / 65535.0, "{read}");
    }
}
