//! Chances of what an archive says once a clip, joint or track.

use super::records_trained::TRAINED;
use crate::parts::{Chance, CodeBit, PROBABILITY_BITS, code_digits, unzigzag32, zigzag32};

/// How often trained chances count as asked.
const SEEN: u16 = 8;
/// Sizes of numbers that are told apart, up to one that is none of a step or reference.
const SIZES: usize = 12;
/// Number of chances that begin trained.
pub const RECORD_CHANCES: usize = NUMBERS + 8 * SIZES;
const NUMBERS: usize = 48;

/// What a question is about: where its chances lie.
#[derive(Debug, Clone, Copy)]
pub enum About {
    /// The rotation of a joint is animated, or constant; the kind of the joint before's.
    Rotation(u8),
    /// The same of a translation; the kinds of its own rotation, and of the joint before's translation.
    Translation(u8, u8),
    /// The same of a scale; some scale before it was not at bind pose.
    Scale(bool),
    /// A constant vector is the bind pose's along an axis, as it was along the one before.
    SameAxis(bool),
    /// The largest component of a rotation is the bind pose's.
    SameLargest,
    /// A component of a constant rotation is zero.
    ZeroPart,
    /// The guide of a track is the one that is likely.
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

/// What a number is.
#[derive(Debug, Clone, Copy)]
pub enum Number {
    /// By how much the code of a step differs from the one before, of a component of rotations or of others.
    Step(usize, bool),
    /// By how much a component of a reference differs from the bind pose's; or from zero.
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

/// All chances.
#[derive(Debug, Clone)]
pub struct RecordChances {
    all: [Chance; RECORD_CHANCES],
    digits: [Chance; 3],
}

impl RecordChances {
    /// As they begin.
    pub fn trained() -> Self {
        Self::begin(TRAINED)
    }

    /// As likely to be zero, in 256ths.
    pub fn begin(of_zero: [u8; RECORD_CHANCES]) -> Self {
        Self { all: of_zero.map(|zero| Chance::likely(u16::from(zero) << 8, SEEN)), digits: [Chance::EVEN; 3] }
    }

    /// In 256ths, of zero.
    pub fn of_zero(&self) -> [u8; RECORD_CHANCES] {
        self.all.map(|chance| (chance.of_zero() >> (PROBABILITY_BITS - 8)).clamp(1, 255) as u8)
    }

    /// A yes or no.
    pub fn ask(&mut self, about: About, wanted: bool, bits: &mut impl CodeBit) -> bool {
        bits.bit(wanted, &mut self.all[about.place()])
    }

    /// The code of a track's kind.
    pub fn kind(&mut self, about: About, wanted: u8, bits: &mut impl CodeBit) -> u8 {
        let place = about.place();
        if bits.bit(wanted == 2, &mut self.all[place]) {
            return 2;
        }
        u8::from(bits.bit(wanted == 1, &mut self.all[place + 1]))
    }

    /// A number that is small more often than not.
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

/// The lowest `count` bits of a number that nothing is known of.
pub fn code_even(wanted: u32, count: u32, bits: &mut impl CodeBit) -> u32 {
    (0..count).rev().fold(0, |out, i| out << 1 | u32::from(bits.even(wanted >> i & 1 == 1)))
}
