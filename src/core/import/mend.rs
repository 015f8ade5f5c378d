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
        };
        ChoiceOption { key, label, help }
    }
}
