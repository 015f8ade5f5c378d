//! How files are read.

use crate::commands::ImportCommand;
use crate::state::{RigSheet, View};
use posepress_core::import::{ImportOptions, LengthUnit, UpAxis};
use posepress_core::workspace::Workspace;

/// Carries out commands about how files are read.
pub fn carry_out(workspace: &mut Workspace, view: &mut View, command: ImportCommand) {
    match command {
        ImportCommand::ReadAs { sources, unit } => read_as(workspace, view, &sources, unit),
        ImportCommand::KeepUnits(sources) => view.imports.kept.extend(sources),
        ImportCommand::ShowImportFindings(open) => view.imports.is_table_open = open,
        ImportCommand::ReadPart(source, reading) => {
            let label = format!("Read {}", reading.label);
            workspace.read_as(&label, &[source], |options| reading.of(options));
        }
        ImportCommand::Fix(clip, fix, is_on) => workspace.fix(clip, fix, is_on),
        ImportCommand::AskRig(sheet) => view.imports.rig = sheet,
        ImportCommand::AskRigOfClip => ask_rig(workspace, view),
        ImportCommand::ChooseRig(sources, choice) => {
            workspace.choose_rig(&sources, choice.as_ref());
            view.imports.rig = None;
        }
        ImportCommand::SetUpAxis(up) => set_up_axis(workspace, up),
    }
}

/// Reads files again in another unit, in place of what was read before.
fn read_as(workspace: &mut Workspace, view: &mut View, sources: &[u32], unit: LengthUnit) {
    let label = format!("Read as {}", unit.option().label);
    workspace.read_as(&label, sources, |options| ImportOptions { unit: Some(unit), ..options });
    view.imports.is_table_open = false;
}

/// Opens the sheet that asks for the rig of the selected clip's file.
fn ask_rig(workspace: &Workspace, view: &mut View) {
    view.imports.rig = workspace.selected().map(|clip| RigSheet::of(workspace, clip.source));
}

/// Reads the selected clip's file again with another up axis. The sample has no file and stays.
fn set_up_axis(workspace: &mut Workspace, up: UpAxis) {
    let Some(clip) = workspace.selected() else { return };
    workspace.read_as("Up axis", &[clip.source], |options| ImportOptions { up: Some(up), ..options });
}
