use super::rate::{ValueSpan, dequantize3};
use crate::format::f32_at;
use crate::math::{LANES, Range3, each_lane};
use crate::parts::Tail;
use crate::parts::formats::bit_window::BitWindow;
use crate::parts::formats::lanes::RangeLanes;
use glam::{Vec3A, Vec4};

/// Bits of a float32.
pub const EXACT_BITS: u32 = 32;
/// Bits of each number of a constant.
pub const CONSTANT_BITS: u32 = 16;

/// Place and packing of a track's samples within a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrackPacking {
    /// Bits from the start of the sample.
    pub at: u32,
    /// Bits per number; [`EXACT_BITS`] for float32, 0 for a constant.
    pub bits: u32,
    /// Data of the track in the segment.
    pub slot: Slot,
}

/// Data of a track in a segment: 48 bits, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// Samples are fractions of the clip's span, or float32.
    None,
    /// See [`ValueSpan::from_segment_code`].
    Span(u64),
    /// Three numbers, equal in all samples.
    Constant(u64),
}

impl Slot {
    /// The span of the numbers, in fractions of the clip's span. A constant has extent zero.
    fn span(self) -> ValueSpan {
        match self {
            Self::None => ValueSpan::UNIT,
            Self::Span(code) => ValueSpan::from_segment_code(code),
            Self::Constant(code) => {
                let number = |i: u32| (code >> (CONSTANT_BITS * i)) as u32 & 0xffff;
                ValueSpan { min: dequantize3([number(0), number(1), number(2)], CONSTANT_BITS), extent: Vec3A::ZERO }
            }
        }
    }
}

/// Places and data of four tracks in a segment, in the form that decodes fastest. Computed when a clip is opened.
#[derive(Debug, Clone, Copy)]
pub struct PackingLanes {
    /// Bits from the start of the sample to the first track.
    first: u32,
    /// Distance from there to each track: whole bytes, and the remaining bits.
    byte: [u8; LANES],
    bit: [u8; LANES],
    /// Bits of each of the three numbers per track.
    bits: [u8; LANES],
    /// Mask of these bits; zero for float32.
    mask: [u32; LANES],
    has_long: bool,
    has_exact: bool,
    has_spans: bool,
    /// Step of fractions.
    steps: Vec4,
    /// Spans in fractions of the clip's span, unused if no track has one.
    spans: RangeLanes,
}

impl PackingLanes {
    /// Lanes of four tracks, ordered by their place in the sample. Unused lanes repeat the first track.
    pub fn new(tracks: [TrackPacking; LANES]) -> Self {
        let offset = tracks.map(|track| track.at - tracks[0].at);
        let is_exact = |track: &TrackPacking| track.bits == EXACT_BITS;
        let mask = tracks.map(|track| if is_exact(&track) { 0 } else { (1 << track.bits) - 1 });
        let spans = tracks.map(|track| track.slot.span());
        Self {
            first: tracks[0].at,
            byte: offset.map(|bits| (bits / 8) as u8),
            bit: offset.map(|bits| (bits % 8) as u8),
            bits: tracks.map(|track| track.bits as u8),
            mask,
            has_long: tracks.iter().any(|track| !is_exact(track) && 3 * track.bits > BitWindow::SHORT),
            has_exact: tracks.iter().any(is_exact),
            has_spans: tracks.iter().any(|track| track.slot != Slot::None),
            steps: Vec4::from_array(mask.map(|mask| 1.0 / mask.max(1) as f32)),
            spans: RangeLanes::new(spans.map(|s| Range3 { min: s.min.into(), extent: s.extent.into() })),
        }
    }

    /// Three numbers per track, in fractions of the clip's span. The sample begins at bit `row`.
    #[inline(always)]
    pub fn numbers(&self, bytes: &[u8], row: usize) -> [Vec4; 3] {
        let [x, y, z] = self.codes(bytes, row);
        let fraction = [x * self.steps, y * self.steps, z * self.steps];
        if self.has_spans { self.spans.value(fraction) } else { fraction }
    }

    /// The bits of three numbers per track.
    #[inline(always)]
    fn codes(&self, bytes: &[u8], row: usize) -> [Vec4; 3] {
        let mut tail = Tail::default();
        let window = BitWindow::at(bytes, row + self.first as usize, &mut tail);
        let words = each_lane([0, 1, 2, 3], |lane| {
            let (byte, bit) = (usize::from(self.byte[lane]), usize::from(self.bit[lane]));
            let bits = u32::from(self.bits[lane]);
            let x = window.short_word(byte, bit);
            let y = x.wrapping_shr(bits);
            let z = if self.has_long { window.word(8 * byte + bit + 2 * bits as usize) } else { y.wrapping_shr(bits) };
            [x as u32, y as u32, z as u32]
        });
        let number = |i: usize| {
            let codes = each_lane([0, 1, 2, 3], |lane| (words[lane][i] & self.mask[lane]) as i32);
            Vec4::from_array(each_lane(codes, |code| code as f32))
        };
        [number(0), number(1), number(2)]
    }

    /// Lanes of the float32 tracks, with their bit offsets from the start of the sample.
    pub fn exact(&self) -> impl Iterator<Item = (usize, usize)> {
        let at =
            |lane: usize| (lane, self.first as usize + 8 * usize::from(self.byte[lane]) + usize::from(self.bit[lane]));
        (0..LANES).filter(|lane| u32::from(self.bits[*lane]) == EXACT_BITS).map(at)
    }

    /// Inserts the numbers of the float32 tracks.
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
