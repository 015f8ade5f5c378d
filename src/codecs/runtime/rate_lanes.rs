use super::rate::{Span, steps};
use crate::format::{bits_at, f32_at};
use crate::math::{LANES, Real, each_lane};
use glam::Vec4;

/// Bits of a float32.
pub const EXACT_BITS: u32 = 32;
/// Bits of each number of a constant.
pub const CONSTANT_BITS: u32 = 16;

/// Where a track's samples lie within a segment and how they are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Bits from the start of the sample, or of the segment's slots for a constant.
    pub at: u32,
    /// False for a constant, which is the same in all samples.
    pub in_row: bool,
    /// Of each number; [`EXACT_BITS`] for float32.
    pub bits: u32,
    /// Bits of its span from the start of the segment's slots, if it has one.
    pub span_at: Option<u32>,
}

/// The places of four tracks.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlaceLanes {
    at: [u32; LANES],
    span_at: [u32; LANES],
    bits: [u8; LANES],
    in_row: [bool; LANES],
    has_span: [bool; LANES],
    has_spans: bool,
    has_exact: bool,
}

impl PlaceLanes {
    /// Sets one of them; those that are never set read as anything.
    pub fn set(&mut self, lane: usize, place: Place) {
        self.at[lane] = place.at;
        self.span_at[lane] = place.span_at.unwrap_or(0);
        self.bits[lane] = place.bits as u8;
        self.in_row[lane] = place.in_row;
        self.has_span[lane] = place.span_at.is_some();
        self.has_spans |= place.span_at.is_some();
        self.has_exact |= place.bits == EXACT_BITS;
    }

    /// The bits of the segment's spans, in slots that begin at bit `slots`; none if no track has one.
    #[inline(always)]
    pub fn span_codes(&self, bytes: &[u8], slots: usize) -> Option<[u64; LANES]> {
        let code = |lane: usize| {
            let code = bits_at(bytes, slots + self.span_at[lane] as usize, Span::SEGMENT_BITS);
            if self.has_span[lane] { code } else { Span::UNIT_CODE }
        };
        self.has_spans.then(|| each_lane([0, 1, 2, 3], code))
    }

    /// Four times three numbers as fractions of the clip's spans. The sample begins at bit `row`.
    #[inline(always)]
    pub fn fractions(&self, bytes: &[u8], row: usize, slots: usize, spans: Option<[u64; LANES]>) -> [Vec4; 3] {
        let lanes = [0, 1, 2, 3];
        let start = |lane: usize| self.at[lane] as usize + if self.in_row[lane] { row } else { slots };
        // 57 bits, what one read gives, hold two numbers of any rate.
        let low = each_lane(lanes, |lane| bits_at(bytes, start(lane), 57));
        let third = each_lane(lanes, |lane| bits_at(bytes, start(lane) + 2 * usize::from(self.bits[lane]), 57));
        let second = each_lane(lanes, |lane| low[lane] >> self.bits[lane]);
        let mask = each_lane(self.bits, |bits| ((1u64 << bits) - 1) as i32);
        let steps = Vec4::from_array(each_lane(self.bits, |bits| steps(u32::from(bits))));
        let number = |words: [u64; LANES]| {
            Vec4::from_array(each_lane(lanes, |lane| (words[lane] as i32 & mask[lane]) as f32)) * steps
        };
        let fraction = [number(low), number(second), number(third)];
        let Some(codes) = spans else { return fraction };
        let byte = |i: u32| Vec4::of_words(codes, |code| (code >> (8 * i)) as u8 as i32 as f32) * Span::SEGMENT_STEP;
        let value = |i: u32| byte(i) + byte(3 + i) * fraction[i as usize];
        [value(0), value(1), value(2)]
    }

    /// Lanes of the tracks that are stored as float32, and their bits from the start of the sample.
    pub fn exact(&self) -> impl Iterator<Item = (usize, usize)> {
        (0..LANES).filter(|lane| u32::from(self.bits[*lane]) == EXACT_BITS).map(|lane| (lane, self.at[lane] as usize))
    }

    /// Puts in the numbers of the tracks that are stored as float32.
    #[inline(always)]
    pub fn set_exact<const N: usize>(&self, bytes: &[u8], row: usize, numbers: &mut [Vec4; N]) {
        if !self.has_exact {
            return;
        }
        for (lane, at) in self.exact() {
            for (i, number) in numbers.iter_mut().enumerate() {
                number[lane] = f32_at(bytes, row + at + 32 * i);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rate::{dequantize3, quantize3};
    use super::*;
    use crate::format::BitWriter;
    use glam::Vec3A;
    use proptest::prelude::*;

    fn numbers() -> impl Strategy<Value = [Vec3A; LANES]> {
        prop::array::uniform4(prop::array::uniform3(0.0f32..=1.0).prop_map(Vec3A::from_array))
    }

    proptest! {
        #[test]
        fn four_tracks_of_any_rates_read_as_one_by_one(
            v in numbers(), spans in numbers(), bits in prop::array::uniform4(3u32..=23), row in 0usize..64,
            kinds in prop::array::uniform4(0u32..4),
        ) {
            let mut out = BitWriter::new();
            let span = |lane: usize| Span::segment_code(spans[lane] * 0.5, spans[lane]);
            (0..LANES).for_each(|lane| out.push(span(lane), Span::SEGMENT_BITS));
            let slots = 0;
            (0..row).for_each(|_| out.push(1, 1));
            let row = out.bit_len();
            let mut places = PlaceLanes::default();
            let mut expected = [Vec3A::ZERO; LANES];
            for lane in 0..LANES {
                let slot = lane as u32 * Span::SEGMENT_BITS;
                let at = (out.bit_len() - row) as u32;
                let is_exact = kinds[lane] == 3;
                let bits = if is_exact { EXACT_BITS } else { bits[lane] };
                // A constant reads the bits of its slot as three numbers.
                let place = match kinds[lane] {
                    0 => Place { at: slot, in_row: false, bits: CONSTANT_BITS, span_at: None },
                    kind => Place { at, in_row: true, bits, span_at: (kind == 2).then_some(slot) },
                };
                places.set(lane, place);
                let codes = quantize3(v[lane], bits.min(23));
                expected[lane] = match kinds[lane] {
                    0 => {
                        let code = |i: u32| (span(lane) >> (16 * i)) as u32 & 0xffff;
                        dequantize3([code(0), code(1), code(2)], CONSTANT_BITS)
                    }
                    1 => dequantize3(codes, bits),
                    2 => Span::from_segment_code(span(lane)).value(dequantize3(codes, bits)),
                    _ => v[lane],
                };
                match is_exact {
                    true => v[lane].to_array().into_iter().for_each(|x| out.push_f32(x)),
                    false => codes.into_iter().for_each(|code| out.push(u64::from(code), bits)),
                }
            }
            let bytes = out.finish();
            let mut found = places.fractions(&bytes, row, slots, places.span_codes(&bytes, slots));
            places.set_exact(&bytes, row, &mut found);
            for lane in 0..LANES {
                prop_assert_eq!(found.map(|x| x[lane]), expected[lane].to_array(), "lane {} of {:?}", lane, places);
            }
        }
    }
}
