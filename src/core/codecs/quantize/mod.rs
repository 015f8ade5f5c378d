//! Every sample in a fixed format: Riot's quantization, Unreal's "bitwise compress only", Animation Tech Intro 2.

use super::encode::{
    FIXED_TRIVIAL_SHARE, PoseChannels, PoseFormats, REMOVE_BIND, REMOVE_CONSTANTS, ROTATION_FORMAT, SCALE_FORMAT,
    TRANSLATION_FORMAT, TrivialSettings, check_usable, classify,
};
use super::{
    BoolParam, Codec, CodecId, CodecInfo, Compensation, CompensationMethod, EncodeError, Encoded, Encoder, Ledger,
    Param, ParamValues, Preset, Progress, Source,
};
use crate::format::BitWriter;

/// Stores every sample of every animated track in one format per channel.
#[derive(Debug)]
pub struct Quantize;

const IN_PLACE: BoolParam = BoolParam::new(
    "in_place",
    "Correct in place",
    "Adjusts each joint to the decoded pose of its parent, so that errors do not add up along a chain (Animation Compression: Error Compensation). Costs one byte per clip, and one encoding for each depth of the rig. Not applied where it would not lower the largest error, or to takes of more than 262,144 joints times samples.",
    true,
);

const PARAMS: &[Param] = &[
    ROTATION_FORMAT.param,
    TRANSLATION_FORMAT.param,
    SCALE_FORMAT.param,
    IN_PLACE.param,
    REMOVE_BIND.param,
    REMOVE_CONSTANTS.param,
];

/// For presets that reproduce published results: no correction.
const AS_PUBLISHED: (&str, &str) = ("in_place", "false");

/// Unreal removes constant tracks, but has no bind pose to fall back to.
const PRESETS: &[Preset] = &[
    Preset {
        name: "riot",
        summary: "Riot: 48 bits for every key of every track. Rotations drop the largest component.",
        values: &[("remove_bind", "false"), ("remove_constants", "false"), AS_PUBLISHED],
    },
    Preset {
        name: "riot-32",
        summary: "Riot's proposed next step: rotations in 32 bits.",
        values: &[
            ("rotation_format", "largest32"),
            ("remove_bind", "false"),
            ("remove_constants", "false"),
            AS_PUBLISHED,
        ],
    },
    Preset {
        name: "tech-intro",
        summary: "Animation Tech Intro 2: the harmonic mean map, positions within 20 m.",
        values: &[("rotation_format", "harmonic48"), ("translation_format", "fixed48"), AS_PUBLISHED],
    },
    Preset {
        name: "unreal-float96",
        summary: "Unreal 4, None and Float 96: drops only the w of rotations.",
        values: &[
            ("rotation_format", "float96"),
            ("translation_format", "float96"),
            ("scale_format", "float96"),
            ("remove_bind", "false"),
            AS_PUBLISHED,
        ],
    },
    Preset {
        name: "unreal-remove-trivial",
        summary: "Unreal, Remove Trivial Keys: constant tracks keep one key, all other tracks keep every key at full precision.",
        values: &[
            ("rotation_format", "full"),
            ("translation_format", "float96"),
            ("scale_format", "float96"),
            ("remove_bind", "false"),
            AS_PUBLISHED,
        ],
    },
    Preset {
        name: "unreal-fixed48",
        summary: "Unreal 4, Fixed 48 for rotations and None for the rest.",
        values: &[
            ("rotation_format", "fixed48"),
            ("translation_format", "float96"),
            ("scale_format", "float96"),
            ("remove_bind", "false"),
            AS_PUBLISHED,
        ],
    },
    Preset {
        name: "unreal-interval-fixed32",
        summary: "Unreal 4, Interval Fixed 32 for all channels.",
        values: &[
            ("rotation_format", "interval-fixed32"),
            ("translation_format", "interval-fixed32"),
            ("scale_format", "interval-fixed32"),
            ("remove_bind", "false"),
            AS_PUBLISHED,
        ],
    },
];

static INFO: CodecInfo = CodecInfo {
    id: CodecId(*b"QNT1"),
    name: "quantize",
    summary: "Every sample, each channel in one fixed format. Simple, fast, with known precision.",
    source: "Compressing Skeletal Animation Data (Riot), quantization; Animation Tech Intro 2; Unreal 4, bitwise compress only",
    promises_tolerance: false,
    params: PARAMS,
    presets: PRESETS,
};

impl Codec for Quantize {
    fn info(&self) -> &'static CodecInfo {
        &INFO
    }

    fn own_compensation(&self, values: &ParamValues) -> Compensation {
        let method = if values.get(&IN_PLACE) { CompensationMethod::InPlace } else { CompensationMethod::None };
        Compensation::of(method)
    }

    fn encoder(&self) -> Option<&dyn Encoder> {
        Some(self)
    }
}

impl Encoder for Quantize {
    fn leaves_out_last(&self, _values: &ParamValues) -> bool {
        true // each sample is stored separately
    }

    fn encode(&self, source: &Source<'_>, values: &ParamValues, progress: &Progress) -> Result<Encoded, EncodeError> {
        check_usable(source.clip)?;
        let settings = TrivialSettings::chosen(values).within(source.tolerance_m * FIXED_TRIVIAL_SHARE);
        let table = classify(source, &settings, progress)?;
        let channels = PoseChannels::new(source.clip, &table, &PoseFormats::chosen(values));
        let samples: Vec<usize> = (0..source.clip.samples()).collect();
        let (mut out, mut ledger) = (BitWriter::new(), Ledger::default());
        channels.pack(source.clip, &table, &samples, &mut out, &mut ledger, progress)?;
        Ok(Encoded { payload: out.finish(), ledger, kept: Vec::new() })
    }
}
