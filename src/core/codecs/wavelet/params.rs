//! The settings of the wavelet codec.

use super::decode::{CoefficientRange, Form, Layout, MAX_BLOCK_SAMPLES, RotationMap};
use crate::codecs::encode::{REMOVE_BIND, REMOVE_CONSTANTS};
use crate::codecs::runtime::EntropyCoder;
use crate::codecs::{BoolParam, ChoiceParam, IntParam, Param, ParamValues, Preset, Unit};
use crate::math::{Padding, Wavelet};
use crate::settings::choices;

/// The unit of a transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Signals {
    Track,
    Joined,
}

choices!(Signals {
    Track => ("track", "Each track", "Blocks of a few frames, fast to decode."),
    Joined => ("joined", "Joined", "All tracks of a channel one after another, up to 64 KB, as in Thief."),
});

/// The number of samples that share steps and are decoded together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlockLength {
    Samples16 = 16,
    Samples32 = 32,
    Samples64 = 64,
    Samples128 = 128,
    Samples256 = 256,
    Samples512 = 512,
    Samples1024 = 1024,
}

choices!(BlockLength {
    Samples16 => ("16", "16 frames", "About 0.5 s at 30 Hz: the article's example."),
    Samples32 => ("32", "32 frames", "About 1 s at 30 Hz."),
    Samples64 => ("64", "64 frames", "About 2 s at 30 Hz."),
    Samples128 => ("128", "128 frames", "About 4 s at 30 Hz."),
    Samples256 => ("256", "256 frames", "About 8.5 s at 30 Hz."),
    Samples512 => ("512", "512 frames", "About 17 s at 30 Hz."),
    Samples1024 => ("1024", "1024 frames", "About 34 s at 30 Hz."),
});

/// The precision of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fineness {
    Searched,
    Fixed,
}

choices!(Fineness {
    Searched => ("searched", "Searched", "As coarse as the tolerance allows, per track and block."),
    Fixed => ("fixed", "Fixed", "The same everywhere. Ignores the tolerance."),
});

/// The numbers that stay float32, as their count at the start of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WholeNumbers {
    None = 0,
    Scale = 1,
    BandsOf1 = 2,
    BandsUpTo2 = 4,
    BandsUpTo4 = 8,
}

choices!(WholeNumbers {
    None => ("none", "None", "All numbers are quantized. The scale is still float32 if sub-bands have ranges."),
    Scale => ("scale", "Scale", "The one value that holds the mean."),
    BandsOf1 => ("1", "Bands of 1", "The scale and the band with one number."),
    BandsUpTo2 => ("2", "Bands up to 2", "The scale and the bands with one and two numbers."),
    BandsUpTo4 => ("4", "Bands up to 4", "The scale and the bands with one, two and four numbers."),
});

choices!(Wavelet {
    Haar => ("haar", "Haar", "Sums and differences of pairs without overlap."),
    D4 => ("d4", "Daubechies D4", "Four frames at a time. Straight parts of a curve cost nothing."),
    Cdf97 => ("cdf97", "CDF 9/7", "Nine and seven frames at a time, in blocks of any length. Cubic parts of a curve cost nothing."),
    Cdf53 => ("cdf53", "CDF 5/3", "Five and three frames at a time, in blocks of any length."),
});

choices!(Padding {
    Zero => ("zero", "Zeroes", "Zeros, with a jump at each end."),
    Repeat => ("repeat", "Last value", "Continues flat."),
    Mirror => ("mirror", "Mirror", "Continues with the signal backwards."),
    Loop => ("loop", "Loop", "Continues at the signal's other end. Only this keeps D4 orthonormal."),
    Line => ("line", "Line", "Continues the line through the last two values."),
});

choices!(RotationMap {
    Farthest => ("farthest", "Farthest dropped", "Drops the component that stays farthest from zero."),
    W => ("w", "w dropped", "Jumps where w changes sign. Coarse near rotations by 180 degrees."),
    Log => ("log", "Logarithm", "Rotation vectors relative to a central rotation of the track."),
    Rodrigues => ("rodrigues", "Rodrigues", "Modified Rodrigues parameters relative to a central rotation of the track, with one step per axis."),
});

choices!(CoefficientRange {
    Track => ("track", "Each track", "One step for all sub-bands of a track."),
    Band => ("band", "Each sub-band", "A 16-bit range for each sub-band. The scale is float32."),
});

choices!(EntropyCoder {
    None => ("none", "None", "Seven bits in each byte: small numbers take one byte."),
    Zlib => ("zlib", "zlib", "The same bytes, deflated. Sizes per joint are then estimates, by their share before."),
    Huffman => ("huffman", "Huffman", "Code lengths by the frequency of numbers in the clip."),
    Arithmetic => ("arithmetic", "Arithmetic", "Fractions of bits, with probabilities learned while reading. The smallest."),
    Rans => ("rans", "rANS", "Fractions of bits, with fixed probabilities. Nearly as small, and faster to read after a jump."),
});

const WAVELET: ChoiceParam<Wavelet> = ChoiceParam::new(
    "wavelet",
    "Wavelet",
    "The transform of signals. The better it fits the motion, the more numbers are near zero.",
    "cdf97",
);
const PADDING: ChoiceParam<Padding> = ChoiceParam::new(
    "padding",
    "Padding",
    "Values after the end of a signal, up to a power of two and where D4 reaches past the end.",
    "repeat",
);
const SIGNALS: ChoiceParam<Signals> = ChoiceParam::new("layout", "Signals", "The unit of a transform.", "track");
const BLOCK_SAMPLES: ChoiceParam<BlockLength> = ChoiceParam::new("block_samples", "Block length", "Frames that share steps and are decoded together. Long blocks compress better; short blocks fit the motion and are faster to read after a jump.", "32").only_if(("layout", &["track"]));
const ROTATION: ChoiceParam<RotationMap> =
    ChoiceParam::new("rotation", "Rotations", "The three numbers that represent a rotation.", "rodrigues");
const RANGE: ChoiceParam<CoefficientRange> =
    ChoiceParam::new("range", "Ranges", "The numbers that share a quantization step.", "track");
const FINENESS: ChoiceParam<Fineness> = ChoiceParam::new("bits", "Bits", "The precision of numbers.", "searched");
const FIXED_BITS: IntParam = IntParam::new(
    "fixed_bits",
    "Bits per number",
    "Bits of the largest number of a track, or of each sub-band if these have ranges.",
    (2, 24),
    16,
    Unit::Bits,
)
.only_if(("bits", &["fixed"]));
const WHOLE: ChoiceParam<WholeNumbers> = ChoiceParam::new(
    "whole",
    "Whole numbers",
    "Numbers that stay float32, because a range would cost more than it saves.",
    "none",
);
const ZERO_RUNS: BoolParam = BoolParam::new(
    "zero_runs",
    "Zero runs",
    "Writes a run of zeros as its length. Arithmetic coding is smaller without it.",
    false,
);
const ENTROPY: ChoiceParam<EntropyCoder> =
    ChoiceParam::new("entropy", "Entropy coder", "The way in which quantized numbers become bits.", "arithmetic");
const CACHE: BoolParam = BoolParam::new(
    "cache",
    "Block cache",
    "Keeps decoded blocks for the next pose. Off: every pose decodes its block again, for comparison.",
    true,
);

pub const PARAMS: &[Param] = &[
    WAVELET.param,
    PADDING.param,
    SIGNALS.param,
    BLOCK_SAMPLES.param,
    ROTATION.param,
    RANGE.param,
    FINENESS.param,
    FIXED_BITS.param,
    WHOLE.param,
    ZERO_RUNS.param,
    ENTROPY.param,
    CACHE.param,
    REMOVE_BIND.param,
    REMOVE_CONSTANTS.param,
];

pub const PRESETS: &[Preset] = &[Preset {
    name: "thief-2014",
    summary: "Thief as the article describes it: D4, joined tracks, a range for each sub-band, runs of zeros, zlib.",
    values: &[
        ("wavelet", "d4"),
        ("padding", "line"),
        ("layout", "joined"),
        ("rotation", "farthest"),
        ("range", "band"),
        ("whole", "4"),
        ("zero_runs", "true"),
        ("entropy", "zlib"),
    ],
}];

/// The layout in the settings. Blocks of joined tracks are as long as fits; see [`super::signals::fitted`].
pub fn chosen_layout(values: &ParamValues) -> Layout {
    let (is_joined, block_samples) = match values.get(&SIGNALS) {
        Signals::Track => (false, values.get(&BLOCK_SAMPLES) as usize),
        Signals::Joined => (true, MAX_BLOCK_SAMPLES),
    };
    let (rotation, wavelet, entropy) = (values.get(&ROTATION), values.get(&WAVELET), values.get(&ENTROPY));
    let has_axes = rotation == RotationMap::Rodrigues || wavelet.takes_any_length() || entropy == EntropyCoder::Rans;
    Layout {
        wavelet,
        padding: values.get(&PADDING),
        is_joined,
        form: if has_axes { Form::Axes } else { Form::Track },
        rotation,
        range: values.get(&RANGE),
        fixed_bits: match values.get(&FINENESS) {
            Fineness::Searched => None,
            Fineness::Fixed => Some(values.get(&FIXED_BITS)),
        },
        whole: values.get(&WHOLE) as usize,
        has_zero_runs: values.get(&ZERO_RUNS),
        entropy,
        is_cached: values.get(&CACHE),
        block_samples,
    }
}
