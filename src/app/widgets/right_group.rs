use egui::{Align, Layout, Ui, UiBuilder, vec2};

/// Puts the contents of `add` at the right end of a row, from left to right. In a right-to-left layout, Tab would go
/// from right to left. The width is that of the last pass. If it changes, the pass is repeated.
pub fn right_group<R>(ui: &mut Ui, name: &str, add: impl FnOnce(&mut Ui) -> R) -> R {
    let id = ui.scope_id().with((name, "width"));
    let known: f32 = ui.data(|d| d.get_temp(id)).unwrap_or(0.0);
    let room = ui.available_rect_before_wrap();
    let place = room.with_min_x((room.right() - known).max(room.left()));
    let mut child = ui.new_child(UiBuilder::new().max_rect(place).layout(Layout::left_to_right(Align::Center)));
    let out = add(&mut child);
    let width = child.min_rect().width();
    ui.allocate_space(vec2(room.width(), 0.0));
    if (width - known).abs() > 0.5 {
        ui.data_mut(|d| d.insert_temp(id, width));
        ui.ctx().request_discard("the width of a group at the right changed");
    }
    out
}
