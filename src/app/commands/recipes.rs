//! Recipes, comparison, marks, review and budget.

use crate::state::{AuthorSheet, Budgeting, RecipeEdit};
use posepress_core::codecs::Codec;
use posepress_core::model::{Additive, ClipId};
use posepress_core::pipeline::TierSettings;
use posepress_core::project::{Alignment, DecisionKind, RecipePlace};
use posepress_core::recipe::Recipe;
use posepress_core::report::{Remedy, Screen};
use posepress_core::workspace::{CommonFix, Reference};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// Recipes and compression.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum RecipeCommand {
    /// Change a recipe during a drag, as a preview until `Settle`.
    PreviewRecipe(RecipeEdit),
    /// Change a recipe in one undo step.
    EditRecipe(RecipeEdit),
    /// Use another codec in the active recipe.
    UseCodec(&'static dyn Codec),
    /// Change the screen for errors in pixels, as a preview until `Settle`.
    SetScreen(Screen),
    /// Change which tiers containers have, as a preview until `Settle`.
    SetTiers(TierSettings),
    /// End a preview: it becomes one undo step.
    Settle,
    /// Drop a preview: the drag was cancelled.
    CancelDrag,
    /// Names of recipes, and recipes of clips.
    Naming(Naming),
    /// Replace the active recipe. The text is the undo label.
    TakeRecipe(String, Arc<Recipe>),
    /// Apply a proposed remedy to the active recipe.
    Accept(Box<Remedy>),
    /// Apply a proposed remedy to the selected clip alone.
    AcceptForClip(Box<Remedy>),
    /// Change the selected clip's own tolerance, metres, as a preview until `Settle`.
    PreviewTolerance(f32),
    /// Change the selected clip's own tolerance in one undo step. `None` restores the recipe's.
    SetTolerance(Option<f32>),
    /// Open or close the sheet of fixes for all clips.
    AskCommonFixes(bool),
    /// Apply a fix to all clips that need it.
    FixAll(CommonFix),
    /// Compress all clips with a recipe that is not the active one.
    CompressAll(usize),
    /// Turn tiers of containers on or off.
    ToggleTiers,
    /// Make another recipe the active one.
    ActivateSlot(usize),
    /// Move the recipe of a slot to another slot.
    MoveRecipe {
        /// Its slot.
        from: usize,
        /// The slot that it gets.
        to: usize,
    },
    /// Cancel the compression that runs.
    StopJob,
    /// Resume the compression that was cancelled.
    ResumeJob,
    /// Copy the active recipe to the clipboard.
    CopyRecipe,
    /// Ask for a recipe file.
    OpenRecipe,
    /// Ask where to write the active recipe.
    SaveRecipe,
}

/// Named recipes in the active slot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Naming {
    /// Save the active recipe under this name and assign it to the picked clips.
    Keep(String),
    /// Rename a recipe: old and new name.
    Rename(String, String),
    /// Name a slot; without a name it is called by its recipe.
    Slot(usize, Option<String>),
    /// Remove a recipe. Its clips use the recipe of the slot again.
    Remove(String),
    /// Assign the recipe of the second name to clips that match the first text, a pattern.
    Pattern(String, String),
    /// Remove the assignment of this pattern.
    DropPattern(String),
    /// Assign a recipe to the picked clips.
    Assign(RecipePlace),
    /// Assign a recipe to this clip.
    Give(ClipId, RecipePlace),
    /// Assign to each clip its smallest recipe that passes.
    GiveSmallest,
}

/// The reference, and external files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CompareCommand {
    /// Choose the reference of the comparison: the original or something else.
    CompareTo(Reference),
    /// Align the external file in time, as a preview during a drag.
    Align(Alignment),
    /// Swap left and right.
    SwapSides,
    /// Ask for an external file.
    AskCompare,
    /// Open this external file beside the recipes.
    CompareWith(PathBuf),
    /// Show the external file.
    ShowExternal,
    /// Move the external file in time by samples.
    ShiftExternal(f64),
    /// Close the external file.
    StopComparing,
}

/// Marks of clips.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum MarkCommand {
    /// Change the contacts of a joint of the selected clip, as a preview during a drag: joint, start and end of each
    /// contact in seconds.
    PreviewContacts(String, Vec<[f32; 2]>),
    /// Change the contacts of a joint of the selected clip in one undo step: undo label, joint, contacts. `None`
    /// restores the detected ones.
    EditContacts(String, String, Option<Vec<[f32; 2]>>),
    /// Mark the selected clip as looping or not; `None` restores the detected state.
    MarkLoop(Option<bool>),
    /// Mark the selected clip as additive or not; `None` restores the file's mark.
    MarkAdditive(Option<Additive>),
    /// The same for any clip.
    MarkClipAdditive(ClipId, Option<Additive>),
}

/// Decisions, and notes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ReviewCommand {
    /// Decide about the picked clips as they are compressed now. A rejection first asks for a reason.
    Judge(DecisionKind),
    /// Change the reason of a rejection while it is typed; `None` cancels the rejection.
    SetReason(Option<String>),
    /// Reject the picked clips with the typed reason.
    Reject,
    /// Approve undecided clips that pass with the active recipe.
    ApprovePassing,
    /// Approve undecided clips, each with its smallest recipe that passes.
    ApproveSmallest,
    /// Open or close the sheet that approves again.
    AskApproveAgain(bool),
    /// Approve again the clips whose approval does not hold any more and that still pass.
    ApproveAgain,
    /// Remove the decisions about the picked clips.
    DecideLater,
    /// Open or close the sheet that asks for the reviewer's name.
    AskAuthor(Option<AuthorSheet>),
    /// Set the reviewer's name.
    SetAuthor(String),
    /// Set the note of the selected clip.
    WriteNote(String),
    /// Show the field for the clip's note and give it the focus.
    AskNote,
    /// Show the field for a note about the frame and give it the focus.
    AskMomentNote,
    /// Confirm that a note field has the focus.
    NoteFocused,
    /// Add a note about the frame at the playhead and the selected joint.
    AddNote(String),
    /// Change a note about a frame of the clip; an empty text removes it.
    ChangeNote(usize, String),
    /// Go to the frame and the joint of a note.
    ShowNote(usize),
}

/// Recipes compared on many clips.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum BudgetCommand {
    /// Set the settings of the Budget tab.
    SetBudget(Budgeting),
    /// Measure sizes and errors of recipes on the clips in scope.
    Study,
    /// Cancel the study and the budget fit.
    StopStudy,
    /// Fit the clips into the budget.
    FitBudget,
    /// Use the recipe's tolerance again for all clips of the active slot.
    ForgetTolerances,
    /// Show the table of clips and recipes.
    ShowTable,
}
