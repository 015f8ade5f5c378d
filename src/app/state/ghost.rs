//! Faint curves beside the current ones: those before the last change, or of another recipe.

use posepress_core::model::ClipId;
use posepress_core::report::Sides;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The result that faint curves show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum GhostOf {
    /// There are no faint curves.
    Nothing,
    /// The result before the last change.
    LastChange,
    /// The result of another recipe: 0 = A.
    Recipe(usize),
}

/// The result of a clip with the recipe of a slot.
#[derive(Debug, Clone)]
struct Shown {
    clip: ClipId,
    slot: usize,
    sides: Sides,
}

impl Shown {
    /// True for the same clip and slot with tracks of the same shape. A file that was read again may have other joints.
    fn is_beside(&self, other: &Self) -> bool {
        let has_its_joints = self.sides.source.clip.has_shape_of(&other.sides.source.clip);
        (self.clip, self.slot) == (other.clip, other.slot) && has_its_joints
    }

    fn is_same(&self, other: &Self) -> bool {
        self.is_beside(other) && Arc::ptr_eq(&self.sides.outcome.decoded, &other.sides.outcome.decoded)
    }
}

/// Keeps the result before the last change. A whole drag is one change.
#[derive(Debug, Default)]
pub struct Ghost {
    now: Option<Shown>,
    before: Option<Shown>,
    /// True during a change: intermediate results do not become `before`.
    is_changing: bool,
}

impl Ghost {
    /// The result before the last change of the visible clip.
    pub fn before(&self) -> Option<&Sides> {
        self.before.as_ref().map(|shown| &shown.sides)
    }

    /// Forgets it. Returns true if there was one.
    pub fn forget(&mut self) -> bool {
        self.before.take().is_some()
    }

    /// Notes the visible result: clip, slot and both sides. `is_changing` is true while a newer result is expected.
    pub fn see(&mut self, shown: Option<(ClipId, usize, &Sides)>, is_changing: bool) {
        let shown = shown.map(|(clip, slot, sides)| Shown { clip, slot, sides: sides.clone() });
        match (&self.now, &shown) {
            (Some(now), Some(shown)) if now.is_same(shown) => {}
            (Some(now), Some(shown)) if now.is_beside(shown) => {
                if !self.is_changing {
                    self.before = self.now.take();
                }
                self.is_changing = true;
            }
            _ => self.before = None,
        }
        self.is_changing &= is_changing;
        self.now = shown;
    }
}
