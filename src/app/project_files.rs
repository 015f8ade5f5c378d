//! Projects: opened, and saved where they were opened. Whatever is not saved is kept for the next start all the same.

use super::App;
use super::files::{FileEvent, file_name};
use super::messages::Problem;
use super::path_sheet::PathPurpose;
use posepress_core::export::{ExportError, write_atomically};
use posepress_core::files::read_text;
use posepress_core::session::{FoundSource, PROJECT_EXTENSION, Project, ProjectSource, SourceFile};
use posepress_core::text;
use std::path::{Path, PathBuf};

/// The kind of file that a project is.
const TOML: &str = "toml";

/// What became of a project's file.
#[derive(Debug)]
pub enum ProjectEvent {
    /// It was read, and its files looked for: where they are, or nothing.
    Read(PathBuf, Box<Project>, Vec<Option<FoundSource>>),
    /// It was not; why, without its name.
    NotRead(PathBuf, String),
    /// It is the one that is open; what its file holds.
    Known(PathBuf, Box<Project>),
    /// It was written.
    Written(PathBuf, Box<Project>),
    /// It was not.
    NotWritten(ExportError),
}

fn read_project(path: PathBuf) -> ProjectEvent {
    let path = std::path::absolute(&path).unwrap_or(path);
    let folder = path.parent().unwrap_or(Path::new("/")).to_path_buf();
    let text = read_text(&path).map_err(|error| error.to_string());
    match text.and_then(|text| Project::from_toml(&text, &folder).map_err(|error| error.to_string())) {
        Ok(project) => {
            let found = project.sources.iter().map(|source| source.found(&folder)).collect();
            ProjectEvent::Read(path, Box::new(project), found)
        }
        Err(reason) => ProjectEvent::NotRead(path, reason),
    }
}

fn write_project(path: PathBuf, project: &Project) -> ProjectEvent {
    let path = std::path::absolute(&path).unwrap_or(path);
    let text = project.to_toml(path.parent().unwrap_or(Path::new("/")));
    match write_atomically(&path, text.as_bytes()) {
        Ok(()) => ProjectEvent::Written(path, Box::new(project.clone())),
        Err(error) => ProjectEvent::NotWritten(error),
    }
}

/// A path whose end says that it is a project; one that ends as TOML does is taken as it is.
pub fn named(path: PathBuf) -> PathBuf {
    if is_project(&path) { path } else { PathBuf::from(format!("{}.{PROJECT_EXTENSION}", path.display())) }
}

/// True for what may be a project, whatever it was called.
pub fn is_project(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(TOML))
}

impl App {
    /// Asks for a project, and opens it.
    pub(super) fn ask_project(&self) {
        let no_dialog = FileEvent::NoDialog(PathPurpose::Open, String::new());
        self.files.ask_read_one(&[TOML], no_dialog, |path| FileEvent::Picked(vec![path]));
    }

    /// Opens a project, as soon as it is read.
    pub(super) fn read_project_from(&self, path: PathBuf) {
        self.files.in_background("project", || FileEvent::Project(read_project(path)));
    }

    /// Reads what the file of the project holds that is open again after a restart.
    pub(super) fn read_open_project(&self, path: PathBuf) {
        self.files.in_background("project", || {
            FileEvent::Project(match read_project(path) {
                ProjectEvent::Read(path, project, _) => ProjectEvent::Known(path, project),
                other => other,
            })
        });
    }

    /// Saves where the project is, or asks.
    pub(super) fn save_project(&mut self) {
        match self.view.project.clone() {
            Some(path) => self.save_project_to(path),
            None => self.save_project_as(),
        }
    }

    /// Saves there.
    pub(super) fn save_project_to(&mut self, path: PathBuf) {
        let project = self.project();
        self.files.in_background("project", move || FileEvent::Project(write_project(named(path), &project)));
    }

    /// Asks where to save.
    pub(super) fn save_project_as(&self) {
        let known = self.view.project.as_deref().map(file_name);
        let source = self.workspace.library().sources().iter().find_map(|source| source.path.as_ref());
        let of_file = source.and_then(|path| Some(path.file_stem()?.to_string_lossy().into_owned()));
        let name = known.unwrap_or_else(|| format!("{}.{PROJECT_EXTENSION}", of_file.as_deref().unwrap_or("clips")));
        let (project, no_dialog) = (self.project(), FileEvent::NoDialog(PathPurpose::SaveProject, name.clone()));
        self.files
            .ask_write((&name, TOML), no_dialog, move |path| FileEvent::Project(write_project(named(path), &project)));
    }

    /// What is open now.
    pub(super) fn project(&self) -> Project {
        let sources = self.workspace.library().sources().iter().filter_map(ProjectSource::of).collect();
        Project { sources, document: self.workspace.document_to_keep() }
    }

    /// Takes in what became of a project's file.
    pub(super) fn project_event(&mut self, event: ProjectEvent) {
        match event {
            ProjectEvent::Read(path, project, found) => self.take_project(path, *project, found),
            ProjectEvent::NotRead(path, reason) => {
                let title = format!("{} cannot be opened as a project", file_name(&path));
                self.view.messages.report(Problem::error(title, format!("{reason}\nEverything is as it was.")));
            }
            ProjectEvent::Known(path, project) => {
                if self.view.project.as_ref() == Some(&path) {
                    self.project_is(&project);
                }
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

    /// Its files and decisions in the place of what is open; undo brings decisions and recipes back.
    fn take_project(&mut self, path: PathBuf, project: Project, found: Vec<Option<FoundSource>>) {
        let Project { sources, document } = project;
        let open: Vec<u32> = self.workspace.library().sources().iter().map(|source| source.id).collect();
        open.into_iter().for_each(|source| self.workspace.close(source));
        self.workspace.edit(format!("Open {}", file_name(&path)), |own| *own = document);
        if sources.is_empty() {
            self.open_sample();
        }
        let (mut missing, mut changed, mut there) = (Vec::new(), Vec::new(), Vec::new());
        for (source, found) in sources.iter().zip(found) {
            let Some(FoundSource { path, is_same }) = found else {
                missing.push(source.path.display().to_string());
                continue;
            };
            if !is_same {
                changed.push(path.display().to_string());
            }
            self.workspace.open(SourceFile::Path(path.clone()), source.import);
            there.push(ProjectSource { path, ..source.clone() });
        }
        self.project_is(&Project { sources: there, document: self.workspace.document().clone() });
        self.view.settings.remember_project(path.clone());
        self.report_sources(&missing, &changed);
        self.view.messages.say(format!("Opened {}", file_name(&path)));
        self.view.project = Some(path);
        self.view.settings.hint_seen = true;
        self.view.selection.rig_changed();
        self.clip_changed();
    }

    /// Says which files of a project are not there, or not as they were.
    fn report_sources(&mut self, missing: &[String], changed: &[String]) {
        if !missing.is_empty() {
            let title = format!("{} of the project {} missing", text::count(missing.len(), "file"), are(missing.len()));
            let detail = format!(
                "{}\nWhat was decided about their clips is kept.\nWhat to do: put them back, or into the project's folder, and \
                 open the project again; or open them from where they are now.",
                missing.join("\n")
            );
            self.view.messages.report(Problem::error(title, detail));
        }
        if !changed.is_empty() {
            let title = format!("{} changed since the project was saved", text::count(changed.len(), "file"));
            let detail = format!(
                "{}\nDecisions about their clips do not hold any more: the review shows them as changed since.\nWhat to do: look \
                 again, or bring the older files back.",
                changed.join("\n")
            );
            self.view.messages.report(Problem::error(title, detail));
        }
    }

    /// The window's name says which project it is, and whether its file lacks something.
    pub(super) fn name_window(&mut self, ctx: &egui::Context) {
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

fn are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}
