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
    rows: usize,
    row_height: f32,
}

impl RowList {
    /// A list of `rows` rows. `selected` is the index of the selected one.
    pub fn new(ui: &Ui, name: &str, selected: Option<usize>, rows: usize, row_height: f32) -> Self {
        let id = ui.scope_id().with((name, "rows"));
        Self { id, selected, key: id.with(selected).value(), rows, row_height }
    }

    /// Scrolls to the selected row only when another thing is selected, not when its row moves, such as after sorting.
    pub fn of(self, selected: impl std::hash::Hash + std::fmt::Debug) -> Self {
        Self { key: self.id.with(selected).value(), ..self }
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

    /// Scrolls to a row that was just selected, and returns the effect of arrow keys while the list has the focus. Call
    /// it after the rows, in their ui.
    pub fn keys(&self, ui: &Ui, seen: &Range<usize>) -> RowKeys {
        let before: u64 = ui.data_mut(|d| std::mem::replace(d.get_temp_mut_or_default(self.id), self.key));
        if let Some(row) = self.selected.filter(|_| before != self.key) {
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
