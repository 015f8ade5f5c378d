//! Keys: how the system writes them, which of them were pressed, and those that are held.

use super::{Action, actions};
use crate::commands::Command;
use crate::shell::split_behind;
use crate::state::Desk;
use crate::widgets::focus;
use egui::{Event, Key, KeyboardShortcut, ModifierNames, Modifiers};

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

/// What the keys of a frame ask for.
#[derive(Debug, Default)]
pub struct Pressed {
    /// In the order in which they were pressed.
    pub commands: Vec<Command>,
    /// The key that ran them.
    pub key: Option<Key>,
    /// The keyboard's events behind them, for the next frame: the command may open a field that they are meant for.
    pub behind: Vec<Event>,
}

/// The action whose key was pressed first and belongs to nothing that has the focus, as often as a held key repeated it;
/// `had_focus` says whether Escape took it away, or closed a menu.
pub fn pressed(ctx: &egui::Context, desk: Desk, had_focus: bool) -> Pressed {
    let keyed = free_keys(ctx, desk);
    let of_key = |event: &Event| match event {
        Event::Key { key, pressed: true, modifiers, .. } => {
            let is_it = |shortcut: &KeyboardShortcut| {
                *key == shortcut.logical_key && modifiers.matches_logically(shortcut.modifiers)
            };
            keyed.iter().find(|(shortcut, _)| is_it(shortcut)).map(|(_, action)| *action)
        }
        _ => None,
    };
    let mut out = ctx.input_mut(|input| take_first(&mut input.events, of_key));
    if !out.commands.is_empty() && ctx.text_edit_focused() {
        // What is being typed goes to where it was typed, before a command leads elsewhere.
        ctx.memory_mut(|m| m.focused().into_iter().for_each(|id| m.surrender_focus(id)));
    }
    if !had_focus && ctx.input(|i| i.key_pressed(Key::Escape)) {
        out.commands.push(Command::Escape);
    }
    out
}

/// Keys that may run something now, those with more modifiers first: matching ignores extra Shift.
fn free_keys(ctx: &egui::Context, desk: Desk) -> Vec<(KeyboardShortcut, &'static Action)> {
    let of_action = |&action: &&'static Action| action.keys_at(desk).iter().map(move |key| (*key, action));
    let mut keyed: Vec<_> = actions().iter().flat_map(of_action).collect();
    keyed.sort_by_key(|(shortcut, _)| std::cmp::Reverse(modifier_count(shortcut.modifiers)));
    keyed.retain(|(shortcut, _)| focus::is_free(ctx, shortcut));
    keyed
}

/// Takes the first key that asks for an action out of the events, and its repeats as long as nothing else is pressed between.
fn take_first(events: &mut Vec<Event>, of_key: impl Fn(&Event) -> Option<&'static Action>) -> Pressed {
    let mut out = Pressed::default();
    let Some((first, action)) = events.iter().enumerate().find_map(|(at, event)| Some((at, of_key(event)?))) else {
        return out;
    };
    let mut at = first;
    while let Some(event) = events.get(at) {
        match event {
            Event::Key { key, repeat, .. } if of_key(event) == Some(action) && (*repeat || out.key.is_none()) => {
                out.key = Some(*key);
                out.commands.push(Command::Run(action));
                events.remove(at);
                if matches!(events.get(at), Some(Event::Text(_))) {
                    events.remove(at);
                }
            }
            Event::Key { pressed: true, .. } | Event::Text(_) | Event::Ime(_) | Event::Paste(_) => {
                out.behind = split_behind(events, at);
                return out;
            }
            _ => at += 1,
        }
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
