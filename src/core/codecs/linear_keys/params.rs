//! What people may choose of linear key reduction.

use super::decode::{KeyHeader, KeyLayout};
use crate::codecs::encode::keys::{
    BETWEEN, FormatChoice, JUMP_EVERY, KeyOrder, Metric, ORDER, POSITION_THRESHOLD, ROTATION_THRESHOLD,
    SCALE_THRESHOLD, SEED, order, thresholds,
};
use crate::codecs::encode::{REMOVE_BIND, REMOVE_CONSTANTS, TrivialSettings, rotation_format};
use crate::codecs::runtime::{CURVE_POSITION, CURVE_ROTATION, KeySearch, RotationFormat, VectorFormat};
use crate::codecs::{ChoiceOption, Param, ParamKind, ParamValues, Preset, Unit};

/// How the decoder finds keys.
pub const SEARCH: Param = Param {
    key: "search",
    label: "Search",
    help: "How a decoder finds the two keys around a time. No effect on size or motion, only on speed.",
    kind: ParamKind::Choice {
        options: &[
            ChoiceOption { key: "cursor", label: "Cursor", help: "From where the last search ended." },
            ChoiceOption { key: "binary", label: "Binary search", help: "By halving, anew for each track and time." },
            ChoiceOption {
                key: "linear",
                label: "Linear scan",
                help: "From the first key on (Unreal, Animation Tech Intro 2).",
            },
        ],
        default: "cursor",
    },
    only_if: Some(("layout", &["by-track", "curve-block"])),
};

const SINGLE_KEYS: Option<(&str, &[&str])> = Some(("removal", &["single-keys"]));

/// All of them.
pub const PARAMS: &[Param] = &[
    Param {
        key: "removal",
        label: "Remove",
        help: "Single keys take fewer bytes; whole key frames need one search a pose and keep each pose together in memory.",
        kind: ParamKind::Choice {
            options: &[
                ChoiceOption { key: "single-keys", label: "Single keys", help: "Each track keeps its own keys." },
                ChoiceOption {
                    key: "key-frames",
                    label: "Whole key frames",
                    help: "A time is kept for all tracks or for none.",
                },
            ],
            default: "single-keys",
        },
        only_if: None,
    },
    ORDER,
    SEED,
    Param {
        key: "metric",
        label: "Error metric",
        help: "What decides whether a key may go. Only object space keeps the tolerance; the others end where they end and are judged by it.",
        kind: ParamKind::Choice {
            options: &[
                ChoiceOption {
                    key: "object-space",
                    label: "Object space",
                    help: "What a joint and all that hangs on it err in the end, on top of the decoded parents.",
                },
                ChoiceOption {
                    key: "local",
                    label: "Local thresholds",
                    help: "Each track by itself: what most engines do, and why feet slide.",
                },
                ChoiceOption {
                    key: "end-effectors",
                    label: "End effectors only",
                    help: "Local thresholds, and one virtual vertex of each leaf (Unreal): joints in between are not looked at.",
                },
            ],
            default: "object-space",
        },
        only_if: None,
    },
    POSITION_THRESHOLD,
    ROTATION_THRESHOLD,
    SCALE_THRESHOLD,
    Param {
        key: "parent_key_scale",
        label: "Keep the parent's keys",
        help: "Where the parent keeps a key, an error counts so many times more, so that children rather drop the keys that their parent dropped too (Unreal). 1 is off; larger is larger and shakes less.",
        kind: ParamKind::Float { min: 1.0, max: 10.0, default: 1.0, unit: Unit::None },
        only_if: SINGLE_KEYS,
    },
    BETWEEN,
    Param {
        key: "key_format",
        label: "Key format",
        help: "How kept rotations are stored. Tracks that it is too coarse for are stored more finely, so that the tolerance holds.",
        kind: ParamKind::Choice {
            options: &[
                ChoiceOption {
                    key: "auto",
                    label: "Automatic",
                    help: "48 bits with the largest dropped where that is enough, else 62 bits or float32.",
                },
                ChoiceOption {
                    key: "largest48",
                    label: "Largest dropped, 48 bits",
                    help: "2 + 15 + 15 + 15 bits (Riot), else float32.",
                },
                ChoiceOption {
                    key: "largest32",
                    label: "Largest dropped, 32 bits",
                    help: "2 + 10 + 10 + 10 bits where that is enough, then 48, 62 bits or float32.",
                },
                ChoiceOption {
                    key: "harmonic48",
                    label: "Harmonic mean map, 48 bits",
                    help: "Three times 16 bits (Animation Tech Intro 2), else float32.",
                },
                ChoiceOption {
                    key: "fixed48",
                    label: "Fixed 48",
                    help: "x, y, z in 16 bits each (Unreal), else float32.",
                },
                ChoiceOption { key: "full", label: "Full, 128 bits", help: "Four float32: exact." },
            ],
            default: "auto",
        },
        only_if: None,
    },
    Param {
        key: "layout",
        label: "Memory layout",
        help: "How kept keys lie in memory: the same motion, other sizes and speeds.",
        kind: ParamKind::Choice {
            options: &[
                ChoiceOption {
                    key: "by-track",
                    label: "By track",
                    help: "One track after another (Unreal): compact; each track is read at another place.",
                },
                ChoiceOption {
                    key: "time-needed",
                    label: "By time needed",
                    help: "In the order in which playing forward needs them (Riot): one scan, but each key names its track, and a jump back starts again.",
                },
                ChoiceOption {
                    key: "curve-block",
                    label: "Curves and one block of keys",
                    help: "Animation Tech Intro 2's: 16-bit times, the harmonic mean map, positions within 20 m in steps of 0.6 mm, no scale. Too coarse for tolerances below 1 mm, which it does not promise.",
                },
            ],
            default: "by-track",
        },
        only_if: SINGLE_KEYS,
    },
    SEARCH,
    JUMP_EVERY,
    REMOVE_BIND,
    REMOVE_CONSTANTS,
];

/// What the sources combine.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "unreal-linear",
        summary: "Unreal 4's defaults: local thresholds and one vertex a leaf, children drop the keys that their parents dropped, found by a linear scan.",
        values: &[
            ("metric", "end-effectors"),
            ("position_threshold", "0.00001"),
            ("rotation_threshold", "0.00075"),
            ("scale_threshold", "0.000001"),
            ("parent_key_scale", "2"),
            ("key_format", "fixed48"),
            ("search", "linear"),
        ],
    },
    Preset {
        name: "tech-intro",
        summary: "Animation Tech Intro 2's clip: curves and one block of 8-byte keys, local thresholds, a linear scan.",
        values: &[("metric", "local"), ("layout", "curve-block"), ("search", "linear")],
    },
    Preset {
        name: "riot-order",
        summary: "Keys in the order in which playing needs them (Riot), in object space.",
        values: &[("layout", "time-needed")],
    },
    Preset {
        name: "key-frames",
        summary: "Whole key frames go or stay: one search a pose.",
        values: &[("removal", "key-frames")],
    },
];

/// The values of [`PARAMS`] as the encoder uses them.
#[derive(Debug, Clone)]
pub struct Choices {
    pub order: KeyOrder,
    pub metric: Metric,
    pub parent_key_scale: f32,
    pub between: bool,
    pub rotation_formats: Vec<RotationFormat>,
    pub vector_formats: &'static [VectorFormat],
    pub header: KeyHeader,
    /// Samples from jump to jump, 0 for none.
    pub jump_every: usize,
    pub trivial: TrivialSettings,
}

impl Choices {
    pub fn new(values: &ParamValues) -> Self {
        let limit = |key| values.float(PARAMS, key) as f32;
        let thresholds = thresholds(values, PARAMS);
        let layout = match (values.choice(PARAMS, "removal").as_str(), values.choice(PARAMS, "layout").as_str()) {
            ("key-frames", _) => KeyLayout::KeyFrames,
            (_, "time-needed") => KeyLayout::TimeNeeded,
            (_, "curve-block") => KeyLayout::CurveBlock,
            _ => KeyLayout::ByTrack,
        };
        let jump_every = match layout {
            KeyLayout::TimeNeeded => values.int(PARAMS, JUMP_EVERY.key) as usize,
            _ => 0,
        };
        Self {
            order: order(values, PARAMS),
            metric: match values.choice(PARAMS, "metric").as_str() {
                "local" => Metric::Local(thresholds),
                "end-effectors" => Metric::EndEffectors(thresholds),
                _ => Metric::ObjectSpace,
            },
            parent_key_scale: limit("parent_key_scale"),
            between: values.bool(PARAMS, "between"),
            rotation_formats: match layout {
                KeyLayout::CurveBlock => vec![CURVE_ROTATION],
                _ => rotation_formats(values),
            },
            vector_formats: match layout {
                KeyLayout::CurveBlock => &[CURVE_POSITION],
                _ => &[VectorFormat::TrackRange48, VectorFormat::Float96],
            },
            header: KeyHeader { layout, search: search(values), has_jumps: jump_every > 0 },
            jump_every,
            trivial: TrivialSettings::chosen(values, PARAMS),
        }
    }

    pub fn format_choice(&self) -> FormatChoice {
        match self.header.layout {
            KeyLayout::CurveBlock => FormatChoice::Last,
            _ => FormatChoice::FirstFine,
        }
    }

    /// True when the search keeps the tolerance.
    pub fn promise(&self) -> bool {
        self.metric == Metric::ObjectSpace && self.header.layout != KeyLayout::CurveBlock
    }
}

fn search(values: &ParamValues) -> KeySearch {
    match values.choice(PARAMS, "search").as_str() {
        "binary" => KeySearch::Binary,
        "linear" => KeySearch::Linear,
        _ => KeySearch::Cursor,
    }
}

/// The chosen format and those that help out where it is too coarse, the exact one last.
fn rotation_formats(values: &ParamValues) -> Vec<RotationFormat> {
    use RotationFormat::{Full, Largest32, Largest48, Largest62};
    match values.choice(PARAMS, "key_format").as_str() {
        "auto" => vec![Largest48, Largest62, Full],
        "largest32" => vec![Largest32, Largest48, Largest62, Full],
        "full" => vec![Full],
        _ => vec![rotation_format(values, PARAMS, "key_format"), Full],
    }
}
