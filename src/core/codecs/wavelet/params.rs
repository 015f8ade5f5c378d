//! What the article lets an engineer choose.

use super::decode::{CoefficientRange, Layout, MAX_BLOCK_SAMPLES, RotationMap};
use crate::codecs::encode::{REMOVE_BIND, REMOVE_CONSTANTS};
use crate::codecs::runtime::EntropyCoder;
use crate::codecs::{ChoiceOption, Param, ParamKind, ParamValues, Preset, Unit};
use crate::math::{Padding, Wavelet};

const fn choice(key: &'static str, label: &'static str, help: &'static str) -> ChoiceOption {
    ChoiceOption { key, label, help }
}

pub const PARAMS: &[Param] = &[
    Param {
        key: "wavelet",
        label: "Wavelet",
        help: "What signals are taken apart into. The better it fits the motion, the more numbers are near zero.",
        kind: ParamKind::Choice {
            options: &[
                choice("haar", "Haar", "Sums and differences of pairs, which never overlap."),
                choice("d4", "Daubechies D4", "Four samples at a time: straight pieces of a curve cost nothing."),
            ],
            default: "d4",
        },
        only_if: None,
    },
    Param {
        key: "padding",
        label: "Padding",
        help: "What follows the end of a signal, up to a power of two and where D4 reaches over an end.",
        kind: ParamKind::Choice {
            options: &[
                choice("zero", "Zeroes", "A jump at each end."),
                choice("repeat", "Last value", "Flat."),
                choice("mirror", "Mirror", "The signal backwards."),
                choice("loop", "Loop", "The signal again from its other end; only this keeps D4 orthonormal."),
                choice("line", "Line", "Straight on through the last two values."),
            ],
            default: "line",
        },
        only_if: None,
    },
    Param {
        key: "layout",
        label: "Signals",
        help: "What is transformed at once.",
        kind: ParamKind::Choice {
            options: &[
                choice("track", "Each track", "Blocks of a few samples, decoded fast."),
                choice("joined", "Joined", "All tracks of a channel one after another, up to 64 KB, as Thief did."),
            ],
            default: "track",
        },
        only_if: None,
    },
    Param {
        key: "block_samples",
        label: "Block length",
        help: "Samples that share steps and are decoded at once. Long blocks gather more; short ones fit the motion and are read faster after a jump.",
        kind: ParamKind::Choice {
            options: &[
                choice("16", "16 samples", "Half a second: the article's example."),
                choice("32", "32 samples", "One second."),
                choice("64", "64 samples", "Two seconds."),
                choice("128", "128 samples", "Four seconds."),
                choice("256", "256 samples", "Eight and a half seconds."),
                choice("512", "512 samples", "17 seconds."),
                choice("1024", "1024 samples", "34 seconds."),
            ],
            default: "32",
        },
        only_if: Some(("layout", &["track"])),
    },
    Param {
        key: "rotation",
        label: "Rotations",
        help: "The three numbers that stand for a rotation.",
        kind: ParamKind::Choice {
            options: &[
                choice("farthest", "Farthest dropped", "Without the component that stays farthest from zero."),
                choice("w", "w dropped", "Jumps where w changes its sign, coarse near half turns."),
                choice("log", "Logarithm", "Rotation vectors from a rotation amid the track."),
            ],
            default: "farthest",
        },
        only_if: None,
    },
    Param {
        key: "range",
        label: "Ranges",
        help: "Who shares a quantization step.",
        kind: ParamKind::Choice {
            options: &[
                choice("track", "Each track", "One step for all sub-bands of a track."),
                choice("band", "Each sub-band", "A range of 16 bits for each sub-band; the scale is float32."),
            ],
            default: "track",
        },
        only_if: None,
    },
    Param {
        key: "bits",
        label: "Bits",
        help: "How fine numbers are.",
        kind: ParamKind::Choice {
            options: &[
                choice("searched", "Searched", "As coarse in each track and block as the tolerance lets them be."),
                choice("fixed", "Fixed", "The same everywhere. The tolerance is not looked at."),
            ],
            default: "searched",
        },
        only_if: None,
    },
    Param {
        key: "fixed_bits",
        label: "Bits a number",
        help: "Bits of the largest number of a track, or of each sub-band where these have ranges.",
        kind: ParamKind::Int { min: 2, max: 24, default: 16, unit: Unit::Bits },
        only_if: Some(("bits", &["fixed"])),
    },
    Param {
        key: "whole",
        label: "Whole numbers",
        help: "Which numbers stay float32, since a range would cost more than it saves.",
        kind: ParamKind::Choice {
            options: &[
                choice("none", "None", "All are quantized; the scale still is float32 where sub-bands have ranges."),
                choice("scale", "Scale", "The one value that stands for the mean."),
                choice("1", "Bands of 1", "The scale and the band of one number."),
                choice("2", "Bands up to 2", "The scale and the bands of one and two numbers."),
                choice("4", "Bands up to 4", "The scale and the bands of one, two and four numbers."),
            ],
            default: "none",
        },
        only_if: None,
    },
    Param {
        key: "zero_runs",
        label: "Zero runs",
        help: "Writes zeros in a row as their count. Arithmetic coding does better without.",
        kind: ParamKind::Bool { default: false },
        only_if: None,
    },
    Param {
        key: "entropy",
        label: "Entropy coder",
        help: "How quantized numbers become bits.",
        kind: ParamKind::Choice {
            options: &[
                choice("none", "None", "Seven bits a byte: small numbers are one byte."),
                choice("zlib", "zlib", "Those bytes, deflated."),
                choice("huffman", "Huffman", "Codes by how often numbers come in the clip."),
                choice("arithmetic", "Arithmetic", "Fractions of bits, learned while reading; the smallest."),
            ],
            default: "arithmetic",
        },
        only_if: None,
    },
    Param {
        key: "cache",
        label: "Block cache",
        help: "Decoded blocks are kept for the next pose. Without, every pose decodes its block anew, for comparison.",
        kind: ParamKind::Bool { default: true },
        only_if: None,
    },
    REMOVE_BIND,
    REMOVE_CONSTANTS,
];

pub const PRESETS: &[Preset] = &[Preset {
    name: "thief-2014",
    summary: "What the article says of Thief: D4, tracks joined, a range for each sub-band, runs of zeros, zlib.",
    values: &[("layout", "joined"), ("range", "band"), ("whole", "4"), ("zero_runs", "true"), ("entropy", "zlib")],
}];

/// The parameters, read. Blocks of joined tracks are as long as fits; see [`super::signals::fitted`].
pub fn chosen_layout(values: &ParamValues) -> Layout {
    let choice = |key| values.choice(PARAMS, key);
    let is_joined = choice("layout") == "joined";
    let is_fixed = choice("bits") == "fixed";
    Layout {
        wavelet: if choice("wavelet") == "haar" { Wavelet::Haar } else { Wavelet::D4 },
        padding: match choice("padding").as_str() {
            "zero" => Padding::Zero,
            "repeat" => Padding::Repeat,
            "mirror" => Padding::Mirror,
            "loop" => Padding::Loop,
            _ => Padding::Line,
        },
        is_joined,
        rotation: match choice("rotation").as_str() {
            "w" => RotationMap::W,
            "log" => RotationMap::Log,
            _ => RotationMap::Farthest,
        },
        range: if choice("range") == "band" { CoefficientRange::Band } else { CoefficientRange::Track },
        fixed_bits: is_fixed.then(|| values.int(PARAMS, "fixed_bits") as u32),
        whole: match choice("whole").as_str() {
            "scale" => 1,
            "1" => 2,
            "2" => 4,
            "4" => 8,
            _ => 0,
        },
        has_zero_runs: values.bool(PARAMS, "zero_runs"),
        entropy: match choice("entropy").as_str() {
            "none" => EntropyCoder::None,
            "zlib" => EntropyCoder::Zlib,
            "huffman" => EntropyCoder::Huffman,
            _ => EntropyCoder::Arithmetic,
        },
        is_cached: values.bool(PARAMS, "cache"),
        block_samples: if is_joined {
            MAX_BLOCK_SAMPLES
        } else {
            choice("block_samples").parse().expect("options are numbers")
        },
    }
}
