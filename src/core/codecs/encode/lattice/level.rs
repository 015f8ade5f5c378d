//! How thoroughly steps are looked for, as a setting of every codec that has them.

use crate::codecs::ChoiceParam;
use crate::settings::choices;

/// How long the search takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// One factor for the steps of all tracks.
    Fast,
    /// Then every step by itself.
    Full,
}

choices!(Level {
    Fast => ("fast", "Fast", "One factor for the steps of all tracks: while a slider moves."),
    Full => ("full", "Full", "Then every step of every track by itself, as long as the clip stays within the tolerance."),
});

/// The setting.
pub const LEVEL: ChoiceParam<Level> =
    ChoiceParam::new("level", "Search", "How thoroughly the coarsest steps are looked for.", "fast");
