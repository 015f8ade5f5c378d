//! Asks which files are meant: native dialogs answer on threads of their own, so that the frame waits for nobody.

use super::commands::Command;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};

/// What a dialog answered.
#[derive(Debug)]
pub enum FileEvent {
    /// The user picked these.
    Picked(Vec<PathBuf>),
    /// The user said where to export to.
    Target {
        /// Format.
        exporter: &'static str,
        /// The selected clip only, or all.
        selected_only: bool,
        /// The file.
        path: PathBuf,
    },
}

/// Asks the user for files. Tests put their own in place of the native dialog.
pub trait Picker {
    /// Asks which files to open and answers when the user has chosen.
    fn open(&self, extensions: &[&str], answer: Box<dyn FnOnce(Vec<PathBuf>) + Send>);
    /// Asks where to save and answers when the user has chosen.
    fn save(&self, name: &str, extension: &str, answer: Box<dyn FnOnce(PathBuf) + Send>);
}

/// The system's own dialogs.
#[derive(Debug, Default)]
pub struct NativePicker;

impl Picker for NativePicker {
    fn open(&self, extensions: &[&str], answer: Box<dyn FnOnce(Vec<PathBuf>) + Send>) {
        // The future is made on the main thread, as macOS wants, and awaited elsewhere.
        let dialog = rfd::AsyncFileDialog::new().add_filter("Rigs and clips", extensions).pick_files();
        on_thread("open-dialog", move || {
            let files = pollster::block_on(dialog).unwrap_or_default();
            answer(files.into_iter().map(|f| f.path().to_path_buf()).collect());
        });
    }

    fn save(&self, name: &str, extension: &str, answer: Box<dyn FnOnce(PathBuf) + Send>) {
        let dialog = rfd::AsyncFileDialog::new().add_filter(extension, &[extension]).set_file_name(name).save_file();
        on_thread("save-dialog", move || {
            if let Some(file) = pollster::block_on(dialog) {
                answer(file.path().to_path_buf());
            }
        });
    }
}

fn on_thread(name: &str, work: impl FnOnce() + Send + 'static) {
    if let Err(error) = std::thread::Builder::new().name(name.into()).spawn(work) {
        tracing::error!("no thread for {name}: {error}");
    }
}

/// Opens dialogs, and collects what comes back.
pub struct Files {
    picker: Box<dyn Picker>,
    sender: Sender<FileEvent>,
    events: Receiver<FileEvent>,
    wake: egui::Context,
}

impl Files {
    /// Wakes the window whenever there is something to [`Self::poll`].
    pub fn new(picker: Box<dyn Picker>, wake: egui::Context) -> Self {
        let (sender, events) = channel();
        Self { picker, sender, events, wake }
    }

    /// The next event, if any.
    pub fn poll(&self) -> Option<FileEvent> {
        self.events.try_recv().ok()
    }

    fn answer(&self) -> impl Fn(FileEvent) + Send + 'static {
        let (sender, wake) = (self.sender.clone(), self.wake.clone());
        move |event| {
            let _ = sender.send(event); // the window may be gone
            wake.request_repaint();
        }
    }

    /// Asks which files to open.
    pub fn ask_open(&self) {
        let extensions: Vec<&str> =
            posepress_core::import::IMPORTERS.iter().flat_map(|i| i.extensions()).copied().collect();
        let answer = self.answer();
        self.picker.open(&extensions, Box::new(move |paths| answer(FileEvent::Picked(paths))));
    }

    /// Asks where to export to.
    pub fn ask_export(&self, exporter: &'static str, selected_only: bool, name: &str, extension: &str) {
        let answer = self.answer();
        let reply = move |path| answer(FileEvent::Target { exporter, selected_only, path });
        self.picker.save(name, extension, Box::new(reply));
    }
}

/// Files dropped on the window, as a command.
pub fn dropped(ctx: &egui::Context) -> Option<Command> {
    let paths: Vec<PathBuf> = ctx.input(|i| i.raw.dropped_files.iter().map(|f| f.path().to_path_buf()).collect());
    (!paths.is_empty()).then_some(Command::Open(paths))
}
