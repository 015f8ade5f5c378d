use crate::settings::{ChoiceOption, Field, JOINT_NAMES, LENGTHS_M, Range, Setting, Settings, Unit, at};
use serde::{Deserialize, Serialize};

/// How the error of any codec is made smaller after or while it encodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CompensationMethod {
    /// Not at all.
    #[default]
    None,
    /// Children are encoded against their decoded parents.
    InPlace,
    /// Extra tracks of what is missing, added to decoded poses.
    Additive,
    /// Extra object-space tracks of hands and feet, reached by two-bone inverse kinematics.
    Ik,
}

impl CompensationMethod {
    /// In the order in which people see them.
    pub const ALL: [Self; 4] = [Self::None, Self::InPlace, Self::Additive, Self::Ik];

    /// What recipes, the command line and the window say of it.
    pub const fn option(self) -> ChoiceOption {
        let (key, label, help) = match self {
            Self::None => ("none", "None", "What the codec decodes to is what is shown."),
            Self::InPlace => (
                "in-place",
                "In place",
                "Each joint is encoded so that it lies right under its decoded parent. Free to decode; tracks get noisier.",
            ),
            Self::Additive => (
                "additive",
                "Additive tracks",
                "Joints that are off by more than the accuracy get extra tracks, added to the decoded pose.",
            ),
            Self::Ik => (
                "ik",
                "Inverse kinematics",
                "Feet and hands get object-space tracks; two bones above each are turned so that it lies there.",
            ),
        };
        ChoiceOption { key, label, help }
    }

    const OPTIONS: [ChoiceOption; Self::ALL.len()] = {
        let mut options = [Self::None.option(); Self::ALL.len()];
        let mut index = 0;
        while index < options.len() {
            options[index] = Self::ALL[index].option();
            index += 1;
        }
        options
    };

    /// The method of a key.
    pub fn by_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.option().key == key)
    }
}

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
        Self { method: CompensationMethod::None, accuracy_m: None, loosen: 1.0, new_tracks: false, limbs: Vec::new() }
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
            only_if: Some(("method", &["in-place"])),
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
            only_if: Some(("method", &["additive", "ik"])),
        },
        Setting {
            key: "limbs",
            option: "limb",
            label: "Limbs",
            help: "Joints at the ends of the limbs that are corrected.",
            field: Field::Lines(at!(limbs), &JOINT_NAMES),
            unset: Some("feet and hands by name"),
            in_form: false,
            only_if: Some(("method", &["ik"])),
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
            only_if: Some(("method", &["in-place", "additive", "ik"])),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_those_of_recipe_files() {
        for method in CompensationMethod::ALL {
            let text = serde_json::to_string(&method).unwrap();
            assert_eq!(text, format!("\"{}\"", method.option().key));
            assert_eq!(CompensationMethod::by_key(method.option().key), Some(method));
        }
        assert_eq!(CompensationMethod::by_key("more"), None);
    }
}
