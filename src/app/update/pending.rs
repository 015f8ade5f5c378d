//! Files of the project that are not open: they are located, read, skipped or removed.

use super::model::Model;
use crate::files::{FileEvent, Files};
use crate::state::{PathPurpose, PendingSource, PendingState, Problem, View, file_name};
use posepress_core::import::readable_extensions;
use posepress_core::project::{ExternalFile, FoundSource, ProjectSource, find_sources};
use posepress_core::tasks::{LoadedSource, SourceFile};
use posepress_core::text;
use posepress_core::workspace::Workspace;
use std::path::{Path, PathBuf};

/// Files of a project or session, in the order of the project: open and missing ones.
pub fn sources(workspace: &Workspace, view: &View) -> Vec<ProjectSource> {
    let pending = &view.pending;
    let open = workspace.library().sources().iter().filter_map(LoadedSource::project_source);
    let absent = pending.sources.iter().map(|pending| pending.source.clone());
    let mut all: Vec<ProjectSource> = open.chain(absent.filter(|source| source.path.to_str().is_some())).collect();
    let place = |path: &Path| pending.order.iter().position(|known| known == path).unwrap_or(usize::MAX);
    all.sort_by_key(|source| place(&source.path));
    all
}

/// The project's external file, if it is not open and the document lacks it.
pub fn pending_external(view: &View) -> Option<ExternalFile> {
    view.pending.absent_external.as_ref().map(|(file, _)| file.clone())
}

/// True if files are being located or read.
pub fn is_opening(workspace: &Workspace, view: &View) -> bool {
    view.pending.is_searching() || workspace.reading().next().is_some()
}

/// Notes that a search begins, and lists its files as being located.
pub fn search_begins(view: &mut View, sources: &[ProjectSource]) {
    view.pending.searches += 1;
    sources.iter().for_each(|source| view.pending.put(source.clone(), PendingState::Searching));
}

/// Notes that a search ended.
pub fn search_ended(view: &mut View) {
    view.pending.searches = view.pending.searches.saturating_sub(1);
}

/// Stops reading, closes all files and forgets pending ones.
pub fn forget_sources(workspace: &mut Workspace, view: &mut View) {
    workspace.stop_reading();
    let open: Vec<u32> = workspace.library().sources().iter().map(|source| source.id).collect();
    open.into_iter().for_each(|source| workspace.close(source));
    view.pending.clear();
}

/// Starts to read the files that were found. Reports files that are missing or have other bytes. All stay in the
/// project. Returns the sources with their current paths.
pub fn take_sources(
    model: &mut Model,
    sources: &[ProjectSource],
    found: Vec<Option<FoundSource>>,
) -> Vec<ProjectSource> {
    let (mut missing, mut changed, mut there) = (Vec::new(), Vec::new(), Vec::new());
    let wanted: Vec<PathBuf> = found.iter().flatten().map(|found| found.path.clone()).collect();
    model.marking.add(|opening| opening.files.extend(wanted));
    for (source, found) in sources.iter().zip(found) {
        let is_left_out = |path: &Path| model.view.pending.left_out.contains(path);
        let path = match found {
            None => {
                missing.push(source.path.display().to_string());
                model.view.pending.put(source.clone(), PendingState::NotFound);
                source.path.clone()
            }
            Some(found) if is_left_out(&source.path) || is_left_out(&found.path) => {
                model.view.pending.put(source.clone(), PendingState::LeftOut);
                source.path.clone()
            }
            Some(FoundSource { path, is_same }) => {
                changed.extend((!is_same).then(|| path.display().to_string()));
                read_pending(&mut model.workspace, &mut model.view, source.clone(), path.clone());
                path
            }
        };
        there.push(ProjectSource { path, ..source.clone() });
    }
    report_sources(&mut model.view, &missing, &changed);
    there
}

fn read_pending(workspace: &mut Workspace, view: &mut View, source: ProjectSource, path: PathBuf) {
    let import = source.import;
    view.pending.put(source, PendingState::Reading(path.clone()));
    workspace.open(SourceFile::Path(path), import);
}

/// Reports missing and changed files.
fn report_sources(view: &mut View, missing: &[String], changed: &[String]) {
    let of = if view.project.is_some() { "the project" } else { "the last session" };
    if !missing.is_empty() {
        let title = format!("{} of {of} {} missing", text::count(missing.len(), "file"), are(missing.len()));
        let detail = format!(
            "{}\nThey stay in {of}, with the decisions about their clips.\nWhat to do: in the clip list, click 'Locate\u{2026}' \
             to choose the file, or 'Remove'.",
            missing.join("\n")
        );
        view.pending.missing_title = Some(title.clone());
        view.messages.report(Problem::error(title, detail));
    }
    if !changed.is_empty() {
        let title = format!("{} changed since {of} was saved", text::count(changed.len(), "file"));
        let detail = format!(
            "{}\nDecisions about their clips are out of date. Review shows these clips as changed.\nWhat to do: review them \
             again, or restore the older files.",
            changed.join("\n")
        );
        view.messages.report(Problem::error(title, detail));
    }
}

/// Removes an opened file from the pending ones. Reads it again if the project has other import options for it.
pub fn pending_opened(workspace: &mut Workspace, view: &mut View, id: u32) {
    let Some(source) = workspace.library().source(id) else { return };
    let Some(path) = source.path.clone() else { return };
    let (digest, options) = (source.digest.to_string(), source.options);
    let Some(pending) = view.pending.take_opened(&path, &digest) else { return };
    keep_missing_card(view);
    view.pending.left_out.remove(&path);
    if options != pending.source.import {
        workspace.read_as("Read as in the project", &[id], |_| pending.source.import);
    }
}

/// Closes the message about missing files when none is missing.
fn keep_missing_card(view: &mut View) {
    let pending = &mut view.pending;
    let is_missing = pending.sources.iter().any(|pending| pending.state == PendingState::NotFound);
    if let Some(title) = pending.missing_title.take_if(|_| !is_missing) {
        view.messages.close_titled(&title);
    }
}

/// Marks a file that is being read as failed.
pub fn pending_failed(workspace: &Workspace, view: &mut View, path: &Path, reason: &str) {
    let failed = || PendingState::Failed(reason.to_owned());
    let is_it = |state: &PendingState| matches!(state, PendingState::Reading(at) if at == path);
    let pending = &mut view.pending;
    pending.sources.iter_mut().filter(|p| is_it(&p.state)).for_each(|p| p.state = failed());
    if workspace.document().external.is_none()
        && let Some(file) = pending.named_external.take_if(|file| file.path == path)
    {
        pending.absent_external = Some((file, failed()));
    }
}

/// Marks files that are being read as cancelled.
pub fn pending_cancelled(workspace: &Workspace, view: &mut View) {
    let pending = &mut view.pending;
    let reading = pending.sources.iter_mut().filter(|p| matches!(p.state, PendingState::Reading(_)));
    reading.for_each(|pending| pending.state = PendingState::Cancelled);
    if workspace.document().external.is_none()
        && let Some(file) = pending.named_external.take()
    {
        pending.absent_external = Some((file, PendingState::Cancelled));
    }
}

/// Notes the external file of the document, before it is read.
pub fn expect_external(workspace: &Workspace, view: &mut View) {
    view.pending.named_external = workspace.document().external.clone();
    view.pending.absent_external = None;
}

/// Skips these files until the user opens them: the last start ended while opening them.
pub fn leave_out(view: &mut View, files: &[PathBuf]) {
    view.pending.left_out.extend(files.iter().cloned());
}

/// Notes that the external file was skipped.
pub fn leave_out_external(view: &mut View, file: ExternalFile) {
    view.pending.absent_external = Some((file, PendingState::LeftOut));
}

/// Opens the skipped files.
pub fn open_left_out(model: &mut Model) {
    let left_out = |pending: &&PendingSource| pending.state == PendingState::LeftOut;
    let paths: Vec<PathBuf> =
        model.view.pending.sources.iter().filter(left_out).map(|p| p.source.path.clone()).collect();
    model.view.pending.left_out.clear();
    paths.into_iter().for_each(|path| open_pending(model, &path));
    if let Some((file, _)) = model.view.pending.absent_external.take_if(|(_, state)| *state == PendingState::LeftOut) {
        open_external(model, file);
    }
}

/// Tries again to open a file of the project, from its path or below the project's folder.
pub fn open_pending(model: &mut Model, path: &Path) {
    if let Some((file, _)) = model.view.pending.absent_external.take_if(|(file, _)| file.path == path) {
        return open_external(model, file);
    }
    let Some(state) = model.view.pending.state_of(path) else { return };
    *state = PendingState::Searching;
    let Some(source) = model.view.pending.at(path).map(|at| model.view.pending.sources[at].source.clone()) else {
        return;
    };
    model.view.pending.left_out.remove(path);
    search_begins(&mut model.view, &[]);
    let folder = model.view.project.as_deref().and_then(Path::parent).map(Path::to_path_buf);
    model.files.in_background("source", move || {
        let found = find_sources(std::slice::from_ref(&source), folder.as_deref());
        FileEvent::SourceFound(Box::new(source), found.into_iter().next().flatten())
    });
}

fn open_external(model: &mut Model, file: ExternalFile) {
    model.marking.add(|opening| opening.files.push(file.path.clone()));
    model.workspace.edit(format!("Compare with {}", file_name(&file.path)), |document| document.external = Some(file));
    expect_external(&model.workspace, &mut model.view);
}

/// Asks where a file of the project is now.
pub fn ask_locate(files: &Files, path: &Path) {
    let extensions: Vec<&str> = readable_extensions().collect();
    let (old, purpose) = (path.to_path_buf(), PathPurpose::Locate(path.to_path_buf()));
    let no_dialog = FileEvent::NoDialog(purpose, String::new());
    files.ask_read_one(&extensions, no_dialog, move |path| FileEvent::Located(old, path));
}

/// Reads a file of the project from the path that the user gave.
pub fn located(model: &mut Model, old: &Path, path: PathBuf) {
    if let Some((file, _)) = model.view.pending.absent_external.take_if(|(file, _)| file.path == old) {
        return open_external(model, ExternalFile { path, ..file });
    }
    let Some(at) = model.view.pending.at(old) else { return };
    let source = model.view.pending.sources[at].source.clone();
    let path = std::path::absolute(&path).unwrap_or(path);
    search_begins(&mut model.view, &[]);
    model.files.in_background("source", move || {
        let there = ProjectSource { path, ..source.clone() };
        let found = find_sources(&[there], None).into_iter().next().flatten();
        FileEvent::SourceFound(Box::new(source), found)
    });
}

/// Takes the result of the search for a single file.
pub fn source_found(model: &mut Model, source: &ProjectSource, found: Option<FoundSource>) {
    search_ended(&mut model.view);
    // It may have been removed meanwhile.
    if model.view.pending.at(&source.path).is_some() {
        take_sources(model, std::slice::from_ref(source), vec![found]);
    }
}

/// Removes a file that is not open from the project. *Reopen closed file* restores it, unless it is the external file.
pub fn remove_pending(view: &mut View, path: &Path) {
    if view.pending.absent_external.take_if(|(file, _)| file.path == path).is_some() {
        view.messages.say(format!("Removed {}", file_name(path)));
    } else if let Some(at) = view.pending.at(path) {
        let removed = view.pending.sources.remove(at);
        view.messages.say(format!("Removed {}", file_name(path)));
        view.closed_files.push(removed.source);
    }
    keep_missing_card(view);
    view.sources_changed();
}

/// Opens the file that was closed or removed last.
pub fn reopen_closed(model: &mut Model) {
    if let Some(source) = model.view.closed_files.pop() {
        let path = source.path.clone();
        model.view.pending.put(source, PendingState::Searching);
        open_pending(model, &path);
    }
}

fn are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}
