//! Input from other programs: dropped files, and text from the clipboard.

use crate::actions::list;
use crate::commands::{Command, FileCommand, ShareCommand};
use std::path::PathBuf;

/// Files dropped on the window, as a command.
pub fn dropped(ctx: &egui::Context) -> Option<Command> {
    let paths: Vec<PathBuf> = ctx.input(|i| i.raw.dropped_files.iter().map(|f| f.path().to_path_buf()).collect());
    (!paths.is_empty()).then(|| FileCommand::Open(paths).into())
}

/// Commands for copy and paste outside text fields.
pub fn from_clipboard(ctx: &egui::Context) -> Vec<Command> {
    if ctx.text_edit_focused() {
        return Vec::new();
    }
    let command = |event: &egui::Event| match event {
        egui::Event::Paste(text) => Some(ShareCommand::Paste(text.clone()).into()),
        // The system's shortcut for copying arrives as this event, not as a key.
        egui::Event::Copy => Some(Command::Run(list::COPY_VIEW.key())),
        _ => None,
    };
    ctx.input(|input| input.events.iter().filter_map(command).collect())
}
