use crate::files::{NativePicker, Picker, USUAL_INTERVAL};
use crate::persist;
use posepress_core::import::ImportOptions;
use posepress_core::view::SharedView;
use std::path::PathBuf;
use std::time::Duration;

/// How the window starts.
pub struct Options {
    /// Files to open; none opens the bundled sample.
    pub files: Vec<PathBuf>,
    /// Import options.
    pub import: ImportOptions,
    /// View to show when they are open.
    pub view: Option<SharedView>,
    /// Asks for files.
    pub picker: Box<dyn Picker>,
    /// Folder in which windows keep their work; without one nothing is read and nothing is kept.
    pub state_folder: Option<PathBuf>,
    /// Interval between checks of open files.
    pub watch_every: Duration,
    /// Times of this machine are shown; pictures that are compared leave them out.
    pub timings: bool,
    /// Threads that compress and measure; `None`: as the environment says, else one per core.
    pub threads: Option<usize>,
    /// Who decides; `None`: as it was answered before, else it is asked at the first decision.
    pub author: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            files: Vec::new(),
            import: ImportOptions::default(),
            view: None,
            picker: Box::new(NativePicker),
            state_folder: persist::folder(),
            watch_every: USUAL_INTERVAL,
            timings: true,
            threads: None,
            author: None,
        }
    }
}
