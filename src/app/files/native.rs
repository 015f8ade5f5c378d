//! The system's own file dialogs.

use super::asks::{DialogAnswer, Picker, on_thread};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The system's own dialogs.
#[derive(Debug, Default)]
pub struct NativePicker;

impl Picker for NativePicker {
    fn open(&self, extensions: &[&str], answer: Box<dyn FnOnce(DialogAnswer<Vec<PathBuf>>) + Send>) {
        if !has_dialogs() {
            return answer(DialogAnswer::NoDialog);
        }
        // The future is made on the main thread, as macOS requires, and awaited on another.
        let dialog = rfd::AsyncFileDialog::new().add_filter("Readable files", extensions).pick_files();
        on_thread("open-dialog", move || {
            let began = Instant::now();
            let files = pollster::block_on(dialog).filter(|files| !files.is_empty());
            let paths = files.map(|files| files.into_iter().map(|f| f.path().to_path_buf()).collect());
            answer(DialogAnswer::of(paths, began.elapsed()));
        });
    }

    fn save(&self, name: &str, extension: &str, answer: Box<dyn FnOnce(DialogAnswer<PathBuf>) + Send>) {
        if !has_dialogs() {
            return answer(DialogAnswer::NoDialog);
        }
        let dialog = rfd::AsyncFileDialog::new().add_filter(extension, &[extension]).set_file_name(name).save_file();
        on_thread("save-dialog", move || {
            let began = Instant::now();
            let path = pollster::block_on(dialog).map(|file| file.path().to_path_buf());
            answer(DialogAnswer::of(path, began.elapsed()));
        });
    }
}

impl<T> DialogAnswer<T> {
    /// Native dialogs return nothing both if the user closes them and if there is none. A very fast answer means that
    /// there is none.
    fn of(answer: Option<T>, after: Duration) -> Self {
        match answer {
            Some(answer) => Self::Given(answer),
            None if after < FASTEST_PERSON => Self::NoDialog,
            None => Self::Cancelled,
        }
    }
}

/// True if the system can show dialogs. On Linux that needs a service of the session, or zenity.
fn has_dialogs() -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    let bus = std::env::var_os("XDG_RUNTIME_DIR").map(|folder| Path::new(&folder).join("bus"));
    let has_bus = std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some() || bus.is_some_and(|bus| bus.exists());
    let path = std::env::var_os("PATH").unwrap_or_default();
    has_bus || std::env::split_paths(&path).any(|folder| folder.join("zenity").is_file())
}

/// A user needs more time to close a dialog.
const FASTEST_PERSON: Duration = Duration::from_millis(250);
