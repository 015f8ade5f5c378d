//! Results of dialogs and tasks.

use super::blind::keep_to_sides;
use super::clips::{clip_changed, duration_secs, keep_to_clip, select_clip};
use super::curves::keep_ghost;
use super::dispatch::dispatch;
use super::exports::written;
use super::files::open_found;
use super::film::seen_saved;
use super::find::{explain, look_at_worst_contact};
use super::framing::{follow, frame_all};
use super::lod::keep_lods;
use super::model::Model;
use super::notes::take_in_notes;
use super::path_sheets::{ask_path, take_in_listing, take_in_there};
use super::pending::{is_opening, pending_failed, pending_opened, source_found};
use super::project::project_event;
use super::recipes::recipe_event;
use super::results::{report_fault, results_removed};
use super::review::look_at_reviewed;
use super::sample::sample_fetched;
use super::session::go_on_where_it_stopped;
use super::share::show_awaited_view;
use crate::commands::{Command, CompareCommand, ExportCommand, FileCommand};
use crate::files::{FileEvent, Of};
use crate::state::{Problem, View, file_name};
use posepress_core::import::ImportError;
use posepress_core::model::ClipId;
use posepress_core::report::Totals;
use posepress_core::tasks::{TaskError, TaskFault};
use posepress_core::text;
use posepress_core::workspace::{Workspace, WorkspaceEvent};
use std::time::Duration;

/// Time for tasks in a frame, where there are no threads. A step may take longer.
const TURN: Duration = Duration::from_millis(8);

/// Dispatches the command that follows from a dialog's answer.
fn ask(model: &mut Model, command: impl Into<Command>) {
    let ctx = model.files.context().clone();
    dispatch(model, &ctx, vec![command.into()]);
}

/// True if nothing is being read, compressed, located or written.
pub fn is_settled(model: &Model) -> bool {
    model.workspace.is_settled() && !model.view.pending.is_searching() && !model.files.is_working()
}

/// Applies the results of dialogs, background work and tasks.
pub fn take_in(model: &mut Model) {
    while let Some(event) = model.files.poll() {
        take_in_file(model, event);
    }
    watch_files(model);
    model.workspace.take_turns(TURN);
    let mut opened = Vec::new();
    for event in model.workspace.poll() {
        match event {
            WorkspaceEvent::Opened { source } => {
                greet(&mut model.workspace, &mut model.view, source);
                opened.push(source);
            }
            WorkspaceEvent::Reread { source } => reread(model, source),
            WorkspaceEvent::ReadAs { source } => read_otherwise(model, source),
            WorkspaceEvent::RereadExternal => {
                model.view.messages.say("The external file changed on disk and was read again")
            }
            WorkspaceEvent::Written { path, file } => written(&model.workspace, &mut model.view, &path, &file),
            WorkspaceEvent::Fitted { clips, bytes, worst } => {
                fitted(&model.workspace, &mut model.view, (clips, bytes), worst);
            }
            WorkspaceEvent::Failed(error) => failed(&model.workspace, &mut model.view, &error),
        }
    }
    look_at_opened(&mut model.workspace, &mut model.view, &opened);
    go_on_where_it_stopped(model);
    show_awaited_view(model);
}

fn take_in_file(model: &mut Model, event: FileEvent) {
    match event {
        FileEvent::Picked(paths) => ask(model, FileCommand::Open(paths)),
        FileEvent::Compared(path) => ask(model, CompareCommand::CompareWith(path)),
        FileEvent::Located(old, path) => ask(model, FileCommand::Located(old, path)),
        FileEvent::SourceFound(source, found) => source_found(model, &source, found),
        FileEvent::Recipe(event) => {
            let wanted = recipe_event(&model.workspace, &mut model.view, event);
            wanted.into_iter().for_each(|command| ask(model, command));
        }
        FileEvent::Notes(path, read) => take_in_notes(model, &path, read),
        FileEvent::Project(event) => project_event(model, event),
        FileEvent::Target { exporter, scope, path } => ask(model, ExportCommand::ExportTo { exporter, scope, path }),
        FileEvent::SaveSeen(seen, path) => ask(model, ExportCommand::SaveSeenTo(seen, path)),
        FileEvent::SeenSaved(path, saved) => seen_saved(&mut model.view, &path, saved),
        FileEvent::NoDialog(purpose, name) => ask_path(&mut model.view, &model.files, purpose, &name),
        FileEvent::There(there, path) => take_in_there(&mut model.view, &path, there),
        FileEvent::Listed(listing) => take_in_listing(&mut model.view, listing),
        FileEvent::Found(found) => open_found(model, found),
        FileEvent::Sample(fetched) => sample_fetched(model, fetched),
        FileEvent::ResultsRemoved(swept) => results_removed(&mut model.view, swept),
    }
}

/// Says that clips were fitted into a budget. `worst` is the largest error as a share of its limit.
fn fitted(workspace: &Workspace, view: &mut View, (clips, bytes): (usize, usize), worst: f32) {
    let (clips, bytes) = (text::count(clips, "clip"), text::bytes(bytes as u64));
    let words = format!("{clips} in {bytes}; the largest error is {worst:.2} times its limit");
    match worst > 1.0 {
        true => view.messages.warn(words + &better_recipe(workspace)),
        false => view.messages.say(words),
    }
}

/// Names the slot that passes more clips; empty without one.
fn better_recipe(workspace: &Workspace) -> String {
    let words = |(slot, totals): (usize, Totals)| {
        let (clips, size) = (text::count(totals.passing(), "clip"), text::bytes(totals.file_size().bytes as u64));
        format!(". Recipe {} passes {clips} in {size}", workspace.slot_letter(slot))
    };
    workspace.better_slot().map_or(String::new(), words)
}

fn greet(workspace: &mut Workspace, view: &mut View, id: u32) {
    pending_opened(workspace, view, id);
    let Some(source) = workspace.library().source(id) else { return };
    let (path, clips) = (source.path.clone(), source.clips.len());
    let name = path.as_ref().map_or("the sample".to_owned(), |path| file_name(path));
    let mut words = match source.is_rig {
        true => {
            format!("Opened {name}, a rig of {} without animation", text::count(source.rig.skeleton.len(), "joint"))
        }
        false => format!("Opened {name}, {}", text::count(clips, "clip")),
    };
    words += &beyond_budget(workspace);
    if let Some(path) = path {
        view.messages.close_about(&path);
        let replaced = workspace.leave_sample();
        if !replaced.is_empty() {
            words += &format!(". Recipes {} were the sample's and are the defaults now", replaced.join(", "));
        }
        view.settings.hint_seen = true;
        view.settings.remember(std::path::absolute(&path).unwrap_or(path));
    }
    view.messages.say(words);
}

/// Says how many clips are not in the budget that others were fitted into; empty without one.
fn beyond_budget(workspace: &Workspace) -> String {
    match workspace.outside_budget(workspace.active_slot()) {
        0 => String::new(),
        outside => format!(". {} not in the budget: fit again in the Budget tab", text::count(outside, "clip")),
    }
}

/// Selects a clip of the first file with clips, once for files that were opened together.
fn look_at_opened(workspace: &mut Workspace, view: &mut View, sources: &[u32]) {
    let has_clips = |id: &&u32| workspace.library().source(**id).is_some_and(|s| !s.clips.is_empty());
    match sources.iter().find(has_clips) {
        Some(&source) if !view.imports.is_batch => {
            view.imports.is_batch = true;
            select_clip(workspace, view, ClipId { source, clip: 0 });
        }
        // Only files without clips were opened, and the sample may have been closed.
        None if !sources.is_empty() => clip_changed(workspace, view),
        _ => {}
    }
    view.imports.is_batch &= workspace.reading().next().is_some();
}

fn failed(workspace: &Workspace, view: &mut View, error: &TaskError) {
    let name = error.place.file.as_deref().map_or(String::new(), file_name);
    error.place.file.iter().for_each(|path| pending_failed(workspace, view, path, &error.to_string()));
    let title = match &*error.fault {
        TaskFault::Import(error) => return import_failed(view, error),
        TaskFault::Unmade { .. } => {
            format!("{name}: {} stays as the file has it", error.place.clip.as_deref().unwrap_or_default())
        }
        TaskFault::Unfixed => format!("{} was not exported", error.place.clip.as_deref().unwrap_or_default()),
        TaskFault::Stopped => return view.messages.status = format!("Writing {name} was cancelled"),
        TaskFault::Budget(_) => "The clips do not fit".into(),
        TaskFault::Export(_) => format!("{name} was not written"),
        TaskFault::Archive(_) => format!("{name} cannot be read"),
        _ if error.place.file.is_some() => format!("{name} was neither read nor written"),
        TaskFault::Compress(_) | TaskFault::NoCounterpart(_) | TaskFault::Panicked(_) | TaskFault::Ended(_) => {
            "The cause of an error was not found".into()
        }
    };
    let problem = Problem::error(title, describe(error));
    view.messages.report(match &error.place.file {
        Some(path) => problem.about(path),
        None => problem,
    });
}

fn import_failed(view: &mut View, error: &ImportError) {
    let name = file_name(&error.path);
    let mut detail = error.what.clone();
    if let Some(at) = &error.at {
        detail += &format!("\nWhere: {at}");
    }
    if let Some(advice) = &error.advice {
        detail += &format!("\nWhat to do: {advice}");
    }
    detail += "\nNothing was imported from it. Nothing else changed.";
    view.messages.close_about(&error.path);
    view.messages.report(Problem::error(format!("{name} cannot be read"), detail).about(&error.path));
}

/// Updates the view after a file changed on disk and was read again. The cameras stay, and the playhead stays within
/// the clip.
fn reread(model: &mut Model, source: u32) {
    let Some(known) = model.workspace.library().source(source) else { return };
    let name = known.path.as_deref().map_or_else(String::new, file_name);
    model.view.messages.status = format!("{name} changed on disk and was read again");
    renewed(model, source);
}

/// Updates the view after a file was read with other options. Frames the character, whose size may have changed.
fn read_otherwise(model: &mut Model, source: u32) {
    if renewed(model, source) {
        frame_all(&model.workspace, &mut model.view);
    }
}

/// Updates the view after a file was read again. Returns true if the selected clip is of this file.
fn renewed(model: &mut Model, source: u32) -> bool {
    let Model { workspace, view, watch, .. } = model;
    if let Some(path) = workspace.library().source(source).and_then(|source| source.path.as_deref()) {
        view.messages.close_about(path);
    }
    // It may refer to other files now.
    watch.look_again();
    let is_seen = workspace.selected().is_some_and(|clip| clip.source == source);
    if is_seen {
        keep_to_clip(workspace, view);
        clip_changed(workspace, view);
    }
    is_seen
}

/// Watches the open files, and reads changed ones again.
fn watch_files(model: &mut Model) {
    let Model { workspace, view, watch, .. } = model;
    let is_on = view.settings.watch;
    watch.keep_to(is_on.then_some(&*workspace));
    watch.changes().into_iter().filter(|_| is_on).for_each(|changed| match changed {
        Of::Source(source) => workspace.reread(source),
        Of::External => workspace.reread_external(),
    });
}

/// Message of an error. Errors of compression get the clip's name; others contain their place.
fn describe(error: &TaskError) -> String {
    match (&*error.fault, &error.place.clip) {
        (TaskFault::Compress(_) | TaskFault::Panicked(_) | TaskFault::Ended(_), Some(clip)) => {
            format!("clip '{clip}': {error}")
        }
        _ => error.to_string(),
    }
}

/// Updates what depends on the selection and its results, and moves the playhead by real time.
pub fn advance(model: &mut Model, elapsed_secs: f32) {
    let Model { workspace, view, .. } = model;
    keep_to_clip(workspace, view);
    keep_to_sides(workspace, view);
    if model.first_look {
        model.first_look = !look_at_worst_contact(workspace, view);
    }
    look_at_reviewed(workspace, view);
    keep_ghost(workspace, view);
    report_fault(workspace, view);
    explain(workspace, view);
    keep_lods(workspace, view);
    view.transport.advance(elapsed_secs, duration_secs(workspace));
    follow(workspace, view);
}

/// Updates the mark of files that are being opened. Returns true if it was set.
pub fn keep_mark(model: &mut Model) -> bool {
    let Model { workspace, view, marking, .. } = model;
    if !marking.is_set() {
        return false;
    }
    if is_opening(workspace, view) {
        let reading = || workspace.reading().map(ToOwned::to_owned).collect();
        marking.goes_on(|| (!view.pending.is_searching()).then(reading));
        return true;
    }
    let slot = workspace.active_slot();
    let is_known = |clip| workspace.library().is_rig(clip) || workspace.answer(clip, slot).is_some();
    marking.was_drawn(workspace.selected().is_none_or(is_known));
    true
}
