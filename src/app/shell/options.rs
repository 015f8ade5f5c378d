#[cfg(not(target_family = "wasm"))]
use crate::files::NativePicker;
use crate::files::{Picker, USUAL_INTERVAL};
#[cfg(not(target_family = "wasm"))]
use crate::persist;
use crate::state::ResultsFolder;
use posepress_core::import::ImportOptions;
use posepress_core::tasks::Crew;
use posepress_core::view::SharedView;
use std::path::PathBuf;
use std::time::Duration;

/// How the window starts.
pub struct Options {
    /// Files to open.
    pub files: Vec<PathBuf>,
    /// Import options.
    pub import: ImportOptions,
    /// View to show when they are open.
    pub view: Option<SharedView>,
    /// File dialogs.
    pub picker: Box<dyn Picker>,
    /// Folder of saved work; `None` to read and save nothing.
    pub state_folder: Option<PathBuf>,
    /// Folder of the results that are kept on disk; `None` to keep none.
    pub results_folder: Option<ResultsFolder>,
    /// Saved work as text, of [`App::work`](super::App::work), where there is no folder.
    pub saved: Option<String>,
    /// True to work without threads, between frames.
    pub in_turns: bool,
    /// Who compresses where there are no threads. If `None`, the window does.
    pub crew: Option<Crew>,
    /// Interval between checks of open files.
    pub watch_every: Duration,
    /// True to show times measured on this machine. Pictures for comparison leave them out.
    pub timings: bool,
    /// Threads that compress and measure; `None` for the number in the environment, else one per core.
    pub threads: Option<usize>,
    /// Name of the reviewer. If `None`, the saved name; without one it is asked for at the first decision.
    pub author: Option<String>,
}

impl Options {
    /// The options of a window in a web page: without threads and folders. The page keeps the work.
    pub fn in_page(picker: Box<dyn Picker>, saved: Option<String>) -> Self {
        Self {
            files: Vec::new(),
            import: ImportOptions::default(),
            view: None,
            picker,
            state_folder: None,
            results_folder: None,
            saved,
            in_turns: true,
            crew: None,
            watch_every: USUAL_INTERVAL,
            timings: true,
            threads: None,
            author: None,
        }
    }
}

#[cfg(not(target_family = "wasm"))]
impl Default for Options {
    fn default() -> Self {
        let state_folder = persist::folder();
        Self { state_folder, in_turns: false, ..Self::in_page(Box::new(NativePicker), None) }
    }
}
