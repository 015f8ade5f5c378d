//! Pressed keys and their commands.

use super::type_ahead::split_behind;
use crate::actions::{Action, actions};
use crate::commands::{Command, RecipeCommand, WindowCommand};
use crate::state::{MainTab, Manual};
use crate::widgets::{focus, topic_under_pointer};
use egui::{Event, Key, KeyboardShortcut, Modifiers};

/// Commands of the keys that were pressed in a frame.
#[derive(Debug, Default)]
pub struct Pressed {
    /// In the order in which they were pressed.
    pub commands: Vec<Command>,
    /// The key that ran them.
    pub key: Option<Key>,
    /// Keyboard events after them, kept for the next frame, because the command may open a field for them.
    pub behind: Vec<Event>,
}

/// The part of the window that Escape belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EscapeOf {
    /// A drag, which is cancelled.
    Drag,
    /// A control with the focus, or an open menu.
    Control,
    /// Nothing else.
    Window,
}

/// The action whose key was pressed first, as often as a held key repeated it, if it may be repeated. Keys of the focused control are ignored.
pub fn pressed(ctx: &egui::Context, main_tab: MainTab, escape_of: EscapeOf) -> Pressed {
    let keyed = free_keys(ctx, main_tab);
    let of_key = |event: &Event| match event {
        Event::Key { key, pressed: true, repeat, modifiers, .. } => {
            let is_it = |shortcut: &KeyboardShortcut| {
                *key == shortcut.logical_key && modifiers.matches_logically(shortcut.modifiers)
            };
            let action = keyed.iter().find(|(shortcut, _)| is_it(shortcut)).map(|(_, action)| *action);
            action.filter(|action| !repeat || !action.runs_once())
        }
        _ => None,
    };
    let topic = topic_under_pointer(ctx);
    let mut out = ctx.input_mut(|input| take_first(&mut input.events, of_key, topic));
    if !out.commands.is_empty() && ctx.text_edit_focused() {
        // Typed text is applied to its field before the command changes something.
        ctx.memory_mut(|m| m.focused().into_iter().for_each(|id| m.surrender_focus(id)));
    }
    if ctx.input(|i| i.key_pressed(Key::Escape)) {
        match escape_of {
            EscapeOf::Drag => out.commands.push(Command::Recipe(RecipeCommand::CancelDrag)),
            EscapeOf::Control => {}
            EscapeOf::Window => out.commands.push(Command::Window(WindowCommand::Escape)),
        }
    }
    out
}

/// Keys that may run an action now. Those with more modifiers come first, because matching ignores extra Shift.
fn free_keys(ctx: &egui::Context, main_tab: MainTab) -> Vec<(KeyboardShortcut, &'static Action)> {
    let of_action =
        |&action: &&'static Action| action.keys_at(ctx, main_tab).iter().map(|key| (*key, action)).collect::<Vec<_>>();
    let mut keyed: Vec<_> = actions().iter().flat_map(of_action).collect();
    keyed.sort_by_key(|(shortcut, _)| std::cmp::Reverse(modifier_count(shortcut.modifiers)));
    keyed.retain(|(shortcut, _)| focus::is_free(ctx, shortcut));
    keyed
}

/// Removes the first key of an action from the events, with its repeats until something else is pressed.
fn take_first(
    events: &mut Vec<Event>,
    of_key: impl Fn(&Event) -> Option<&'static Action>,
    topic: Option<&'static str>,
) -> Pressed {
    let mut out = Pressed::default();
    let Some((first, action)) = events.iter().enumerate().find_map(|(at, event)| Some((at, of_key(event)?))) else {
        return out;
    };
    let mut at = first;
    while let Some(event) = events.get(at) {
        match event {
            Event::Key { key, repeat, .. } if of_key(event) == Some(action) && (*repeat || out.key.is_none()) => {
                out.key = Some(*key);
                out.commands.push(command_of(action, topic));
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

/// The command of a key. That of the manual opens the page about what lies under the pointer.
fn command_of(action: &Action, topic: Option<&'static str>) -> Command {
    match (action.command(), topic) {
        (Command::Window(WindowCommand::ToggleManual), Some(page)) => {
            Command::Window(WindowCommand::SetManual(Some(Manual::at(page))))
        }
        _ => Command::Run(action.key()),
    }
}

fn modifier_count(modifiers: Modifiers) -> usize {
    usize::from(modifiers.command) + usize::from(modifiers.shift) + usize::from(modifiers.alt)
}
