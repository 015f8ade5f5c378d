//! The two synced viewports: one camera, one clock, one ground.

mod cards;
mod input;
mod lens;
mod mode_bar;
mod plants;
mod scene;

pub use mode_bar::show as show_mode_bar;
pub use scene::Figures;

use super::panels::PanelCx;
use super::render::{Show, Side, Viewport, ViewportId, viewport};
use super::theme::{font, size};
use super::view_state::ViewMode;
use egui::{Align2, Rect, Stroke, Ui, pos2, vec2};
use std::sync::Arc;

/// Gap between the two viewports.
const GAP: f32 = 2.0;

/// Draws original and compressed in the space that is left.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let area = ui.available_rect_before_wrap();
    ui.painter().rect_filled(area, 0.0, cx.theme.app);
    let Some(figures) = Figures::at(cx) else { return empty(ui, cx, area) };
    let scene = Arc::new(scene::build(cx, &figures));
    match cx.view.settings.mode {
        ViewMode::SideBySide => {
            let middle = area.center().x;
            let left = Rect::from_min_max(area.min, pos2(middle - GAP / 2.0, area.bottom()));
            let right = Rect::from_min_max(pos2(middle + GAP / 2.0, area.top()), area.max);
            one(ui, cx, &figures, &scene, left, Show::Side(Side::Original), 0);
            one(ui, cx, &figures, &scene, right, Show::Side(Side::Compressed), 1);
        }
        ViewMode::Wipe => {
            let split = cx.view.settings.wipe;
            one(ui, cx, &figures, &scene, area, Show::Wipe { split }, 0);
            input::wipe_line(ui, cx, area);
        }
    }
}

fn one(
    ui: &mut Ui,
    cx: &mut PanelCx<'_>,
    figures: &Figures,
    scene: &Arc<super::render::ViewScene>,
    rect: Rect,
    show: Show,
    id: u64,
) {
    input::handle(ui, cx, figures, scene, rect, show, id);
    let painter = ui.painter().with_clip_rect(rect);
    painter.add(viewport(Viewport { id: ViewportId(id), rect, scene: scene.clone(), show }));
    cards::draw(ui, cx, figures, scene, rect, show);
}

fn empty(ui: &mut Ui, cx: &mut PanelCx<'_>, area: Rect) {
    let painter = ui.painter();
    let frame = area.shrink(32.0);
    let corners = [frame.left_top(), frame.right_top(), frame.right_bottom(), frame.left_bottom(), frame.left_top()];
    painter.extend(egui::Shape::dashed_line(&corners, Stroke::new(1.5, cx.theme.strong), 8.0, 6.0));
    let at = area.center();
    painter.text(at, Align2::CENTER_CENTER, "Drop files here", font(size::TITLE), cx.theme.text1);
    let hint = "glTF, GLB or BVH. Ctrl+O opens a dialog.";
    painter.text(at + vec2(0.0, 26.0), Align2::CENTER_CENTER, hint, font(size::BODY), cx.theme.text3);
}
