//! The compressed curves as they were before the last change, to be compared with what they are now.

use posepress_core::model::ClipId;
use posepress_core::report::Sides;
use std::sync::Arc;

/// The result of a clip with a recipe.
#[derive(Debug, Clone)]
struct Shown {
    clip: ClipId,
    slot: usize,
    sides: Sides,
}

impl Shown {
    /// The same clip in the same slot, with the same joints: a file that was read again may have others.
    fn is_beside(&self, other: &Self) -> bool {
        let has_its_joints = self.sides.source.clip.has_shape_of(&other.sides.source.clip);
        (self.clip, self.slot) == (other.clip, other.slot) && has_its_joints
    }

    fn is_same(&self, other: &Self) -> bool {
        self.is_beside(other) && Arc::ptr_eq(&self.sides.outcome.decoded, &other.sides.outcome.decoded)
    }
}

/// Remembers what stood before the last change came to rest; a whole drag is one change.
#[derive(Debug, Default)]
pub struct Ghost {
    now: Option<Shown>,
    before: Option<Shown>,
    /// The change is under way: what comes meanwhile is no state of its own.
    is_changing: bool,
}

impl Ghost {
    /// The result before the last change, for the visible clip.
    pub fn before(&self) -> Option<&Sides> {
        self.before.as_ref().map(|shown| &shown.sides)
    }

    /// Forgets it. True when there was something.
    pub fn forget(&mut self) -> bool {
        self.before.take().is_some()
    }

    /// Something is shown: clip, slot and both sides. `is_changing`: it will be another thing as soon as the change comes to rest.
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
