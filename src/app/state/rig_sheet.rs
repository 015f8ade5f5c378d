use posepress_core::project::RigChoice;
use posepress_core::workspace::Workspace;
use serde::{Deserialize, Serialize};

/// The sheet that asks which rig the clips of a file move.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RigSheet {
    /// Id of the file.
    pub source: u32,
    /// The choice; `None` for the automatic one.
    pub choice: Option<RigChoice>,
    /// True if the choice applies to all open files with the same joints.
    pub with_alike: bool,
}

impl RigSheet {
    /// The sheet for a file, with its current choice.
    pub fn of(workspace: &Workspace, source: u32) -> Self {
        let digest = workspace.library().source(source).map(|source| source.digest.to_string());
        let choice = digest.and_then(|digest| workspace.document().rigs.get(&digest).cloned());
        Self { source, choice, with_alike: true }
    }
}
