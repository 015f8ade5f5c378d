use crate::tasks::Pair;
use serde::{Deserialize, Serialize};

/// What the compressed side is compared with: what stands in the original's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Reference {
    /// The clip as its file has it.
    #[default]
    Original,
    /// What another recipe makes of it: 0 = A.
    Slot(usize),
    /// What another tool made of it.
    Foreign,
    /// What the recipe makes of it about which somebody decided last.
    Decided,
    /// The original; in the place of what is tuned stands what is left of that without some of its tiers: 1 is without the first.
    Level(usize),
}

/// The two sides of the pictures and curves.
#[derive(Debug, Default)]
pub struct Pairing {
    pub reference: Reference,
    pub swapped: bool,
    pub pair: Pair,
}
