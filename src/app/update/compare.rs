//! The reference, and external files.

use super::model::Model;
use crate::commands::CompareCommand;
use posepress_core::import::ImportOptions;
use posepress_core::workspace::Workspace;
use std::path::{Path, PathBuf};

/// Carries out commands about the comparison.
pub fn carry_out(model: &mut Model, command: CompareCommand) {
    let Model { workspace, view, files, .. } = model;
    match command {
        CompareCommand::CompareTo(reference) => {
            view.lod_by_camera = false;
            workspace.compare_to(reference);
        }
        CompareCommand::Align(alignment) => workspace.preview_alignment(alignment),
        CompareCommand::SwapSides => workspace.swap_sides(!workspace.is_swapped()),
        CompareCommand::AskCompare => files.ask_compare(),
        CompareCommand::CompareWith(path) => compare_with(model, path),
        CompareCommand::ShowExternal => show_external(workspace),
        CompareCommand::ShiftExternal(samples) => workspace.shift_external(samples),
        CompareCommand::StopComparing => workspace.stop_comparing(),
    }
}

/// Opens an external file beside the recipes. Its import options are guessed from those of the selected clip's file.
pub fn compare_with(model: &mut Model, path: PathBuf) {
    let source = model.workspace.selected().and_then(|id| model.workspace.library().source(id.source));
    let guesses = source.map_or([ImportOptions::default(); 2], |source| {
        source.options.of_other(source.path.as_deref().unwrap_or(Path::new("")), &path)
    });
    let path = std::path::absolute(&path).unwrap_or(path);
    model.marking.add(|opening| opening.files.push(path.clone()));
    model.workspace.compare_with(path, guesses.map(|options| ImportOptions { rate_hz: None, ..options }));
}

/// Shows the external file, if there is one.
fn show_external(workspace: &mut Workspace) {
    workspace.external_slot().into_iter().for_each(|slot| workspace.activate_slot(slot));
}
