use crate::model::ClipId;
use crate::tasks::Pair;
use serde::{Deserialize, Serialize};

/// The side that the compressed side is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Reference {
    /// The clip in its file.
    #[default]
    Original,
    /// The outcome of another recipe: 0 = A.
    Slot(usize),
    /// The external result.
    External,
    /// The outcome of the recipe of the last decision.
    Decided,
    /// The original. The active slot is then shown without some of its tiers: 1 is without the first.
    Level(usize),
    /// The original. The active slot is then shown at a level of detail of the shown platform: 0 is the nearest.
    Lod(usize),
    /// Another open clip, such as another take of the same move. It stays the reference when other clips are selected.
    Clip(ClipId),
}

/// The two sides in the viewports and curves.
#[derive(Debug, Default)]
pub struct Pairing {
    pub reference: Reference,
    pub swapped: bool,
    pub pair: Pair,
}
