//! Notes on frames of a clip.

use super::main_tab::show_main_tab;
use super::model::Model;
use super::pending::sources;
use super::play::seek;
use crate::files::FileEvent;
use crate::state::{MainTab, Panel, Problem, View, file_name};
use posepress_core::clock;
use posepress_core::files;
use posepress_core::project::{MergedNotes, MomentNote, NotesFile, Reviewer};
use posepress_core::text;
use posepress_core::workspace::Workspace;
use std::path::{Path, PathBuf};

/// Reads a file of notes, on another thread.
pub fn read_notes(path: PathBuf) -> FileEvent {
    let read = files::read_text(&path).map_err(|error| error.to_string());
    let notes = read.and_then(|json| NotesFile::from_json(&json).map_err(|error| error.to_string()));
    FileEvent::Notes(path, notes)
}

/// Adds the notes of a file that was read to the open clips.
pub fn take_in_notes(model: &mut Model, path: &Path, read: Result<NotesFile, String>) {
    let Model { workspace, view, .. } = model;
    let file = match read {
        Ok(file) => file,
        Err(reason) => {
            let title = format!("{} cannot be opened", file_name(path));
            return view.messages.report(Problem::error(title, reason).about(path));
        }
    };
    let MergedNotes { added, known, unplaced } = workspace.merge_notes(&file, &sources(workspace, view));
    view.messages.say(format!("{} added, {known} already there", text::count(added, "note")));
    if !unplaced.is_empty() {
        let title = format!("{} could not be added", text::count(unplaced.len(), "note"));
        let lines = unplaced.iter().map(|one| format!("{}, {}: {}", one.file, one.clip, one.note.text));
        let lines: Vec<String> = lines.collect();
        let detail = format!("No open file has that name, or several have:\n{}", lines.join("\n"));
        view.messages.report(Problem::error(title, detail).about(path));
    }
}

/// Shows the field for a note about the frame at the playhead, and requests its focus.
pub fn ask_moment_note(workspace: &Workspace, view: &mut View) {
    match view.settings.main_tab {
        MainTab::Clip => view.show_panel(Panel::Notes),
        MainTab::Review => {} // in sight there
        MainTab::Budget => show_main_tab(workspace, view, MainTab::Review),
    }
    view.review.wants_moment_note = true;
}

/// Adds a note about the frame at the playhead and the selected joint.
pub fn add_note(workspace: &mut Workspace, view: &View, text: String) {
    let (Some(id), at_secs) = (workspace.selected(), view.transport.time_secs) else { return };
    let rig = workspace.library().clip(id).map(|(rig, _)| rig);
    let joint = rig.zip(view.selection.joint).filter(|(rig, joint)| *joint < rig.skeleton.len());
    let joint = joint.map(|(rig, joint)| rig.skeleton.name(joint).to_owned());
    let author = view.settings.author.clone();
    let note = MomentNote::new(at_secs, joint, Reviewer { author, note: text, time: clock::now() });
    workspace.add_note(id, note);
}

/// Changes a note about a frame of the selected clip.
pub fn change_note(workspace: &mut Workspace, index: usize, text: &str) {
    if let Some(id) = workspace.selected() {
        workspace.change_note(id, index, text);
    }
}

/// Goes to the frame and the joint of a note.
pub fn show_note(workspace: &Workspace, view: &mut View, index: usize) {
    let Some(id) = workspace.selected() else { return };
    let Some(MomentNote { at_secs, joint, .. }) = workspace.notes(id).get(index).cloned() else { return };
    let rig = workspace.library().clip(id).map(|(rig, _)| rig.clone());
    seek(workspace, view, at_secs);
    if let Some(joint) = rig.zip(joint).and_then(|(rig, joint)| rig.skeleton.find(&joint)) {
        view.selection.joint = Some(joint);
    }
}
