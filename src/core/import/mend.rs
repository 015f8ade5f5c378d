use crate::settings::ChoiceOption;
use serde::{Deserialize, Serialize};

/// A remedy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mend {
    /// Samples that turn away and back take the middle of their neighbours.
    Flips,
    /// The sample before a turn of 180 degrees is held.
    HalfTurns,
    /// The sample before a jump is held.
    Jumps,
    /// The clip begins over the origin.
    Origin,
    /// Samples before the motion begins, and after it has ended, go.
    Holds,
    /// The last of two equal samples goes.
    DoubledLast,
    /// Uneven scales become their mean.
    UnevenScale,
}

impl Mend {
    /// In the order in which they are done: each finds what those before have left.
    pub const ALL: [Self; 7] =
        [Self::Flips, Self::HalfTurns, Self::Jumps, Self::Origin, Self::Holds, Self::DoubledLast, Self::UnevenScale];

    /// What the command line and the window say of it.
    pub const fn option(self) -> ChoiceOption {
        let (key, label, help) = match self {
            Self::Flips => {
                ("flips", "Smooth flips", "Samples that turn away and back take the middle of the two beside them.")
            }
            Self::HalfTurns => (
                "half-turns",
                "Step half turns",
                "The sample before a turn of 180 degrees is held until it: nothing goes round between.",
            ),
            Self::Jumps => {
                ("jumps", "Step jumps", "The sample before a jump is held until it: nothing glides between.")
            }
            Self::Origin => {
                ("origin", "Move to the origin", "The whole clip is moved so that it begins over the origin.")
            }
            Self::Holds => (
                "holds",
                "Trim holds",
                "Samples in which nothing moves yet, and those in which nothing moves any more, go with their time.",
            ),
            Self::DoubledLast => {
                ("doubled-last", "Drop last sample", "The last of two equal samples goes, and its time.")
            }
            Self::UnevenScale => {
                ("uneven-scale", "Even scales", "A scale that differs along the axes becomes the mean of the three.")
            }
        };
        ChoiceOption { key, label, help }
    }
}
