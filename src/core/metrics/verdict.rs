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
    /// The verdict on an error by the limits from which it warns and fails.
    pub(crate) fn of(error_m: f32, [warn_m, fail_m]: [f32; 2]) -> Self {
        match error_m {
            error_m if error_m >= fail_m => Self::Fail,
            error_m if error_m >= warn_m => Self::Warn,
            _ => Self::Good,
        }
    }

    /// Its name in files.
    pub fn key(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}
