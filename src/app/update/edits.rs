//! Changes of the whole document, and of how open files are read.

use crate::App;
use crate::panels::RigSheet;
use posepress_core::import::{ImportOptions, LengthUnit, UpAxis};

impl App {
    /// Takes back the last change, and says which.
    pub(crate) fn undo(&mut self) {
        let label = self.workspace.history().undo_label().map(str::to_owned);
        if let (true, Some(label)) = (self.workspace.undo(), label) {
            self.view.messages.say(format!("Took back: {label}"));
        }
    }

    /// Brings back what undo took, and says what.
    pub(crate) fn redo(&mut self) {
        let label = self.workspace.history().redo_label().map(str::to_owned);
        if let (true, Some(label)) = (self.workspace.redo(), label) {
            self.view.messages.say(format!("Brought back: {label}"));
        }
    }

    /// The files are read again and take the place of what was read before.
    pub(crate) fn read_as(&mut self, sources: &[u32], unit: LengthUnit) {
        let label = format!("Read as {}", unit.option().label);
        self.workspace.read_as(&label, sources, |options| ImportOptions { unit: Some(unit), ..options });
        self.view.imports.is_table_open = false;
    }

    /// Asks whose rig the clips of the selected one's file move.
    pub(crate) fn ask_rig(&mut self) {
        self.view.imports.rig = self.workspace.selected().map(|clip| RigSheet::of(&self.workspace, clip.source));
    }

    /// The selected clip's file is read again; the sample has no file and stays.
    pub(crate) fn set_up_axis(&mut self, up: UpAxis) {
        let Some(clip) = self.workspace.selected() else { return };
        self.workspace.read_as("Up axis", &[clip.source], |options| ImportOptions { up: Some(up), ..options });
    }
}
