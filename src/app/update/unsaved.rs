//! Whether the file of a project has what is open, and what is asked before it is left.

use crate::App;
use crate::state::View;
use posepress_core::import::ImportOptions;
use posepress_core::session::{Document, Project, ProjectSource};
use std::path::PathBuf;

/// What is done when a project was saved, or need not be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Leaving {
    /// The window closes.
    Quit,
    /// Another project is opened in its place.
    Open(PathBuf),
}

impl Leaving {
    /// What becomes of what is not saved.
    pub const fn words(&self) -> &'static str {
        match self {
            Self::Quit => {
                "What is not saved is here again at the next start; nobody else who opens the file sees it until then."
            }
            Self::Open(_) => {
                "What is not saved makes room for the other project. 'Undo' brings recipes and decisions back."
            }
        }
    }
}

/// An answer to what is asked before a project is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeavingAnswer {
    /// Save, then go.
    Save,
    /// Go.
    Discard,
    /// Stay.
    Stay,
}

/// What the file of the open project holds, as far as that is known.
#[derive(Debug, Clone, Default)]
pub struct Unsaved {
    in_file: Option<Contents>,
    /// The workspace's revision when it was compared, and whether it differed.
    compared: Option<(u64, bool)>,
    /// Is asked before the project is left.
    pub asked: Option<Leaving>,
    /// Is done as soon as the project is saved.
    then: Option<Leaving>,
    /// The window may close once, whatever is not saved.
    may_close: bool,
}

/// Files and how they are read, and what undo takes back.
#[derive(Debug, Clone, PartialEq)]
struct Contents {
    files: Vec<(PathBuf, ImportOptions)>,
    document: Document,
}

impl Contents {
    fn of(project: &Project) -> Self {
        let file = |source: &ProjectSource| (source.path.clone(), source.import);
        Self { files: project.sources.iter().map(file).collect(), document: project.document.clone() }
    }
}

impl View {
    /// Which files belong to the project has changed.
    pub fn sources_changed(&mut self) {
        self.unsaved.compared = None;
    }
}

impl App {
    /// The file of the open project holds that.
    pub(crate) fn project_is(&mut self, project: &Project) {
        self.view.unsaved.in_file = Some(Contents::of(project));
        self.view.unsaved.compared = None;
    }

    /// Looks whether the file of the open project has what is open.
    pub(crate) fn compare_with_file(&mut self) {
        let revision = self.workspace.revision();
        let is_known = self.view.unsaved.compared.is_some_and(|(of, _)| of == revision);
        // Files that are still being read are no change.
        if is_known || self.reopening.is_some() || self.is_opening() {
            return;
        }
        let in_file = self.view.unsaved.in_file.as_ref().filter(|_| self.view.project.is_some());
        let differs = in_file.is_some_and(|in_file| *in_file != Contents::of(&self.project()));
        self.view.unsaved.compared = Some((revision, differs));
    }

    /// The file of the open project lacks something that was changed since.
    pub(crate) fn is_unsaved(&self) -> bool {
        self.view.project.is_some() && self.view.unsaved.compared.is_some_and(|(_, differs)| differs)
    }

    /// Asks before a project is left whose file lacks something; true where nothing needs to be asked.
    pub(crate) fn may_leave(&mut self, leaving: Leaving) -> bool {
        if !self.is_unsaved() {
            return true;
        }
        self.view.unsaved.asked = Some(leaving);
        false
    }

    /// The window wants to close: not before it is known what becomes of the project.
    pub(crate) fn ask_before_closing(&mut self, ctx: &egui::Context) {
        let wants_to_close = ctx.input(|input| input.viewport().close_requested());
        let may_close = wants_to_close && std::mem::take(&mut self.view.unsaved.may_close);
        if wants_to_close && !may_close && !self.may_leave(Leaving::Quit) {
            ctx.send_viewport_cmd(egui::ViewportCommand::CancelClose);
            ctx.request_repaint();
        }
    }

    /// Carries out what was answered.
    pub(crate) fn leave(&mut self, ctx: &egui::Context, answer: LeavingAnswer) {
        let Some(leaving) = self.view.unsaved.asked.take() else { return };
        match answer {
            LeavingAnswer::Stay => {}
            LeavingAnswer::Discard => self.go(ctx, leaving),
            LeavingAnswer::Save => {
                self.view.unsaved.then = Some(leaving);
                self.save_project();
            }
        }
    }

    /// The project was saved: whoever waited for that goes on. Where it was not, everything stays.
    pub(crate) fn project_saved(&mut self, is_saved: bool) {
        let Some(leaving) = self.view.unsaved.then.take().filter(|_| is_saved) else { return };
        let ctx = self.files.context().clone();
        self.go(&ctx, leaving);
    }

    fn go(&mut self, ctx: &egui::Context, leaving: Leaving) {
        match leaving {
            Leaving::Quit => {
                self.view.unsaved.may_close = true;
                ctx.send_viewport_cmd(egui::ViewportCommand::Close);
            }
            Leaving::Open(path) => self.read_project_from(path),
        }
    }

    /// Opens a project in the place of what is open, unless something is to be asked before.
    pub(crate) fn open_project(&mut self, path: PathBuf) {
        if self.may_leave(Leaving::Open(path.clone())) {
            self.read_project_from(path);
        }
    }
}
