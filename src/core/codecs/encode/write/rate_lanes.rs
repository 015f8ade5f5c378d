//! Tests that tracks of any rates, written one by one, are read four at a time: see [`PackingLanes`].

use super::span::{quantize3, segment_span_code};
use crate::codecs::runtime::{EXACT_BITS, PackingLanes, Slot, TrackPacking, ValueSpan, dequantize3};
use crate::format::BitWriter;
use crate::math::LANES;
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
        let span = |lane: usize| segment_span_code(spans[lane] * 0.5, spans[lane]);
        (0..row).for_each(|_| out.push(1, 1));
        let row = out.bit_len();
        let mut places = [TrackPacking { at: 0, bits: 0, slot: Slot::None }; LANES];
        let mut expected = [Vec3A::ZERO; LANES];
        for lane in 0..LANES {
            let at = (out.bit_len() - row) as u32;
            let bits = if kinds[lane] == 3 { EXACT_BITS } else { bits[lane] };
            places[lane] = match kinds[lane] {
                0 => TrackPacking { at, bits: 0, slot: Slot::Constant(span(lane)) },
                2 => TrackPacking { at, bits, slot: Slot::Span(span(lane)) },
                _ => TrackPacking { at, bits, slot: Slot::None },
            };
            let codes = quantize3(v[lane], bits.min(23));
            expected[lane] = match kinds[lane] {
                0 => {
                    let code = |i: u32| (span(lane) >> (16 * i)) as u32 & 0xffff;
                    dequantize3([code(0), code(1), code(2)], 16)
                }
                1 => dequantize3(codes, bits),
                2 => ValueSpan::from_segment_code(span(lane)).value(dequantize3(codes, bits)),
                _ => v[lane],
            };
            match kinds[lane] {
                0 => {}
                3 => v[lane].to_array().into_iter().for_each(|x| out.push_f32(x)),
                _ => codes.into_iter().for_each(|code| out.push(u64::from(code), bits)),
            }
        }
        let bytes = out.finish();
        let places = PackingLanes::new(places);
        let mut found = places.numbers(&bytes, row);
        places.set_exact(&bytes, row, &mut found);
        for lane in 0..LANES {
            prop_assert_eq!(found.map(|x| x[lane]), expected[lane].to_array(), "lane {} of {:?}", lane, places);
        }
    }
}
