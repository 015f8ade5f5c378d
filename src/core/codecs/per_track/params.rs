//! The settings of compressing each track separately.

use crate::codecs::encode::keys::{
    BETWEEN, BLOCK_SAMPLES, EFFECTOR_THRESHOLD, KEEP_EVERY, LAST_THRESHOLD, LocalThresholds, METRIC, Metric, ORDER,
    PARENT_KEY_SCALE, POSITION_THRESHOLD, RETARGET, ROTATION_THRESHOLD, SCALE_THRESHOLD, SEED, SOCKET_THRESHOLD,
    by_height, by_probe, chosen_metric, thresholds, unreal_values,
};
use crate::codecs::encode::{REMOVE_BIND, REMOVE_CONSTANTS};
use crate::codecs::runtime::{RotationFormat, VectorFormat};
use crate::codecs::{BoolParam, ChoiceParam, FloatParam, IntParam, OnlyIf, Param, ParamValues, Preset, Source, Unit};
use crate::settings::choices;

/// The limit for rounding the keys of a track.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    Counted,
    Cutoff,
    ByHeight,
    ByProbe,
}

choices!(Rounding {
    Counted => ("counted", "Part of the error", "A removed key and a rounded key share one limit. Formats: all, and as few bits as the track needs."),
    Cutoff => ("cutoff", "Local limits", "Keys are chosen among exact values. Then each track gets the smallest of Unreal's formats that rounds its keys within the limits below, judged alone."),
    ByHeight => ("by-height", "Thresholds by height", "The same, with the thresholds for removing keys as limits, divided for joints above others (Unreal's adaptive error)."),
    ByProbe => ("by-probe", "Limits by probing", "The same, with limits that are smaller the farther a small change of the joint moves a leaf (Unreal's second adaptive error)."),
});

const WITH_LIMITS: OnlyIf = ("rounding", &["cutoff", "by-probe"]);
const WITH_HEIGHT: OnlyIf = ("rounding", &["by-height"]);

const REMOVE_KEYS: BoolParam = BoolParam::new(
    "remove_keys",
    "Remove keys",
    "Off: every sample is a key, and only the format of each track is chosen.",
    true,
);
const RESAMPLE_HZ: IntParam = IntParam::new(
    "resample_hz",
    "Resample",
    "Keeps about so many samples per second before keys are removed, from 10 samples on (Unreal). The others are not checked. 0 or the clip's rate: all samples.",
    (0, 240),
    0,
    Unit::Hertz,
);
const ROUNDING: ChoiceParam<Rounding> = ChoiceParam::new(
    "rounding",
    "Rounding",
    "The limit for rounding keys. Only the first guarantees the tolerance. The others are still measured against it.",
    "counted",
);
const ROUND_POSITION: FloatParam = FloatParam::new(
    "round_position",
    "Rounding of positions",
    "Largest distance of a translation from its rounded value (Unreal's MaxPosDiffBitwise). Higher: smaller file.",
    (0.000_001, 1.0),
    0.000_07,
    Unit::Metres,
)
.only_if(WITH_LIMITS);
const ROUND_ROTATION: FloatParam = FloatParam::new(
    "round_rotation",
    "Rounding of rotations",
    "The same for rotations (Unreal's MaxAngleDiffBitwise, as an angle).",
    (0.000_001, 1.0),
    // 0.002 of Unreal's angle, which is half the rotation as a part of half a circle.
    0.012_566,
    Unit::Radians,
)
.only_if(WITH_LIMITS);
const ROUND_SCALE: FloatParam = FloatParam::new(
    "round_scale",
    "Rounding of scales",
    "The same for scales, per axis (Unreal's MaxScaleDiffBitwise).",
    (0.000_001, 1.0),
    0.0007,
    Unit::None,
)
.only_if(WITH_LIMITS);
const PARENTING_DIVISOR: FloatParam = FloatParam::new(
    "parenting_divisor",
    "Parenting divisor",
    "Divides the limits once for each joint down to the nearest leaf (Unreal). 1 divides nothing. Higher: larger file, smaller errors at hands and feet.",
    (1.0, 10.0),
    1.0,
    Unit::None,
)
.only_if(WITH_HEIGHT);
const PARENTING_EXPONENT: FloatParam = FloatParam::new(
    "parenting_exponent",
    "Parenting exponent",
    "The divisor counts so many times per joint (Unreal).",
    (0.0, 4.0),
    1.0,
    Unit::None,
)
.only_if(WITH_HEIGHT);
const PROGRESSIVE: BoolParam = BoolParam::new(
    "progressive",
    "Search for coarser settings",
    "If the settings hold the tolerance, tries a lower rate, then coarser thresholds for keys, then coarser rounding, and keeps the smallest result within the tolerance (Unreal). Takes up to 40 times as long.",
    false,
)
.only_if(WITH_LIMITS);

/// All settings.
pub const PARAMS: &[Param] = &[
    REMOVE_KEYS.param,
    RESAMPLE_HZ.param,
    ORDER.param,
    SEED.param,
    KEEP_EVERY.param,
    METRIC.param,
    POSITION_THRESHOLD.param,
    ROTATION_THRESHOLD.param,
    SCALE_THRESHOLD.param,
    EFFECTOR_THRESHOLD.param,
    LAST_THRESHOLD.param,
    SOCKET_THRESHOLD.param,
    RETARGET.param,
    PARENT_KEY_SCALE.param,
    ROUNDING.param,
    ROUND_POSITION.param,
    ROUND_ROTATION.param,
    ROUND_SCALE.param,
    PARENTING_DIVISOR.param,
    PARENTING_EXPONENT.param,
    PROGRESSIVE.param,
    BETWEEN.param,
    BLOCK_SAMPLES.param,
    REMOVE_BIND.param,
    REMOVE_CONSTANTS.param,
];

/// Unreal's class with its default values, and as its automatic compression changes them.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "unreal",
        summary: "Unreal's defaults: every sample stays a key, and each track gets the smallest format within 0.07 mm, 0.7 degrees and 0.0007 of scale, judged alone.",
        values: unreal_values![("remove_keys", "false"), ("rounding", "cutoff"),],
    },
    Preset {
        name: "unreal-linear",
        summary: "Unreal's adaptive error: keys are removed under its thresholds, and rounded within the same, divided by height. Tracks below joints that lost keys are aimed again.",
        values: unreal_values![("retarget", "true"), ("rounding", "by-height"),],
    },
    Preset {
        name: "unreal-probe",
        summary: "Unreal's second adaptive error: the same, with limits by how far a small change of a joint moves the ends of its limbs.",
        values: unreal_values![
            ("retarget", "true"),
            ("rounding", "by-probe"),
            ("round_position", "0.0005"),
            ("round_rotation", "0.12566"),
            ("round_scale", "0.00005"),
        ],
    },
];

/// Every format that takes bits, the exact one last. A constant track has the format `Identity`.
const ROTATION_FORMATS: &[RotationFormat] = &[
    RotationFormat::Fixed32,
    RotationFormat::Float32,
    RotationFormat::Largest32,
    RotationFormat::IntervalFixed32,
    RotationFormat::Fixed48,
    RotationFormat::Largest48,
    RotationFormat::Harmonic48,
    RotationFormat::Largest62,
    RotationFormat::Float96,
    RotationFormat::Full,
];
/// The same for translations and scales. The range of the whole clip makes no sense for one track.
const VECTOR_FORMATS: &[VectorFormat] =
    &[VectorFormat::IntervalFixed32, VectorFormat::Fixed48, VectorFormat::TrackRange48, VectorFormat::Float96];

/// Formats that Unreal tries by default. Its 48 bits for vectors span 1.28 m; 48 bits over the track's range stand in for them.
const UNREAL_ROTATION_FORMATS: &[RotationFormat] = &[RotationFormat::Fixed48, RotationFormat::Float96];
const UNREAL_VECTOR_FORMATS: &[VectorFormat] =
    &[VectorFormat::IntervalFixed32, VectorFormat::TrackRange48, VectorFormat::Float96];

/// The formats of tracks, in the order of trials.
pub type Formats = (&'static [RotationFormat], &'static [VectorFormat]);

/// Settings that the progressive search changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coarseness {
    /// Samples per second before keys are removed. `None` for all.
    pub resample_hz: Option<f64>,
    pub removes_keys: bool,
    /// Factors of the thresholds for removing keys and for rounding.
    pub removal: f32,
    pub rounding: f32,
}

/// True if the encoder guarantees the tolerance.
pub fn promises(values: &ParamValues) -> bool {
    let is_counted = values.get(&ROUNDING) == Rounding::Counted;
    is_counted && chosen_metric(values) == Metric::ObjectSpace && values.get(&RESAMPLE_HZ) == 0
}

/// True if coarser settings are searched.
pub fn is_progressive(values: &ParamValues) -> bool {
    values.get(&PROGRESSIVE) && matches!(values.get(&ROUNDING), Rounding::Cutoff | Rounding::ByProbe)
}

/// The chosen coarseness.
pub fn chosen(values: &ParamValues) -> Coarseness {
    Coarseness {
        resample_hz: Some(f64::from(values.get(&RESAMPLE_HZ))).filter(|hz| *hz > 0.0),
        removes_keys: values.get(&REMOVE_KEYS),
        removal: 1.0,
        rounding: 1.0,
    }
}

/// The metric for removing keys, with thresholds times `coarseness.removal`.
pub fn removal_metric(values: &ParamValues, coarseness: &Coarseness) -> Metric {
    chosen_metric(values).times(coarseness.removal)
}

/// The formats to try.
pub fn formats(values: &ParamValues) -> Formats {
    match values.get(&ROUNDING) {
        Rounding::Counted => (ROTATION_FORMATS, VECTOR_FORMATS),
        Rounding::Cutoff | Rounding::ByHeight | Rounding::ByProbe => (UNREAL_ROTATION_FORMATS, UNREAL_VECTOR_FORMATS),
    }
}

/// The limits for rounding keys, one set per joint. `None` if rounding is part of the error.
pub fn cutoffs(values: &ParamValues, source: &Source<'_>, coarseness: &Coarseness) -> Option<Vec<LocalThresholds>> {
    let removal = thresholds(values).times(coarseness.removal);
    let most = LocalThresholds {
        rotation_rad: values.get(&ROUND_ROTATION) as f32,
        translation_m: values.get(&ROUND_POSITION) as f32,
        scale: values.get(&ROUND_SCALE) as f32,
    };
    let most = most.times(coarseness.rounding);
    match values.get(&ROUNDING) {
        Rounding::Counted => None,
        Rounding::Cutoff => Some(vec![most; source.skeleton.len()]),
        Rounding::ByHeight => {
            let by = (values.get(&PARENTING_DIVISOR), values.get(&PARENTING_EXPONENT));
            Some(by_height(source.skeleton, &removal, by))
        }
        Rounding::ByProbe => Some(by_probe(source, &removal, &most)),
    }
}
