//! Keys: how the system writes them, which of them were pressed, and those that are held.

use super::{Action, actions};
use crate::commands::Command;
use crate::focus;
use egui::{Key, KeyboardShortcut, ModifierNames, Modifiers};

/// How the system writes a shortcut: Ctrl or Cmd, names or signs; a key of one sign by that sign.
pub fn key_text(ctx: &egui::Context, shortcut: &KeyboardShortcut) -> String {
    let written = ctx.format_shortcut(shortcut);
    let (name, sign) = (shortcut.logical_key.name(), shortcut.logical_key.symbol_or_name());
    match written.strip_suffix(name) {
        Some(modifiers) if sign.is_ascii() || sign == MINUS_SIGN => {
            format!("{modifiers}{sign}").replace(MINUS_SIGN, "-")
        }
        _ => written,
    }
}

/// Longer than what the key shows.
const MINUS_SIGN: &str = "\u{2212}";

/// What the system calls the key of most shortcuts: Ctrl or Cmd.
pub fn command_key(ctx: &egui::Context) -> String {
    ModifierNames::NAMES.format(&Modifiers::COMMAND, ctx.os().is_mac())
}

/// Actions whose keys were pressed and belong to nothing that has the focus; `had_focus` says whether Escape took
/// it away, or closed a menu.
pub fn pressed(ctx: &egui::Context, had_focus: bool) -> Vec<Command> {
    let mut keyed: Vec<(&KeyboardShortcut, &'static Action)> =
        actions().iter().flat_map(|&action| action.keys.iter().map(move |key| (key, action))).collect();
    // Shortcuts with more modifiers first: consume_shortcut ignores extra Shift.
    keyed.sort_by_key(|(shortcut, _)| std::cmp::Reverse(modifier_count(shortcut.modifiers)));
    keyed.retain(|(shortcut, _)| focus::is_free(ctx, shortcut));
    let mut out: Vec<Command> = ctx.input_mut(|input| {
        let mut commands = Vec::new();
        for (shortcut, action) in keyed {
            // A slow frame may see a key more than once: no press is lost.
            let presses = input.count_and_consume_key(shortcut.modifiers, shortcut.logical_key);
            commands.extend((0..presses).map(|_| Command::Run(action)));
        }
        commands
    });
    if !out.is_empty() && ctx.text_edit_focused() {
        // What is being typed goes to where it was typed, before a command leads elsewhere.
        ctx.memory_mut(|m| m.focused().into_iter().for_each(|id| m.surrender_focus(id)));
    }
    if !had_focus && ctx.input(|i| i.key_pressed(Key::Escape)) {
        out.push(Command::Escape);
    }
    out
}

fn modifier_count(modifiers: Modifiers) -> usize {
    usize::from(modifiers.command) + usize::from(modifiers.shift) + usize::from(modifiers.alt)
}

/// Keys that are no actions: they last as long as they are held, or belong to the pointer. With what they do.
pub fn held_keys(ctx: &egui::Context) -> [(String, &'static str); 11] {
    let alt = ModifierNames::NAMES.format(&Modifiers::ALT, ctx.os().is_mac());
    let command = command_key(ctx);
    [
        ("R".into(), "Hold: the original on both sides."),
        ("B".into(), "Hold: the compressed side blinks, original and compressed in turns."),
        ("V".into(), "Hold in wipe: the line follows the pointer."),
        (format!("{alt}-drag, middle-drag"), "Orbit. With Shift: pan."),
        ("Wheel".into(), "Dolly in a viewport, zoom in the timeline. Shift-wheel pans the timeline."),
        (format!("{command}-click a joint"), "Draw its curves besides those of the selected joint."),
        ("Right-drag the timeline".into(), "Zoom to that part. Double-click: back to the whole clip."),
        (
            format!("{command}-wheel, {command}-drag the curves"),
            "Zoom to values, or to a box of time and values. Double-click: back to all.",
        ),
        ("Double-click".into(), "Frame a joint or a plant."),
        (
            "Tab, Shift+Tab".into(),
            "Next or previous control. Space and Enter press it, arrows change it or go through a list.",
        ),
        ("Esc".into(), "Leave a control; close a message or a sheet; else clear the selection."),
    ]
}
