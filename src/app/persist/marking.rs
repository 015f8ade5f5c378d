//! A mark on the disk while something is opened: a start that finds it leaves out what ended the last one, and offers to try again.

use crate::App;
use crate::commands::Command;
use crate::state::Problem;
use crate::update::Session;
use posepress_core::session::{Document, ForeignFile, OpeningMark};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What is being opened.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Opening {
    /// A project, until its files are looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<PathBuf>,
    /// The bundled sample.
    pub sample: bool,
    /// Files.
    pub files: Vec<PathBuf>,
}

/// What was not opened because the last start ended with it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LeftOut {
    /// What was being opened.
    pub opening: Opening,
    /// What the window kept, where that alone ended the last start.
    pub state: Option<(Document, Session)>,
}

/// How a person wants it after all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    /// As it was.
    Whole,
    /// Without the recipes and marks that may be the cause; undo brings them back.
    Bare,
}

/// Frames that are drawn with everything before the mark goes: what opens only when it is drawn has opened by then.
const FRAMES_TO_SEE: u32 = 3;
/// The mark of many files shrinks as seldom as that.
const SHRINKS_EVERY: Duration = Duration::from_millis(500);

/// Keeps the mark.
#[derive(Debug)]
pub struct Marking {
    /// Nothing where windows keep nothing.
    mark: Option<OpeningMark>,
    /// What it says; `None` while there is none.
    written: Option<Opening>,
    written_at: Instant,
    /// Frames since nothing was being read.
    frames: u32,
}

impl Opening {
    /// What a mark says; one that cannot be read says that there was something.
    fn read(text: &str) -> Self {
        toml::from_str(text).unwrap_or_default()
    }

    fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    fn names(&self) -> Vec<String> {
        let sample = self.sample.then(|| "the bundled sample".to_owned());
        let paths = self.project.iter().chain(&self.files).map(|path| path.display().to_string());
        sample.into_iter().chain(paths).collect()
    }
}

impl LeftOut {
    /// What a start does not open by itself when the last one ended while it opened that; where nothing was being opened, what the
    /// window kept.
    pub fn of(opening: Opening, state: Option<(Document, Session)>) -> Option<Self> {
        let state = state.filter(|_| opening.is_nothing());
        // A window that opened nothing and kept nothing has nothing to leave out.
        (state.is_some() || !opening.is_nothing()).then_some(Self { opening, state })
    }

    /// True for a file or a project that is left out.
    pub fn has(&self, path: &Path) -> bool {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        self.opening.files.iter().chain(&self.opening.project).any(|left| *left == path)
    }

    /// Another tool's file that the document would read.
    pub fn take_foreign(&self, document: &mut Document) -> Option<ForeignFile> {
        document.foreign.take_if(|file| self.has(&file.path))
    }
}

impl Marking {
    /// Where the window keeps its mark, and what the last start was opening when it ended.
    pub fn begin(mark: Option<OpeningMark>) -> (Self, Option<Opening>) {
        let last = mark.as_ref().and_then(OpeningMark::read).map(|text| Opening::read(&text));
        (Self { mark, written: None, written_at: Instant::now(), frames: 0 }, last)
    }

    /// Says on the disk that this is opened, too.
    pub fn add(&mut self, change: impl FnOnce(&mut Opening)) {
        let mut opening = self.written.clone().unwrap_or_default();
        change(&mut opening);
        self.frames = 0;
        self.write(opening);
    }

    fn write(&mut self, opening: Opening) {
        let Some(mark) = &self.mark else { return };
        if self.written.as_ref() == Some(&opening) {
            return;
        }
        let text = toml::to_string(&opening).unwrap_or_default();
        if let Err(error) = mark.write(&text) {
            tracing::error!("what is being opened cannot be marked: {error}");
        }
        (self.written, self.written_at) = (Some(opening), Instant::now());
    }

    /// Everything is open, or the window closes as a person wants it.
    pub fn end(&mut self) {
        if self.written.take().is_some() {
            self.mark.iter().for_each(OpeningMark::remove);
        }
    }
}

impl App {
    /// Says on the disk what is opened, before that is read.
    pub(crate) fn mark_opening(&mut self, change: impl FnOnce(&mut Opening)) {
        self.marking.add(change);
    }

    /// What is read needs no mark any more. True while something is marked.
    pub(crate) fn keep_mark(&mut self) -> bool {
        let Some(written) = self.marking.written.clone() else { return false };
        if self.is_opening() {
            self.marking.frames = 0;
            if self.marking.written_at.elapsed() >= SHRINKS_EVERY && !self.view.pending.is_searching() {
                let reading: Vec<PathBuf> = self.workspace.reading().map(ToOwned::to_owned).collect();
                let files = written.files.into_iter().filter(|file| reading.contains(file)).collect();
                self.marking.write(Opening { files, ..written });
            }
            return true;
        }
        let slot = self.workspace.active_slot();
        let is_answered = self
            .workspace
            .selected()
            .is_none_or(|clip| self.workspace.library().is_rig(clip) || self.workspace.answer(clip, slot).is_some());
        self.marking.frames += 1;
        if self.marking.frames > FRAMES_TO_SEE && is_answered {
            self.marking.end();
        }
        true
    }

    /// Leaves out what the last start ended with, and says so.
    pub(crate) fn offer_left_out(&mut self, left: LeftOut) {
        self.leave_out(&left.opening.files);
        let names = left.opening.names();
        let (title, what) = match &left.state {
            Some(_) => (
                "The last start ended while it took in its own work",
                "recipes, marks and files of the last session".to_owned(),
            ),
            None => ("The last start ended while it was opening a file", names.join("\n")),
        };
        let detail = format!(
            "{what}\nLeft out this time; nothing is lost.\nWhat to do: try again. Where that ends the program again, this is offered \
             again."
        );
        let again = |how| Command::OpenLeftOut(Box::new(left.clone()), how);
        let mut offers = vec![("Try again".to_owned(), again(Again::Whole))];
        if left.state.is_none() && left.opening.project.is_none() {
            offers.push(("Without recipes and marks".to_owned(), again(Again::Bare)));
        }
        self.view.messages.report(Problem { title: title.to_owned(), detail, offers });
    }

    /// Opens what was left out.
    pub(crate) fn try_left_out(&mut self, LeftOut { opening, state }: LeftOut, how: Again) {
        self.view.messages.close_offers(|command| matches!(command, Command::OpenLeftOut(..)));
        if how == Again::Bare {
            self.workspace.edit("Without recipes and marks", |document| *document = Document::default());
        }
        if let Some((document, session)) = state {
            self.mark_opening(|_| {});
            self.workspace.edit("Recipes and marks of the last session", |own| *own = document);
            self.reopen(session);
        }
        self.open_left_out();
        // Those of the session or the project are pending; the others were opened by hand.
        let known = self.sources();
        let is_other = |path: &&PathBuf| known.iter().all(|source| source.path != **path);
        let others: Vec<PathBuf> = opening.files.iter().filter(is_other).cloned().collect();
        self.open(opening.project.into_iter().chain(others).collect());
        if opening.sample {
            self.open_sample();
        }
    }
}
