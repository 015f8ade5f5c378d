//! Ranges of anchors.

use super::chances::{Chances, Near, Number};
use crate::parts::CodeBit;

/// Most bits of an anchor.
pub const WIDEST_ANCHORS: u32 = 31;

/// The range of a component's anchors. They are stored above the lowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnchorRange {
    /// Bits of an anchor.
    pub bits: u32,
    /// Value of zero bits: a multiple of `2^(bits - parts)`, for the smallest `parts` that allow it.
    pub lowest: i32,
}

impl AnchorRange {
    /// The range before the first.
    pub const BEFORE_FIRST: Self = Self { bits: 6, lowest: 0 };

    /// The range of these anchors.
    pub fn of(anchors: &[i32]) -> Self {
        let (lowest, highest) = anchors.iter().fold((i32::MAX, i32::MIN), |(a, b), &x| (a.min(x), b.max(x)));
        let bits = u32::BITS - (highest.wrapping_sub(lowest) as u32).leading_zeros();
        let start = |parts: u32| lowest >> (bits - parts) << (bits - parts);
        let holds = |start: &i32| i64::from(highest) - i64::from(*start) < 1 << bits;
        let lowest = (0..=bits).map(start).find(holds).unwrap_or(lowest);
        Self { bits, lowest }
    }

    /// Codes the range. `before` is the number of bits of the component before.
    pub fn code(&mut self, before: u32, is_rotation: bool, chances: &mut Chances, bits: &mut impl CodeBit) {
        self.bits = chances.near(Near::Anchors(is_rotation, before), before, WIDEST_ANCHORS, self.bits, bits);
        if self.bits == 0 {
            self.lowest = chances.number(Number::Only(is_rotation), self.lowest, bits);
            return;
        }
        let wanted = self.bits.saturating_sub(self.lowest.trailing_zeros());
        let parts = chances.near(Near::Parts, 1, self.bits, wanted, bits);
        let (shift, half) = (self.bits - parts, (1u32 << parts >> 1) as i32);
        let number = Number::Lowest(parts, is_rotation);
        let start = chances.number(number, (self.lowest >> shift).wrapping_add(half), bits).wrapping_sub(half);
        self.lowest = start.wrapping_shl(shift);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::{RangeDecoder, RangeEncoder};
    use alloc::vec::Vec;
    use proptest::prelude::*;

    #[test]
    fn a_range_starts_at_few_parts_of_itself() {
        let of = |anchors: &[i32]| AnchorRange::of(anchors);
        assert_eq!(of(&[-3, 3, 0]), AnchorRange { bits: 3, lowest: -4 });
        assert_eq!(of(&[-3, 4]), AnchorRange { bits: 3, lowest: -3 });
        assert_eq!(of(&[0, 5]), AnchorRange { bits: 3, lowest: 0 });
        assert_eq!(of(&[-1, 6]), AnchorRange { bits: 3, lowest: -1 });
        assert_eq!(of(&[7, 7]), AnchorRange { bits: 0, lowest: 7 });
        assert_eq!(of(&[1002, 1005]), AnchorRange { bits: 2, lowest: 1002 });
    }

    proptest! {
        #[test]
        fn ranges_hold_their_anchors_and_come_back(
            anchors in prop::collection::vec(prop::collection::vec(-(1i32 << 29)..1 << 29, 1..5), 1..20),
            shift in 0u32..29,
        ) {
            let small = |anchors: &Vec<i32>| anchors.iter().map(|x| x >> shift).collect::<Vec<_>>();
            let anchors: Vec<Vec<i32>> = anchors.iter().map(small).collect();
            let mut ranges: Vec<AnchorRange> = anchors.iter().map(|a| AnchorRange::of(a)).collect();
            for (range, anchors) in ranges.iter().zip(&anchors) {
                let above = |x: i32| i64::from(x) - i64::from(range.lowest);
                prop_assert!(anchors.iter().all(|x| (0..1 << range.bits).contains(&above(*x))));
            }
            let code = |ranges: &mut [AnchorRange], bits: &mut dyn FnMut(&mut AnchorRange, u32)| {
                let mut before = 6;
                for range in ranges {
                    bits(range, before);
                    before = range.bits;
                }
            };
            let (mut out, mut chances) = (RangeEncoder::default(), Chances::trained());
            code(&mut ranges, &mut |range, before| range.code(before, true, &mut chances, &mut out));
            let bytes = out.finish().unwrap();
            let mut read = alloc::vec![AnchorRange { bits: 0, lowest: 0 }; ranges.len()];
            let (mut input, mut chances) = (RangeDecoder::new(&bytes), Chances::trained());
            code(&mut read, &mut |range, before| range.code(before, true, &mut chances, &mut input));
            prop_assert_eq!(read, ranges);
        }
    }
}
