//! Reviews: decisions about clips, and their current state.

use crate::import::Fix;
use crate::recipe::Recipe;
use crate::report::{DecidedFigures, WorstRow};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::time::SystemTime;

/// A decision about a clip: approved, rejected or ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionKind {
    /// Good enough to use.
    Approved,
    /// Not good enough to use.
    Rejected,
    /// Needs no review.
    Ignored,
}

impl DecisionKind {
    /// In the order in which they are offered.
    pub const ALL: [Self; 3] = [Self::Approved, Self::Rejected, Self::Ignored];

    /// Its name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Ignored => "ignored",
        }
    }

    /// The verb for a button.
    pub const fn verb(self) -> &'static str {
        match self {
            Self::Approved => "Approve",
            Self::Rejected => "Reject",
            Self::Ignored => "Ignore",
        }
    }
}

/// A decision about a clip, with its author, its time and the numbers at that time.
///
/// It holds while a slot compresses the clip with exactly the same recipe, and the clip has the same fixes. [`DecisionKind::Ignored`] holds with any recipe. The clip is
/// identified by its name and the digest of its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// The decision.
    pub kind: DecisionKind,
    /// The reason.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The author.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub author: String,
    /// Time of the decision, as RFC 3339.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub time: String,
    /// Name of the clip's file. By this name, the decision is found after the file was saved with other bytes.
    pub file: String,
    /// Name of the clip.
    pub clip: String,
    /// The numbers of the clip. `None` if it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figures: Option<DecidedFigures>,
    /// Joint and time of its largest error. `None` if it was not measured or had no error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<WorstRow>,
    /// The fixes of the clip that was judged.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub fixes: BTreeSet<Fix>,
    /// Earlier decisions about the clip, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<EarlierDecision>,
    /// The recipe of the clip that was judged.
    pub recipe: Recipe,
}

/// A decision that a later one replaced.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EarlierDecision {
    /// The decision.
    pub kind: DecisionKind,
    /// The author.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub author: String,
    /// Time of the decision, as RFC 3339.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub time: String,
    /// The reason.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Title of the recipe.
    pub recipe: String,
    /// Largest slide of a foot during contact, millimetres. `None` without contacts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slide_mm: Option<f64>,
}

impl Decision {
    /// Most decisions that [`Self::history`] keeps.
    const MOST_EARLIER: usize = 20;

    /// This decision and those before it, oldest first, for the decision that replaces it. Keeps the latest twenty.
    pub fn history(&self) -> Vec<EarlierDecision> {
        let Self { kind, author, time, note, recipe, figures, earlier, .. } = self.clone();
        let last = EarlierDecision {
            kind,
            author,
            time,
            note,
            recipe: recipe.title(),
            slide_mm: figures.and_then(|f| f.slide_mm),
        };
        let mut all = earlier;
        all.push(last);
        all.split_off(all.len().saturating_sub(Self::MOST_EARLIER))
    }
}

/// The author of a decision, with time and reason.
#[derive(Debug, Clone)]
pub struct Reviewer {
    /// The author.
    pub author: String,
    /// The reason. May be empty.
    pub note: String,
    /// The time.
    pub time: SystemTime,
}

/// State of a clip's review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReviewState {
    /// Undecided.
    #[default]
    ToDo,
    /// Decided, and the decision holds.
    Decided(DecisionKind),
    /// Decided for another recipe, other fixes or another version of the file. It needs a new review.
    Changed(DecisionKind),
}

impl ReviewState {
    /// True if a decision is needed, for the first time or again.
    pub fn is_open(self) -> bool {
        !matches!(self, Self::Decided(_))
    }

    /// True if the clip is approved and the decision holds. Such clips can be exported as approved.
    pub fn is_approved(self) -> bool {
        self == Self::Decided(DecisionKind::Approved)
    }
}

/// A filter for lists of clips.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ReviewFilter {
    /// Undecided.
    ToDo,
    /// Approved, and the decision holds.
    Approved,
    /// Rejected, and the decision holds.
    Rejected,
    /// Needs no review.
    Ignored,
    /// Decided, but the decision does not hold any more.
    Changed,
}

impl ReviewFilter {
    /// In the order in which they are shown.
    pub const ALL: [Self; 5] = [Self::ToDo, Self::Approved, Self::Rejected, Self::Ignored, Self::Changed];

    /// Its name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ToDo => "undecided",
            Self::Approved => DecisionKind::Approved.name(),
            Self::Rejected => DecisionKind::Rejected.name(),
            Self::Ignored => DecisionKind::Ignored.name(),
            Self::Changed => "changed",
        }
    }

    /// The filter that shows clips in this state.
    pub fn of(state: ReviewState) -> Self {
        match state {
            ReviewState::ToDo => Self::ToDo,
            ReviewState::Decided(DecisionKind::Approved) => Self::Approved,
            ReviewState::Decided(DecisionKind::Rejected) => Self::Rejected,
            ReviewState::Decided(DecisionKind::Ignored) => Self::Ignored,
            ReviewState::Changed(_) => Self::Changed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_holds_is_closed() {
        let open = [ReviewState::ToDo, ReviewState::Changed(DecisionKind::Approved)];
        assert!(open.into_iter().all(|state| state.is_open() && !state.is_approved()));
        assert!(DecisionKind::ALL.into_iter().all(|kind| !ReviewState::Decided(kind).is_open()));
        assert!(ReviewState::Decided(DecisionKind::Approved).is_approved());
    }
}
