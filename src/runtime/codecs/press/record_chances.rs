//! Probabilities of the data that an archive stores once per clip, joint or track.

use super::records_trained::TRAINED;
use crate::parts::{Chance, CodeBit, PROBABILITY_BITS, code_digits, unzigzag32, zigzag32};

/// Number of bits that trained probabilities count for: see [`Chance::likely`].
const SEEN: u16 = 8;
/// Number of sizes in bits that a number may have. Steps and references are smaller.
const SIZES: usize = 12;
/// Number of trained probabilities.
pub const RECORD_CHANCES: usize = NUMBERS + 8 * SIZES;
/// Index of the first probability of a [`Number`].
const NUMBERS: usize = 48;

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
}

impl Number {
    fn place(self) -> usize {
        let index = match self {
            Self::Step(component, is_rotation) => component + if is_rotation { 0 } else { 3 },
            Self::Reference(is_same_largest) => 6 + usize::from(is_same_largest),
        };
        NUMBERS + index * SIZES
    }
}

/// Probabilities of all flags, kinds and numbers.
#[derive(Debug, Clone)]
pub struct RecordChances {
    all: [Chance; RECORD_CHANCES],
    digits: [Chance; 3],
}

impl RecordChances {
    /// The first probabilities.
    pub fn trained() -> Self {
        Self::begin(TRAINED)
    }

    /// Probabilities of zero, in 256ths.
    pub fn begin(of_zero: [u8; RECORD_CHANCES]) -> Self {
        Self { all: of_zero.map(|zero| Chance::likely(u16::from(zero) << 8, SEEN)), digits: [Chance::EVEN; 3] }
    }

    /// The probabilities of zero, in 256ths.
    pub fn of_zero(&self) -> [u8; RECORD_CHANCES] {
        self.all.map(|chance| (chance.of_zero() >> (PROBABILITY_BITS - 8)).clamp(1, 255) as u8)
    }

    /// Codes a flag.
    pub fn ask(&mut self, about: About, wanted: bool, bits: &mut impl CodeBit) -> bool {
        bits.bit(wanted, &mut self.all[about.place()])
    }

    /// Codes the kind of a track.
    pub fn kind(&mut self, about: About, wanted: u8, bits: &mut impl CodeBit) -> u8 {
        let place = about.place();
        if bits.bit(wanted == 2, &mut self.all[place]) {
            return 2;
        }
        u8::from(bits.bit(wanted == 1, &mut self.all[place + 1]))
    }

    /// Codes a number that is mostly small.
    pub fn number(&mut self, number: Number, wanted: i32, bits: &mut impl CodeBit) -> i32 {
        let place = number.place();
        let (code, mut size) = (zigzag32(wanted), 0);
        let wanted_size = (u32::BITS - code.leading_zeros()) as usize;
        while size < SIZES && bits.bit(wanted_size > size, &mut self.all[place + size]) {
            size += 1;
        }
        if size == 0 { 0 } else { unzigzag32(code_digits(code.into(), size, &mut self.digits, bits) as u32) }
    }
}

/// Codes the lowest `count` bits of a number, all equally likely.
pub fn code_even(wanted: u32, count: u32, bits: &mut impl CodeBit) -> u32 {
    (0..count).rev().fold(0, |out, i| out << 1 | u32::from(bits.even(wanted >> i & 1 == 1)))
}
