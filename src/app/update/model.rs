//! All that commands change.

use crate::files::{Files, Watch};
use crate::persist::Marking;
use crate::state::{AwaitedView, Session, Start, View};
use posepress_core::import::ImportOptions;
use posepress_core::workspace::Workspace;

/// The state of the window. Each function of this folder takes the parts that it reads or changes.
pub struct Model {
    /// Files, recipes, results.
    pub workspace: Workspace,
    /// Selection, playhead, settings.
    pub view: View,
    /// File dialogs and background work.
    pub files: Files,
    /// Watches open files for changes.
    pub watch: Watch,
    /// Import options for files that the user opens.
    pub import_options: ImportOptions,
    /// True after the first start opened the sample, until the playhead is at its worst contact.
    pub first_look: bool,
    /// True while the bundled character is wanted only because nothing else was opened.
    pub sample_at_start: bool,
    /// The last session, until all of its files are open again.
    pub reopening: Option<Session>,
    /// View to show when its file is open.
    pub awaited_view: Option<AwaitedView>,
    /// Marks on disk what is being opened.
    pub marking: Marking,
}

impl Model {
    /// A model with nothing open.
    pub fn new(workspace: Workspace, start: &Start, files: Files, watch: Watch, marking: Marking) -> Self {
        Self {
            workspace,
            view: View::new(start.settings.clone()),
            files,
            watch,
            import_options: start.import,
            first_look: false,
            sample_at_start: false,
            reopening: None,
            awaited_view: None,
            marking,
        }
    }
}
