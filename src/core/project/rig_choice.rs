use serde::{Deserialize, Serialize};

/// Whose rig the clips of a file move, where somebody has said so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RigChoice {
    /// The file's own.
    Own,
    /// That of the open file with this digest.
    Of(String),
}
