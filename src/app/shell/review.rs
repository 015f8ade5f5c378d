//! Layout of the Review tab.

use super::dragged::Dragged;
use super::layout::{inside, rest};
use crate::panels::{self, PanelCx};
use crate::viewports;
use egui::{Frame, Rect, ScrollArea, Sense, Ui, UiBuilder, Vec2, vec2};

/// Least height of the lists below the pictures.
const LISTS_HEIGHT: f32 = 150.0;
/// Least height of the pictures.
const PICTURE_HEIGHT: f32 = 200.0;

/// The queue, and beside it the clip under review: pictures, error over time, results, decision. Returns the size of one viewport.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) -> Vec2 {
    let panel = Frame::new().fill(cx.theme.panel);
    let width = ui.available_width();
    let usual = (0.4 * width).clamp(400.0, 760.0);
    let column = Dragged::new(cx, "judged", usual, [380.0, (width - 400.0).max(381.0)], width);
    let shown = column.panel(egui::Panel::right).frame(panel).show(ui, |ui| judged(ui, cx, panel));
    column.keep(ui, cx, shown.response.rect.width());
    rest(ui, cx, panels::show_queue);
    shown.inner
}

/// The clip under review, from its name down to the decision. Returns the size of one viewport.
fn judged(ui: &mut Ui, cx: &mut PanelCx<'_>, panel: Frame) -> Vec2 {
    if cx.selected().is_some() {
        let head = egui::Panel::top("judged clip").resizable(false).frame(panel);
        head.show(ui, |ui| panels::show_judged_head(ui, cx));
        let foot = egui::Panel::bottom("decision").resizable(false).frame(panel);
        foot.show(ui, |ui| panels::show_decision(ui, cx));
    }
    let area = ui.available_rect_before_wrap();
    // A low window has no room for errors over time.
    let rest = area.height() - LISTS_HEIGHT - PICTURE_HEIGHT;
    let strip = Some(panels::error_strip_height(cx)).filter(|strip| *strip <= rest).unwrap_or(0.0);
    let room = area.height() - LISTS_HEIGHT - strip;
    let height = room.clamp(PICTURE_HEIGHT.min(area.height()), (0.5 * area.width()).max(PICTURE_HEIGHT));
    let pictures = Rect::from_min_size(area.min, vec2(area.width(), height));
    let one =
        ui.scope_builder(UiBuilder::new().max_rect(pictures).id_salt("picture"), |ui| viewports::show_close(ui, cx));
    let below = area.with_min_y(pictures.bottom());
    let (errors, lists) = below.split_top_bottom_at_y((below.top() + strip).min(below.bottom()));
    if strip > 0.0 {
        inside(ui, "error strip", errors, |ui| panels::show_error_strip(ui, cx));
    }
    inside(ui, "judged", lists, |ui| {
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| panels::show_judged(ui, cx));
    });
    ui.allocate_rect(area, Sense::hover());
    one.inner
}
