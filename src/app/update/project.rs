//! Projects: opening, saving, and the question about unsaved changes.

use super::clips::clip_changed;
use super::history::{redo, undo};
use super::model::Model;
use super::pending::{
    expect_external, forget_sources, is_opening, pending_external, search_begins, search_ended, sources, take_sources,
};
use super::sample::open_sample;
use crate::commands::ProjectCommand;
use crate::files::{FileEvent, Files, Incoming, ProjectEvent, UnreadProject, write_project};
use crate::state::{Contents, Leaving, LeavingAnswer, PathPurpose, Problem, Session, TOML, View, file_name, named};
use posepress_core::project::{Document, Project, ProjectSource};
use posepress_core::workspace::Workspace;
use std::path::{Path, PathBuf};

/// Carries out commands about the project.
pub fn carry_out(model: &mut Model, ctx: &egui::Context, command: ProjectCommand) {
    let Model { workspace, view, files, .. } = model;
    match command {
        ProjectCommand::AskProject => ask_project(files),
        ProjectCommand::SaveProject => save_project(workspace, view, files),
        ProjectCommand::SaveProjectAs => save_project_as(workspace, view, files),
        ProjectCommand::LeaveProject(answer) => leave(model, ctx, answer),
        ProjectCommand::Undo => undo(workspace, view),
        ProjectCommand::Redo => redo(workspace, view),
    }
}

/// Asks for a project, and opens it.
fn ask_project(files: &Files) {
    let no_dialog = FileEvent::NoDialog(PathPurpose::Open, String::new());
    files.ask_read_one(&[TOML], no_dialog, |path| FileEvent::Picked(vec![path]));
}

/// Opens a project, as soon as it is read.
fn read_project_from(model: &mut Model, path: PathBuf) {
    let path = std::path::absolute(&path).unwrap_or(path);
    bring_in(model, Some(path), None);
}

/// Reads a project or a session and looks for its files, on another thread.
pub fn bring_in(model: &mut Model, path: Option<PathBuf>, session: Option<Session>) {
    search_begins(&mut model.view, session.as_ref().map_or(&[], |session| &session.files));
    if session.is_none() {
        model.marking.add(|opening| opening.project.clone_from(&path));
    }
    model.files.in_background("project", move || {
        let incoming = Incoming::look_for(path, session);
        FileEvent::Project(match incoming {
            Incoming { path: Some(path), in_file: Some(Err(reason)), session: None, .. } => {
                ProjectEvent::NotRead(path, reason)
            }
            incoming => ProjectEvent::Read(Box::new(incoming)),
        })
    });
}

/// Saves to the project's file, or asks for one.
fn save_project(workspace: &Workspace, view: &View, files: &Files) {
    match view.project.clone() {
        Some(path) => save_project_to(workspace, view, files, path),
        None => save_project_as(workspace, view, files),
    }
}

/// Saves to a path, on another thread.
pub fn save_project_to(workspace: &Workspace, view: &View, files: &Files, path: PathBuf) {
    let project = project(workspace, view);
    files.in_background("project", move || FileEvent::Project(write_project(named(path), &project)));
}

/// Asks where to save, and saves.
fn save_project_as(workspace: &Workspace, view: &View, files: &Files) {
    let known = view.project.as_deref().map(file_name);
    let source = workspace.library().sources().iter().find_map(|source| source.path.as_ref());
    let of_file = source.and_then(|path| Some(path.file_stem()?.to_string_lossy().into_owned()));
    let name = known.unwrap_or_else(|| file_name(&named(of_file.unwrap_or_else(|| "clips".into()).into())));
    let (project, no_dialog) = (project(workspace, view), FileEvent::NoDialog(PathPurpose::SaveProject, name.clone()));
    files.ask_write((&name, TOML), no_dialog, move |path| FileEvent::Project(write_project(named(path), &project)));
}

/// The project as it would be saved.
fn project(workspace: &Workspace, view: &View) -> Project {
    Project { sources: sources(workspace, view), document: document(workspace, view) }
}

/// The document, with an external file that is not open.
pub fn document(workspace: &Workspace, view: &View) -> Document {
    let mut document = workspace.document().clone();
    document.external = document.external.or_else(|| pending_external(view));
    document
}

/// Title of the message about a project that could not be saved.
const NOT_SAVED: &str = "The project was not saved";

/// Handles the result of reading or writing a project's file.
pub fn project_event(model: &mut Model, event: ProjectEvent) {
    match event {
        ProjectEvent::Read(incoming) => {
            search_ended(&mut model.view);
            take_project(model, *incoming);
        }
        ProjectEvent::NotRead(path, reason) => {
            search_ended(&mut model.view);
            not_a_project(&mut model.view, &path, &reason);
        }
        ProjectEvent::Written(path, project) => {
            model.view.messages.close_titled(NOT_SAVED);
            model.view.messages.say(format!("Saved {}", file_name(&path)));
            model.view.settings.remember_project(path.clone());
            model.view.project = Some(path);
            project_is(&mut model.view, &project);
            project_saved(model, true);
        }
        ProjectEvent::NotWritten(error) => {
            project_saved(model, false);
            model.view.messages.report(Problem::error(NOT_SAVED, error.to_string()));
        }
    }
}

fn not_a_project(view: &mut View, path: &Path, reason: &UnreadProject) {
    let title = format!("{} cannot be opened as a project", file_name(path));
    view.messages.report(Problem::error(title, format!("{reason}\nNothing changed.")));
}

/// Replaces what is open with a project, or restores the files of the last session. A session keeps its own document.
/// Undo restores the recipes and decisions of before. Missing files stay in the project.
fn take_project(model: &mut Model, incoming: Incoming) {
    let Incoming { path, in_file, session, sources, found } = incoming;
    let is_first = session.is_none();
    let in_file = match (in_file, &path) {
        (Some(Ok(project)), _) => Some(project),
        (Some(Err(reason)), Some(path)) => {
            not_a_project(&mut model.view, path, &reason);
            None
        }
        _ => None,
    };
    if let (true, Some(path), Some(project)) = (is_first, &path, &in_file) {
        forget_sources(&mut model.workspace, &mut model.view);
        model.workspace.edit(format!("Open {}", file_name(path)), |own| *own = project.document.clone());
        expect_external(&model.workspace, &mut model.view);
        model.view.project = Some(path.clone());
    }
    let there = take_sources(model, &sources, found);
    if is_first && sources.is_empty() {
        open_sample(model);
    }
    if let Some(reopening) = model.reopening.as_mut().filter(|_| !is_first) {
        reopening.files.clone_from(&there);
    }
    let now = |source: ProjectSource| {
        let at = sources.iter().position(|known| known.path == source.path);
        ProjectSource { path: at.map_or(source.path.clone(), |at| there[at].path.clone()), ..source }
    };
    if let Some(Project { sources, document }) = in_file {
        project_is(&mut model.view, &Project { sources: sources.into_iter().map(now).collect(), document });
    }
    model.marking.add(|opening| opening.project = None);
    let Some(path) = path.filter(|_| is_first) else { return };
    model.view.settings.remember_project(path.clone());
    model.view.messages.say(format!("Opened {}", file_name(&path)));
    model.view.settings.hint_seen = true;
    model.view.selection.rig_changed();
    clip_changed(&model.workspace, &mut model.view);
}

/// Stores the contents of the project's file.
fn project_is(view: &mut View, project: &Project) {
    view.unsaved.in_file = Some(Contents::of(project));
    view.unsaved.compared = None;
}

/// Compares the open project with its file, if anything changed since the last comparison.
pub fn compare_with_file(model: &mut Model) {
    let revision = model.workspace.revision();
    let is_known = model.view.unsaved.compared.is_some_and(|(of, _)| of == revision);
    // Files that are still being read are no change.
    if is_known || model.reopening.is_some() || is_opening(&model.workspace, &model.view) {
        return;
    }
    let in_file = model.view.unsaved.in_file.as_ref().filter(|_| model.view.project.is_some());
    let differs = in_file.is_some_and(|in_file| *in_file != Contents::of(&project(&model.workspace, &model.view)));
    model.view.unsaved.compared = Some((revision, differs));
}

/// True if the open project has changes that its file lacks.
pub fn is_unsaved(view: &View) -> bool {
    view.project.is_some() && view.unsaved.compared.is_some_and(|(_, differs)| differs)
}

/// Returns true if there are no unsaved changes. Otherwise asks about them.
pub fn may_leave(view: &mut View, leaving: Leaving) -> bool {
    if !is_unsaved(view) {
        return true;
    }
    view.unsaved.asked = Some(leaving);
    false
}

/// Carries out the answer to the question about unsaved changes.
fn leave(model: &mut Model, ctx: &egui::Context, answer: LeavingAnswer) {
    let Some(leaving) = model.view.unsaved.asked.take() else { return };
    match answer {
        LeavingAnswer::Stay => {}
        LeavingAnswer::Discard => go(model, ctx, leaving),
        LeavingAnswer::Save => {
            model.view.unsaved.then = Some(leaving);
            save_project(&model.workspace, &model.view, &model.files);
        }
    }
}

/// Continues with the step that waited for saving. After a failed save it is dropped.
fn project_saved(model: &mut Model, is_saved: bool) {
    let Some(leaving) = model.view.unsaved.then.take().filter(|_| is_saved) else { return };
    let ctx = model.files.context().clone();
    go(model, &ctx, leaving);
}

/// Closes the window, or opens another project.
fn go(model: &mut Model, ctx: &egui::Context, leaving: Leaving) {
    match leaving {
        Leaving::Quit => {
            model.view.unsaved.may_close = true;
            ctx.send_viewport_cmd(egui::ViewportCommand::Close);
        }
        Leaving::Open(path) => read_project_from(model, path),
    }
}

/// Opens a project in place of what is open. With unsaved changes, asks first.
pub fn open_project(model: &mut Model, path: PathBuf) {
    if may_leave(&mut model.view, Leaving::Open(path.clone())) {
        read_project_from(model, path);
    }
}
