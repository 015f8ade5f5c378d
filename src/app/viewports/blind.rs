use super::scene::{self, Figures};
use super::{input, refused};
use crate::panels::PanelCx;
use crate::render::{FigurePose, Show, Side, Viewport, ViewportId, viewport};
use crate::state::BlindTesting;
use crate::theme::{font, size};
use egui::{Align2, Rect, Sense, Ui, Vec2, WidgetInfo, vec2};
use std::sync::Arc;

/// Size of the letter over the picture.
const LETTER: f32 = 40.0;

/// The picture of a trial: A, B or X, with its letter. Returns its size.
///
/// Both poses are drawn in every frame, each alone and in the same way, and the one that is shown covers the other. Only the pose differs,
/// so neither colours nor frame times give the order away.
pub fn show_blind(ui: &mut Ui, cx: &mut PanelCx<'_>, testing: &BlindTesting) -> Vec2 {
    let rect = ui.available_rect_before_wrap();
    ui.painter().rect_filled(rect, 0.0, cx.theme.app);
    let response = ui.interact(rect, ui.scope_id().with("blind test"), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, format!("Picture {}", testing.shown.name())));
    input::steer(ui, cx, &response, rect, Side::Original);
    if let Some(refusal) = &cx.view.refusal {
        refused(ui, cx, refusal, rect);
        return rect.size();
    }
    let sides = cx.workspace.blind_sides().ok();
    let figures = Figures::of(cx.state, sides);
    let poses = figures.as_ref().and_then(|figures| Some((figures, [&figures.raw, figures.decoded.as_ref()?])));
    let Some((figures, [original, compressed])) = poses else { return rect.size() };
    let both = match testing.side() {
        Side::Original => [(1, compressed), (0, original)],
        Side::Compressed => [(0, original), (1, compressed)],
    };
    for (id, pose) in both {
        picture(ui, cx, figures, (rect, ViewportId(id)), pose);
    }
    letter(ui, cx, testing, rect);
    rect.size()
}

/// Draws one pose as if it was the only one.
fn picture(ui: &Ui, cx: &PanelCx<'_>, figures: &Figures, (rect, id): (Rect, ViewportId), pose: &FigurePose) {
    let scene = Arc::new(scene::alone(cx.state, cx.theme, figures, pose.clone()));
    let painter = ui.painter().with_clip_rect(rect);
    painter.add(viewport(Viewport { id, rect, scene, show: Show::Side(Side::Original) }));
}

fn letter(ui: &Ui, cx: &PanelCx<'_>, testing: &BlindTesting, rect: Rect) {
    let card = Rect::from_min_size(rect.min + vec2(12.0, 12.0), Vec2::splat(LETTER));
    ui.painter().rect_filled(card, 6.0, cx.theme.glass);
    let name = testing.shown.name();
    ui.painter().text(card.center(), Align2::CENTER_CENTER, name, font(size::TITLE * 1.5), cx.theme.text1);
}
