use serde::{Deserialize, Serialize};

/// The verdict on a contact or a clip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// No visible error.
    #[default]
    Good,
    /// A possibly visible error.
    Warn,
    /// A visible error.
    Fail,
}

impl Verdict {
    /// Its name in files.
    pub fn key(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}
