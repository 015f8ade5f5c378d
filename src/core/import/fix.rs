use crate::metrics::FootContacts;
use crate::settings::ChoiceOption;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A fix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fix {
    /// Replaces samples that turn away and back by the middle of their neighbours.
    Flips,
    /// Holds the sample before a turn of 180 degrees.
    HalfTurns,
    /// Holds the sample before a jump.
    Jumps,
    /// Moves the start of the clip above the origin.
    Origin,
    /// Removes samples before and after the motion.
    Holds,
    /// Removes the second of two equal last samples.
    DoubledLast,
    /// Replaces uneven scales by their mean.
    UnevenScale,
    /// Makes feet stand still during their contacts.
    Feet,
}

/// The fixes of a clip, and what they need to know.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ChosenFixes {
    /// The fixes.
    pub fixes: BTreeSet<Fix>,
    /// Contacts that the user drew. [`Fix::Feet`] holds these in place of the contacts that it would find for their feet.
    pub drawn: Vec<FootContacts>,
}

impl ChosenFixes {
    /// These fixes. Contacts that no fix needs are dropped.
    pub fn new(fixes: BTreeSet<Fix>, drawn: &[FootContacts]) -> Self {
        let drawn = if fixes.contains(&Fix::Feet) { drawn.to_vec() } else { Vec::new() };
        Self { fixes, drawn }
    }

    /// True if the clip stays as in its file.
    pub fn is_none(&self) -> bool {
        self.fixes.is_empty()
    }
}

impl Fix {
    /// All fixes in the order of application. Each works on the result of the earlier ones.
    pub const ALL: [Self; 8] = [
        Self::Flips,
        Self::HalfTurns,
        Self::Jumps,
        Self::Origin,
        Self::Holds,
        Self::DoubledLast,
        Self::UnevenScale,
        Self::Feet,
    ];

    /// Key, label and help.
    pub const fn option(self) -> ChoiceOption {
        let (key, label, help) = match self {
            Self::Flips => {
                ("flips", "Smooth flips", "Replaces a sample that turns away and back by the middle of its neighbours.")
            }
            Self::HalfTurns => {
                ("half-turns", "Step half turns", "Holds the sample before a turn of 180 degrees, without blending.")
            }
            Self::Jumps => ("jumps", "Step jumps", "Holds the sample before a jump, without blending."),
            Self::Origin => {
                ("origin", "Move to the origin", "Moves the whole clip so that it starts above the origin.")
            }
            Self::Holds => ("holds", "Trim holds", "Removes samples before the motion starts and after it ends."),
            Self::DoubledLast => {
                ("doubled-last", "Drop last sample", "Removes the second of two equal last samples, and its time.")
            }
            Self::UnevenScale => ("uneven-scale", "Even scales", "Replaces an uneven scale by the mean of its axes."),
            Self::Feet => (
                "feet",
                "Hold feet",
                "Makes feet that slide in the file stand still, with inverse kinematics of the legs.",
            ),
        };
        ChoiceOption { key, label, help }
    }
}
