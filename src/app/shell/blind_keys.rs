//! Keys of a blind test. All other keys do nothing, because their actions would show which side is which, or change the clip.

use crate::actions::list;
use crate::commands::{BlindCommand, Command};
use crate::state::{BlindTesting, Shown};
use egui::{Event, Key};
use posepress_core::project::Letter;

/// Commands of the keys that were pressed in a frame. `had_focus` is true if Escape was used by a control.
pub fn blind_keys(ctx: &egui::Context, testing: &BlindTesting, had_focus: bool) -> Vec<Command> {
    if ctx.text_edit_focused() {
        return Vec::new();
    }
    let has_focus = ctx.memory(|memory| memory.focused()).is_some();
    let secs = (ctx.input(|input| input.time) - testing.since_secs) as f32;
    let mut commands = Vec::new();
    ctx.input_mut(|input| {
        input.events.retain(|event| {
            let command = match event {
                Event::Key { key, pressed: true, repeat: false, modifiers, .. } if !modifiers.any() => match key {
                    Key::Enter if has_focus => None, // it presses the focused button
                    Key::Escape if had_focus => None,
                    key if testing.is_over() => of_result(*key),
                    key => of_trial(*key, secs),
                },
                _ => None,
            };
            let is_other = command.is_none();
            commands.extend(command);
            is_other
        });
    });
    commands
}

fn of_result(key: Key) -> Option<Command> {
    match key {
        Key::Enter => Some(BlindCommand::Keep.into()),
        Key::Escape => Some(BlindCommand::End.into()),
        _ => None,
    }
}

fn of_trial(key: Key, secs: f32) -> Option<Command> {
    let command = match key {
        Key::A => BlindCommand::Show(Shown::A),
        Key::B => BlindCommand::Show(Shown::B),
        Key::X => BlindCommand::Show(Shown::X),
        Key::Num1 | Key::ArrowLeft => BlindCommand::Answer(Letter::A, secs),
        Key::Num2 | Key::ArrowRight => BlindCommand::Answer(Letter::B, secs),
        Key::Escape => BlindCommand::End,
        Key::Space => return Some(Command::Run(list::TOGGLE_PLAY.key())),
        Key::F => return Some(Command::Run(list::FRAME_SELECTION.key())),
        _ => return None,
    };
    Some(command.into())
}
