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
    pub bits: [u32; 3],
    /// Data of the track in the segment.
    pub slot: Slot,
}

/// Data of a track in a segment: usually 48 bits, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// Samples are fractions of the clip's span, or float32.
    None,
    /// See [`ValueSpan::from_segment_code`].
    Span(u64),
    /// Three numbers, equal in all samples.
    Constant(u64),
    /// The least integers: a code of zero stands for them. See [`IntegerLanes`].
    Lowest([i32; 3]),
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
            Self::Lowest(lowest) => ValueSpan { min: lowest.map(|x| x as f32).into(), extent: Vec3A::ZERO },
        }
    }
}

/// Places and data of four tracks in a segment, in the form that decodes fastest. Computed when a clip is opened.
#[derive(Debug, Clone, Copy)]
pub struct PackingLanes<S> {
    /// The places.
    pub at: PlaceLanes,
    slots: S,
}

/// Places of four tracks in a sample.
#[derive(Debug, Clone, Copy)]
pub struct PlaceLanes {
    /// Bits from the start of the sample to the first track.
    first: u32,
    /// Distance from there to each track: whole bytes, and the remaining bits.
    byte: [u8; LANES],
    bit: [u8; LANES],
    /// Bits of the first number per track, and of the second.
    bits: [[u8; LANES]; 2],
    /// Mask of the bits of each number; zero for float32.
    mask: [[u32; LANES]; 3],
    has_long: bool,
    has_exact: bool,
}

/// Data of four tracks in a segment.
pub trait SlotLanes {
    /// Data of these tracks, and the masks of their numbers.
    fn new(slots: [Slot; LANES], mask: &[[u32; LANES]; 3]) -> Self;
    /// The numbers that codes stand for.
    fn numbers(&self, codes: [Vec4; 3]) -> [Vec4; 3];
}

/// Numbers as fractions of the clip's spans.
#[derive(Debug, Clone, Copy)]
pub struct FractionLanes {
    /// Step of fractions. The three numbers of a fraction have equal widths.
    steps: Vec4,
    /// Spans in fractions of the clip's span, unused if no track has one.
    spans: RangeLanes,
    has_spans: bool,
}

/// Numbers as integers, for tracks with [`Slot::Lowest`] or float32 samples: the least values.
#[derive(Debug, Clone, Copy)]
pub struct IntegerLanes([[f32; LANES]; 3]);

impl SlotLanes for FractionLanes {
    fn new(slots: [Slot; LANES], mask: &[[u32; LANES]; 3]) -> Self {
        let spans = slots.map(Slot::span);
        Self {
            steps: Vec4::from_array(mask[0].map(|mask| 1.0 / mask.max(1) as f32)),
            spans: RangeLanes::new(spans.map(|s| Range3 { min: s.min.into(), extent: s.extent.into() })),
            has_spans: slots.iter().any(|slot| *slot != Slot::None),
        }
    }

    #[inline(always)]
    fn numbers(&self, [x, y, z]: [Vec4; 3]) -> [Vec4; 3] {
        let fraction = [x * self.steps, y * self.steps, z * self.steps];
        if self.has_spans { self.spans.value(fraction) } else { fraction }
    }
}

impl SlotLanes for IntegerLanes {
    fn new(slots: [Slot; LANES], _: &[[u32; LANES]; 3]) -> Self {
        Self([0, 1, 2].map(|i| slots.map(|slot| slot.span().min[i])))
    }

    #[inline(always)]
    fn numbers(&self, [x, y, z]: [Vec4; 3]) -> [Vec4; 3] {
        let [a, b, c] = &self.0;
        [Vec4::from_array(*a) + x, Vec4::from_array(*b) + y, Vec4::from_array(*c) + z]
    }
}

impl<S: SlotLanes> PackingLanes<S> {
    /// Lanes of four tracks, ordered by their place in the sample. Unused lanes repeat the first track.
    pub fn new(tracks: [TrackPacking; LANES]) -> Self {
        let at = PlaceLanes::new(&tracks);
        Self { slots: S::new(tracks.map(|track| track.slot), &at.mask), at }
    }

    /// Three numbers per track. The sample begins at bit `row`.
    #[inline(always)]
    pub fn numbers(&self, bytes: &[u8], row: usize) -> [Vec4; 3] {
        self.slots.numbers(self.at.codes(bytes, row))
    }
}

impl PlaceLanes {
    fn new(places: &[TrackPacking; LANES]) -> Self {
        let bits = |i: usize| places.map(|place| place.bits[i]);
        let offset = places.map(|place| place.at - places[0].at);
        let mask = [0, 1, 2].map(|i| bits(i).map(|bits| if bits == EXACT_BITS { 0 } else { (1 << bits) - 1 }));
        let is_exact = |place: &TrackPacking| place.bits[0] == EXACT_BITS;
        Self {
            first: places[0].at,
            byte: offset.map(|bits| (bits / 8) as u8),
            bit: offset.map(|bits| (bits % 8) as u8),
            bits: [bits(0), bits(1)].map(|of| of.map(|bits| bits as u8)),
            mask,
            has_long: places.iter().any(|p| !is_exact(p) && p.bits.iter().sum::<u32>() > BitWindow::SHORT),
            has_exact: places.iter().any(is_exact),
        }
    }

    /// The bits of three numbers per track.
    #[inline(always)]
    fn codes(&self, bytes: &[u8], row: usize) -> [Vec4; 3] {
        let mut tail = Tail::default();
        let window = BitWindow::at(bytes, row + self.first as usize, &mut tail);
        let words = each_lane([0, 1, 2, 3], |lane| {
            let (byte, bit) = (usize::from(self.byte[lane]), usize::from(self.bit[lane]));
            let [first, second] = [u32::from(self.bits[0][lane]), u32::from(self.bits[1][lane])];
            let x = window.short_word(byte, bit);
            let y = x.wrapping_shr(first);
            let z = if self.has_long {
                window.word(8 * byte + bit + (first + second) as usize)
            } else {
                y.wrapping_shr(second)
            };
            [x as u32, y as u32, z as u32]
        });
        let number = |i: usize| {
            let codes = each_lane([0, 1, 2, 3], |lane| (words[lane][i] & self.mask[i][lane]) as i32);
            Vec4::from_array(each_lane(codes, |code| code as f32))
        };
        [number(0), number(1), number(2)]
    }

    /// Lanes of the float32 tracks, with their bit offsets from the start of the sample.
    pub fn exact(&self) -> impl Iterator<Item = (usize, usize)> {
        let at =
            |lane: usize| (lane, self.first as usize + 8 * usize::from(self.byte[lane]) + usize::from(self.bit[lane]));
        (0..LANES).filter(|lane| u32::from(self.bits[0][*lane]) == EXACT_BITS).map(at)
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
