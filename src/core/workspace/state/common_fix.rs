use crate::import::{ImportOptions, Reading, ReadingPart};
use crate::report::Remedy;
use crate::text;
use serde::{Deserialize, Serialize};

/// A change that fixes the same problem of several clips.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CommonFix {
    /// Locks the contacts of clips that slide, and marked pins that drift.
    LockContacts,
    /// Takes the shell from the mesh for clips whose skin is off.
    ShellFromMesh,
    /// Reads files again at a higher sample rate.
    ReadAgain {
        /// Samples per 1,000 seconds.
        millihertz: u32,
    },
}

/// A fix for all clips that need it.
#[derive(Debug, Clone, PartialEq)]
pub struct CommonFixRow {
    /// The fix.
    pub fix: CommonFix,
    /// Number of clips with the problem.
    pub clips: usize,
    /// Number of their files.
    pub files: usize,
    /// Its cost in bytes, and its effect.
    pub price: FixPrice,
}

/// The price of a fix for all clips.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FixPrice {
    /// It is being measured.
    Measuring {
        /// Parts that are measured.
        done: usize,
        /// All parts.
        of: usize,
    },
    /// It is measured.
    Known {
        /// Change of the size of the clips, bytes.
        extra_bytes: i64,
        /// Clips that pass with the fix.
        passing: usize,
        /// Clips that get a better verdict. Always 0 for a fix of the source.
        better: usize,
    },
    /// It cannot be measured before the change.
    Unknown,
}

impl CommonFix {
    /// Title with the number of clips: `Lock contacts on the 9 clips that slide`.
    pub fn title(self, clips: usize, files: usize) -> String {
        let one = |singular: &str, plural: &str| match clips {
            1 => singular.to_owned(),
            many => plural.replace("{}", &many.to_string()),
        };
        match self {
            Self::LockContacts => {
                one("Lock contacts on the clip that slides", "Lock contacts on the {} clips that slide")
            }
            Self::ShellFromMesh => one(
                "Shell from mesh for the clip whose skin is off",
                "Shell from mesh for the {} clips whose skin is off",
            ),
            Self::ReadAgain { .. } => {
                format!("Read {} again at {}", text::count(files, "file"), text::rate(self.rate_hz()))
            }
        }
    }

    /// A sentence on what it does.
    pub fn help(self) -> &'static str {
        match self {
            Self::LockContacts => Remedy::ContactLock.help(),
            Self::ShellFromMesh => Remedy::ShellFromMesh.help(),
            Self::ReadAgain { .. } => {
                "The sources move too fast for their sample rate. More samples lose less of the motion."
            }
        }
    }

    /// True if it changes recipes, false if it reads files again.
    pub fn is_of_recipe(self) -> bool {
        self.remedy().is_some()
    }

    /// The change of a recipe. `None` for a fix of the source.
    pub(crate) fn remedy(self) -> Option<Remedy> {
        match self {
            Self::LockContacts => Some(Remedy::ContactLock),
            Self::ShellFromMesh => Some(Remedy::ShellFromMesh),
            Self::ReadAgain { .. } => None,
        }
    }

    fn rate_hz(self) -> f64 {
        match self {
            Self::ReadAgain { millihertz } => f64::from(millihertz) / 1000.0,
            _ => 0.0,
        }
    }

    pub(crate) fn options(self, options: ImportOptions) -> ImportOptions {
        match self {
            Self::ReadAgain { millihertz } => {
                let part = ReadingPart::Rate { millihertz };
                Reading { label: text::rate(self.rate_hz()), part }.of(options)
            }
            _ => options,
        }
    }

    /// Ending of the name of a changed recipe.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Self::LockContacts => "contacts locked",
            Self::ShellFromMesh => "shell from mesh",
            Self::ReadAgain { .. } => "",
        }
    }
}
