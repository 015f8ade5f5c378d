//! The settings of press.

use crate::codecs::encode::lattice::LEVEL;
use crate::codecs::{ChoiceParam, Param};
use crate::metrics::Promise;
use crate::settings::choices;

/// The use of the stored clip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// Read in place.
    Runtime,
    /// Entropy-coded, and expanded when a clip is opened.
    Archive,
}

choices!(Storage {
    Runtime => ("runtime", "Runtime", "Read in place. Opening a clip copies nothing."),
    Archive => ("archive", "Archive", "Entropy-coded, the smallest. Opening a clip expands it to exactly the bytes of runtime storage."),
});

pub const STORAGE: ChoiceParam<Storage> = ChoiceParam::new(
    "storage",
    "Storage",
    "The form of the stored clip: ready to play, or as small as possible.",
    "runtime",
);

pub const PROMISE: ChoiceParam<Promise> =
    ChoiceParam::new("promise", "Tolerance for", "The error that stays within the tolerance.", "largest");

pub const PARAMS: &[Param] = &[LEVEL.param, STORAGE.param, PROMISE.param];
