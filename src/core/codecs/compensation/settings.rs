use super::CompensationMethod;
use crate::settings::{Field, JOINT_NAMES, LENGTHS_M, Range, Setting, Settings, Unit, at};
use serde::{Deserialize, Serialize};

/// Error compensation: the method and its settings (Animation Compression: Error Compensation).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Compensation {
    /// The method. Default: none.
    pub method: CompensationMethod,
    /// Errors below this are not corrected, and corrections are stored with this precision, metres. `None`, the default: the recipe's
    /// tolerance. For additive tracks and inverse kinematics.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy_m: Option<f32>,
    /// The accuracy of the ends of limbs. `None`, the default: `accuracy_m`. For inverse kinematics; on top of additive tracks it has an
    /// effect only if it is the finer of the two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limb_accuracy_m: Option<f32>,
    /// The codec's tolerance as a multiple of the recipe's, which compensation must restore: 1 (the default) to 1000. For codecs that use
    /// the tolerance.
    pub loosen: f32,
    /// True if a joint without an animated translation (or rotation) may get one to hold its correction. Default: false. For in place.
    pub new_tracks: bool,
    /// Names of the joints at the ends of limbs. Empty, the default: feet and hands, found by their names. For inverse kinematics.
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
            help: "The way in which the error of the codec is reduced. The result is stored in the clip.",
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
            help: "Lets joints without an animated track get one to hold their correction. Smaller error, larger file.",
            field: Field::Switch(at!(new_tracks)),
            unset: None,
            in_form: true,
            only_if: Some(("method", CompensationMethod::KEYS_IN_PLACE)),
        },
        Setting {
            key: "accuracy_m",
            option: "accuracy-mm",
            label: "Accuracy",
            help: "Errors below this are not corrected, and corrections are stored with this precision.",
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
            help: "Accuracy of the ends of limbs, if it differs: finer for feet on top of additive tracks.",
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
            help: "The codec works with this multiple of the tolerance, and compensation restores the tolerance.",
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

    /// True if nothing is compensated.
    pub fn is_none(&self) -> bool {
        self.method == CompensationMethod::None
    }
}
