//! Questions for files, and background work on files. Both run on their own threads, so that no frame waits.

use super::film::FilmError;
use super::folder::list;
use super::projects::ProjectEvent;
use super::recipes::RecipeEvent;
use crate::state::{Listing, NOTES_EXTENSION, PathPurpose, Seen, comparable_extensions};
use posepress_core::import::{FolderContents, find_files, readable_extensions};
use posepress_core::project::{FoundSource, NotesFile, ProjectSource};
use posepress_core::store::{StoreError, Swept};
use posepress_core::workspace::ExportScope;
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};

/// Result of a dialog or of background work.
#[derive(Debug)]
pub enum FileEvent {
    /// The user picked files to open.
    Picked(Vec<PathBuf>),
    /// The user picked an external file.
    Compared(PathBuf),
    /// A recipe's file was read or written.
    Recipe(RecipeEvent),
    /// A file of notes was read: its path, and its notes or the reason.
    Notes(PathBuf, Result<NotesFile, String>),
    /// A project's file was read or written.
    Project(ProjectEvent),
    /// The user picked the new path of a file of the project: old path, new path.
    Located(PathBuf, PathBuf),
    /// A single file of the project was searched for.
    SourceFound(Box<ProjectSource>, Option<FoundSource>),
    /// The user picked the file of an export.
    Target {
        /// Format.
        exporter: &'static str,
        /// The clips.
        scope: ExportScope,
        /// The file.
        path: PathBuf,
    },
    /// The user picked the file of a picture or an animation.
    SaveSeen(Seen, PathBuf),
    /// It was saved with this size in bytes, or not.
    SeenSaved(PathBuf, Result<u64, FilmError>),
    /// The system has no dialog. The window opens its own sheet and proposes this name.
    NoDialog(PathPurpose, String),
    /// Description of the file that would be replaced.
    There(Option<String>, PathBuf),
    /// Contents of a folder.
    Listed(Listing),
    /// Files found in opened folders, with errors of unreadable folders.
    Found(FolderContents),
    /// Kept results were removed from the disk.
    ResultsRemoved(Result<Swept, StoreError>),
    /// The bundled character was fetched, or not, for this reason.
    Sample(FetchedSample),
}

/// Answer of a dialog.
#[derive(Debug)]
pub enum DialogAnswer<T> {
    /// The user chose.
    Given(T),
    /// The user closed the dialog.
    Cancelled,
    /// The system has no dialog.
    NoDialog,
}

/// The bytes of the bundled character, or why they cannot be fetched.
pub type FetchedSample = Result<&'static [u8], String>;

/// Asks the user for files. Tests replace the native dialogs.
pub trait Picker {
    /// The bundled character. `None` where it must be fetched first.
    fn sample(&self) -> Option<&'static [u8]> {
        bundled()
    }
    /// Fetches the bundled character, where [`Self::sample`] has none.
    fn fetch_sample(&self, answer: Box<dyn FnOnce(FetchedSample) + Send>) {
        answer(bundled().ok_or_else(|| "This program has none.".into()));
    }
    /// Asks which files to open and answers when the user has chosen.
    fn open(&self, extensions: &[&str], answer: Box<dyn FnOnce(DialogAnswer<Vec<PathBuf>>) + Send>);
    /// Asks where to save and answers when the user has chosen.
    fn save(&self, name: &str, extension: &str, answer: Box<dyn FnOnce(DialogAnswer<PathBuf>) + Send>);
}

/// The character in the program. A page is smaller without it.
fn bundled() -> Option<&'static [u8]> {
    #[cfg(not(target_family = "wasm"))]
    return Some(include_bytes!("../assets/sample.glb"));
    #[cfg(target_family = "wasm")]
    return None;
}

pub(super) fn on_thread(name: &str, work: impl FnOnce() + Send + 'static) {
    if cfg!(target_family = "wasm") {
        return work(); // its files are in memory
    }
    if let Err(error) = std::thread::Builder::new().name(name.into()).spawn(work) {
        tracing::error!("no thread for {name}: {error}");
    }
}

/// Opens dialogs, starts background work, and collects the results.
pub struct Files {
    picker: Box<dyn Picker>,
    sender: Sender<Mail>,
    events: Receiver<Mail>,
    wake: egui::Context,
    /// Number of requested dialogs without an answer.
    asking: Cell<usize>,
    /// Number of started threads whose result was not polled.
    working: Cell<usize>,
    /// True while the bundled character is on its way.
    fetches_sample: Cell<bool>,
}

/// Messages from threads.
#[derive(Debug)]
enum Mail {
    /// Message of a background thread.
    Event(FileEvent),
    /// Answer of a dialog; `None` if it was closed.
    Answer(Option<FileEvent>),
}

impl Files {
    /// Wakes the window when there is something to [`Self::poll`].
    pub fn new(picker: Box<dyn Picker>, wake: egui::Context) -> Self {
        let (sender, events) = channel();
        Self {
            picker,
            sender,
            events,
            wake,
            asking: Cell::new(0),
            working: Cell::new(0),
            fetches_sample: Cell::new(false),
        }
    }

    /// Context of the window.
    pub fn context(&self) -> &egui::Context {
        &self.wake
    }

    /// The next event, if any.
    pub fn poll(&self) -> Option<FileEvent> {
        loop {
            match self.events.try_recv().ok()? {
                Mail::Event(event) => {
                    self.working.set(self.working.get().saturating_sub(1));
                    if matches!(event, FileEvent::Sample(_)) {
                        self.fetches_sample.set(false);
                    }
                    return Some(event);
                }
                Mail::Answer(answer) => {
                    self.asking.set(self.asking.get().saturating_sub(1));
                    if answer.is_some() {
                        return answer;
                    }
                }
            }
        }
    }

    /// True while a dialog was requested and has neither appeared nor answered.
    pub fn is_asking(&self) -> bool {
        self.asking.get() > 0
    }

    /// True while a thread works, or its result was not polled.
    pub fn is_working(&self) -> bool {
        self.working.get() > 0
    }

    /// Notes that the dialog has appeared and gets the keys.
    pub fn dialog_came(&self) {
        self.asking.set(0);
    }

    /// Callback for the answer of a dialog that is requested now.
    fn answer(&self) -> impl Fn(Option<FileEvent>) + Send + 'static {
        self.asking.set(self.asking.get() + 1);
        let (sender, wake) = (self.sender.clone(), self.wake.clone());
        move |answer| {
            let _ = sender.send(Mail::Answer(answer)); // the window may be gone
            wake.request_repaint();
        }
    }

    /// Asks which files to open.
    pub fn ask_open(&self) {
        let extensions: Vec<&str> = readable_extensions().chain([NOTES_EXTENSION]).collect();
        self.ask_read(&extensions, no_dialog(PathPurpose::Open), FileEvent::Picked);
    }

    /// Asks for an external file.
    pub fn ask_compare(&self) {
        let extensions: Vec<&str> = comparable_extensions().collect();
        self.ask_read_one(&extensions, no_dialog(PathPurpose::Compare), FileEvent::Compared);
    }

    /// Asks which files to read. `read` runs on the dialog's thread.
    fn ask_read(
        &self,
        extensions: &[&str],
        no_dialog: FileEvent,
        read: impl FnOnce(Vec<PathBuf>) -> FileEvent + Send + 'static,
    ) {
        let answer = self.answer();
        let reply = move |asked| match asked {
            DialogAnswer::Given(paths) => answer(Some(read(paths))),
            DialogAnswer::Cancelled => answer(None),
            DialogAnswer::NoDialog => answer(Some(no_dialog)),
        };
        self.picker.open(extensions, Box::new(reply));
    }

    /// Same as [`Self::ask_read`], for one file.
    pub fn ask_read_one(
        &self,
        extensions: &[&str],
        no_dialog: FileEvent,
        read: impl FnOnce(PathBuf) -> FileEvent + Send + 'static,
    ) {
        // There is at least one.
        self.ask_read(extensions, no_dialog, |paths| read(paths.into_iter().next().unwrap_or_default()));
    }

    /// Asks where to write. `write` runs on the dialog's thread.
    pub fn ask_write(
        &self,
        (name, extension): (&str, &str),
        no_dialog: FileEvent,
        write: impl FnOnce(PathBuf) -> FileEvent + Send + 'static,
    ) {
        let answer = self.answer();
        let reply = move |asked| match asked {
            DialogAnswer::Given(path) => answer(Some(write(path))),
            DialogAnswer::Cancelled => answer(None),
            DialogAnswer::NoDialog => answer(Some(no_dialog)),
        };
        self.picker.save(name, extension, Box::new(reply));
    }

    /// Runs work on its own thread.
    pub fn in_background(&self, name: &str, work: impl FnOnce() -> FileEvent + Send + 'static) {
        let (sender, wake) = (self.sender.clone(), self.wake.clone());
        self.working.set(self.working.get() + 1);
        on_thread(name, move || {
            let _ = sender.send(Mail::Event(work())); // the window may be gone
            wake.request_repaint();
        });
    }

    /// The bundled character. `None` where it must be fetched first.
    pub fn sample(&self) -> Option<&'static [u8]> {
        self.picker.sample()
    }

    /// Fetches the bundled character. False if it is on its way already.
    pub fn fetch_sample(&self) -> bool {
        if self.fetches_sample.replace(true) {
            return false;
        }
        let (sender, wake) = (self.sender.clone(), self.wake.clone());
        self.working.set(self.working.get() + 1);
        self.picker.fetch_sample(Box::new(move |fetched| {
            let _ = sender.send(Mail::Event(FileEvent::Sample(fetched))); // the window may be gone
            wake.request_repaint();
        }));
        true
    }

    /// Asks where to export to.
    pub fn ask_export(&self, exporter: &'static str, scope: ExportScope, name: &str, extension: &str) {
        let no_dialog = FileEvent::NoDialog(PathPurpose::Export { exporter, scope }, name.to_owned());
        self.ask_write((name, extension), no_dialog, move |path| FileEvent::Target { exporter, scope, path });
    }

    /// Lists a folder in the background.
    pub fn list(&self, folder: PathBuf) {
        self.in_background("folder", move || FileEvent::Listed(list(&folder)));
    }

    /// Finds the files in these folders, in the background.
    pub fn find(&self, folders: Vec<PathBuf>) {
        self.in_background("folders", move || FileEvent::Found(find_in(&folders)));
    }
}

/// The event without a dialog, with no proposed name.
fn no_dialog(purpose: PathPurpose) -> FileEvent {
    FileEvent::NoDialog(purpose, String::new())
}

/// Contents of several folders.
fn find_in(folders: &[PathBuf]) -> FolderContents {
    let mut all = FolderContents::default();
    for folder in folders {
        match find_files(folder) {
            Ok(found) => {
                all.files.extend(found.files);
                all.skipped += found.skipped;
                all.closed.extend(found.closed);
            }
            Err(error) => all.closed.push(format!("{}: {error}", folder.display())),
        }
    }
    all
}

/// Splits paths into files and folders.
pub fn files_and_folders(paths: Vec<PathBuf>) -> (Vec<PathBuf>, Vec<PathBuf>) {
    paths.into_iter().partition(|path: &PathBuf| !Path::is_dir(path))
}
