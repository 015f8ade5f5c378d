use crate::files::{NativePicker, Picker, USUAL_INTERVAL};
use crate::persist;
use posepress_core::import::ImportOptions;
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
    /// Interval between checks of open files.
    pub watch_every: Duration,
    /// True to show times measured on this machine. Pictures for comparison leave them out.
    pub timings: bool,
    /// Threads that compress and measure; `None` for the number in the environment, else one per core.
    pub threads: Option<usize>,
    /// Name of the reviewer. If `None`, the saved name; without one it is asked for at the first decision.
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
