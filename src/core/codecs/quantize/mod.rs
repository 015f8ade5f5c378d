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

/// Every sample of every animated track in one format per channel.
#[derive(Debug)]
pub struct Quantize;

const IN_PLACE: BoolParam = BoolParam::new(
    "in_place",
    "Correct in place",
    "Each joint is stored as it must lie under its decoded parent, so that errors do not add up along a chain (Animation Compression: Error Compensation). One byte a clip, and an encoding for each depth of the rig; left off where it would not bring the largest error down, and for takes of more than 262,144 joint samples.",
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

/// Of presets as others published them: nothing is corrected.
const AS_PUBLISHED: (&str, &str) = ("in_place", "false");

/// Unreal removes constant tracks, and knows no bind pose to fall back to.
const PRESETS: &[Preset] = &[
    Preset {
        name: "riot",
        summary: "Riot's: 48 bits for every key of every track, rotations with the largest component dropped.",
        values: &[("remove_bind", "false"), ("remove_constants", "false"), AS_PUBLISHED],
    },
    Preset {
        name: "riot-32",
        summary: "Riot's further direction: rotations in 32 bits.",
        values: &[
            ("rotation_format", "largest32"),
            ("remove_bind", "false"),
            ("remove_constants", "false"),
            AS_PUBLISHED,
        ],
    },
    Preset {
        name: "tech-intro",
        summary: "Animation Tech Intro 2's: the harmonic mean map, positions within 20 m.",
        values: &[("rotation_format", "harmonic48"), ("translation_format", "fixed48"), AS_PUBLISHED],
    },
    Preset {
        name: "unreal-float96",
        summary: "Unreal 4's None and Float 96: nothing but w is dropped.",
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
        summary: "Unreal's Remove Trivial Keys: constant tracks keep one key, all others every key at full precision.",
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
        summary: "Unreal 4's Fixed 48 for rotations, None for the rest.",
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
        summary: "Unreal 4's Interval Fixed 32 for everything.",
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
    summary: "Every sample, each channel in one fixed format: simple, fast, of known precision.",
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
        true // each sample is stored by itself
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
