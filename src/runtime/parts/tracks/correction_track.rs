use crate::Channel;
use crate::format::{BitReader, DecodeError, bits_at};
use crate::math::nlerp;
use crate::memory::TryPush;
use crate::parts::rates::rate::{
    Rate, ValueSpan, codes3_at, dequantize3, read_rotation_span, read_vector_span, rotation3,
};
use crate::parts::rates::segments::Segments;
use alloc::vec::Vec;
use glam::{Quat, Vec3, Vec3A};

/// Three numbers per sample that compensation adds to a clip, with a bit rate per segment.
///
/// On disk: the span of the clip (six numbers of 16 bits for rotations, 144 bits for translations), then per segment the
/// code of its rate, 48 bits of its span (its one value at [`Rate::CONSTANT`]; no span in clips of one segment), and its
/// samples one after another.
#[derive(Debug)]
pub struct CorrectionTrack {
    span: ValueSpan,
    segments: Segments,
    starts: Vec<SegmentStart>,
}

/// Place and packing of a segment's samples.
#[derive(Debug, Clone, Copy)]
struct SegmentStart {
    /// Bit of the first sample.
    at: usize,
    /// Bits per number; zero for a constant.
    bits: u32,
    span: ValueSpan,
    /// The value at [`Rate::CONSTANT`], in fractions of the clip's span.
    constant: Vec3A,
}

/// Bits of the highest rate. Over the reach of a leg, a step of 19 bits is two thousandths of a millimetre.
pub const CORRECTION_HIGHEST_BITS: u32 = 19;
/// Samples that share a rate and a span: the best number according to the article on variable bit rates.
pub const CORRECTION_SEGMENT_SAMPLES: usize = 16;
/// Bits of each number of a constant.
pub const CORRECTION_CONSTANT_BITS: u32 = 16;

impl CorrectionTrack {
    /// Reads the track of a channel (rotation or translation) over `samples`, with the places of its segments.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(
        input: &mut BitReader<'_>,
        bytes: &[u8],
        channel: Channel,
        samples: usize,
    ) -> Result<Self, DecodeError> {
        let span = match channel {
            Channel::Rotation => read_rotation_span(input)?,
            _ => read_vector_span(input)?,
        };
        let segments = Segments::new(samples, CORRECTION_SEGMENT_SAMPLES);
        let mut starts = Vec::new();
        for segment in 0..segments.count() {
            starts.try_push(SegmentStart::read(input, bytes, segments, segment)?)?;
        }
        Ok(Self { span, segments, starts })
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&self.starts[..])
    }

    /// The correcting rotation at a fraction `alpha` between a sample and the next.
    #[inline]
    pub fn rotation(&self, bytes: &[u8], sample: usize, alpha: f32) -> Quat {
        let at = |sample| rotation3(W, self.numbers(bytes, sample));
        if alpha == 0.0 { at(sample) } else { nlerp(at(sample), at(sample + 1), alpha) }
    }

    /// The vector at a fraction `alpha` between a sample and the next.
    #[inline]
    pub fn vector(&self, bytes: &[u8], sample: usize, alpha: f32) -> Vec3 {
        let a = self.numbers(bytes, sample);
        if alpha == 0.0 { a.into() } else { (a + (self.numbers(bytes, sample + 1) - a) * alpha).into() }
    }

    #[inline]
    fn numbers(&self, bytes: &[u8], sample: usize) -> Vec3A {
        let segment = self.segments.of(sample);
        let start = &self.starts[segment];
        let fraction = match start.bits {
            0 => start.constant,
            bits => {
                let at = start.at + (sample - self.segments.start(segment)) * 3 * bits as usize;
                start.span.value(dequantize3(codes3_at(bytes, at, bits), bits))
            }
        };
        self.span.value(fraction)
    }
}

/// Component of a correcting rotation that is dropped: corrections are small, so it is the largest.
const W: u8 = 3;

impl SegmentStart {
    fn read(input: &mut BitReader<'_>, bytes: &[u8], segments: Segments, segment: usize) -> Result<Self, DecodeError> {
        let rate = Rate::from_code(input.read("rate of a correction", Rate::CODE_BITS)?);
        let (mut span, mut constant) = (ValueSpan::UNIT, Vec3A::ZERO);
        if rate == Rate::CONSTANT {
            let at = input.skip("constant of a correction", 3 * CORRECTION_CONSTANT_BITS as usize)?;
            constant = dequantize3(codes3_at(bytes, at, CORRECTION_CONSTANT_BITS), CORRECTION_CONSTANT_BITS);
        } else if segments.count() > 1 {
            let at = input.skip("span of a correction", ValueSpan::SEGMENT_BITS as usize)?;
            span = ValueSpan::from_segment_code(bits_at(bytes, at, ValueSpan::SEGMENT_BITS));
        }
        let bits = rate.bits(CORRECTION_HIGHEST_BITS);
        let at = input.skip("samples of a correction", 3 * bits as usize * segments.samples_of(segment).len())?;
        Ok(Self { at, bits, span, constant })
    }
}
