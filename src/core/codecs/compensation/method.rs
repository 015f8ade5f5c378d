//! The methods of compensating an error, alone and combined.

use super::decode::CorrectionSteps;
use crate::settings::ChoiceOption;
use serde::{Deserialize, Serialize};

/// A method that lowers the error of any codec, during encoding or after it. Several steps follow each other in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CompensationMethod {
    /// No compensation.
    #[default]
    None,
    /// Children are encoded relative to their decoded parents.
    InPlace,
    /// Extra tracks with the error, which are added to decoded poses.
    Additive,
    /// Extra object-space tracks of hands and feet, reached by two-bone inverse kinematics.
    Ik,
    /// In place, then extra tracks for the remaining error.
    #[serde(rename = "in-place+additive")]
    InPlaceAdditive,
    /// In place, then inverse kinematics of limbs.
    #[serde(rename = "in-place+ik")]
    InPlaceIk,
    /// Extra tracks, then inverse kinematics of limbs.
    #[serde(rename = "additive+ik")]
    AdditiveIk,
    /// All three: "most likely very extreme", as the article says.
    All,
}

impl CompensationMethod {
    /// All methods, in the order in which users see them.
    pub const ALL: [Self; 8] = [
        Self::None,
        Self::InPlace,
        Self::Additive,
        Self::Ik,
        Self::InPlaceAdditive,
        Self::InPlaceIk,
        Self::AdditiveIk,
        Self::All,
    ];
    /// The methods with one step, in the order in which they are applied.
    pub const STEPS: [Self; 3] = [Self::InPlace, Self::Additive, Self::Ik];
    /// Keys of methods with a step in place, for settings that apply to it alone.
    pub(super) const KEYS_IN_PLACE: &[&str] = &["in-place", "in-place+additive", "in-place+ik", "all"];
    /// Keys of methods that store data besides the codec's own tracks.
    pub(super) const KEYS_STORED: &[&str] =
        &["additive", "ik", "in-place+additive", "in-place+ik", "additive+ik", "all"];
    /// Keys of methods with inverse kinematics.
    pub(super) const KEYS_IK: &[&str] = &["ik", "in-place+ik", "additive+ik", "all"];
    /// Keys of all methods but none.
    pub(super) const KEYS_ANY: &[&str] =
        &["in-place", "additive", "ik", "in-place+additive", "in-place+ik", "additive+ik", "all"];

    /// The texts for recipes, the command line and the window.
    pub const fn option(self) -> ChoiceOption {
        let (key, label, help) = match self {
            Self::None => ("none", "None", "Poses are shown as the codec decodes them."),
            Self::InPlace => (
                "in-place",
                "In place",
                "Adjusts each joint to its decoded parent while encoding. Free to decode, but tracks get noisier.",
            ),
            Self::Additive => (
                "additive",
                "Additive tracks",
                "Joints with an error above the accuracy get extra tracks, which are added to the decoded pose.",
            ),
            Self::Ik => (
                "ik",
                "Inverse kinematics",
                "Feet and hands get object-space tracks. The two bones above each are rotated so that it reaches its place.",
            ),
            Self::InPlaceAdditive => (
                "in-place+additive",
                "In place, additive tracks",
                "Extra tracks correct what in-place correction leaves.",
            ),
            Self::InPlaceIk => {
                ("in-place+ik", "In place, inverse kinematics", "IK corrects what in-place correction leaves.")
            }
            Self::AdditiveIk => {
                ("additive+ik", "Additive tracks, inverse kinematics", "IK corrects what extra tracks leave.")
            }
            Self::All => ("all", "All three", "In place, then extra tracks, then IK for the rest."),
        };
        ChoiceOption { key, label, help }
    }

    pub(super) const OPTIONS: [ChoiceOption; Self::ALL.len()] = {
        let mut options = [Self::None.option(); Self::ALL.len()];
        let mut index = 0;
        while index < options.len() {
            options[index] = Self::ALL[index].option();
            index += 1;
        }
        options
    };

    /// The method with that key.
    pub fn by_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.option().key == key)
    }

    /// The steps of the method.
    pub fn steps(self) -> CorrectionSteps {
        let one = CorrectionSteps::default();
        match self {
            Self::None => one,
            Self::InPlace => CorrectionSteps { in_place: true, ..one },
            Self::Additive => CorrectionSteps { additive: true, ..one },
            Self::Ik => CorrectionSteps { ik: true, ..one },
            Self::InPlaceAdditive => CorrectionSteps { in_place: true, additive: true, ik: false },
            Self::InPlaceIk => CorrectionSteps { in_place: true, additive: false, ik: true },
            Self::AdditiveIk => CorrectionSteps { in_place: false, additive: true, ik: true },
            Self::All => CorrectionSteps { in_place: true, additive: true, ik: true },
        }
    }

    /// The method with these steps.
    pub fn of_steps(steps: CorrectionSteps) -> Self {
        Self::ALL.into_iter().find(|method| method.steps() == steps).unwrap_or_default()
    }

    /// The steps of this method that are not in `other`.
    pub fn without(self, other: Self) -> Self {
        let (a, b) = (self.steps(), other.steps());
        Self::of_steps(CorrectionSteps {
            in_place: a.in_place && !b.in_place,
            additive: a.additive && !b.additive,
            ik: a.ik && !b.ik,
        })
    }

    /// The steps of both methods.
    pub fn and(self, other: Self) -> Self {
        let (a, b) = (self.steps(), other.steps());
        Self::of_steps(CorrectionSteps {
            in_place: a.in_place || b.in_place,
            additive: a.additive || b.additive,
            ik: a.ik || b.ik,
        })
    }

    /// True if this method has every step of `other`.
    pub fn has(self, other: Self) -> bool {
        other.without(self) == Self::None
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

    #[test]
    fn methods_are_what_their_steps_are() {
        for method in CompensationMethod::ALL {
            assert_eq!(CompensationMethod::of_steps(method.steps()), method);
            assert!(CompensationMethod::All.has(method));
            let steps = CompensationMethod::STEPS.into_iter().filter(|step| method.has(*step));
            assert_eq!(steps.fold(CompensationMethod::None, CompensationMethod::and), method);
            for step in CompensationMethod::STEPS {
                assert_eq!(method.without(step).and(step), method.and(step));
                assert!(!method.without(step).has(step));
            }
        }
    }

    /// A setting that applies to some methods is shown for them, and for no other.
    #[test]
    fn settings_are_shown_for_the_methods_that_they_matter_to() {
        let keys = |wanted: fn(CorrectionSteps) -> bool| -> Vec<&str> {
            let all = CompensationMethod::ALL.into_iter();
            all.filter(|m| wanted(m.steps())).map(|m| m.option().key).collect()
        };
        assert_eq!(keys(|s| s.in_place), CompensationMethod::KEYS_IN_PLACE);
        assert_eq!(keys(|s| s.additive || s.ik), CompensationMethod::KEYS_STORED);
        assert_eq!(keys(|s| s.ik), CompensationMethod::KEYS_IK);
        assert_eq!(keys(|s| s != CorrectionSteps::default()), CompensationMethod::KEYS_ANY);
    }
}
