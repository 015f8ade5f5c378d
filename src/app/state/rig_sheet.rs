use posepress_core::project::RigChoice;
use posepress_core::workspace::Workspace;
use serde::{Deserialize, Serialize};

/// Whose rig the clips of a file are to move, while that is being asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RigSheet {
    /// Id of the file.
    pub source: u32,
    /// The choice; `None` for the automatic one.
    pub choice: Option<RigChoice>,
    /// It goes for all open files with the same joints.
    pub with_alike: bool,
}

impl RigSheet {
    /// For a file, with what is chosen now.
    pub fn of(workspace: &Workspace, source: u32) -> Self {
        let digest = workspace.library().source(source).map(|source| source.digest.to_string());
        let choice = digest.and_then(|digest| workspace.document().rigs.get(&digest).cloned());
        Self { source, choice, with_alike: true }
    }
}
