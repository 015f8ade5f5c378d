//! Writes tracks of corrections.

use crate::codecs::encode::write::{
    quantize3, rotation_span_codes, segment_span_code, span_fraction, vector_extent_codes, write_rotation_span,
    write_vector_span,
};
use crate::codecs::runtime::{
    CORRECTION_CONSTANT_BITS, CORRECTION_HIGHEST_BITS, CORRECTION_SEGMENT_SAMPLES, Rate, Segments, ValueSpan,
    dequantize3, rotation_span, vector_extent,
};
use crate::format::BitWriter;
use crate::model::Channel;
use glam::{Quat, Vec3A};

/// The three stored numbers of a correcting rotation: w is dropped, and restored as positive.
pub fn rotation_numbers(q: Quat) -> Vec3A {
    let q = if q.w < 0.0 { -q } else { q };
    Vec3A::new(q.x, q.y, q.z)
}

/// Writes the track that [`crate::codecs::runtime::CorrectionTrack`] reads. Every segment has the lowest rate at which all samples are
/// within `limit` of their values. `values`: one per sample, finite.
pub fn write_track(values: &[Vec3A], channel: Channel, limit: f32, out: &mut BitWriter) {
    let (min, max) = bounds(values);
    let span = write_span(channel, min, max, out);
    let segments = Segments::new(values.len(), CORRECTION_SEGMENT_SAMPLES);
    for segment in 0..segments.count() {
        let fractions: Vec<Vec3A> =
            values[segments.samples_of(segment)].iter().map(|v| span_fraction(&span, *v)).collect();
        SegmentCodes::fit(&fractions, segments.count() > 1, |error| (error * span.extent).length() <= limit).write(out);
    }
}

fn write_span(channel: Channel, min: Vec3A, max: Vec3A, out: &mut BitWriter) -> ValueSpan {
    if channel == Channel::Rotation {
        let codes = rotation_span_codes(min, max);
        write_rotation_span(codes, out);
        return rotation_span(codes);
    }
    let extent = vector_extent_codes((max - min).into());
    write_vector_span(min.into(), extent, out);
    ValueSpan { min, extent: vector_extent(extent).into() }
}

fn bounds(values: &[Vec3A]) -> (Vec3A, Vec3A) {
    values.iter().fold((Vec3A::MAX, Vec3A::MIN), |(min, max), v| (min.min(*v), max.max(*v)))
}

/// A segment's rate and stored values.
struct SegmentCodes {
    rate: Rate,
    span_code: Option<u64>,
    codes: Vec<[u32; 3]>,
}

impl SegmentCodes {
    /// The lowest rate at which every fraction fits, or the highest rate.
    fn fit(fractions: &[Vec3A], has_span: bool, fits: impl Fn(Vec3A) -> bool) -> Self {
        let (min, max) = bounds(fractions);
        let middle = quantize3((min + max) * 0.5, CORRECTION_CONSTANT_BITS);
        let constant = dequantize3(middle, CORRECTION_CONSTANT_BITS);
        if fractions.iter().all(|f| fits(constant - *f)) {
            return Self { rate: Rate::CONSTANT, span_code: None, codes: vec![middle] };
        }
        let span_code = has_span.then(|| segment_span_code(min, max));
        let span = span_code.map_or(ValueSpan::UNIT, ValueSpan::from_segment_code);
        let at = |rate: Rate| -> Vec<[u32; 3]> {
            let bits = rate.bits(CORRECTION_HIGHEST_BITS);
            fractions.iter().map(|f| quantize3(span_fraction(&span, *f), bits)).collect()
        };
        let is_fine = |rate: Rate, codes: &[[u32; 3]]| {
            let bits = rate.bits(CORRECTION_HIGHEST_BITS);
            codes.iter().zip(fractions).all(|(c, f)| fits(span.value(dequantize3(*c, bits)) - *f))
        };
        let rates = (1..Rate::HIGHEST.code()).map(Rate::from_code);
        let found = rates.map(|rate| (rate, at(rate))).find(|(rate, codes)| is_fine(*rate, codes));
        let (rate, codes) = found.unwrap_or_else(|| (Rate::HIGHEST, at(Rate::HIGHEST)));
        Self { rate, span_code, codes }
    }

    fn write(&self, out: &mut BitWriter) {
        out.push(self.rate.code(), Rate::CODE_BITS);
        if let Some(code) = self.span_code {
            out.push(code, ValueSpan::SEGMENT_BITS);
        }
        let bits = match self.rate {
            Rate::CONSTANT => CORRECTION_CONSTANT_BITS,
            rate => rate.bits(CORRECTION_HIGHEST_BITS),
        };
        self.codes.iter().flatten().for_each(|code| out.push(u64::from(*code), bits));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codecs::runtime::CorrectionTrack;
    use crate::format::BitReader;
    use proptest::prelude::*;

    fn round_trip(values: &[Vec3A], channel: Channel, limit: f32) -> (Vec<Vec3A>, usize) {
        let mut out = BitWriter::new();
        write_track(values, channel, limit, &mut out);
        let bits = out.bit_len();
        let bytes = out.finish();
        let mut input = BitReader::new(&bytes);
        let track = CorrectionTrack::read(&mut input, &bytes, channel, values.len()).unwrap();
        input.finish("track").unwrap();
        let read = |sample| match channel {
            Channel::Rotation => rotation_numbers(track.rotation(&bytes, sample, 0.0)),
            _ => track.vector(&bytes, sample, 0.0).into(),
        };
        ((0..values.len()).map(read).collect(), bits)
    }

    fn numbers(limit: f32) -> impl Strategy<Value = Vec<Vec3A>> {
        prop::collection::vec(prop::array::uniform3(-limit..limit).prop_map(Vec3A::from_array), 1..90)
    }

    proptest! {
        #[test]
        fn vectors_come_back_within_their_limit(values in numbers(2.0), limit in 1e-5f32..0.1) {
            let (back, _) = round_trip(&values, Channel::Translation, limit);
            for (a, b) in back.iter().zip(&values) {
                prop_assert!((*a - *b).length() <= limit * 1.01 + 1e-6, "{} for {}", a, b);
            }
        }

        #[test]
        fn small_rotations_come_back_within_their_limit(values in numbers(0.3), limit in 4e-5f32..0.1) {
            let (back, _) = round_trip(&values, Channel::Rotation, limit);
            for (a, b) in back.iter().zip(&values) {
                prop_assert!((*a - *b).length() <= limit * 1.01 + 1e-6, "{} for {}", a, b);
            }
        }
    }

    #[test]
    fn a_foot_that_stands_costs_a_constant_a_segment() {
        let mut values = vec![Vec3A::new(0.1, 0.08, 0.3); 64];
        values[63] = Vec3A::new(0.4, 0.2, 0.5);
        let (_, bits) = round_trip(&values, Channel::Translation, 0.0001);
        // The span of the clip, three segments without motion, and one with a span and more than 5 bits per number.
        let standing = 144 + 3 * (4 + 48) + 4 + 48;
        assert!(bits > standing + 16 * 15 && bits < standing + 16 * 3 * 15, "{bits} bits");
    }
}
