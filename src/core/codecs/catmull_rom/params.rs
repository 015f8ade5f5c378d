//! What people may choose of curve fitting.

use super::decode::CurveLayout;
use super::fit::{FitSettings, Insertion, KeyValues};
use crate::codecs::encode::keys::{
    BETWEEN, JUMP_EVERY, Metric, POSITION_THRESHOLD, ROTATION_THRESHOLD, SCALE_THRESHOLD, thresholds,
};
use crate::codecs::encode::{REMOVE_BIND, REMOVE_CONSTANTS, TrivialSettings};
use crate::codecs::runtime::{Knots, RotationFormat, Spline, VectorFormat};
use crate::codecs::{ChoiceOption, Param, ParamKind, ParamValues, Preset};

const WITH_THRESHOLDS: Option<(&str, &[&str])> = Some(("metric", &["local"]));

/// All of them.
pub const PARAMS: &[Param] = &[
    Param {
        key: "metric",
        label: "Error metric",
        help: "What decides whether a section needs another key. Only object space keeps the tolerance.",
        kind: ParamKind::Choice {
            options: &[
                ChoiceOption {
                    key: "object-space",
                    label: "Object space",
                    help: "What a joint and all that hangs on it err in the end, on top of the decoded parents.",
                },
                ChoiceOption {
                    key: "local",
                    label: "Thresholds",
                    help: "Each track by itself, with thresholds for position, rotation and scale (Riot).",
                },
            ],
            default: "object-space",
        },
        only_if: None,
    },
    Param { only_if: WITH_THRESHOLDS, ..POSITION_THRESHOLD },
    Param { only_if: WITH_THRESHOLDS, ..ROTATION_THRESHOLD },
    Param { only_if: WITH_THRESHOLDS, ..SCALE_THRESHOLD },
    Param {
        key: "adaptive_margins",
        label: "Adaptive margins",
        help: "Thresholds for the ends of chains; their parents get half, the next a third and so on (Riot). Larger; feet slide less.",
        kind: ParamKind::Bool { default: false },
        only_if: WITH_THRESHOLDS,
    },
    Param {
        key: "pinning",
        label: "Pin joints",
        help: "Joints that are fitted to where the raw clip has them in object space, so that they make up for what their parents err (Riot). Their translations become tracks, so it is larger; feet slide less.",
        kind: ParamKind::Choice {
            options: &[
                ChoiceOption { key: "none", label: "None", help: "Each joint is fitted to its own track." },
                ChoiceOption {
                    key: "feet",
                    label: "Feet",
                    help: "Joints whose names say that they are feet, not toes.",
                },
                ChoiceOption { key: "ends", label: "Ends of chains", help: "Joints without children." },
                ChoiceOption { key: "all", label: "All", help: "Every joint below a root." },
            ],
            default: "none",
        },
        only_if: WITH_THRESHOLDS,
    },
    Param {
        key: "insertion",
        label: "New keys",
        help: "Where the worst section gets its next key.",
        kind: ParamKind::Choice {
            options: &[
                ChoiceOption { key: "midpoint", label: "In the middle", help: "Halves the section (Riot)." },
                ChoiceOption {
                    key: "worst-sample",
                    label: "At the worst sample",
                    help: "Where the curve is off most.",
                },
            ],
            default: "midpoint",
        },
        only_if: None,
    },
    Param {
        key: "values",
        label: "Values of keys",
        help: "Whether the curve goes through samples or between them.",
        kind: ParamKind::Choice {
            options: &[
                ChoiceOption {
                    key: "interpolation",
                    label: "Interpolation",
                    help: "Keys are samples of the clip (Riot).",
                },
                ChoiceOption {
                    key: "least-squares",
                    label: "Least squares",
                    help: "Keys near the new one are solved again for the smallest sum of squares: fewer keys, slower.",
                },
            ],
            default: "interpolation",
        },
        only_if: None,
    },
    Param {
        key: "knots",
        label: "Knots",
        help: "How the parameter of the spline runs from key to key.",
        kind: ParamKind::Choice {
            options: &[
                ChoiceOption { key: "key-time", label: "Key times", help: "As time does (Riot): smooth over time." },
                ChoiceOption { key: "uniform", label: "Uniform", help: "By one a key, however far apart they are." },
                ChoiceOption { key: "chordal", label: "Chordal", help: "By the distance of the keys' values." },
                ChoiceOption {
                    key: "centripetal",
                    label: "Centripetal",
                    help: "By the square root of that distance: overshoots least.",
                },
            ],
            default: "key-time",
        },
        only_if: None,
    },
    Param {
        key: "straight_steps",
        label: "Straight from sample to sample",
        help: "Where neighbouring samples are keys, the curve goes straight from one to the other, as the clip itself does. Without it (as published) feet that stop at once swing by millimetres between samples, whatever the tolerance.",
        kind: ParamKind::Bool { default: true },
        only_if: None,
    },
    Param {
        help: "Keeps the error within the tolerance halfway between samples as well, where curves round corners that the clip has. Larger and slower, but feet stand. Where that cannot be (float32 seconds of long clips at 0.01 mm), the samples alone count.",
        kind: ParamKind::Bool { default: true },
        only_if: Some(("straight_steps", &["true"])),
        ..BETWEEN
    },
    Param {
        key: "payload",
        label: "Payload",
        help: "How many bits the value of a key takes.",
        kind: ParamKind::Choice {
            options: &[
                ChoiceOption {
                    key: "auto",
                    label: "48 bits, or finer",
                    help: "48 bits; tracks for which these are too coarse get 62 bits or float32, so that the tolerance holds.",
                },
                ChoiceOption {
                    key: "published",
                    label: "48 bits",
                    help: "Every frame takes ten bytes, as Riot published. Does not promise the tolerance.",
                },
                ChoiceOption {
                    key: "rotation32",
                    label: "Rotations of 32 bits, or finer",
                    help: "Rotations in 2 + 10 + 10 + 10 bits where these are enough (Riot's further direction), else as above.",
                },
            ],
            default: "auto",
        },
        only_if: None,
    },
    Param {
        key: "layout",
        label: "Memory layout",
        help: "How keys lie in memory: the same motion, other sizes and speeds.",
        kind: ParamKind::Choice {
            options: &[
                ChoiceOption {
                    key: "time-needed",
                    label: "By time needed",
                    help: "One block of frames of time, joint, channel and value, in the order in which playing forward needs them (Riot).",
                },
                ChoiceOption {
                    key: "by-track",
                    label: "By track",
                    help: "One track after another: smaller, because keys need not name their track; each track is read at another place.",
                },
            ],
            default: "time-needed",
        },
        only_if: None,
    },
    JUMP_EVERY,
    REMOVE_BIND,
    REMOVE_CONSTANTS,
];

/// What the article combines, and what makes the smallest files.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "riot",
        summary: "As published: thresholds, midpoints, interpolation, frames of ten bytes, and adaptive margins against swimming feet.",
        values: &[
            ("metric", "local"),
            ("position_threshold", "0.001"),
            ("rotation_threshold", "0.005"),
            ("scale_threshold", "0.001"),
            ("adaptive_margins", "true"),
            ("payload", "published"),
            ("straight_steps", "false"),
        ],
    },
    Preset {
        name: "smallest",
        summary: "The article's further directions: keys at the worst samples, least squares; stored track by track.",
        values: &[("insertion", "worst-sample"), ("values", "least-squares"), ("layout", "by-track")],
    },
];

/// Which joints are pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pinning {
    None,
    Feet,
    Ends,
    All,
}

/// The values of [`PARAMS`] as the encoder uses them.
#[derive(Debug, Clone)]
pub struct Choices {
    pub metric: Metric,
    pub adaptive_margins: bool,
    pub pinning: Pinning,
    pub fit: FitSettings,
    pub spline: Spline,
    pub between: bool,
    /// The published payload, too coarse or not.
    pub is_published: bool,
    pub rotation_formats: &'static [RotationFormat],
    pub vector_formats: &'static [VectorFormat],
    pub layout: CurveLayout,
    /// Samples from jump to jump, 0 for none.
    pub jump_every: usize,
    pub trivial: TrivialSettings,
}

impl Choices {
    pub fn new(values: &ParamValues) -> Self {
        let choice = |key| values.choice(PARAMS, key);
        let is_local = choice("metric") == "local";
        let is_by_track = choice("layout") == "by-track";
        let payload = choice("payload");
        // A curve between neighbouring samples swings beyond any tolerance, and no key can be put there.
        let straight_steps = values.bool(PARAMS, "straight_steps");
        Self {
            metric: if is_local { Metric::Local(thresholds(values, PARAMS)) } else { Metric::ObjectSpace },
            adaptive_margins: is_local && values.bool(PARAMS, "adaptive_margins"),
            pinning: match choice("pinning").as_str() {
                "feet" if is_local => Pinning::Feet,
                "ends" if is_local => Pinning::Ends,
                "all" if is_local => Pinning::All,
                _ => Pinning::None,
            },
            fit: FitSettings {
                insertion: match choice("insertion").as_str() {
                    "worst-sample" => Insertion::WorstSample,
                    _ => Insertion::Midpoint,
                },
                values: match choice("values").as_str() {
                    "least-squares" => KeyValues::LeastSquares,
                    _ => KeyValues::Interpolation,
                },
            },
            spline: Spline { knots: knots(&choice("knots")), straight_steps },
            between: straight_steps && values.bool(PARAMS, BETWEEN.key),
            is_published: payload == "published",
            rotation_formats: rotation_formats(&payload),
            vector_formats: vector_formats(&payload, is_by_track),
            layout: if is_by_track { CurveLayout::ByTrack } else { CurveLayout::TimeNeeded },
            jump_every: if is_by_track { 0 } else { values.int(PARAMS, JUMP_EVERY.key) as usize },
            trivial: TrivialSettings::chosen(values, PARAMS),
        }
    }

    /// True when the search keeps the tolerance.
    pub fn promise(&self) -> bool {
        self.metric == Metric::ObjectSpace && !self.is_published
    }
}

fn knots(key: &str) -> Knots {
    match key {
        "uniform" => Knots::Uniform,
        "chordal" => Knots::Chordal,
        "centripetal" => Knots::Centripetal,
        _ => Knots::KeyTime,
    }
}

/// In the order in which they are tried, the exact one last where there is one.
fn rotation_formats(payload: &str) -> &'static [RotationFormat] {
    use RotationFormat::{Full, Largest32, Largest48, Largest62};
    match payload {
        "published" => &[Largest48],
        "rotation32" => &[Largest32, Largest48, Largest62, Full],
        _ => &[Largest48, Largest62, Full],
    }
}

fn vector_formats(payload: &str, is_by_track: bool) -> &'static [VectorFormat] {
    use VectorFormat::{ClipRange48, Float96, TrackRange48};
    match (payload, is_by_track) {
        // Each track stores its own range there.
        ("published", true) => &[TrackRange48],
        ("published", false) => &[ClipRange48],
        (_, true) => &[TrackRange48, Float96],
        (_, false) => &[ClipRange48, TrackRange48, Float96],
    }
}
