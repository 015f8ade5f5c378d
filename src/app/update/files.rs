//! Opening and closing of files, and the use of a typed path.

use super::clips::clip_changed;
use super::compare::compare_with;
use super::exports::export_to;
use super::film::save_seen;
use super::framing::frame_all;
use super::model::Model;
use super::notes::read_notes;
use super::path_sheets::{ask_path, set_path_sheet};
use super::pending::{ask_locate, located, open_pending, pending_cancelled, remove_pending, reopen_closed};
use super::project::{open_project, save_project_to};
use super::results::{remove_results, toggle_results};
use super::sample::open_sample;
use crate::commands::FileCommand;
use crate::files::{FileEvent, describe, files_and_folders};
use crate::state::{PathAnswer, PathPurpose, Problem, Taken, View, file_name, is_notes, is_project};
use posepress_core::import::FolderContents;
use posepress_core::tasks::LoadedSource;
use posepress_core::tasks::SourceFile;
use posepress_core::text;
use posepress_core::workspace::Workspace;
use std::path::PathBuf;

/// Carries out commands about files.
pub fn carry_out(model: &mut Model, command: FileCommand) {
    let Model { workspace, view, files, .. } = model;
    match command {
        FileCommand::Open(paths) => open(model, paths),
        FileCommand::CancelLoading => {
            workspace.stop_reading();
            view.messages.status = "Reading was cancelled".into();
            pending_cancelled(workspace, view);
        }
        FileCommand::AskOpen => files.ask_open(),
        FileCommand::AskOpenPath => ask_path(view, files, PathPurpose::Open, ""),
        FileCommand::OpenSample => {
            model.sample_at_start = false;
            open_sample(model);
        }
        FileCommand::CloseFile => close_file(workspace, view),
        FileCommand::ReopenClosed => reopen_closed(model),
        FileCommand::ToggleWatch => view.settings.watch ^= true,
        FileCommand::ToggleResults => toggle_results(workspace, view),
        FileCommand::RemoveResults => remove_results(view, files),
        FileCommand::Locate(path) => ask_locate(files, &path),
        FileCommand::Located(old, path) => located(model, &old, path),
        FileCommand::OpenPending(path) => open_pending(model, &path),
        FileCommand::RemovePending(path) => remove_pending(view, &path),
        FileCommand::SetPathSheet(sheet) => set_path_sheet(view, files, sheet),
        FileCommand::TakePath { replace } => take_path(model, replace),
    }
}

/// Starts to read files, and the files in folders. A project replaces what is open; only the first one is opened. Notes are added to what is
/// open.
pub fn open(model: &mut Model, paths: Vec<PathBuf>) {
    let (projects, paths): (Vec<_>, Vec<_>) = paths.into_iter().partition(|path| is_project(path));
    projects.into_iter().take(1).for_each(|path| open_project(model, path));
    let (notes, paths): (Vec<_>, Vec<_>) = paths.into_iter().partition(|path| is_notes(path));
    notes.into_iter().for_each(|path| model.files.in_background("notes", move || read_notes(path)));
    let (files, folders) = files_and_folders(paths);
    let marked: Vec<PathBuf> = files.iter().filter_map(|path| std::path::absolute(path).ok()).collect();
    model.marking.add(|opening| opening.files.extend(marked));
    for path in files {
        model.workspace.open(SourceFile::Path(path), model.import_options);
    }
    if !folders.is_empty() {
        model.files.find(folders);
    }
}

/// Opens the files that were found in folders, and reports how many were skipped.
pub fn open_found(model: &mut Model, found: FolderContents) {
    let FolderContents { files, skipped, closed } = found;
    let count = text::count(files.len(), "file");
    model.view.messages.say(match skipped {
        0 => format!("Found {count} to open"),
        skipped => format!("Found {count} to open, skipped {skipped} of other kinds"),
    });
    if !closed.is_empty() {
        model.view.messages.report(Problem::error("Some folders cannot be listed", closed.join("\n")));
    }
    open(model, files);
}

/// Acts on the path in the sheet and closes it, or shows in it why not.
fn take_path(model: &mut Model, replace: bool) {
    let Some(sheet) = &mut model.view.sheets.path else { return };
    match sheet.take(replace) {
        Taken::Stay(answer) => {
            if let PathAnswer::Replace(path, None) = &answer {
                let path = path.clone();
                model.files.in_background("there", move || FileEvent::There(describe(&path), path));
            }
            sheet.answer = Some(answer);
        }
        Taken::Open(path) => {
            model.view.sheets.path = None;
            open(model, vec![path]);
        }
        Taken::Compare(path) => {
            model.view.sheets.path = None;
            compare_with(model, path);
        }
        Taken::Located(old, path) => {
            model.view.sheets.path = None;
            located(model, &old, path);
        }
        Taken::Write(path) => {
            let purpose = sheet.purpose.clone();
            model.view.sheets.path = None;
            match purpose {
                PathPurpose::Export { exporter, scope } => export_to(&mut model.workspace, exporter, scope, path),
                PathPurpose::SaveProject => save_project_to(&model.workspace, &model.view, &model.files, path),
                PathPurpose::SaveSeen(seen) => save_seen(&model.workspace, &mut model.view, &model.files, seen, path),
                PathPurpose::Open | PathPurpose::Compare | PathPurpose::Locate(_) => {}
            }
        }
    }
}

/// Closes the file of the selected clip. *Reopen closed file* opens it again.
fn close_file(workspace: &mut Workspace, view: &mut View) {
    let Some(id) = workspace.selected() else { return };
    let closed = workspace.library().source(id.source).and_then(LoadedSource::project_source);
    workspace.close(id.source);
    match closed {
        Some(file) => {
            view.messages.say(format!("Closed {}", file_name(&file.path)));
            view.closed_files.push(file);
        }
        None => view.messages.status.clear(),
    }
    view.selection.rig_changed();
    clip_changed(workspace, view);
    frame_all(workspace, view);
}
