use egui::{Context, Id, Rect, Ui};

/// The page of the manual about what lies under the pointer, and the frame in which it was drawn.
type Topic = (u64, &'static str);

fn id() -> Id {
    Id::unique("topic")
}

/// Says which page of the manual is about a rectangle. A later call counts more.
pub fn topic(ui: &Ui, rect: Rect, page: &'static str) {
    if ui.rect_contains_pointer(rect) {
        let topic: Topic = (ui.ctx().cumulative_frame_nr(), page);
        ui.data_mut(|data| data.insert_temp(id(), topic));
    }
}

/// The page of the manual about what lies under the pointer.
pub fn topic_under_pointer(ctx: &Context) -> Option<&'static str> {
    let (frame, page) = ctx.data(|data| data.get_temp::<Topic>(id()))?;
    (ctx.cumulative_frame_nr() <= frame + 1).then_some(page)
}

/// Draws a part of a column that a page of the manual is about.
pub fn about(ui: &mut Ui, page: &'static str, contents: impl FnOnce(&mut Ui)) {
    let top = ui.cursor().top();
    contents(ui);
    let bottom = ui.min_rect().bottom().max(top);
    topic(ui, ui.max_rect().with_min_y(top).with_max_y(bottom), page);
}
