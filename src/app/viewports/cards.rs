use super::marker::Marker;
use super::plants::{self, DRIFT_GAIN};
use super::room::Room;
use super::{Figures, Place, controls, input, lens, probe};
use crate::panels::PanelCx;
use crate::render::{HEAT_STOPS, Shading, Show, Side, ViewScene, heat_position};
use crate::theme::{self, font, rounding, size};
use crate::widgets::{Icon, paint_icon, quantity, verdict_icon};
use egui::{Align2, Color32, Mesh, Painter, Pos2, Rect, Sense, Stroke, StrokeKind, Ui, Vec2, WidgetInfo, pos2, vec2};
use posepress_core::metrics::{PlantReport, Verdict};
use posepress_core::session::{Layer, ViewMode};
use posepress_core::text;

/// Narrower viewports have no foot lens.
const LENS_MIN_WIDTH: f32 = 420.0;
/// Size of the callout at a sliding foot.
const CALLOUT: Vec2 = vec2(190.0, 44.0);
/// Around a marked vertex, free of cards.
const MARKER_CLEAR: f32 = 12.0;
/// Room that the gizmo takes in the lower left corner.
const GIZMO_WIDTH: f32 = 64.0;
/// Where the first chip stands.
const CHIPS_LEFT: f32 = 12.0;
const CHIPS_TOP: f32 = 10.0;
/// Size of the heat map's legend.
const LEGEND: Vec2 = vec2(200.0, 38.0);
/// What the chip of the ground takes at the bottom, where the legend steps aside for it.
const GROUND_ROW: f32 = 44.0;

/// How far the legend of a picture that stands alone reaches, with a gap.
pub fn legend_right() -> f32 {
    CHIPS_LEFT + GIZMO_WIDTH + LEGEND.x + 8.0
}

/// What is written over a viewport: side, recipe, legend, callout, gizmo.
pub fn draw(ui: &mut Ui, cx: &mut PanelCx<'_>, figures: &Figures, scene: &ViewScene, place: Place) {
    let rect = place.rect;
    let painter = ui.painter().with_clip_rect(rect);
    let mut room = Room::new(rect);
    room.take(controls::places(cx, figures, place));
    let [original, compressed] = [Side::Original, Side::Compressed].map(|side| place.part(side));
    let mut left = CHIPS_LEFT;
    if let Some(part) = original {
        let chips = chips_original(&painter.with_clip_rect(part), cx, part);
        room.take([chips]);
        // Both figures in one picture: their chips stand in one row.
        left = if matches!(place.show, Show::Onion { .. }) { chips.right() - part.left() + CHIPS_LEFT } else { left };
    }
    if let Some(part) = compressed {
        room.take([chips_compressed(&painter.with_clip_rect(part), cx, part.min + vec2(left, CHIPS_TOP))]);
    }
    // The picture that has no other beside it, or whose camera is its own, carries what belongs to both.
    let alone = cx.view.settings.mode != ViewMode::SideBySide;
    if original.is_some() || alone || cx.view.cameras.compressed.is_some() {
        gizmo(&painter, cx, scene, rect);
        room.take([Rect::from_min_size(rect.left_bottom() - vec2(0.0, GIZMO_WIDTH), Vec2::splat(GIZMO_WIDTH))]);
    }
    if let Some(part) = if alone { Some(rect) } else { original } {
        room.take(ground_chip(&painter.with_clip_rect(part), cx, part));
    }
    if let Some(part) = original {
        let marker = Marker::of(cx, figures, scene, rect, Side::Original);
        marker.into_iter().for_each(|marker| marker.draw(&painter.with_clip_rect(part), cx, &room));
    }
    if let Some(part) = compressed
        && figures.decoded.is_some()
        && !cx.view.original_on_both()
    {
        let beside_gizmo = alone && part.left() == rect.left() || cx.view.cameras.compressed.is_some();
        let indent = CHIPS_LEFT + if beside_gizmo { GIZMO_WIDTH } else { 0.0 };
        errors(ui, cx, figures, scene, (rect, part), indent, &mut room);
    }
}

/// What the compressed side has besides: legend, slide, marked vertex, the error under the pointer.
fn errors(
    ui: &mut Ui,
    cx: &mut PanelCx<'_>,
    figures: &Figures,
    scene: &ViewScene,
    (rect, part): (Rect, Rect),
    indent: f32,
    room: &mut Room,
) {
    let painter = ui.painter().with_clip_rect(rect);
    if cx.view.settings.layers.is_on(Layer::Heat) {
        let corner = Rect::from_min_size(part.left_bottom() + vec2(indent, -48.0), LEGEND);
        let free = room.find(&[corner, corner.translate(vec2(0.0, -GROUND_ROW))]);
        room.take(legend(&painter, cx, scene, free.unwrap_or(corner)));
    }
    let marker = Marker::of(cx, figures, scene, rect, Side::Compressed);
    room.take(marker.map(|marker| Rect::from_center_size(marker.at, Vec2::splat(2.0 * MARKER_CLEAR))));
    sliding(ui, &painter, cx, figures, scene, (rect, part), room);
    marker.into_iter().for_each(|marker| marker.draw(&painter.with_clip_rect(part), cx, room));
    hover(ui, cx, figures, scene, rect, part);
}

/// Width of a chip without a marker.
fn chip_width(painter: &Painter, text: &str) -> f32 {
    painter.layout_no_wrap(text.to_owned(), font(size::SMALL), Color32::PLACEHOLDER).size().x + 18.0
}

fn chip(painter: &Painter, cx: &PanelCx<'_>, at: Pos2, text: &str, marker: Option<(bool, Color32)>) -> Rect {
    let galley = painter.layout_no_wrap(text.to_owned(), font(size::SMALL), cx.theme.text1);
    let lead = if marker.is_some() { 14.0 } else { 0.0 };
    let rect = Rect::from_min_size(at, vec2(galley.size().x + lead + 18.0, 24.0));
    painter.rect_filled(rect, rounding::WIDGET as f32, cx.theme.glass);
    let middle = rect.center().y;
    match marker {
        Some((true, color)) => {
            painter.circle_filled(pos2(rect.left() + 13.0, middle), 4.0, color);
        }
        Some((false, color)) => {
            let square = Rect::from_center_size(pos2(rect.left() + 13.0, middle), Vec2::splat(7.0));
            painter.rect_filled(square, 0.0, color);
        }
        None => {}
    }
    let at = pos2(rect.left() + 9.0 + lead, middle - galley.size().y / 2.0);
    painter.galley(at, galley, cx.theme.text1);
    rect
}

/// Returns the row's place.
fn chips_original(painter: &Painter, cx: &PanelCx<'_>, rect: Rect) -> Rect {
    let at = rect.min + vec2(CHIPS_LEFT, CHIPS_TOP);
    let first = chip(painter, cx, at, "original", Some((false, cx.theme.original)));
    let Some((_, clip)) = cx.selected() else { return first };
    let facts = format!("raw  {} samples  {}", clip.samples(), text::rate(clip.grid().rate_hz()));
    chip(painter, cx, first.right_top() + vec2(6.0, 0.0), &facts, None).union(first)
}

/// Returns the row's place.
fn chips_compressed(painter: &Painter, cx: &PanelCx<'_>, at: Pos2) -> Rect {
    if cx.view.original_on_both() {
        let why =
            if cx.view.held.original { "original, as long as R is held" } else { "original, as long as B blinks" };
        return chip(painter, cx, at, why, Some((false, cx.theme.original)));
    }
    let first = chip(painter, cx, at, "compressed", Some((true, cx.theme.compressed)));
    let letter = posepress_core::session::SLOT_LETTERS[cx.workspace.active_slot()];
    let title = match cx.shown() {
        Some(shown) => format!("{letter}  {}", shown.outcome.recipe.title()),
        None => format!("{letter}  {}", cx.workspace.active_recipe().title()),
    };
    let second = chip(painter, cx, first.right_top() + vec2(6.0, 0.0), &title, None);
    if cx.is_stale() {
        let at = Rect::from_min_size(second.right_top() + vec2(8.0, 5.0), Vec2::splat(14.0));
        paint_icon(painter, at, 12.0, Icon::Working, cx.theme.accent);
    }
    first.union(second)
}

fn ground_chip(painter: &Painter, cx: &PanelCx<'_>, rect: Rect) -> Option<Rect> {
    let speed = cx.report()?.contacts.plan.ground_velocity_m_s;
    if speed.length() < 0.05 {
        return None;
    }
    let along = if speed.z.abs() > speed.x.abs() { speed.z } else { speed.x };
    let text = format!("in place, ground {}", text::speed(along));
    let at = rect.right_bottom() - vec2(chip_width(painter, &text) + 12.0, 36.0);
    Some(chip(painter, cx, at, &text, None))
}

/// Axes of the world as the camera sees them.
fn gizmo(painter: &Painter, cx: &PanelCx<'_>, scene: &ViewScene, rect: Rect) {
    let (right, up, back) = scene.camera.axes();
    let centre = rect.left_bottom() + vec2(36.0, -34.0);
    let axes = [(glam::Vec3::X, "X"), (glam::Vec3::Y, "Y"), (glam::Vec3::Z, "Z")];
    let mut ends: Vec<_> = axes
        .iter()
        .enumerate()
        .map(|(i, (axis, name))| (axis.dot(back), vec2(axis.dot(right), -axis.dot(up)) * 22.0, *name, cx.theme.axes[i]))
        .collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0)); // those that point away are drawn first
    for (_, end, name, color) in ends {
        painter.line_segment([centre, centre + end], Stroke::new(1.6, color));
        painter.text(centre + end * 1.32, Align2::CENTER_CENTER, name, font(size::TICK), color);
    }
}

/// The scale of the heat map, ticked at the tolerance.
fn legend(painter: &Painter, cx: &PanelCx<'_>, scene: &ViewScene, card: Rect) -> Option<Rect> {
    let tolerance_m = match scene.shading {
        Shading::Material => return None,
        Shading::Heat { tolerance_m } | Shading::JointError { tolerance_m, .. } => tolerance_m,
    };
    painter.rect_filled(card, rounding::WIDGET as f32, cx.theme.glass);
    let bar = Rect::from_min_size(card.min + vec2(10.0, 8.0), vec2(180.0, 9.0));
    let place = |ratio: f32| bar.left() + bar.width() * heat_position(ratio);
    let mut mesh = Mesh::default();
    for (at, rgb) in HEAT_STOPS {
        let color = theme::color(rgb);
        mesh.colored_vertex(pos2(place(at), bar.top()), color);
        mesh.colored_vertex(pos2(place(at), bar.bottom()), color);
    }
    for i in 0..HEAT_STOPS.len() as u32 - 1 {
        mesh.add_triangle(2 * i, 2 * i + 1, 2 * i + 2);
        mesh.add_triangle(2 * i + 1, 2 * i + 3, 2 * i + 2);
    }
    painter.add(mesh);
    let tick = place(1.0);
    painter.vline(tick, (bar.top() - 3.0)..=(bar.bottom() + 3.0), Stroke::new(1.5, cx.theme.text1));
    let mm = |m: f32| text::length(m);
    let y = bar.bottom() + 11.0;
    let label = |x: f32, align, text: String| {
        painter.text(pos2(x, y), align, text, font(size::TICK), cx.theme.text1);
    };
    label(bar.left(), Align2::LEFT_CENTER, "0".into());
    label(tick, Align2::CENTER_CENTER, format!("{} tol.", mm(tolerance_m)));
    label(bar.right(), Align2::RIGHT_CENTER, mm(tolerance_m * 10.0));
    Some(card)
}

/// Error of what lies under the pointer: of the skin, or of a joint.
fn hover(ui: &Ui, cx: &PanelCx<'_>, figures: &Figures, scene: &ViewScene, rect: Rect, part: Rect) {
    let Some(pointer) = ui.ctx().pointer_hover_pos().filter(|p| part.contains(*p)) else { return };
    if ui.ctx().egui_is_using_pointer() {
        return;
    }
    let on_skin = probe::vertex(figures, scene, rect, pointer).map(|hit| (hit.joint, hit.error_m, "on the skin"));
    let of_joint = || {
        let joint = input::pick(scene, rect, Side::Compressed, pointer, input::PICK_RADIUS)?;
        Some((joint, *figures.joint_errors_m.get(joint)?, "at the shell"))
    };
    let Some((joint, error_m, place)) = on_skin.or_else(of_joint) else { return };
    let text = format!("{}  {} {place}", figures.rig.skeleton.name(joint), text::length(error_m));
    let painter = ui.painter().with_clip_rect(part);
    let width = chip_width(&painter, &text);
    let left = (pointer.x + 14.0).min(part.right() - width - 6.0).max(part.left());
    chip(&painter, cx, pos2(left, pointer.y + 16.0), &text, None);
}

/// The worst plant of the moment: the lens, and the callout at the foot. Neither lies over the other or what is there.
fn sliding(
    ui: &mut Ui,
    painter: &Painter,
    cx: &mut PanelCx<'_>,
    figures: &Figures,
    scene: &ViewScene,
    (rect, part): (Rect, Rect),
    room: &mut Room,
) {
    let layers = cx.view.settings.layers;
    let bad = figures.standing.iter().filter(|(_, p)| p.verdict != Verdict::Good);
    let worst = bad.max_by(|a, b| a.1.slide_m.total_cmp(&b.1.slide_m));
    let (Some((index, plant)), Some(shown)) = (worst, cx.shown()) else { return };
    let anchor = plants::anchor(figures, &shown.outcome.report.contacts.plan, plant);
    let foot = scene.camera.project(anchor, glam::vec2(rect.width(), rect.height()));
    let foot = foot.map(|foot| rect.min + vec2(foot.x, foot.y));
    let has_lens = layers.is_on(Layer::FootLens) && part.width() >= LENS_MIN_WIDTH;
    let lens = lens::place(part, foot, room).filter(|_| has_lens);
    room.take(lens);
    if let Some(foot) = foot.filter(|_| layers.is_on(Layer::Plants))
        && let Some(card) = room.find(&callout_places(foot, part))
    {
        room.take([card]);
        callout(ui, painter, cx, figures, plant, foot, card);
    }
    if let Some(card) = lens {
        lens::draw(ui, painter, cx, figures, shown, card, *index, plant);
    }
}

/// Above the foot to the right first, then around it.
fn callout_places(foot: Pos2, part: Rect) -> [Rect; 4] {
    let inside = |offset: Vec2| {
        let left = (foot.x + offset.x).min(part.right() - CALLOUT.x - 10.0).max(part.left() + 10.0);
        let lowest = (part.bottom() - CALLOUT.y - 56.0).max(part.top() + 44.0);
        Rect::from_min_size(pos2(left, (foot.y + offset.y).clamp(part.top() + 44.0, lowest)), CALLOUT)
    };
    [vec2(28.0, -92.0), vec2(28.0, -170.0), vec2(28.0, 40.0), vec2(-28.0 - CALLOUT.x, -92.0)].map(inside)
}

fn callout(
    ui: &Ui,
    painter: &Painter,
    cx: &PanelCx<'_>,
    figures: &Figures,
    plant: &PlantReport,
    foot: Pos2,
    card: Rect,
) {
    let theme = cx.theme;
    let name = figures.rig.skeleton.name(plant.joint);
    let slide = text::length(plant.slide_m);
    let response = ui.interact(card, ui.scope_id().with("callout"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, format!("{name} slides {slide}")));
    let color = theme.verdict(plant.verdict);
    let end = pos2(card.left() + 24.0, if card.top() > foot.y { card.top() } else { card.bottom() });
    painter.line_segment([foot, end], Stroke::new(1.2, color));
    painter.circle(foot, 3.0, theme.glass, Stroke::new(1.2, color));
    painter.rect(card, rounding::WIDGET as f32, theme.glass, Stroke::new(1.0, color), StrokeKind::Inside);
    let icon = Rect::from_center_size(card.left_center() + vec2(16.0, 0.0), Vec2::splat(13.0));
    paint_icon(painter, icon, 12.0, verdict_icon(plant.verdict), color);
    let left = card.left() + 32.0;
    painter.text(
        pos2(left, card.top() + 13.0),
        Align2::LEFT_CENTER,
        format!("{name} slides"),
        font(size::SMALL),
        theme.text1,
    );
    let job = quantity(theme, &slide, size::BODY, theme.text1);
    let galley = painter.layout_job(job);
    painter.galley(pos2(left, card.top() + 22.0), galley, theme.text1);
    let gain = format!("drawn \u{d7}{DRIFT_GAIN:.0}");
    painter.text(card.right_top() + vec2(-8.0, 13.0), Align2::RIGHT_CENTER, gain, font(size::TICK), theme.warn);
    if let Some((_, clip)) = cx.selected() {
        let at = |secs: f32| clip.grid().sample_at(secs).round() as usize;
        let frames = text::frames(at(plant.start_secs), at(plant.end_secs));
        let place = card.right_bottom() + vec2(-8.0, -12.0);
        painter.text(place, Align2::RIGHT_CENTER, frames, font(size::TICK), theme.text3);
    }
}
