use serde::{Deserialize, Serialize};

/// The user's choice of the rig for a file's clips.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RigChoice {
    /// The file's own rig.
    Own,
    /// The rig of the open file with this digest.
    Of(String),
}
