use super::super::contacts;
use super::callout::Sliding;
use super::card::{Card, Otherwise, Picture};
use crate::commands::DrawCommand;
use crate::panels::PanelCx;
use crate::theme::{font, rounding, size};
use crate::viewports::scene::Figures;
use crate::widgets::{Icon, icon_button, text_middle};
use egui::{Align2, Painter, Pos2, Rect, Sense, Shape, Stroke, StrokeKind, Ui, UiBuilder, WidgetInfo, pos2, vec2};
use glam::Vec3;
use posepress_core::text;
use posepress_core::view::Layer;

/// Factor by which drift is drawn larger than the sole.
const DRIFT_GAIN: f32 = 15.0;
const SIZE: egui::Vec2 = vec2(196.0, 156.0);
/// Margin around the foot that the card must not cover.
const FOOT_CLEAR: f32 = 16.0;

/// A narrower viewport has no foot lens.
const MIN_PART: f32 = 420.0;

/// The foot lens: the magnified sole of a sliding contact from above, at its true and at its drifted place. It is in a
/// corner where it covers neither other cards nor the foot.
pub(super) fn card<'f>(cx: &PanelCx<'_>, picture: &Picture<'f>) -> Option<Card<'f>> {
    let part = picture.compared(cx).filter(|part| part.width() >= MIN_PART)?;
    let sliding = Sliding::of(cx, picture).filter(|_| cx.view.settings.layers.is_on(Layer::FootLens))?;
    let at = |x: f32, y: f32| Rect::from_min_size(pos2(x, y), SIZE);
    let left = part.left() + 12.0;
    let (right, top, bottom) = (part.right() - SIZE.x - 12.0, part.top() + 10.0, part.bottom() - SIZE.y - 56.0);
    let places =
        [at(right, top), at(right, top + 34.0), at(right, bottom), at(left, part.top() + 72.0), at(left, bottom)];
    let covers = |card: &Rect| sliding.foot.is_some_and(|foot| card.expand(FOOT_CLEAR).contains(foot));
    let places: Vec<Rect> = places.into_iter().filter(|card| part.contains_rect(*card) && !covers(card)).collect();
    let places = picture.clear_of_figure(places);
    let (painter, figures) = (picture.painter.clone(), picture.figures);
    Some(Card::new(places, picture.place.rect, Otherwise::Not, move |ui, cx, card| {
        draw(ui, &painter, cx, figures, sliding, card);
    }))
}

fn draw(
    ui: &mut Ui,
    painter: &Painter,
    cx: &mut PanelCx<'_>,
    figures: &Figures,
    Sliding { index, contact, .. }: Sliding<'_>,
    card: Rect,
) {
    let Some(sole) = cx.shown().and_then(|shown| contacts::sole(figures, shown, index)) else { return };
    let theme = cx.theme;
    let response = ui.interact(card, ui.scope_id().with("foot lens"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, "Foot lens, from above"));
    painter.rect(card, rounding::CARD as f32, theme.glass, Stroke::new(1.0, theme.stroke), StrokeKind::Inside);
    let name = figures.rig.skeleton.name(contact.joint);
    let title = card.min + vec2(10.0, 15.0);
    let close = Rect::from_min_size(card.right_top() + vec2(-30.0, 2.0), vec2(26.0, 26.0));
    text_middle(painter, title, close.left() - 4.0, &format!("{name} sole, from above"), size::SMALL, theme.text1);
    let mut clicked = false;
    ui.scope_builder(UiBuilder::new().max_rect(close), |ui| {
        clicked = icon_button(ui, theme, Icon::Cross, false, "Close foot lens", "Hide the foot lens.").clicked();
    });
    if clicked {
        cx.push(DrawCommand::ToggleLayer(Layer::FootLens));
    }
    let view = Plan::new(&sole, Rect::from_min_max(card.min + vec2(12.0, 32.0), card.max - vec2(12.0, 26.0)));
    let color = theme.verdict(contact.verdict);
    let raw: Vec<Pos2> = sole.raw.iter().map(|p| view.at(*p)).collect();
    let moved: Vec<Pos2> = sole.raw.iter().map(|p| view.at(*p + sole.drift * DRIFT_GAIN)).collect();
    painter.add(Shape::convex_polygon(moved, color.gamma_multiply(0.35), Stroke::new(2.0, color)));
    painter.add(Shape::closed_line(raw, Stroke::new(1.5, theme.original)));
    let start = contacts::centre(&sole.raw);
    let path: Vec<Pos2> = sole.path.iter().map(|d| view.at(start + *d * DRIFT_GAIN)).collect();
    painter.circle_stroke(view.at(start), 3.0, Stroke::new(1.2, theme.text1));
    if let Some(end) = path.last() {
        painter.circle_filled(*end, 3.5, color);
    }
    painter.add(Shape::line(path, Stroke::new(1.5, theme.text1)));
    let now = format!("{} now", text::length(sole.drift.length()));
    let corner = pos2(card.right() - 12.0, card.bottom() - 32.0);
    let galley = painter.layout_no_wrap(now, font(size::BODY), color);
    let words = Align2::RIGHT_CENTER.anchor_size(corner, galley.size());
    painter.rect_filled(words.expand(3.0), rounding::LANE as f32, theme.glass); // the sole has the same colour
    painter.galley(words.min, galley, color);
    scale_bar(painter, cx, card, &view);
}

fn scale_bar(painter: &Painter, cx: &PanelCx<'_>, card: Rect, view: &Plan) {
    let y = card.bottom() - 13.0;
    let gain = format!("drawn \u{d7}{DRIFT_GAIN:.0}");
    painter.text(pos2(card.left() + 10.0, y), Align2::LEFT_CENTER, gain, font(size::TICK), cx.theme.warn);
    // The bar is as long as a drift of this length is drawn.
    let lengths_m = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05];
    let fits = |m: &f32| m * DRIFT_GAIN * view.points_per_m <= 60.0;
    let length_m = lengths_m.into_iter().rev().find(fits).unwrap_or(0.001);
    let width = length_m * DRIFT_GAIN * view.points_per_m;
    let right = card.right() - 12.0;
    painter.hline((right - width)..=right, y, Stroke::new(1.2, cx.theme.text1));
    let text = text::length(length_m);
    painter.text(pos2(right - width - 6.0, y), Align2::RIGHT_CENTER, text, font(size::TICK), cx.theme.text2);
}

/// Ground coordinates to points: +Z (forwards) to the right, +X down, the sole fitted in.
struct Plan {
    centre: Vec3,
    middle: Pos2,
    points_per_m: f32,
}

impl Plan {
    fn new(sole: &contacts::Sole, rect: Rect) -> Self {
        let centre = contacts::centre(&sole.raw) + sole.drift * DRIFT_GAIN * 0.5;
        let reach = |p: &Vec3| {
            let d = (*p - centre).abs();
            (d.z / rect.width()).max(d.x / rect.height()) * 2.0
        };
        let moved = sole.raw.iter().map(|p| *p + sole.drift * DRIFT_GAIN);
        let largest = sole.raw.iter().copied().chain(moved).map(|p| reach(&p)).fold(1e-6, f32::max);
        Self { centre, middle: rect.center(), points_per_m: 1.0 / largest }
    }

    fn at(&self, p: Vec3) -> Pos2 {
        let d = (p - self.centre) * self.points_per_m;
        self.middle + vec2(d.z, d.x)
    }
}
