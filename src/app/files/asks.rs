//! Asks which files are meant: native dialogs answer on threads of their own, and so do folders, so that the frame waits for
//! nobody.

use super::film::FilmError;
use super::folder::list;
use super::projects::ProjectEvent;
use super::recipes::RecipeEvent;
use crate::state::{Listing, PathPurpose, Seen, comparable_extensions};
use posepress_core::import::{FolderContents, find_files, readable_extensions};
use posepress_core::project::{FoundSource, ProjectSource};
use posepress_core::workspace::ExportScope;
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// The answer of a dialog.
#[derive(Debug)]
pub enum FileEvent {
    /// The user picked these.
    Picked(Vec<PathBuf>),
    /// The user picked what another tool made.
    Compared(PathBuf),
    /// A recipe's file was read or written.
    Recipe(RecipeEvent),
    /// A project's file was read or written.
    Project(ProjectEvent),
    /// The user said where a file of the project is now: where it was, and where it is.
    Located(PathBuf, PathBuf),
    /// A file of the project was looked for again.
    SourceFound(Box<ProjectSource>, Option<FoundSource>),
    /// The user said where to export to.
    Target {
        /// Format.
        exporter: &'static str,
        /// The clips.
        scope: ExportScope,
        /// The file.
        path: PathBuf,
    },
    /// The user said where what is seen is to be saved.
    SaveSeen(Seen, PathBuf),
    /// It was saved, in so many bytes, or not.
    SeenSaved(PathBuf, Result<u64, FilmError>),
    /// The system has no dialog: the window asks itself, and proposes this name.
    NoDialog(PathPurpose, String),
    /// Contents of the file that would be replaced.
    There(Option<String>, PathBuf),
    /// Contents of a folder.
    Listed(Listing),
    /// Files found in opened folders, with errors of unreadable folders.
    Found(FolderContents),
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

impl<T> DialogAnswer<T> {
    /// Native dialogs return nothing both when they are closed and when there is none. A user does not close one that fast.
    fn of(answer: Option<T>, after: Duration) -> Self {
        match answer {
            Some(answer) => Self::Given(answer),
            None if after < FASTEST_PERSON => Self::NoDialog,
            None => Self::Cancelled,
        }
    }
}

/// Dialogs of Linux are drawn by a service of the session or by zenity; without both none will ever come.
fn has_dialogs() -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    let bus = std::env::var_os("XDG_RUNTIME_DIR").map(|folder| Path::new(&folder).join("bus"));
    let has_bus = std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some() || bus.is_some_and(|bus| bus.exists());
    let path = std::env::var_os("PATH").unwrap_or_default();
    has_bus || std::env::split_paths(&path).any(|folder| folder.join("zenity").is_file())
}

/// No dialog is drawn, read and closed in less.
const FASTEST_PERSON: Duration = Duration::from_millis(250);

/// Asks the user for files. Tests put their own in place of the native dialog.
pub trait Picker {
    /// Asks which files to open and answers when the user has chosen.
    fn open(&self, extensions: &[&str], answer: Box<dyn FnOnce(DialogAnswer<Vec<PathBuf>>) + Send>);
    /// Asks where to save and answers when the user has chosen.
    fn save(&self, name: &str, extension: &str, answer: Box<dyn FnOnce(DialogAnswer<PathBuf>) + Send>);
}

/// The system's own dialogs.
#[derive(Debug, Default)]
pub struct NativePicker;

impl Picker for NativePicker {
    fn open(&self, extensions: &[&str], answer: Box<dyn FnOnce(DialogAnswer<Vec<PathBuf>>) + Send>) {
        if !has_dialogs() {
            return answer(DialogAnswer::NoDialog);
        }
        // The future is made on the main thread, as macOS wants, and awaited elsewhere.
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

fn on_thread(name: &str, work: impl FnOnce() + Send + 'static) {
    if let Err(error) = std::thread::Builder::new().name(name.into()).spawn(work) {
        tracing::error!("no thread for {name}: {error}");
    }
}

/// Opens dialogs, and collects what comes back.
pub struct Files {
    picker: Box<dyn Picker>,
    sender: Sender<Mail>,
    events: Receiver<Mail>,
    wake: egui::Context,
    /// Dialogs that were asked for and have not answered.
    asking: Cell<usize>,
    /// Threads that were started and have not answered.
    working: Cell<usize>,
}

/// Messages from threads.
#[derive(Debug)]
enum Mail {
    /// Message of a background thread.
    Event(FileEvent),
    /// A dialog answered; nothing where it was closed.
    Answer(Option<FileEvent>),
}

impl Files {
    /// Wakes the window whenever there is something to [`Self::poll`].
    pub fn new(picker: Box<dyn Picker>, wake: egui::Context) -> Self {
        let (sender, events) = channel();
        Self { picker, sender, events, wake, asking: Cell::new(0), working: Cell::new(0) }
    }

    /// The window that is woken.
    pub fn context(&self) -> &egui::Context {
        &self.wake
    }

    /// The next event, if any.
    pub fn poll(&self) -> Option<FileEvent> {
        loop {
            match self.events.try_recv().ok()? {
                Mail::Event(event) => {
                    self.working.set(self.working.get().saturating_sub(1));
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

    /// A dialog was asked for: it may come, or the window asks itself.
    pub fn is_asking(&self) -> bool {
        self.asking.get() > 0
    }

    /// A thread works on a file, or has an answer that is not taken in.
    pub fn is_working(&self) -> bool {
        self.working.get() > 0
    }

    /// The dialog is there, and has the keys.
    pub fn dialog_came(&self) {
        self.asking.set(0);
    }

    /// For the end of a dialog that is asked for now.
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
        let extensions: Vec<&str> = readable_extensions().collect();
        self.ask_read(&extensions, no_dialog(PathPurpose::Open), FileEvent::Picked);
    }

    /// Asks what to compare with.
    pub fn ask_compare(&self) {
        let extensions: Vec<&str> = comparable_extensions().collect();
        self.ask_read_one(&extensions, no_dialog(PathPurpose::Compare), FileEvent::Compared);
    }

    /// Asks which files to read; `read` runs on the dialog's thread.
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

    /// As [`Self::ask_read`], of one file.
    pub fn ask_read_one(
        &self,
        extensions: &[&str],
        no_dialog: FileEvent,
        read: impl FnOnce(PathBuf) -> FileEvent + Send + 'static,
    ) {
        // There is at least one.
        self.ask_read(extensions, no_dialog, |paths| read(paths.into_iter().next().unwrap_or_default()));
    }

    /// Asks where to write; `write` runs on the dialog's thread.
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

    /// Does something to a file on a thread of its own.
    pub fn in_background(&self, name: &str, work: impl FnOnce() -> FileEvent + Send + 'static) {
        let (sender, wake) = (self.sender.clone(), self.wake.clone());
        self.working.set(self.working.get() + 1);
        on_thread(name, move || {
            let _ = sender.send(Mail::Event(work())); // the window may be gone
            wake.request_repaint();
        });
    }

    /// Asks where to export to.
    pub fn ask_export(&self, exporter: &'static str, scope: ExportScope, name: &str, extension: &str) {
        let no_dialog = FileEvent::NoDialog(PathPurpose::Export { exporter, scope }, name.to_owned());
        self.ask_write((name, extension), no_dialog, move |path| FileEvent::Target { exporter, scope, path });
    }

    /// Reads what a folder holds.
    pub fn list(&self, folder: PathBuf) {
        self.in_background("folder", move || FileEvent::Listed(list(&folder)));
    }

    /// Finds the files in these folders.
    pub fn find(&self, folders: Vec<PathBuf>) {
        self.in_background("folders", move || FileEvent::Found(find_in(&folders)));
    }
}

/// The window asks itself, with nothing typed.
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

/// Splits paths into files, and folders whose files are meant.
pub fn files_and_folders(paths: Vec<PathBuf>) -> (Vec<PathBuf>, Vec<PathBuf>) {
    paths.into_iter().partition(|path: &PathBuf| !Path::is_dir(path))
}
