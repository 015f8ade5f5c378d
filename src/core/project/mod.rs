//! Projects: recipes, marks, reviews and notes of a team, their undo history, and the files that hold them.

mod blind_study;
mod blind_test;
mod decided;
mod document;
mod document_error;
mod file;
mod given;
mod history;
mod letters;
mod moment_note;
mod named_recipes;
mod notes_file;
mod platforms;
mod review;
mod rig_choice;
mod sign_off;
mod slot_order;
mod state_file;

pub use blind_study::BlindStudy;
pub use blind_test::{
    BLIND_TEST_LENGTHS, BlindDraw, BlindScore, BlindTest, GUESSING_LIMIT, HiddenOrder, Letter, Trial,
};
pub use decided::{ClipMarks, KnownSource, OwnRecipe};
pub use document::{Alignment, Document, ExternalFile};
pub use document_error::DocumentError;
pub use file::{FoundSource, PROJECT_EXTENSION, Project, ProjectError, ProjectSource, find_sources};
pub use history::History;
pub use letters::SLOT_LETTERS;
pub use moment_note::MomentNote;
pub use named_recipes::{Assignments, NamedClip, PatternRecipe, RecipePlace, wrong_name};
pub use notes_file::{MergedNotes, NotesFile, NotesFileError, SharedNote};
pub use review::{Decision, DecisionKind, EarlierDecision, ReviewFilter, ReviewState, Reviewer};
pub use rig_choice::RigChoice;
pub use sign_off::{BlindResult, ClipNotes, SignOff, Standing};
pub(crate) use slot_order::moved;
pub use state_file::{FoundState, NewerState, OpeningMark, STATE_VERSION, StateFile, StateFileError};
