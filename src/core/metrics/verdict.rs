use serde::{Deserialize, Serialize};

/// How a plant or a clip fares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing that a person would see.
    #[default]
    Good,
    /// Worth a look.
    Warn,
    /// Visible.
    Fail,
}

impl Verdict {
    /// As files say it.
    pub fn key(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}
