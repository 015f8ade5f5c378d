//! The levels of the window.

use serde::{Deserialize, Serialize};

/// Amount of controls and numbers in the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
pub enum Level {
    /// Lists, pictures, worst joints, codec and tolerance, what would help, errors and contacts.
    #[default]
    Essentials,
    /// All controls and numbers.
    All,
}

impl Level {
    /// In display order.
    pub const ALL: [Self; 2] = [Self::Essentials, Self::All];

    /// Label.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Essentials => "Essentials",
            Self::All => "All settings",
        }
    }

    /// Its purpose.
    pub const fn help(self) -> &'static str {
        match self {
            Self::Essentials => {
                "Show what most clips need. Other settings stay in effect, and show themselves where they differ from their default."
            }
            Self::All => "Show every setting and number.",
        }
    }
}
