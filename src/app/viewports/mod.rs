//! The viewports of original and compressed. They share the clock, the ground and, unless unlocked, the camera.

mod blind;
mod cards;
mod contacts;
mod crowd;
mod input;
mod mesh_menu;
mod mode_bar;
mod place;
mod probe;
mod scene;
mod scene_menu;
mod trails;

pub use blind::show_blind;
pub use crowd::Crowd;
pub use mode_bar::show as show_mode_bar;
pub use scene::{Figures, build as build_scene};

use crate::panels::{PanelCx, show_welcome};
use crate::render::{Arrangement, GpuRefusal, Shading, Show, Side, ViewScene, Viewport, other, viewport};
use crate::theme::{font, size};
use egui::{Align2, Frame, Margin, Rect, RichText, Stroke, Ui, UiBuilder, Vec2, pos2, vec2};
use place::SceneRect;
use posepress_core::view::ViewMode;
use std::sync::Arc;

/// Gap between the two viewports.
const GAP: f32 = 2.0;

/// Draws original and compressed in the chosen view mode.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let area = ui.available_rect_before_wrap();
    ui.painter().rect_filled(area, 0.0, cx.theme.app);
    let Some(figures) = Figures::at(cx.state) else { return empty(ui, cx, area) };
    let crowd = Crowd::of_window(ui.ctx()).lock().members(cx.state, &figures, Some(ui.ctx()));
    let scene = Arc::new(ViewScene { crowd, ..scene::build(cx.state, cx.theme, &figures) });
    let settings = &cx.view.settings;
    let turn = cx.view.blink.side().unwrap_or(Side::Compressed);
    match Arrangement::of(settings.mode, cx.left_side(), settings.wipe, settings.onion_mix, turn) {
        Arrangement::SideBySide { left } => side_by_side(ui, cx, &figures, &scene, (area, left)),
        Arrangement::One(show) => {
            one(ui, cx, &figures, &scene, SceneRect { rect: area, name: settings.mode.info().key, show });
            if let Show::Wipe { .. } = show {
                input::wipe_line(ui, cx, area);
            }
        }
    }
}

fn side_by_side(
    ui: &mut Ui,
    cx: &mut PanelCx<'_>,
    figures: &Figures,
    scene: &Arc<ViewScene>,
    (area, left_side): (Rect, Side),
) {
    let middle = area.center().x;
    let left = Rect::from_min_max(area.min, pos2(middle - GAP / 2.0, area.bottom()));
    let right = Rect::from_min_max(pos2(middle + GAP / 2.0, area.top()), area.max);
    let seen_apart = |camera| Arc::new(ViewScene { camera, ..ViewScene::clone(scene) });
    let compressed = &cx.view.cameras.compressed.map_or_else(|| scene.clone(), seen_apart);
    for (rect, side) in [(left, left_side), (right, other(left_side))] {
        let scene = if side == Side::Compressed { compressed } else { scene };
        one(ui, cx, figures, scene, SceneRect::of(rect, side));
    }
}

/// Least width of a viewport for three beside each other.
const ROOM_FOR_THREE: f32 = 3.0 * 180.0;

/// Draws original, compressed and heat map beside each other. With less room, or in another view mode than side by side, draws as [`show`].
/// Returns the size of one viewport.
pub fn show_close(ui: &mut Ui, cx: &mut PanelCx<'_>) -> Vec2 {
    let area = ui.available_rect_before_wrap();
    let beside = cx.view.settings.mode == ViewMode::SideBySide;
    let figures = Figures::at(cx.state).filter(|_| beside && area.width() >= ROOM_FOR_THREE);
    let Some(figures) = figures else {
        ui.scope_builder(UiBuilder::new().max_rect(area), |ui| show(ui, cx));
        return vec2(area.width() / if beside { 2.0 } else { 1.0 }, area.height());
    };
    ui.painter().rect_filled(area, 0.0, cx.theme.app);
    let width = (area.width() - 2.0 * GAP) / 3.0;
    let at = |index: f32| Rect::from_min_size(area.min + vec2(index * (width + GAP), 0.0), vec2(width, area.height()));
    let plain = ViewScene { shading: Shading::Material, ..scene::build(cx.state, cx.theme, &figures) };
    let heated = ViewScene { shading: scene::heat(cx.state, &figures), ..plain.clone() };
    let own = cx.view.cameras.compressed;
    let compressed = |scene: &ViewScene| ViewScene { camera: own.unwrap_or(scene.camera), ..scene.clone() };
    let left = cx.left_side();
    for (index, place, scene) in [
        (0.0, SceneRect::of(Rect::NOTHING, left), &plain),
        (1.0, SceneRect::of(Rect::NOTHING, other(left)), &plain),
        (2.0, SceneRect::heat(Rect::NOTHING), &heated),
    ] {
        let scene = if place.show == Show::Side(Side::Original) { scene.clone() } else { compressed(scene) };
        one(ui, cx, &figures, &Arc::new(scene), SceneRect { rect: at(index), ..place });
    }
    vec2(width, area.height())
}

fn one(ui: &mut Ui, cx: &mut PanelCx<'_>, figures: &Figures, scene: &Arc<ViewScene>, place: SceneRect) {
    input::handle(ui, cx, scene, place);
    if let Some(refusal) = &cx.view.refusal {
        return refused(ui, cx, refusal, place.rect);
    }
    let painter = ui.painter().with_clip_rect(place.rect);
    painter.add(viewport(Viewport { id: place.id(), rect: place.rect, scene: scene.clone(), show: place.show }));
    cards::show(ui, cx, figures, scene, place);
}

/// A message in place of the picture. Lists, plots and export work without it.
fn refused(ui: &mut Ui, cx: &PanelCx<'_>, refusal: &GpuRefusal, area: Rect) {
    let card = Rect::from_center_size(area.center(), vec2((area.width() - 32.0).min(440.0), 132.0));
    ui.scope_builder(UiBuilder::new().max_rect(card), |ui| {
        let frame = Frame::new().fill(cx.theme.panel).stroke(Stroke::new(1.0, cx.theme.fail));
        frame.corner_radius(6).inner_margin(Margin::same(12)).show(ui, |ui| {
            ui.label(RichText::new("This rig cannot be drawn").size(size::TITLE).color(cx.theme.text1));
            ui.label(RichText::new(format!("{refusal}.")).color(cx.theme.text2));
            let advice = "Export it with fewer vertices, or use a graphics card with more memory. Numbers, curves and export still work.";
            ui.label(RichText::new(advice).color(cx.theme.text3));
        });
    });
}

fn empty(ui: &mut Ui, cx: &mut PanelCx<'_>, area: Rect) {
    if let Some(reading) = cx.reading() {
        ui.painter().text(area.center(), Align2::CENTER_CENTER, reading, font(size::TITLE), cx.theme.text2);
        return;
    }
    show_welcome(ui, cx, area);
}
