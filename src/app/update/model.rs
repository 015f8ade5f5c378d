//! All that commands change.

use crate::files::{Files, Watch};
use crate::persist::Marking;
use crate::state::{AwaitedView, Session, Start, View};
use posepress_core::import::ImportOptions;
use posepress_core::workspace::Workspace;

/// The window's work. Each function of this folder takes the parts of it that it reads or changes.
pub struct Model {
    /// Files, recipes, answers.
    pub workspace: Workspace,
    /// Selection, playhead, settings.
    pub view: View,
    /// Asks for paths, and works beside the window.
    pub files: Files,
    /// Looks whether open files change.
    pub watch: Watch,
    /// How files are read that a person opens.
    pub import_options: ImportOptions,
    /// The sample was just opened by itself: the playhead goes to its worst contact as soon as that is known.
    pub first_look: bool,
    /// The last session, until all of its files are open again.
    pub reopening: Option<Session>,
    /// View to show when its file is open.
    pub awaited_view: Option<AwaitedView>,
    /// Says on the disk what is being opened.
    pub marking: Marking,
}

impl Model {
    /// With nothing open yet; `wake` is called from other threads when something was found.
    pub fn new(
        start: &Start,
        files: Files,
        watch: Watch,
        marking: Marking,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        Self {
            workspace: Workspace::new(start.document.clone(), wake),
            view: View::new(start.settings.clone()),
            files,
            watch,
            import_options: start.import,
            first_look: false,
            reopening: None,
            awaited_view: None,
            marking,
        }
    }
}
