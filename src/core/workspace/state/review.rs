use crate::model::ClipId;
use crate::project::{ReviewFilter, ReviewState};
use std::collections::HashMap;

/// Review states of all clips, as of the last change.
#[derive(Debug, Default)]
pub struct Review {
    pub states: HashMap<ClipId, ReviewState>,
    pub counts: HashMap<ReviewFilter, usize>,
}
