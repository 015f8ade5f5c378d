//! Ranges of numbers in segments.

use crate::format::{BitReader, DecodeError};
use crate::parts::{read_width, unzigzag32};

/// Most bits of a number: float32 holds integers of 24 bits exactly.
pub const WIDEST: u32 = 24;

/// The range that a number's bits cover in a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reach {
    /// Bits of the number.
    pub width: u32,
    /// The value of zero bits, in steps from the origin: a multiple of two to the power of [`Reach::shift`].
    pub lowest: i32,
}

impl Reach {
    /// A lowest value is rounded to a multiple of the reach of its number's bits, divided by two to this power.
    pub const LOWEST_PART_BITS: u32 = 2;

    /// The range before the first segment, centred on the origin.
    pub fn first(width: u32) -> Self {
        Self { width, lowest: Self::half(width).wrapping_neg() }
    }

    /// Number of low bits of `lowest` that are zero.
    pub fn shift(width: u32) -> u32 {
        width.saturating_sub(Self::LOWEST_PART_BITS)
    }

    fn half(width: u32) -> i32 {
        (1 << width) >> 1
    }

    /// Expected `lowest` of the next segment, without its zero bits: a range of `width` bits with the same middle as this one.
    pub fn expected(self, width: u32) -> i32 {
        self.lowest.wrapping_add(Self::half(self.width)).wrapping_sub(Self::half(width)) >> Self::shift(width)
    }

    fn read(self, input: &mut BitReader<'_>, order: u32) -> Result<Self, DecodeError> {
        let width = read_width(input, self.width, WIDEST)?;
        let farther = unzigzag32(read_golomb(input, order)?);
        Ok(Self { width, lowest: self.expected(width).wrapping_add(farther) << Self::shift(width) })
    }
}

/// Reads an exponential Golomb code. Let `n` be one more than the number without its last `order` bits. The code is: one bit set per bit
/// of `n` after its first; a zero bit; these bits of `n`; the last `order` bits of the number.
fn read_golomb(input: &mut BitReader<'_>, order: u32) -> Result<u32, DecodeError> {
    let at = input.bit_position() / 8;
    let mut bits = 0;
    while input.read("lowest of a segment", 1)? == 1 {
        bits += 1;
        if bits >= u32::BITS {
            return Err(DecodeError::invalid("bits of a lowest", at, bits, "31 or fewer"));
        }
    }
    let above = ((1 << bits) | input.read("lowest of a segment", bits)?) - 1;
    Ok((above << order | input.read("lowest of a segment", order)?) as u32)
}

/// The numbers of a track that is not float32.
#[derive(Debug, Clone, Copy)]
pub struct Numbers {
    /// Origin of each number, in steps.
    pub origins: [i32; 3],
    /// Range of each number in the segment read last.
    pub reach: [Reach; 3],
}

impl Numbers {
    /// Reads the ranges in the next segment. Returns the bits of a sample.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(&mut self, input: &mut BitReader<'_>, order: u32) -> Result<usize, DecodeError> {
        for reach in &mut self.reach {
            *reach = reach.read(input, order)?;
        }
        Ok(self.reach.iter().map(|reach| reach.width as usize).sum())
    }

    /// Widths, and lowest values in the clip.
    pub fn ranges(&self) -> [Reach; 3] {
        [0, 1, 2].map(|i| {
            let Reach { width, lowest } = self.reach[i];
            Reach { width, lowest: self.origins[i].wrapping_add(lowest) }
        })
    }
}
