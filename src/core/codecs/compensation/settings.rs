use super::CompensationMethod;
use crate::settings::{Field, JOINT_NAMES, LENGTHS_M, Range, Setting, Settings, Unit, at};
use serde::{Deserialize, Serialize};

/// Error compensation: the method and its settings (Animation Compression: Error Compensation).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Compensation {
    /// How. Default: not at all.
    pub method: CompensationMethod,
    /// Errors below this are not corrected, and corrections are stored as finely, metres. `None`, the default: the recipe's
    /// tolerance. Additive tracks and inverse kinematics only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy_m: Option<f32>,
    /// As `accuracy_m`, of the ends of limbs alone. `None`, the default: `accuracy_m`. Inverse kinematics only; on top of additive tracks it
    /// finds something to do only where it is the finer of the two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limb_accuracy_m: Option<f32>,
    /// The codec works at this many times the recipe's tolerance, and compensation is to win it back: 1 (the default) to
    /// 1000. Matters for codecs that look at the tolerance.
    pub loosen: f32,
    /// A joint that has no animated translation (or rotation) may get one to hold its correction. Default: no. In place only.
    pub new_tracks: bool,
    /// Names of the joints at the ends of limbs. Empty, the default: feet and hands, found by their names. Inverse kinematics
    /// only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limbs: Vec<String>,
}

impl Default for Compensation {
    fn default() -> Self {
        Self {
            method: CompensationMethod::None,
            accuracy_m: None,
            limb_accuracy_m: None,
            loosen: 1.0,
            new_tracks: false,
            limbs: Vec::new(),
        }
    }
}

impl Settings for Compensation {
    const ALL: &'static [Setting<Self>] = &[
        Setting {
            key: "method",
            option: "compensation",
            label: "Method",
            help: "How the error that the codec leaves is made smaller, in the bytes.",
            field: Field::Choice {
                options: &CompensationMethod::OPTIONS,
                get: |c| Some(c.method.option().key),
                set: |c, key| c.method = CompensationMethod::by_key(key).unwrap_or_default(),
            },
            unset: None,
            in_form: true,
            only_if: None,
        },
        Setting {
            key: "new_tracks",
            option: "new-tracks",
            label: "New tracks",
            help: "Joints without an animated track may get one to hold their correction: nearer, and larger.",
            field: Field::Switch(at!(new_tracks)),
            unset: None,
            in_form: true,
            only_if: Some(("method", CompensationMethod::KEYS_IN_PLACE)),
        },
        Setting {
            key: "accuracy_m",
            option: "accuracy-mm",
            label: "Accuracy",
            help: "Errors below this are not corrected, and corrections are stored as finely.",
            field: Field::OptionalNumber(
                at!(accuracy_m),
                Range { min: LENGTHS_M.0, max: LENGTHS_M.1, unit: Unit::Metres, decimals: (0, 3), slider: None },
            ),
            unset: Some("the tolerance"),
            in_form: true,
            only_if: Some(("method", CompensationMethod::KEYS_STORED)),
        },
        Setting {
            key: "limb_accuracy_m",
            option: "limb-accuracy-mm",
            label: "Limb accuracy",
            help: "Accuracy of the ends of limbs, where it is to be another: finer for feet on top of additive tracks.",
            field: Field::OptionalNumber(
                at!(limb_accuracy_m),
                Range { min: LENGTHS_M.0, max: LENGTHS_M.1, unit: Unit::Metres, decimals: (0, 3), slider: None },
            ),
            unset: Some("the accuracy"),
            in_form: true,
            only_if: Some(("method", CompensationMethod::KEYS_IK)),
        },
        Setting {
            key: "limbs",
            option: "limb",
            label: "Limbs",
            help: "Joints at the ends of the limbs that are corrected.",
            field: Field::Lines(at!(limbs), &JOINT_NAMES),
            unset: Some("feet and hands by name"),
            in_form: false,
            only_if: Some(("method", CompensationMethod::KEYS_IK)),
        },
        Setting {
            key: "loosen",
            option: "loosen",
            label: "Loosen",
            help: "The codec works at this many times the tolerance, and compensation is to win it back.",
            field: Field::Number(
                at!(loosen),
                Range { min: 1.0, max: 1000.0, unit: Unit::Times, decimals: (0, 1), slider: None },
            ),
            unset: None,
            in_form: true,
            only_if: Some(("method", CompensationMethod::KEYS_ANY)),
        },
    ];
}

impl Compensation {
    /// A method with its defaults.
    pub fn of(method: CompensationMethod) -> Self {
        Self { method, ..Self::default() }
    }

    /// True when nothing is compensated.
    pub fn is_none(&self) -> bool {
        self.method == CompensationMethod::None
    }
}
