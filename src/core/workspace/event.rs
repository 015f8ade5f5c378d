use crate::export::PlayedClip;
use crate::tasks::TaskError;
use std::path::PathBuf;

/// Something that happened of which nothing else in the workspace tells.
#[derive(Debug)]
pub enum WorkspaceEvent {
    /// A file was read and is in the library.
    Opened {
        /// Its id.
        source: u32,
    },
    /// An open file has changed on the disk, and was read again.
    Reread {
        /// Its id.
        source: u32,
    },
    /// An open file is read otherwise now, as somebody said or took back.
    ReadAs {
        /// Its id.
        source: u32,
    },
    /// Another tool's file, which stands beside the recipes, has changed on the disk, and was read again.
    RereadForeign,
    /// Clips were written.
    Written {
        /// The file.
        path: PathBuf,
        /// Its length.
        bytes: usize,
        /// How far each clip is off as the file plays; empty where nothing was measured.
        clips: Vec<PlayedClip>,
    },
    /// A budget was shared out.
    Fitted {
        /// Clips that share it.
        clips: usize,
        /// What they take by then.
        bytes: usize,
        /// The worst error of them as a part of what the recipe lets pass: 1 just passes.
        worst: f32,
    },
    /// A file was not read or not written, or a question not answered; a clip that cannot be compressed says so in its
    /// [`Answer`](super::Answer).
    Failed(TaskError),
}
