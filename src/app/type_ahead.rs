//! What is typed while a field or a sheet is on its way waits for it, and runs nothing.

use egui::{Event, InputState, Key};

/// Keys that came too early.
#[derive(Debug, Default)]
pub struct TypeAhead {
    events: Vec<Event>,
    /// A field was on its way when the last frame began.
    was_waiting: bool,
}

/// A field that does not come in so many frames is not waited for.
const PATIENCE_FRAMES: u32 = 30;

/// How long a field has been waited for.
#[derive(Debug, Default)]
pub struct Patience(u32);

impl Patience {
    /// Counts frames in which something is waited for; true once that is too long.
    pub fn is_over(&mut self, is_waiting: bool) -> bool {
        self.0 = if is_waiting { self.0 + 1 } else { 0 };
        self.0 > PATIENCE_FRAMES
    }
}

fn is_of_keyboard(event: &Event) -> bool {
    matches!(event, Event::Key { .. } | Event::Text(_) | Event::Ime(_) | Event::Paste(_) | Event::Copy | Event::Cut)
}

/// What ends a field: what is typed behind it is not meant for it.
fn ends_field(event: &Event) -> bool {
    matches!(event, Event::Key { key: Key::Enter | Key::Escape, pressed: true, .. })
}

impl TypeAhead {
    /// Before a frame: gives what waited to who has the focus by now, or goes on waiting. Without a field in the end (a
    /// dialog of the system took the keys) what was typed is dropped.
    pub fn begin(&mut self, input: &mut InputState, is_waiting: bool, is_typing: bool) {
        let was_waiting = std::mem::replace(&mut self.was_waiting, is_waiting);
        if was_waiting && !is_waiting && !is_typing {
            self.events.clear();
        }
        let now = std::mem::take(&mut input.events);
        let (keyboard, others): (Vec<_>, Vec<_>) = now.into_iter().partition(is_of_keyboard);
        self.events.extend(keyboard);
        input.events = others;
        if !is_waiting {
            input.events.append(&mut self.events);
            if is_typing {
                self.keep_behind(input, ends_field);
            }
        }
    }

    /// What comes behind a key that ran a command waits for the next frame: the command may open a field.
    pub fn keep(&mut self, behind: Vec<Event>) {
        self.events.splice(0..0, behind);
    }

    /// Keys that are waiting.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    fn keep_behind(&mut self, input: &mut InputState, ends: impl Fn(&Event) -> bool) {
        if let Some(end) = input.events.iter().position(ends) {
            self.keep(split_behind(&mut input.events, end + 1));
        }
    }
}

/// Takes the keyboard's events from a place on out of a frame.
pub fn split_behind(events: &mut Vec<Event>, at: usize) -> Vec<Event> {
    let (keyboard, others): (Vec<_>, Vec<_>) = events.split_off(at).into_iter().partition(is_of_keyboard);
    events.extend(others);
    keyboard
}
