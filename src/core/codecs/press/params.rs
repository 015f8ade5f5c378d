//! What people may choose of press.

use crate::codecs::encode::lattice::LEVEL;
use crate::codecs::{ChoiceParam, Param};
use crate::settings::choices;

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
