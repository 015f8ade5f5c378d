use posepress_core::lod::Platform;
use serde::{Deserialize, Serialize};

/// Platforms and their levels of detail.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum LodCommand {
    /// Show the levels of a platform; the first time it gets the usual ones. `None` shows none.
    Show(Option<String>),
    /// Show the levels of the first platform, or none.
    Toggle,
    /// Change the shown platform, as a preview until `RecipeCommand::Settle`.
    Set(Box<Platform>),
    /// Rename the shown platform.
    Rename(String),
    /// Remove the shown platform.
    Remove,
    /// Let the distance of the camera choose the level on the compressed side, or not.
    ToggleCamera,
    /// Copy the shown platform to the clipboard.
    Copy,
    /// Ask where to write the shown platform.
    Save,
}
