//! Projects: opened, and saved where they were opened. Whatever is not saved is kept for the next start all the same.

use crate::App;
use crate::files::{FileEvent, file_name};
use crate::state::PathPurpose;
use crate::state::Problem;
use crate::update::Session;
use posepress_core::export::{ExportError, write_atomically};
use posepress_core::files::read_text;
use posepress_core::session::{Document, FoundSource, PROJECT_EXTENSION, Project, ProjectSource, find_sources};
use std::path::{Path, PathBuf};

/// The kind of file that a project is.
const TOML: &str = "toml";
/// What stands before that in a project's name, and ends the name of a container.
const CONTAINER_END: &str = ".posepress";

/// What became of a project's file.
#[derive(Debug)]
pub enum ProjectEvent {
    /// A project or a session was read, and its files looked for.
    Read(Box<Incoming>),
    /// It was not; why, without its name.
    NotRead(PathBuf, String),
    /// It was written.
    Written(PathBuf, Box<Project>),
    /// It was not.
    NotWritten(ExportError),
}

/// A project, or the last session, on its way into the window. Every way in opens it by the same function: see
/// [`App::take_project`].
#[derive(Debug)]
pub struct Incoming {
    /// The project's file; a session need not have one.
    path: Option<PathBuf>,
    /// What that file holds, or why it cannot be read.
    in_file: Option<Result<Project, String>>,
    /// What the window had open when it closed; its document is there already.
    session: Option<Session>,
    /// The files that are wanted.
    sources: Vec<ProjectSource>,
    /// Where each of them is, or nothing.
    found: Vec<Option<FoundSource>>,
}

impl Incoming {
    fn look_for(path: Option<PathBuf>, session: Option<Session>) -> Self {
        let folder = path.as_deref().map(folder_of);
        let in_file = path.as_deref().map(read_project);
        let sources = match (&session, &in_file) {
            (Some(session), _) => session.files.clone(),
            (None, Some(Ok(project))) => project.sources.clone(),
            (None, _) => Vec::new(),
        };
        let found = find_sources(&sources, folder.as_deref());
        Self { path, in_file, session, sources, found }
    }
}

fn folder_of(path: &Path) -> PathBuf {
    path.parent().unwrap_or(Path::new("/")).to_path_buf()
}

fn read_project(path: &Path) -> Result<Project, String> {
    let text = read_text(path).map_err(|error| error.to_string())?;
    Project::from_toml(&text, &folder_of(path)).map_err(|error| error.to_string())
}

fn write_project(path: PathBuf, project: &Project) -> ProjectEvent {
    let path = std::path::absolute(&path).unwrap_or(path);
    let text = project.to_toml(&folder_of(&path));
    match write_atomically(&path, text.as_bytes()) {
        Ok(()) => ProjectEvent::Written(path, Box::new(project.clone())),
        Err(error) => ProjectEvent::NotWritten(error),
    }
}

/// A path whose end says that it is a project; one that ends as TOML does is taken as it is. The end is there once.
pub fn named(path: PathBuf) -> PathBuf {
    let name = file_name(&path);
    let stem = if is_project(&path) { &name[..name.len() - ".".len() - TOML.len()] } else { &name };
    let bare = stem.trim_end_matches(CONTAINER_END);
    match is_project(&path) && bare.len() == stem.len() || bare.is_empty() {
        true => path,
        false => path.with_file_name(format!("{bare}.{PROJECT_EXTENSION}")),
    }
}

/// True for what may be a project, whatever it was called.
pub fn is_project(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(TOML))
}

impl App {
    /// Asks for a project, and opens it.
    pub(crate) fn ask_project(&self) {
        let no_dialog = FileEvent::NoDialog(PathPurpose::Open, String::new());
        self.files.ask_read_one(&[TOML], no_dialog, |path| FileEvent::Picked(vec![path]));
    }

    /// Opens a project, as soon as it is read.
    pub(crate) fn read_project_from(&mut self, path: PathBuf) {
        let path = std::path::absolute(&path).unwrap_or(path);
        self.bring_in(Some(path), None);
    }

    /// Reads a project or a session and looks for its files, on another thread.
    pub(crate) fn bring_in(&mut self, path: Option<PathBuf>, session: Option<Session>) {
        self.search_begins(session.as_ref().map_or(&[], |session| &session.files));
        if session.is_none() {
            self.mark_opening(|opening| opening.project.clone_from(&path));
        }
        self.files.in_background("project", move || {
            let incoming = Incoming::look_for(path, session);
            FileEvent::Project(match (&incoming.path, &incoming.in_file, &incoming.session) {
                (Some(path), Some(Err(reason)), None) => ProjectEvent::NotRead(path.clone(), reason.clone()),
                _ => ProjectEvent::Read(Box::new(incoming)),
            })
        });
    }

    /// Saves where the project is, or asks.
    pub(crate) fn save_project(&mut self) {
        match self.view.project.clone() {
            Some(path) => self.save_project_to(path),
            None => self.save_project_as(),
        }
    }

    /// Saves there.
    pub(crate) fn save_project_to(&mut self, path: PathBuf) {
        let project = self.project();
        self.files.in_background("project", move || FileEvent::Project(write_project(named(path), &project)));
    }

    /// Asks where to save.
    pub(crate) fn save_project_as(&self) {
        let known = self.view.project.as_deref().map(file_name);
        let source = self.workspace.library().sources().iter().find_map(|source| source.path.as_ref());
        let of_file = source.and_then(|path| Some(path.file_stem()?.to_string_lossy().into_owned()));
        let name = known.unwrap_or_else(|| file_name(&named(of_file.unwrap_or_else(|| "clips".into()).into())));
        let (project, no_dialog) = (self.project(), FileEvent::NoDialog(PathPurpose::SaveProject, name.clone()));
        self.files
            .ask_write((&name, TOML), no_dialog, move |path| FileEvent::Project(write_project(named(path), &project)));
    }

    /// What is open now.
    pub(crate) fn project(&self) -> Project {
        Project { sources: self.sources(), document: self.document() }
    }

    /// All that undo takes back, and another tool's file that cannot be read.
    pub(crate) fn document(&self) -> Document {
        let mut document = self.workspace.document().clone();
        document.foreign = document.foreign.or_else(|| self.pending_foreign());
        document
    }

    /// Takes in what became of a project's file.
    pub(crate) fn project_event(&mut self, event: ProjectEvent) {
        match event {
            ProjectEvent::Read(incoming) => {
                self.search_ended();
                self.take_project(*incoming);
            }
            ProjectEvent::NotRead(path, reason) => {
                self.search_ended();
                self.not_a_project(&path, &reason);
            }
            ProjectEvent::Written(path, project) => {
                self.view.messages.say(format!("Saved {}", file_name(&path)));
                self.view.settings.remember_project(path.clone());
                self.view.project = Some(path);
                self.project_is(&project);
                self.project_saved(true);
            }
            ProjectEvent::NotWritten(error) => {
                self.project_saved(false);
                self.view.messages.report(Problem::error("The project was not saved", error.to_string()));
            }
        }
    }

    fn not_a_project(&mut self, path: &Path, reason: &str) {
        let title = format!("{} cannot be opened as a project", file_name(path));
        self.view.messages.report(Problem::error(title, format!("{reason}\nEverything is as it was.")));
    }

    /// Its files in the place of what is open, and its decisions, unless the window kept newer ones; undo brings decisions and
    /// recipes back. Files that are not there stay in the project.
    fn take_project(&mut self, incoming: Incoming) {
        let Incoming { path, in_file, session, sources, found } = incoming;
        let is_first = session.is_none();
        let in_file = match (in_file, &path) {
            (Some(Ok(project)), _) => Some(project),
            (Some(Err(reason)), Some(path)) => {
                self.not_a_project(path, &reason);
                None
            }
            _ => None,
        };
        if let (true, Some(path), Some(project)) = (is_first, &path, &in_file) {
            self.forget_sources();
            self.workspace.edit(format!("Open {}", file_name(path)), |own| *own = project.document.clone());
            self.expect_foreign();
            self.view.project = Some(path.clone());
        }
        let there = self.take_sources(&sources, found);
        if is_first && sources.is_empty() {
            self.open_sample();
        }
        if let Some(reopening) = self.reopening.as_mut().filter(|_| !is_first) {
            reopening.files.clone_from(&there);
        }
        let now = |source: ProjectSource| {
            let at = sources.iter().position(|known| known.path == source.path);
            ProjectSource { path: at.map_or(source.path.clone(), |at| there[at].path.clone()), ..source }
        };
        if let Some(Project { sources, document }) = in_file {
            self.project_is(&Project { sources: sources.into_iter().map(now).collect(), document });
        }
        self.mark_opening(|opening| opening.project = None);
        let Some(path) = path.filter(|_| is_first) else { return };
        self.view.settings.remember_project(path.clone());
        self.view.messages.say(format!("Opened {}", file_name(&path)));
        self.view.settings.hint_seen = true;
        self.view.selection.rig_changed();
        self.clip_changed();
    }

    /// The window's name says which project it is, and whether its file lacks something.
    pub(crate) fn name_window(&mut self, ctx: &egui::Context) {
        self.compare_with_file();
        let mark = if self.is_unsaved() { "\u{2022} " } else { "" };
        let name = self.view.project.as_deref().map(|path| format!("{mark}{}", file_name(path)));
        if self.view.window_named != name {
            let title = name.as_deref().map_or("Posepress".to_owned(), |name| format!("{name} \u{2013} Posepress"));
            ctx.send_viewport_cmd(egui::ViewportCommand::Title(title));
            self.view.window_named = name;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_project_ends_once_as_projects_do() {
        for (typed, named_so) in [
            ("/a/team", "/a/team.posepress.toml"),
            ("/a/team.posepress", "/a/team.posepress.toml"),
            ("/a/team.posepress.posepress", "/a/team.posepress.toml"),
            ("/a/team.posepress.toml", "/a/team.posepress.toml"),
            ("/a/team.posepress.posepress.toml", "/a/team.posepress.toml"),
            ("/a/team.posepress.TOML", "/a/team.posepress.toml"),
            ("/a/team.toml", "/a/team.toml"),
            ("/a/walk.v1.2", "/a/walk.v1.2.posepress.toml"),
            ("/a.posepress/team", "/a.posepress/team.posepress.toml"),
        ] {
            assert_eq!(named(typed.into()), PathBuf::from(named_so), "{typed}");
        }
    }
}
