//! Gestures of the pointer.

use super::*;

/// Makes a contact begin later, by dragging its end in the lanes. Returns the label of what was dragged.
pub fn drag_touch_down(window: &mut Window) -> String {
    let grip = window.get_all_by_label_contains("Touch-down of ").find(|g| g.rect().left() > 600.0).unwrap();
    let (at, grabbed) = (grip.rect().center(), grip.accesskit_node().label().unwrap_or_default());
    drag(window, at, egui::vec2(40.0, 0.0));
    settle(window);
    grabbed
}

/// Double-clicks at a place.
pub fn double_click(window: &mut Window, pos: egui::Pos2) {
    // A step is a quarter of a second, and each event takes one step. A click shortly before would make it three clicks.
    window.ctx.options_mut(|options| options.input_options.max_double_click_delay = 0.6);
    window.hover_at(pos);
    window.run_steps(5);
    for pressed in [true, false, true, false] {
        let (button, modifiers) = (egui::PointerButton::Primary, egui::Modifiers::NONE);
        window.event(egui::Event::PointerButton { pos, button, pressed, modifiers });
        window.run_steps(1);
    }
    window.run_steps(2);
}

/// Drags with the pointer.
pub fn drag(window: &mut Window, from: egui::Pos2, by: egui::Vec2) {
    window.hover_at(from);
    window.drag_at(from);
    window.run_steps(1);
    window.hover_at(from + by);
    window.run_steps(2);
    window.drop_at(from + by);
    window.run_steps(2);
}
