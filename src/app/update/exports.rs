//! Exports.

use super::film::{ask_save_seen, save_seen};
use super::path_sheets::ask_path;
use crate::commands::ExportCommand;
use crate::files::{Files, reveal};
use crate::state::{Filming, PathPurpose, Problem, View, file_name};
use posepress_core::export::{ExportOptions, Holds, PlayedClip};
use posepress_core::pipeline::{CONTAINER, EXPORT_FORMATS, tier_path};
use posepress_core::settings::Settings;
use posepress_core::tasks::{WrittenFile, is_container};
use posepress_core::text;
use posepress_core::workspace::{ExportScope, Workspace};
use std::path::{Path, PathBuf};

/// Carries out commands about exports.
pub fn carry_out(workspace: &mut Workspace, view: &mut View, files: &Files, command: ExportCommand) {
    match command {
        ExportCommand::ExportDialog { exporter, scope } => ask_export(workspace, files, exporter, scope),
        ExportCommand::ExportTo { exporter, scope, path } => export_to(workspace, exporter, scope, path),
        ExportCommand::AskExportPath => ask_export_path(workspace, view, files, CONTAINER, ExportScope::All),
        ExportCommand::SetExport(setting, choice) => set_export(workspace, &setting, &choice),
        ExportCommand::SaveSeen(seen) => ask_save_seen(workspace, files, seen),
        ExportCommand::SaveSeenTo(seen, path) => save_seen(workspace, view, files, seen, path),
        ExportCommand::ShowInFolder => show_in_folder(view),
        ExportCommand::CancelExport => {
            workspace.stop_writing();
            view.filming.iter().for_each(Filming::stop);
        }
    }
}

/// Shows the file that was written last in the file manager.
fn show_in_folder(view: &mut View) {
    let Some((_, path)) = view.messages.written.clone() else { return };
    if let Err(error) = reveal(&path) {
        let detail =
            format!("{error}\nThe file is {}\nWhat to do: open this folder in your file manager.", path.display());
        view.messages.report_once(Problem::error("The file manager did not start", detail));
    }
}

/// Asks for the path of an export.
fn ask_export(workspace: &Workspace, files: &Files, exporter: &'static str, scope: ExportScope) {
    let Some((name, extension)) = proposed_name(workspace, exporter, scope) else { return };
    files.ask_export(exporter, scope, &name, extension);
}

/// Asks for the path of an export, without a file dialog.
fn ask_export_path(workspace: &Workspace, view: &mut View, files: &Files, exporter: &'static str, scope: ExportScope) {
    if let Some((name, _)) = proposed_name(workspace, exporter, scope) {
        ask_path(view, files, PathPurpose::Export { exporter, scope }, &name);
    }
}

/// Sets an export option.
fn set_export(workspace: &mut Workspace, key: &str, choice: &str) {
    let Some(setting) = ExportOptions::ALL.iter().find(|setting| setting.key == key) else { return };
    workspace.edit(format!("Export: {}", setting.label), |document| {
        // A recording by another version may name another choice. Then the options stay.
        let _ = document.export.choose(key, choice);
    });
}

/// Proposed file name of an export, and its extension.
fn proposed_name(workspace: &Workspace, exporter: &str, scope: ExportScope) -> Option<(String, &'static str)> {
    let (id, library) = (workspace.selected()?, workspace.library());
    let (clip, source) = (library.clip(id)?.1, library.source(id.source)?);
    // The name of the clip's file, because the rig may be of another file.
    let file = Path::new(source.name()).file_stem()?.to_string_lossy();
    let stem = if scope == ExportScope::Clip { clip.name() } else { &file };
    let format = EXPORT_FORMATS.iter().find(|format| format.key == exporter)?;
    let extension = format.extension;
    let kind = match (format.holds, scope) {
        // Clips have the same extension and may be in the same folder.
        (Holds::Rig, _) => ".skeleton",
        // An export of all clips may be in the same folder.
        (_, ExportScope::Approved) => "-approved",
        _ => "",
    };
    let safe: String = stem.chars().map(|c| if c.is_alphanumeric() || "-_. ".contains(c) { c } else { '_' }).collect();
    Some((format!("{safe}{kind}.{extension}"), extension))
}

/// Writes clips of the selected file.
pub fn export_to(workspace: &mut Workspace, exporter: &'static str, scope: ExportScope, path: PathBuf) {
    if let Some(id) = workspace.selected() {
        workspace.export(id, scope, exporter, path);
    }
}

/// Names and sizes of the files that an export wrote.
fn written_files(workspace: &Workspace, path: &Path, bytes: usize) -> Vec<String> {
    let tiers = workspace.document().tiers.tiers();
    let tiers = tiers.iter().filter(|_| is_container(path)).map(|(name, _)| tier_path(path, name));
    let sized = |path: PathBuf| Some((path.metadata().ok()?.len(), path));
    let beside: Vec<(u64, PathBuf)> = tiers.filter_map(sized).collect();
    let own = (bytes as u64).saturating_sub(beside.iter().map(|(bytes, _)| bytes).sum());
    let named = |(bytes, path): (u64, PathBuf)| format!("{} {}", file_name(&path), text::bytes(bytes));
    std::iter::once((own, path.to_path_buf())).chain(beside).map(named).collect()
}

/// Reports the written files, missing clips, and clips over the tolerance.
pub fn written(workspace: &Workspace, view: &mut View, path: &Path, file: &WrittenFile) {
    let WrittenFile { bytes, clips, missing } = file;
    view.messages.close_about(path);
    let (name, files) = (file_name(path), written_files(workspace, path, *bytes).join(", "));
    let worst = clips.iter().max_by(|a, b| a.worst().error_m.total_cmp(&b.worst().error_m));
    let played = worst.map_or_else(String::new, |clip| format!("; in the file: {}", clip.summary()));
    view.messages.say_written(format!("Wrote {files}{played}"), path);
    if !missing.is_empty() {
        let title = format!("{name} was written without {}", text::count(missing.len(), "clip"));
        view.messages.report(Problem::error(title, missing.join("\n")).about(path));
    }
    let complaints: Vec<String> = clips.iter().filter_map(PlayedClip::complaint).collect();
    if let Some(first) = complaints.first() {
        let more = complaints.len() - 1;
        let rest = if more > 0 { format!(" So are {}.", text::count(more, "more clip")) } else { String::new() };
        let title = format!("{name} is over the tolerance");
        view.messages.report(Problem::error(title, format!("{first}.{rest}")).about(path));
    }
}
