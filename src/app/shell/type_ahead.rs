//! Holds typed keys until an opening field or sheet is ready, so that they run no commands.

use egui::{Event, InputState, Key};

/// Keys that were pressed too early.
#[derive(Debug, Default)]
pub struct TypeAhead {
    events: Vec<Event>,
    /// True if a field was awaited at the start of the last frame.
    was_waiting: bool,
    /// A key that ran a command. The letter that it types is ignored.
    spent: Option<Key>,
}

/// Number of frames to wait for a field.
const PATIENCE_FRAMES: u32 = 30;

/// Frames of waiting for a field.
#[derive(Debug, Default)]
pub struct Patience(u32);

impl Patience {
    /// Counts a frame of waiting. Returns true once it is too long.
    pub fn is_over(&mut self, is_waiting: bool) -> bool {
        self.0 = if is_waiting { self.0 + 1 } else { 0 };
        self.0 > PATIENCE_FRAMES
    }
}

fn is_of_keyboard(event: &Event) -> bool {
    matches!(event, Event::Key { .. } | Event::Text(_) | Event::Ime(_) | Event::Paste(_) | Event::Copy | Event::Cut)
}

/// Keys that end a field. Later keys are not for it.
fn ends_field(event: &Event) -> bool {
    matches!(event, Event::Key { key: Key::Enter | Key::Escape, pressed: true, .. })
}

impl TypeAhead {
    /// Call it before a frame. Passes waiting keys to the control that has the focus by now, or keeps them waiting. If
    /// no field appears (a system dialog took the keys), they are dropped.
    pub fn begin(&mut self, input: &mut InputState, is_waiting: bool, is_typing: bool) {
        let was_waiting = std::mem::replace(&mut self.was_waiting, is_waiting);
        if was_waiting && !is_waiting && !is_typing {
            self.events.clear();
        }
        let now = std::mem::take(&mut input.events);
        let (keyboard, others): (Vec<_>, Vec<_>) = now.into_iter().partition(is_of_keyboard);
        let meant: Vec<Event> = keyboard.into_iter().filter(|event| !self.is_spent(event)).collect();
        self.events.extend(meant);
        input.events = others;
        if !is_waiting {
            input.events.append(&mut self.events);
            if is_typing {
                self.keep_behind(input, ends_field);
            }
        }
    }

    /// True for the letter of the key that ran a command. Systems that compose letters send it after the key, in
    /// another frame.
    fn is_spent(&mut self, event: &Event) -> bool {
        let Some(spent) = self.spent else { return false };
        let is_text = matches!(event, Event::Text(_));
        let is_other_press = matches!(event, Event::Key { key, pressed, .. } if *key != spent || !pressed);
        if is_text || is_other_press {
            self.spent = None;
        }
        is_text
    }

    /// Notes the key that ran a command.
    pub fn spend(&mut self, key: Option<Key>) {
        self.spent = key.or(self.spent);
    }

    /// Keeps keys after a command for the next frame, because the command may open a field.
    pub fn keep(&mut self, behind: Vec<Event>) {
        self.events.splice(0..0, behind);
    }

    /// True if no keys are waiting.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    fn keep_behind(&mut self, input: &mut InputState, ends: impl Fn(&Event) -> bool) {
        if let Some(end) = input.events.iter().position(ends) {
            self.keep(split_behind(&mut input.events, end + 1));
        }
    }
}

/// Removes and returns the keyboard events from an index on.
pub fn split_behind(events: &mut Vec<Event>, at: usize) -> Vec<Event> {
    let (keyboard, others): (Vec<_>, Vec<_>) = events.split_off(at).into_iter().partition(is_of_keyboard);
    events.extend(others);
    keyboard
}
