//! Files in and out, on threads of their own: the frame never waits for a disk.

use super::commands::Command;
use posepress_core::codecs::Progress;
use posepress_core::export::write_atomically;
use posepress_core::import::{ImportError, ImportOptions, Imported, import_bytes, import_file};
use posepress_core::model::{Clip, Rig};
use posepress_core::session::{ExportFailure, Recipe, export_clips};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

/// The bundled character.
const SAMPLE: &[u8] = include_bytes!("../../assets/sample.glb");
const SAMPLE_NAME: &str = "sample.glb";

/// What came back from a thread or a dialog.
#[derive(Debug)]
pub enum FileEvent {
    /// A file was read; `None` is the bundled sample.
    Loaded(Option<PathBuf>, ImportOptions, Box<Result<Imported, ImportError>>),
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
    /// An export ended: bytes written, or why not.
    Exported(PathBuf, Result<usize, String>),
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

/// Starts reading and writing, and collects what comes back.
pub struct Files {
    picker: Box<dyn Picker>,
    sender: Sender<FileEvent>,
    events: Receiver<FileEvent>,
    wake: egui::Context,
    /// Set for the reads that are under way when the user gives them up.
    given_up: Arc<AtomicBool>,
}

impl Files {
    /// Wakes the window whenever there is something to [`Self::poll`].
    pub fn new(picker: Box<dyn Picker>, wake: egui::Context) -> Self {
        let (sender, events) = channel();
        Self { picker, sender, events, wake, given_up: Arc::default() }
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

    /// Reads files one after the other.
    pub fn load(&self, paths: Vec<PathBuf>, options: ImportOptions) {
        let (answer, given_up) = (self.answer(), self.given_up.clone());
        on_thread("import", move || {
            for path in paths {
                let result = import_file(&path, &options);
                if given_up.load(Ordering::Relaxed) {
                    return;
                }
                answer(FileEvent::Loaded(Some(path), options, Box::new(result)));
            }
        });
    }

    /// Nothing that is being read now will be opened.
    pub fn cancel_loading(&mut self) {
        self.given_up.store(true, Ordering::Relaxed);
        self.given_up = Arc::default();
    }

    /// Reads the bundled sample.
    pub fn load_sample(&self) {
        let answer = self.answer();
        on_thread("import-sample", move || {
            let options = ImportOptions::default();
            let result = import_bytes(SAMPLE_NAME.as_ref(), SAMPLE, &options);
            answer(FileEvent::Loaded(None, options, Box::new(result)));
        });
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

    /// Compresses and writes clips of a rig.
    pub fn export(
        &self,
        rig: Arc<Rig>,
        clips: Vec<Arc<Clip>>,
        recipe: Arc<Recipe>,
        format: &'static str,
        path: PathBuf,
    ) {
        let answer = self.answer();
        on_thread("export", move || {
            let write = || -> Result<usize, ExportFailure> {
                let bytes = export_clips(&rig, &clips, &recipe, format, &Progress::new())?;
                write_atomically(&path, &bytes)?;
                Ok(bytes.len())
            };
            let result = write().map_err(|e| e.to_string());
            answer(FileEvent::Exported(path, result));
        });
    }
}

/// Files dropped on the window, as a command.
pub fn dropped(ctx: &egui::Context) -> Option<Command> {
    let paths: Vec<PathBuf> = ctx.input(|i| i.raw.dropped_files.iter().map(|f| f.path().to_path_buf()).collect());
    (!paths.is_empty()).then_some(Command::Open(paths))
}
