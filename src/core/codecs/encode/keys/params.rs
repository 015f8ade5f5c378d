//! What codecs with keys let people choose in the same words.

use super::metric::LocalThresholds;
use super::reduce::KeyOrder;
use crate::codecs::{ChoiceOption, Param, ParamKind, ParamValues, Unit};

/// In which order keys are tried.
pub const ORDER: Param = Param {
    key: "order",
    label: "Order",
    help: "In which order keys are tried. Smallest error first takes longer and may keep fewer keys.",
    kind: ParamKind::Choice {
        options: &[
            ChoiceOption {
                key: "forward",
                label: "Forward in time",
                help: "From each kept key, the longest blend that stays within the tolerance.",
            },
            ChoiceOption {
                key: "smallest-error",
                label: "Smallest error first",
                help: "Removes the key that costs least, again and again.",
            },
            ChoiceOption {
                key: "random",
                label: "Random",
                help: "Tries keys in an order drawn from a seed until nothing more can go: what a careless order costs.",
            },
        ],
        default: "forward",
    },
    only_if: None,
};

/// Where a random order starts.
pub const SEED: Param = Param {
    key: "seed",
    label: "Seed",
    help: "Equal seeds give equal orders, and so equal bytes.",
    kind: ParamKind::Int { min: 0, max: 65_535, default: 1, unit: Unit::None },
    only_if: Some(("order", &["random"])),
};

/// Whether the error halfway between samples counts.
pub const BETWEEN: Param = Param {
    key: "between",
    label: "Tolerance between samples too",
    help: "Keeps the error within the tolerance halfway between samples as well, where blends of other keys cut corners. On the corpus 0.05 % larger, and encoding takes half as long again.",
    kind: ParamKind::Bool { default: false },
    only_if: None,
};

const WITH_THRESHOLDS: Option<(&str, &[&str])> = Some(("metric", &["local", "end-effectors"]));

/// Largest error of translations by themselves.
pub const POSITION_THRESHOLD: Param = Param {
    key: "position_threshold",
    label: "Position threshold",
    help: "Largest distance that a translation may be off in its parent's space. Larger is smaller.",
    kind: ParamKind::Float { min: 0.000_001, max: 1.0, default: 0.0001, unit: Unit::Metres },
    only_if: WITH_THRESHOLDS,
};

/// Largest error of rotations by themselves.
pub const ROTATION_THRESHOLD: Param = Param {
    key: "rotation_threshold",
    label: "Rotation threshold",
    help: "Largest angle of a rotation. Larger is smaller; the same angle moves a hand or a foot farther the higher up it is.",
    kind: ParamKind::Float { min: 0.000_001, max: 1.0, default: 0.001, unit: Unit::Radians },
    only_if: WITH_THRESHOLDS,
};

/// Largest error of scales by themselves.
pub const SCALE_THRESHOLD: Param = Param {
    key: "scale_threshold",
    label: "Scale threshold",
    help: "Largest difference of a scale. Larger is smaller.",
    kind: ParamKind::Float { min: 0.000_001, max: 1.0, default: 0.0001, unit: Unit::None },
    only_if: WITH_THRESHOLDS,
};

/// Of codecs with a layout by the time at which keys are needed.
pub const JUMP_EVERY: Param = Param {
    key: "jump_every",
    label: "Jump table, a jump in",
    help: "A jump tells a decoder where a scan may start, so that a seek need not read everything before it (Riot). Less is faster to seek and larger; 0 stores none. Playing forward is the same.",
    kind: ParamKind::Int { min: 0, max: 1000, default: 0, unit: Unit::Samples },
    only_if: Some(("layout", &["time-needed"])),
};

/// The chosen thresholds, of a codec that has [`POSITION_THRESHOLD`] and its like.
pub fn thresholds(values: &ParamValues, params: &[Param]) -> LocalThresholds {
    let limit = |param: &Param| values.float(params, param.key) as f32;
    LocalThresholds {
        rotation_rad: limit(&ROTATION_THRESHOLD),
        translation_m: limit(&POSITION_THRESHOLD),
        scale: limit(&SCALE_THRESHOLD),
    }
}

/// The chosen order, of a codec that has [`ORDER`] and [`SEED`].
pub fn order(values: &ParamValues, params: &[Param]) -> KeyOrder {
    match values.choice(params, "order").as_str() {
        "smallest-error" => KeyOrder::SmallestError,
        "random" => KeyOrder::Random { seed: values.int(params, "seed") as u64 },
        _ => KeyOrder::Forward,
    }
}
