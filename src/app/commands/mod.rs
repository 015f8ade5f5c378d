//! Commands from panels and keys, as data: one enum per noun.

mod blind;
mod clips;
mod files;
mod lod;
mod recipes;
mod window;

pub use blind::BlindCommand;
pub use clips::{ClipCommand, FindCommand, JointCommand, PlayCommand};
pub use files::{ExportCommand, FileCommand, ImportCommand, ProjectCommand};
pub use lod::LodCommand;
pub use recipes::{BudgetCommand, CompareCommand, MarkCommand, Naming, RecipeCommand, ReviewCommand};
pub use window::{CameraCommand, CurveCommand, DrawCommand, ShareCommand, WindowCommand};

use crate::state::{Offer, Waiting};
use posepress_core::project::Document;
use serde::{Deserialize, Serialize};

/// A change that a panel or a key requests. It is carried out after drawing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Command {
    /// Run a named action, if its condition holds.
    Run(ActionId),
    /// Accept the offer of a message.
    TakeOffer(Offer),
    /// Opening, locating and closing of files.
    File(FileCommand),
    /// The project, undo and redo.
    Project(ProjectCommand),
    /// How files are read.
    Import(ImportCommand),
    /// Exports.
    Export(ExportCommand),
    /// Recipes and compression.
    Recipe(RecipeCommand),
    /// Platforms and their levels of detail.
    Lod(LodCommand),
    /// The reference, and external files.
    Compare(CompareCommand),
    /// Marks of clips.
    Mark(MarkCommand),
    /// Decisions, and notes.
    Review(ReviewCommand),
    /// Blind tests.
    Blind(BlindCommand),
    /// Recipes compared on many clips.
    Budget(BudgetCommand),
    /// Selection and filter of clips.
    Clip(ClipCommand),
    /// Selection and filter of joints.
    Joint(JointCommand),
    /// The playhead, and how time is shown.
    Play(PlayCommand),
    /// Navigation to errors and their causes.
    Find(FindCommand),
    /// View modes and layers.
    Draw(DrawCommand),
    /// Cameras.
    Camera(CameraCommand),
    /// Options of the curve plot.
    Curve(CurveCommand),
    /// Tabs, panels and sheets of the window.
    Window(WindowCommand),
    /// The clipboard.
    Share(ShareCommand),
}

impl Command {
    /// The same command in a form that can be serialized: recipe edits contain the resulting recipe instead of a
    /// function.
    pub fn spelled_out(self, document: &Document) -> Self {
        match self {
            Self::Recipe(RecipeCommand::PreviewRecipe(edit)) => {
                Self::Recipe(RecipeCommand::PreviewRecipe(edit.spelled_out(document)))
            }
            Self::Recipe(RecipeCommand::EditRecipe(edit)) => {
                Self::Recipe(RecipeCommand::EditRecipe(edit.spelled_out(document)))
            }
            other => other,
        }
    }
}

impl Command {
    /// True if the command does not need the results of earlier commands, so that a replay does not wait for them.
    pub fn is_gesture(&self) -> bool {
        use RecipeCommand as R;
        match self {
            Self::Recipe(recipe) => {
                matches!(recipe, R::PreviewRecipe(_) | R::EditRecipe(_) | R::SetScreen(_) | R::SetTiers(_) | R::Settle)
            }
            Self::Lod(command) => matches!(command, LodCommand::Set(_)),
            Self::Draw(_) | Self::Camera(_) | Self::Curve(_) => true,
            _ => false,
        }
    }
}

/// The id of an action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActionId(pub String);

macro_rules! from_nouns {
    ($($noun:ident($command:ident)),*) => {
        $(impl From<$command> for Command {
            fn from(command: $command) -> Self {
                Self::$noun(command)
            }
        })*
    };
}

from_nouns!(
    File(FileCommand),
    Project(ProjectCommand),
    Import(ImportCommand),
    Export(ExportCommand),
    Recipe(RecipeCommand),
    Lod(LodCommand),
    Compare(CompareCommand),
    Mark(MarkCommand),
    Review(ReviewCommand),
    Blind(BlindCommand),
    Budget(BudgetCommand),
    Clip(ClipCommand),
    Joint(JointCommand),
    Play(PlayCommand),
    Find(FindCommand),
    Draw(DrawCommand),
    Camera(CameraCommand),
    Curve(CurveCommand),
    Window(WindowCommand),
    Share(ShareCommand)
);

impl From<Waiting> for Command {
    fn from(decision: Waiting) -> Self {
        Self::Review(match decision {
            Waiting::Judge(kind) => ReviewCommand::Judge(kind),
            Waiting::Reject => ReviewCommand::Reject,
            Waiting::ApprovePassing => ReviewCommand::ApprovePassing,
            Waiting::ApproveSmallest => ReviewCommand::ApproveSmallest,
            Waiting::ApproveAgain => ReviewCommand::ApproveAgain,
            Waiting::KeepBlindTest => return Self::Blind(BlindCommand::Keep),
        })
    }
}

impl From<Offer> for Command {
    fn from(offer: Offer) -> Self {
        Self::TakeOffer(offer)
    }
}
