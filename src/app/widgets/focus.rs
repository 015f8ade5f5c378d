//! Receivers of keys: the focused control, a text field, or actions.

use crate::theme::Theme;
use egui::{Id, Key, KeyboardShortcut, Modifiers, Rect, Response, Stroke, StrokeKind, Ui};

/// Plain keys that a focused control uses: to press, move, or pass the focus on.
const OF_CONTROLS: [Key; 6] = [Key::Space, Key::Enter, Key::ArrowLeft, Key::ArrowRight, Key::ArrowUp, Key::ArrowDown];
/// Keys that a text field uses with Ctrl: to select all, undo typing, or move by words.
const OF_TEXT: [Key; 5] = [Key::A, Key::Z, Key::Y, Key::ArrowLeft, Key::ArrowRight];

/// Keys that no text field uses.
const OF_WINDOW: [Key; 5] = [Key::F1, Key::F2, Key::F3, Key::F4, Key::F12];

/// True if a key may run an action now, because the focused control does not use it.
pub fn is_free(ctx: &egui::Context, shortcut: &KeyboardShortcut) -> bool {
    let KeyboardShortcut { modifiers, logical_key } = shortcut;
    if ctx.text_edit_focused() {
        return OF_WINDOW.contains(logical_key) || modifiers.command && !OF_TEXT.contains(logical_key);
    }
    let focused = ctx.memory(|m| m.focused()).is_some();
    !(focused && *modifiers == Modifiers::NONE && OF_CONTROLS.contains(logical_key))
}

/// Arrow keys pressed while `response` has the focus, as steps to the right and down. The arrows do not move the focus.
pub fn arrows(ui: &Ui, response: &Response) -> (i32, i32) {
    if !response.has_focus() {
        return (0, 0);
    }
    let filter = egui::EventFilter { horizontal_arrows: true, vertical_arrows: true, ..Default::default() };
    ui.memory_mut(|m| m.set_focus_lock_filter(response.id, filter));
    ui.input(|i| {
        // With Ctrl or Shift they run actions.
        let pressed = |key| if i.modifiers.any() { 0 } else { i.num_presses(key) as i32 };
        (pressed(Key::ArrowRight) - pressed(Key::ArrowLeft), pressed(Key::ArrowDown) - pressed(Key::ArrowUp))
    })
}

/// Draws an outline around the focused control, over everything in its layer.
pub fn outline(ui: &Ui, theme: &Theme) {
    let Some(focused) = focused(ui) else { return };
    let painter = ui.ctx().layer_painter(focused.layer_id);
    painter.rect_stroke(focused.interact_rect, 4.0, Stroke::new(2.0, theme.accent), StrokeKind::Middle);
}

/// Scrolls to a control that just got the focus, if it is in this part of the window. Call it last in a scroll area.
pub fn follow(ui: &mut Ui) {
    let memory = ui.scope_id().with("focus seen");
    let now = ui.memory(|m| m.focused());
    if ui.data(|d| d.get_temp::<Option<Id>>(memory)) == Some(now) {
        return;
    }
    ui.data_mut(|d| d.insert_temp(memory, now));
    if let Some(rect) = focused(ui).filter(|f| f.layer_id == ui.layer_id()).map(|f| f.rect)
        && is_inside(rect, ui.min_rect())
    {
        ui.scroll_to_rect(rect, None);
    }
}

fn is_inside(inner: Rect, outer: Rect) -> bool {
    outer.expand(1.0).contains_rect(inner)
}

fn focused(ui: &Ui) -> Option<Response> {
    ui.ctx().memory(|m| m.focused()).and_then(|id| ui.ctx().read_response(id))
}
