//! What people decide about clips, and whether it still holds.

use crate::recipe::Recipe;
use crate::report::{DecidedFigures, WorstRow};
use serde::{Deserialize, Serialize};
use std::time::SystemTime;

/// What somebody decided about a clip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// Good enough to be used.
    Approved,
    /// Not good enough.
    Rejected,
    /// Nobody needs to judge it.
    Ignored,
}

impl Judgement {
    /// In the order in which they are offered.
    pub const ALL: [Self; 3] = [Self::Approved, Self::Rejected, Self::Ignored];

    /// As people read it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Ignored => "ignored",
        }
    }

    /// What somebody does who decides so.
    pub const fn verb(self) -> &'static str {
        match self {
            Self::Approved => "Approve",
            Self::Rejected => "Reject",
            Self::Ignored => "Ignore",
        }
    }
}

/// A decision about a clip: of what, by whom, when, and the numbers that were on the table.
///
/// It holds while a slot compresses the clip with that very recipe. The clip itself is known by the digest of its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// What was decided.
    pub judgement: Judgement,
    /// Why.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Who decided.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub author: String,
    /// When, as RFC 3339 says it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub time: String,
    /// Name of the clip's file, by which a file that was written anew is known.
    pub file: String,
    /// Name of the clip.
    pub clip: String,
    /// What the clip came to; nothing where nobody had measured it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figures: Option<DecidedFigures>,
    /// When it was furthest off, and what; nothing where nobody had measured it, or nothing was off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<WorstRow>,
    /// How the clip was compressed that was judged.
    pub recipe: Recipe,
}

/// Who decides, when, and why.
#[derive(Debug, Clone)]
pub struct Reviewer {
    /// Who.
    pub author: String,
    /// Why; empty where nothing was said.
    pub note: String,
    /// When.
    pub time: SystemTime,
}

/// How far a clip's review is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReviewState {
    /// Nobody has decided yet.
    #[default]
    ToDo,
    /// Decided, and it holds.
    Decided(Judgement),
    /// Decided about another recipe than there is now, or about another version of the file: to be looked at again.
    Changed(Judgement),
}

impl ReviewState {
    /// Somebody has to decide, for the first time or again.
    pub fn is_open(self) -> bool {
        !matches!(self, Self::Decided(_))
    }

    /// It may be exported as what was approved.
    pub fn is_approved(self) -> bool {
        self == Self::Decided(Judgement::Approved)
    }
}

/// What a list of clips is narrowed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ReviewFilter {
    /// Nobody has decided.
    ToDo,
    /// Approved, and it holds.
    Approved,
    /// Rejected, and it holds.
    Rejected,
    /// Nobody needs to judge them.
    Ignored,
    /// A decision does not hold any more.
    Changed,
}

impl ReviewFilter {
    /// In the order in which they stand.
    pub const ALL: [Self; 5] = [Self::ToDo, Self::Approved, Self::Rejected, Self::Ignored, Self::Changed];

    /// As people read it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ToDo => "to do",
            Self::Approved => Judgement::Approved.name(),
            Self::Rejected => Judgement::Rejected.name(),
            Self::Ignored => Judgement::Ignored.name(),
            Self::Changed => "changed since",
        }
    }

    /// Of clips in this state.
    pub fn of(state: ReviewState) -> Self {
        match state {
            ReviewState::ToDo => Self::ToDo,
            ReviewState::Decided(Judgement::Approved) => Self::Approved,
            ReviewState::Decided(Judgement::Rejected) => Self::Rejected,
            ReviewState::Decided(Judgement::Ignored) => Self::Ignored,
            ReviewState::Changed(_) => Self::Changed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_holds_is_closed() {
        let open = [ReviewState::ToDo, ReviewState::Changed(Judgement::Approved)];
        assert!(open.into_iter().all(|state| state.is_open() && !state.is_approved()));
        assert!(Judgement::ALL.into_iter().all(|judgement| !ReviewState::Decided(judgement).is_open()));
        assert!(ReviewState::Decided(Judgement::Approved).is_approved());
    }
}
