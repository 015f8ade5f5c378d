//! Recipes, what is compared with them, and what is decided.

use crate::state::{AuthorSheet, Budgeting, RecipeEdit};
use posepress_core::codecs::Codec;
use posepress_core::model::{Additive, ClipId};
use posepress_core::pipeline::TierSettings;
use posepress_core::project::{Alignment, DecisionKind, RecipePlace};
use posepress_core::recipe::Recipe;
use posepress_core::report::{Remedy, Screen};
use posepress_core::workspace::Reference;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// Recipes, and what is compressed with them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum RecipeCommand {
    /// Change a recipe while an interaction is under way.
    PreviewRecipe(RecipeEdit),
    /// Change a recipe in one step.
    EditRecipe(RecipeEdit),
    /// Compress with another codec, in the active recipe.
    UseCodec(&'static dyn Codec),
    /// Preview of the camera for pixels, during a drag.
    SetScreen(Screen),
    /// What containers are written without, until it is settled.
    SetTiers(TierSettings),
    /// The interaction has come to rest.
    Settle,
    /// Give recipes names, and clips recipes.
    Naming(Naming),
    /// Put a recipe into the active slot; undo calls it so.
    TakeRecipe(String, Arc<Recipe>),
    /// Change the active recipe as a trial did.
    Accept(Box<Remedy>),
    /// Tune another recipe.
    ActivateSlot(usize),
    /// Give up the compression that runs.
    StopJob,
    /// Do again what was given up.
    ResumeJob,
    /// Put the active recipe on the clipboard.
    CopyRecipe,
    /// Ask for a recipe file.
    OpenRecipe,
    /// Ask where to write the active recipe.
    SaveRecipe,
}

/// Named recipes in the active slot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Naming {
    /// Keep the active recipe under this name; the picked clips have it from then on.
    Keep(String),
    /// Another name for one.
    Rename(String, String),
    /// It goes; its clips have their slots' own again.
    Remove(String),
    /// Clips of this pattern have a recipe of this name.
    Pattern(String, String),
    /// Clips of this pattern have it no more.
    DropPattern(String),
    /// The picked clips have a recipe of the table.
    Assign(RecipePlace),
    /// This clip has a recipe of the table.
    Give(ClipId, RecipePlace),
    /// Each clip has the one that makes it smallest of those with which it passes.
    GiveSmallest,
}

/// The reference, and external files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CompareCommand {
    /// Compare what is tuned with something else than the original, or with that again.
    CompareTo(Reference),
    /// Move another tool's file in time while an interaction is under way.
    Align(Alignment),
    /// The pictures change places.
    SwapSides,
    /// Ask for another tool's file.
    AskCompare,
    /// Put another tool's file where a recipe stands.
    CompareWith(PathBuf),
    /// Look at another tool's file.
    ShowExternal,
    /// Move another tool's file by samples.
    ShiftExternal(f64),
    /// Only recipes stand beside the original.
    StopComparing,
}

/// Marks of clips.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum MarkCommand {
    /// Contacts of a foot of the selected clip while they are dragged: joint, then touch-down and lift-off of each.
    PreviewContacts(String, Vec<[f32; 2]>),
    /// Contacts of a foot of the selected clip in one step; nothing means those that are found.
    EditContacts(String, String, Option<Vec<[f32; 2]>>),
    /// Mark the selected clip as looping or not; nothing means as found.
    MarkLoop(Option<bool>),
    /// Mark the selected clip as additive, or as standing for itself; nothing means as its file says.
    MarkAdditive(Option<Additive>),
    /// The same of any clip.
    MarkClipAdditive(ClipId, Option<Additive>),
}

/// Decisions, and notes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ReviewCommand {
    /// Decide about the selected clip, as it is compressed now; who rejects it is asked why.
    Judge(DecisionKind),
    /// Why the clip is rejected, while that is typed; nothing leaves it undecided.
    SetReason(Option<String>),
    /// Reject the clip, for the reason that was typed.
    Reject,
    /// Approves what passes with the active recipe.
    ApprovePassing,
    /// Approves what passes with any recipe, with the one that makes it smallest.
    ApproveSmallest,
    /// The picked clips are undecided again.
    DecideLater,
    /// Asks who decides, or asks no longer.
    AskAuthor(Option<AuthorSheet>),
    /// Who decides from now on.
    SetAuthor(String),
    /// Set the note of the selected clip.
    WriteNote(String),
    /// Bring the field for what there is to say.
    AskNote,
    /// Bring the field for what there is to say about the moment.
    AskMomentNote,
    /// The field for it has the focus, or that for a note about a moment.
    NoteFocused,
    /// Say something about the playhead's moment and the selected joint.
    AddNote(String),
    /// Change what is said about a moment of the clip; nothing removes it.
    ChangeNote(usize, String),
    /// The moment and the joint of a note.
    ShowNote(usize),
}

/// Recipes compared on many clips.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum BudgetCommand {
    /// Compare by something else, give another budget, pick another point.
    SetBudget(Budgeting),
    /// Look what recipes come to.
    Study,
    /// Give up what is being studied and shared out.
    StopStudy,
    /// Share the budget out.
    FitBudget,
    /// The recipe's tolerance counts again for all clips of the active slot.
    ForgetTolerances,
    /// Bring the table of clips and recipes.
    ShowTable,
}
