//! What people may choose of press.

use crate::codecs::{ChoiceParam, Param};
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

pub const LEVEL: ChoiceParam<Level> =
    ChoiceParam::new("level", "Search", "How thoroughly the coarsest steps are looked for.", "fast");

/// What the integers are stored for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// Read in place.
    Runtime,
    /// Entropy-coded; opening a clip expands them.
    Archive,
}

choices!(Storage {
    Runtime => ("runtime", "Runtime", "Read in place: opening a clip copies nothing."),
    Archive => ("archive", "Archive", "Entropy-coded, the smallest: opening a clip expands it to what runtime storage has, to the bit."),
});

pub const STORAGE: ChoiceParam<Storage> =
    ChoiceParam::new("storage", "Storage", "How the numbers that were found become bytes.", "runtime");

pub const PARAMS: &[Param] = &[LEVEL.param, STORAGE.param];
