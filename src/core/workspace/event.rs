use crate::tasks::{TaskError, WrittenFile};
use std::path::PathBuf;

/// An event that is not part of the workspace's state.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum WorkspaceEvent {
    /// A file was read and added to the library.
    Opened { source: u32 },
    /// An open file changed on the disk and was read again.
    Reread { source: u32 },
    /// An open file was read again with other options, after a choice or undo.
    ReadAs { source: u32 },
    /// The external file changed on the disk and was read again.
    RereadExternal,
    /// Clips were exported.
    Written { path: PathBuf, file: WrittenFile },
    /// Clips were fitted into a budget.
    Fitted {
        clips: usize,
        /// Size of their containers.
        bytes: usize,
        /// Their worst error as a share of the recipe's limit. At 1 it just passes.
        worst: f32,
    },
    /// A task failed: a file could not be read or written, or fixes and marks could not be applied, or a question or budget has no answer.
    /// The error of a clip that cannot be compressed is in its [`Answer`](super::Answer).
    Failed(TaskError),
}
