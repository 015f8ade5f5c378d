//! Probabilities of the head of a payload, and of the widths of residuals.

use super::chances_trained::TRAINED;
use crate::parts::{Chance, CodeBit, PROBABILITY_BITS, code_digits, unzigzag32, zigzag32};

/// Number of bits that trained probabilities count for: see [`Chance::likely`].
const SEEN: u16 = 8;
/// Sizes in bits of a number that have probabilities of their own. Larger sizes share the last.
const SIZES: usize = 12;
/// Most bits of a number.
const MOST_BITS: usize = 31;
/// Distances from a likely number that have probabilities of their own. Larger distances share the last.
const DISTANCES: u32 = 4;
/// Probabilities of a [`Near`]: that it is the likely number, that it is above, and one per distance.
const NEAR: usize = 2 + DISTANCES as usize;
/// Index of the first probability of a [`Number`], and number of them.
const NUMBERS: usize = 40;
const NUMBER_KINDS: usize = 18;
/// Index of the first probability of a [`Near`], and number of them.
const NEARS: usize = NUMBERS + NUMBER_KINDS * SIZES;
const NEAR_KINDS: usize = 1 + 2 * MAGNITUDES + 4 * MAGNITUDES;
/// Number of trained probabilities.
pub const CHANCES: usize = NEARS + NEAR_KINDS * NEAR;

/// A flag or a kind of track. It selects probabilities.
#[derive(Debug, Clone, Copy)]
pub enum About {
    /// Kind of a rotation track, given the kind of the rotation of the joint before.
    Rotation(u8),
    /// Kind of a translation track, given the kinds of the joint's rotation and of the translation of the joint before.
    Translation(u8, u8),
    /// Kind of a scale track. True if an earlier scale is not at the bind pose.
    Scale(bool),
    /// A number of a constant vector equals the bind pose. True if the number before it does.
    SameAxis(bool),
    /// The dropped component of a rotation is the largest component of the bind pose.
    SameLargest,
    /// A component of a constant rotation is zero.
    ZeroPart,
    /// The guide of a track is the likely one.
    LikelyGuide,
}

impl About {
    fn place(self) -> usize {
        match self {
            Self::Rotation(before) => 2 * usize::from(before),
            Self::Translation(own, before) => 6 + 2 * usize::from(3 * own + before),
            Self::Scale(is_seen) => 24 + 2 * usize::from(is_seen),
            Self::SameAxis(is_same) => 28 + usize::from(is_same),
            Self::SameLargest => 30,
            Self::ZeroPart => 31,
            Self::LikelyGuide => 32,
        }
    }
}

/// A small number. It selects probabilities.
#[derive(Debug, Clone, Copy)]
pub enum Number {
    /// Difference of a component's step code from the one before. True for rotations.
    Step(usize, bool),
    /// Difference of a component of a reference from the bind pose (true) or from zero (false).
    Reference(bool),
    /// Lowest of a component's anchors, in parts of their range, above half of the range. Number of bits of these parts, at most 3. True for
    /// rotations.
    Lowest(u32, bool),
    /// The only value of a component's anchors. True for rotations.
    Only(bool),
}

impl Number {
    fn place(self) -> usize {
        let index = match self {
            Self::Step(component, is_rotation) => component + if is_rotation { 0 } else { 3 },
            Self::Reference(is_same_largest) => 6 + usize::from(is_same_largest),
            Self::Lowest(parts, is_rotation) => 8 + 2 * parts.min(3) as usize + usize::from(is_rotation),
            Self::Only(is_rotation) => 16 + usize::from(is_rotation),
        };
        NUMBERS + index * SIZES
    }
}

/// A number that is mostly near another. It selects probabilities.
#[derive(Debug, Clone, Copy)]
pub enum Near {
    /// Bits of the parts of a range, in which its lowest anchor is stored.
    Parts,
    /// Bits of a component's anchors. True for rotations. The likely number.
    Anchors(bool, u32),
    /// Width of the residuals of middle samples (0) or of others (1). True in the first segment. The likely number.
    Width(usize, bool, u32),
}

/// Classes of likely numbers: 0, 1, 2 to 3, 4 to 6, and more.
const MAGNITUDES: usize = 5;

fn magnitude(likely: u32) -> usize {
    match likely {
        0 | 1 => likely as usize,
        2 | 3 => 2,
        4..=6 => 3,
        _ => 4,
    }
}

impl Near {
    fn place(self) -> usize {
        let index = match self {
            Self::Parts => 0,
            Self::Anchors(is_rotation, likely) => 1 + MAGNITUDES * usize::from(is_rotation) + magnitude(likely),
            Self::Width(row, is_first, likely) => {
                1 + MAGNITUDES * (2 + 2 * row + usize::from(is_first)) + magnitude(likely)
            }
        };
        NEARS + index * NEAR
    }
}

/// Probabilities of all flags, kinds and numbers.
#[derive(Debug, Clone)]
pub struct Chances {
    all: [Chance; CHANCES],
    digits: [Chance; 3],
}

impl Chances {
    /// The first probabilities.
    pub fn trained() -> Self {
        Self::begin(TRAINED)
    }

    /// Probabilities of zero, in 256ths.
    pub fn begin(of_zero: [u8; CHANCES]) -> Self {
        Self { all: of_zero.map(|zero| Chance::likely(u16::from(zero) << 8, SEEN)), digits: [Chance::EVEN; 3] }
    }

    /// The probabilities of zero, in 256ths.
    pub fn of_zero(&self) -> [u8; CHANCES] {
        self.all.map(|chance| (chance.of_zero() >> (PROBABILITY_BITS - 8)).clamp(1, 255) as u8)
    }

    /// Codes a bit with the probability of that index. One function, not a copy at each call: heads are short, and so are modules for the web.
    #[inline(never)]
    fn bit<B: CodeBit>(&mut self, index: usize, wanted: bool, bits: &mut B) -> bool {
        bits.bit(wanted, &mut self.all[index])
    }

    /// Codes a flag.
    pub fn ask(&mut self, about: About, wanted: bool, bits: &mut impl CodeBit) -> bool {
        self.bit(about.place(), wanted, bits)
    }

    /// Codes the kind of a track.
    pub fn kind(&mut self, about: About, wanted: u8, bits: &mut impl CodeBit) -> u8 {
        let place = about.place();
        if self.bit(place, wanted == 2, bits) {
            return 2;
        }
        u8::from(self.bit(place + 1, wanted == 1, bits))
    }

    /// Codes a number that is mostly small, of at most [`MOST_BITS`] bits with its sign.
    #[inline(never)]
    pub fn number<B: CodeBit>(&mut self, number: Number, wanted: i32, bits: &mut B) -> i32 {
        let place = number.place();
        let (code, mut size) = (zigzag32(wanted), 0);
        let wanted_size = (u32::BITS - code.leading_zeros()) as usize;
        while size < MOST_BITS && self.bit(place + size.min(SIZES - 1), wanted_size > size, bits) {
            size += 1;
        }
        if size == 0 { 0 } else { unzigzag32(code_digits(code.into(), size, &mut self.digits, bits) as u32) }
    }

    /// Codes a number from 0 to `most` that is mostly near `likely`.
    #[inline(never)]
    pub fn near<B: CodeBit>(&mut self, near: Near, likely: u32, most: u32, wanted: u32, bits: &mut B) -> u32 {
        let place = near.place();
        if !self.bit(place, wanted != likely, bits) {
            return likely;
        }
        let is_above = likely == 0 || likely < most && self.bit(place + 1, wanted > likely, bits);
        let room = if is_above { most - likely } else { likely };
        let mut distance = 1;
        while distance < room {
            let index = place + 1 + distance.min(DISTANCES) as usize;
            if !self.bit(index, wanted.abs_diff(likely) > distance, bits) {
                break;
            }
            distance += 1;
        }
        if is_above { likely + distance } else { likely - distance }
    }
}

/// Codes the lowest `count` bits of a number, all equally likely.
#[inline(never)]
pub fn code_even<B: CodeBit>(wanted: u32, count: u32, bits: &mut B) -> u32 {
    (0..count).rev().fold(0, |out, i| out << 1 | u32::from(bits.even(wanted >> i & 1 == 1)))
}

/// Codes a flag that is set as often as not.
pub fn code_flag(wanted: bool, bits: &mut impl CodeBit) -> bool {
    code_even(wanted.into(), 1, bits) == 1
}
