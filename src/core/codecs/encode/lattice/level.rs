//! The effort of the search for steps, as a setting of every codec that has steps.

use crate::codecs::ChoiceParam;
use crate::settings::choices;

/// The effort of the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// One factor for the steps of all tracks.
    Fast,
    /// Then every step separately.
    Full,
}

choices!(Level {
    Fast => ("fast", "Fast", "One factor for the steps of all tracks. Fast enough to follow a slider."),
    Full => ("full", "Full", "Then also makes every step of every track coarser, as long as the clip stays within the tolerance."),
});

/// The setting.
pub const LEVEL: ChoiceParam<Level> =
    ChoiceParam::new("level", "Search", "The effort of the search for the coarsest steps.", "fast");
