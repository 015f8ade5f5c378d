use crate::widgets::focus;
use egui::{Id, Rect, Response, Sense, Ui, pos2, vec2};
use std::ops::Range;

/// The rows of a scrolling list, as one tab stop. Arrows go from row to row, Space or Enter press one.
#[derive(Debug, Clone, Copy)]
pub struct RowList {
    /// Id of the row with the tab stop, so that the focus follows it.
    id: Id,
    /// The row that is selected.
    selected: Option<usize>,
    /// Hash of what is selected: its row, or its own key.
    key: u64,
    /// Hash of the order that the user chose.
    order: u64,
    rows: usize,
    row_height: f32,
}

impl RowList {
    /// A list of `rows` rows. `selected` is the index of the selected one.
    pub fn new(ui: &Ui, name: &str, selected: Option<usize>, rows: usize, row_height: f32) -> Self {
        let id = ui.scope_id().with((name, "rows"));
        Self { id, selected, key: id.with(selected).value(), order: 0, rows, row_height }
    }

    /// Scrolls to the selected row only when another thing is selected, not when its row moves, such as after sorting.
    pub fn of(self, selected: impl std::hash::Hash + std::fmt::Debug) -> Self {
        Self { key: self.id.with(selected).value(), ..self }
    }

    /// Keeps the selected row in sight if it moves while this order stays, such as when results arrive.
    pub fn in_order(self, order: &impl std::fmt::Debug) -> Self {
        Self { order: self.id.with(format!("{order:?}")).value(), ..self }
    }

    /// Allocates the next row. `seen` are the visible rows.
    pub fn row(&self, ui: &mut Ui, index: usize, seen: &Range<usize>) -> (Rect, Response) {
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), self.row_height), Sense::hover());
        let response = match index == self.stop(seen) {
            true => ui.interact(rect, self.id, Sense::click()),
            // Not only the index, because egui uses that id for the tooltip of the row with the tab stop.
            false => ui.interact(rect, self.id.with(("row", index)), Sense::CLICK),
        };
        (rect, response)
    }

    /// The row with the tab stop: the selected one if it is visible, else the first visible one.
    fn stop(&self, seen: &Range<usize>) -> usize {
        self.selected.filter(|row| seen.contains(row)).unwrap_or(seen.start)
    }

    /// True if the selected row must come into sight: it was just selected, or it was in sight and moved.
    fn must_scroll(&self, ui: &Ui, seen: &Range<usize>) -> bool {
        let shown = self.selected.filter(|row| seen.contains(row));
        let now = Shown { key: self.key, order: self.order, selected: self.selected, is_seen: shown.is_some() };
        let before: Shown = ui.data_mut(|d| std::mem::replace(d.get_temp_mut_or_default(self.id), now));
        let has_moved = before.selected != self.selected && before.order == self.order && self.order != 0;
        before.key != self.key || has_moved && before.is_seen && shown.is_none()
    }

    /// Scrolls to a row that was just selected, and returns the effect of arrow keys while the list has the focus. Call
    /// it after the rows, in their ui.
    pub fn keys(&self, ui: &Ui, seen: &Range<usize>) -> RowKeys {
        let must_scroll = self.must_scroll(ui, seen);
        if let Some(row) = self.selected.filter(|_| must_scroll) {
            let top = ui.max_rect().top() + (row as f32 - seen.start as f32) * self.row_height;
            let size = vec2(ui.max_rect().width(), self.row_height);
            ui.scroll_to_rect(Rect::from_min_size(pos2(ui.max_rect().left(), top), size), None);
        }
        let Some(response) = ui.ctx().read_response(self.id) else { return RowKeys::default() };
        let (across, down) = focus::arrows(ui, &response);
        let stop = self.stop(seen);
        let to = stop.saturating_add_signed(down as isize).min(self.rows.saturating_sub(1));
        RowKeys { moved: (down != 0 && to != stop).then_some(to), across, stop }
    }
}

/// A list in the last frame.
#[derive(Debug, Clone, Copy, Default)]
struct Shown {
    key: u64,
    order: u64,
    selected: Option<usize>,
    is_seen: bool,
}

/// Effect of arrow keys.
#[derive(Debug, Clone, Copy, Default)]
pub struct RowKeys {
    /// The row to select, if it changed.
    pub moved: Option<usize>,
    /// Steps to the right in the row with the tab stop.
    pub across: i32,
    /// The row with the tab stop.
    pub stop: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws lists of 100 rows one after the other, each with its selected row and its order. The first ten rows are seen. Returns which of
    /// them scroll.
    fn scrolls(lists: &[(usize, &str)]) -> Vec<bool> {
        let (ctx, mut scrolls) = (egui::Context::default(), Vec::new());
        for (selected, order) in lists {
            let mut frame = |ui: &mut Ui| {
                let list = RowList::new(ui, "clips", Some(*selected), 100, 20.0).of("walk").in_order(order);
                scrolls.push(list.must_scroll(ui, &(0..10)));
            };
            ctx.run_ui(egui::RawInput::default(), &mut frame).textures_delta.clear();
        }
        scrolls
    }

    #[test]
    fn a_row_that_results_move_out_of_sight_is_followed_and_one_that_a_person_moved_is_not() {
        assert_eq!(scrolls(&[(3, "size"), (3, "size")]), [true, false], "it was selected, then nothing changed");
        assert_eq!(scrolls(&[(3, "size"), (50, "size")])[1..], [true], "results moved it");
        assert_eq!(scrolls(&[(3, "size"), (5, "size")])[1..], [false], "it is still in sight");
        assert_eq!(scrolls(&[(3, "size"), (50, "name")])[1..], [false], "a person chose another order");
        assert_eq!(scrolls(&[(50, "size"), (60, "size")])[1..], [false], "a person scrolled away from it");
    }
}
