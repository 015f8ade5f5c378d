//! What the article lets an engineer choose.

use super::decode::{CoefficientRange, Form, Layout, MAX_BLOCK_SAMPLES, RotationMap};
use crate::codecs::encode::{REMOVE_BIND, REMOVE_CONSTANTS};
use crate::codecs::runtime::EntropyCoder;
use crate::codecs::{BoolParam, ChoiceParam, IntParam, Param, ParamValues, Preset, Unit};
use crate::math::{Padding, Wavelet};
use crate::settings::choices;

/// What is transformed at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Signals {
    Track,
    Joined,
}

choices!(Signals {
    Track => ("track", "Each track", "Blocks of a few samples, decoded fast."),
    Joined => ("joined", "Joined", "All tracks of a channel one after another, up to 64 KB, as Thief did."),
});

/// Samples that share steps and are decoded at once.
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
    Samples16 => ("16", "16 samples", "Half a second: the article's example."),
    Samples32 => ("32", "32 samples", "One second."),
    Samples64 => ("64", "64 samples", "Two seconds."),
    Samples128 => ("128", "128 samples", "Four seconds."),
    Samples256 => ("256", "256 samples", "Eight and a half seconds."),
    Samples512 => ("512", "512 samples", "17 seconds."),
    Samples1024 => ("1024", "1024 samples", "34 seconds."),
});

/// How fine numbers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fineness {
    Searched,
    Fixed,
}

choices!(Fineness {
    Searched => ("searched", "Searched", "As coarse in each track and block as the tolerance lets them be."),
    Fixed => ("fixed", "Fixed", "The same everywhere. The tolerance is not looked at."),
});

/// Which numbers stay float32, as their count at the start of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WholeNumbers {
    None = 0,
    Scale = 1,
    BandsOf1 = 2,
    BandsUpTo2 = 4,
    BandsUpTo4 = 8,
}

choices!(WholeNumbers {
    None => ("none", "None", "All are quantized; the scale still is float32 where sub-bands have ranges."),
    Scale => ("scale", "Scale", "The one value that stands for the mean."),
    BandsOf1 => ("1", "Bands of 1", "The scale and the band of one number."),
    BandsUpTo2 => ("2", "Bands up to 2", "The scale and the bands of one and two numbers."),
    BandsUpTo4 => ("4", "Bands up to 4", "The scale and the bands of one, two and four numbers."),
});

choices!(Wavelet {
    Haar => ("haar", "Haar", "Sums and differences of pairs, which never overlap."),
    D4 => ("d4", "Daubechies D4", "Four samples at a time: straight pieces of a curve cost nothing."),
    Cdf97 => ("cdf97", "CDF 9/7", "Nine and seven samples at a time, and blocks of any length: cubic pieces of a curve cost nothing."),
    Cdf53 => ("cdf53", "CDF 5/3", "Five and three samples at a time, and blocks of any length."),
});

choices!(Padding {
    Zero => ("zero", "Zeroes", "A jump at each end."),
    Repeat => ("repeat", "Last value", "Flat."),
    Mirror => ("mirror", "Mirror", "The signal backwards."),
    Loop => ("loop", "Loop", "The signal again from its other end; only this keeps D4 orthonormal."),
    Line => ("line", "Line", "Straight on through the last two values."),
});

choices!(RotationMap {
    Farthest => ("farthest", "Farthest dropped", "Without the component that stays farthest from zero."),
    W => ("w", "w dropped", "Jumps where w changes its sign, coarse near half turns."),
    Log => ("log", "Logarithm", "Rotation vectors from a rotation amid the track."),
    Rodrigues => ("rodrigues", "Rodrigues", "Modified Rodrigues parameters from a rotation amid the track, with a step for each axis."),
});

choices!(CoefficientRange {
    Track => ("track", "Each track", "One step for all sub-bands of a track."),
    Band => ("band", "Each sub-band", "A range of 16 bits for each sub-band; the scale is float32."),
});

choices!(EntropyCoder {
    None => ("none", "None", "Seven bits a byte: small numbers are one byte."),
    Zlib => ("zlib", "zlib", "Those bytes, deflated. What a joint takes of them is an estimate: its share before."),
    Huffman => ("huffman", "Huffman", "Codes by how often numbers come in the clip."),
    Arithmetic => ("arithmetic", "Arithmetic", "Fractions of bits, learned while reading; the smallest."),
    Rans => ("rans", "rANS", "Fractions of bits, with fixed chances: nearly as small, and read faster after a jump."),
});

const WAVELET: ChoiceParam<Wavelet> = ChoiceParam::new(
    "wavelet",
    "Wavelet",
    "What signals are taken apart into. The better it fits the motion, the more numbers are near zero.",
    "cdf97",
);
const PADDING: ChoiceParam<Padding> = ChoiceParam::new(
    "padding",
    "Padding",
    "What follows the end of a signal, up to a power of two and where D4 reaches over an end.",
    "repeat",
);
const SIGNALS: ChoiceParam<Signals> = ChoiceParam::new("layout", "Signals", "What is transformed at once.", "track");
const BLOCK_SAMPLES: ChoiceParam<BlockLength> = ChoiceParam::new("block_samples", "Block length", "Samples that share steps and are decoded at once. Long blocks gather more; short ones fit the motion and are read faster after a jump.", "32").only_if(("layout", &["track"]));
const ROTATION: ChoiceParam<RotationMap> =
    ChoiceParam::new("rotation", "Rotations", "The three numbers that stand for a rotation.", "rodrigues");
const RANGE: ChoiceParam<CoefficientRange> =
    ChoiceParam::new("range", "Ranges", "Who shares a quantization step.", "track");
const FINENESS: ChoiceParam<Fineness> = ChoiceParam::new("bits", "Bits", "How fine numbers are.", "searched");
const FIXED_BITS: IntParam = IntParam::new(
    "fixed_bits",
    "Bits a number",
    "Bits of the largest number of a track, or of each sub-band where these have ranges.",
    (2, 24),
    16,
    Unit::Bits,
)
.only_if(("bits", &["fixed"]));
const WHOLE: ChoiceParam<WholeNumbers> = ChoiceParam::new(
    "whole",
    "Whole numbers",
    "Which numbers stay float32, since a range would cost more than it saves.",
    "none",
);
const ZERO_RUNS: BoolParam = BoolParam::new(
    "zero_runs",
    "Zero runs",
    "Writes zeros in a row as their count. Arithmetic coding does better without.",
    false,
);
const ENTROPY: ChoiceParam<EntropyCoder> =
    ChoiceParam::new("entropy", "Entropy coder", "How quantized numbers become bits.", "arithmetic");
const CACHE: BoolParam = BoolParam::new(
    "cache",
    "Block cache",
    "Decoded blocks are kept for the next pose. Without, every pose decodes its block anew, for comparison.",
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
    summary: "What the article says of Thief: D4, tracks joined, a range for each sub-band, runs of zeros, zlib.",
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

/// The parameters, read. Blocks of joined tracks are as long as fits; see [`super::signals::fitted`].
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
