use super::super::contacts::{self, DRIFT_GAIN};
use super::card::{Card, Otherwise, Picture};
use crate::panels::PanelCx;
use crate::theme::{font, rounding, size};
use crate::widgets::{paint_icon, text_middle, verdict_icon};
use egui::{Align2, Painter, Pos2, Rect, Sense, Stroke, StrokeKind, Ui, Vec2, WidgetInfo, pos2, vec2};
use posepress_core::metrics::{ContactSlide, Verdict};
use posepress_core::report::{contact_frames, slide_limit};
use posepress_core::text;
use posepress_core::view::Layer;

const SIZE: Vec2 = vec2(226.0, 60.0);
/// Size in a narrow viewport: one line.
const COMPACT: Vec2 = vec2(150.0, 24.0);
/// A viewport below this width is narrow.
const WIDE: f32 = 420.0;

/// The contact at the playhead that slides most, if it is over a limit.
#[derive(Clone, Copy)]
pub(super) struct Sliding<'f> {
    /// Index in the report.
    pub(super) index: usize,
    pub(super) contact: &'f ContactSlide,
    /// Position of its foot on screen; `None` behind the camera.
    pub(super) foot: Option<Pos2>,
}

impl<'f> Sliding<'f> {
    pub(super) fn of(cx: &PanelCx<'_>, picture: &Picture<'f>) -> Option<Self> {
        let figures = picture.figures;
        let bad = figures.standing.iter().filter(|(_, contact)| contact.verdict != Verdict::Good);
        let (index, contact) = bad.max_by(|a, b| a.1.slide_m.total_cmp(&b.1.slide_m))?;
        let anchor = contacts::anchor(figures, &cx.report()?.slide.plan, contact);
        let rect = picture.place.rect;
        let foot = picture.scene.camera.project(anchor, glam::vec2(rect.width(), rect.height()));
        Some(Self { index: *index, contact, foot: foot.map(|foot| rect.min + vec2(foot.x, foot.y)) })
    }
}

/// Label at a sliding foot: name, slide, limit and frames.
pub(super) fn card<'f>(cx: &PanelCx<'_>, picture: &Picture<'f>) -> Option<Card<'f>> {
    let part = picture.compared(cx).filter(|_| cx.view.settings.layers.is_on(Layer::Contacts))?;
    let Sliding { index, contact, foot } = Sliding::of(cx, picture)?;
    let foot = foot?;
    let (painter, name) = (picture.painter.clone(), picture.figures.rig.skeleton.name(contact.joint));
    let now_m = cx.shown().and_then(|shown| contacts::sole(picture.figures, shown, index)).map(|s| s.drift.length());
    // In a narrow viewport a card next to the foot would cover the character.
    let places = match part.width() < WIDE {
        true => picture.clear_of_figure(places(foot, part, COMPACT).into()),
        false => places(foot, part, SIZE).into(),
    };
    Some(Card::new(places, picture.place.rect, Otherwise::NearOrNot, move |ui, cx, card| {
        draw(ui, &painter, cx, Said { name, contact, now_m }, foot, card);
    }))
}

/// Positions around the foot, best first: above it to the right.
fn places(foot: Pos2, part: Rect, size: Vec2) -> [Rect; 4] {
    let inside = |offset: Vec2| {
        let left = (foot.x + offset.x).min(part.right() - size.x - 10.0).max(part.left() + 10.0);
        let lowest = (part.bottom() - size.y - 56.0).max(part.top() + 44.0);
        Rect::from_min_size(pos2(left, (foot.y + offset.y).clamp(part.top() + 44.0, lowest)), size)
    };
    [vec2(28.0, -92.0), vec2(28.0, -170.0), vec2(28.0, 40.0), vec2(-28.0 - size.x, -92.0)].map(inside)
}

/// Text of the card about a contact.
struct Said<'a> {
    name: &'a str,
    contact: &'a ContactSlide,
    /// Drift at the playhead.
    now_m: Option<f32>,
}

fn draw(ui: &Ui, painter: &Painter, cx: &PanelCx<'_>, said: Said<'_>, foot: Pos2, card: Rect) {
    let (theme, Said { name, contact, now_m }) = (cx.theme, said);
    let slide = text::length(contact.slide_m);
    let response = ui.interact(card, ui.scope_id().with("callout"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, format!("{name} slides {slide}")));
    let color = theme.verdict(contact.verdict);
    let end = pos2(card.left() + 24.0, if card.top() > foot.y { card.top() } else { card.bottom() });
    painter.line_segment([foot, end], Stroke::new(1.2, color));
    painter.circle(foot, 3.0, theme.glass, Stroke::new(1.2, color));
    painter.rect(card, rounding::WIDGET as f32, theme.glass, Stroke::new(1.0, color), StrokeKind::Inside);
    let icon = Rect::from_center_size(card.left_center() + vec2(16.0, 0.0), Vec2::splat(13.0));
    paint_icon(painter, icon, 12.0, verdict_icon(contact.verdict), color);
    let (left, right) = (card.left() + 32.0, card.right() - 8.0);
    if card.height() < SIZE.y {
        let at = pos2(right, card.center().y);
        let slide = painter.text(at, Align2::RIGHT_CENTER, &slide, font(size::SMALL), theme.text1);
        text_middle(painter, pos2(left, at.y), slide.left() - 6.0, name, size::SMALL, theme.text1);
        return;
    }
    let gain = format!("drawn \u{d7}{DRIFT_GAIN:.0}");
    let gain = painter.text(pos2(right, card.top() + 13.0), Align2::RIGHT_CENTER, gain, font(size::TICK), theme.warn);
    let title = pos2(left, card.top() + 13.0);
    text_middle(painter, title, gain.left() - 6.0, &format!("{name} slides"), size::SMALL, theme.text1);
    let now = now_m.map_or(String::new(), |now_m| format!("{} now, ", text::length(now_m)));
    let words = format!("{now}{slide} at most");
    painter.text(pos2(left, card.center().y), Align2::LEFT_CENTER, words, font(size::SMALL), theme.text1);
    let below = card.bottom() - 13.0;
    let limits = cx.report().map(|report| report.slide.limits);
    if let Some((limits, over)) = limits.zip(contact.over) {
        let limit = format!("over {}", slide_limit(&limits, over));
        painter.text(pos2(right, below), Align2::RIGHT_CENTER, limit, font(size::TICK), color);
    }
    if let Some((_, clip)) = cx.selected() {
        let frames = contact_frames(clip, contact, cx.frame_numbers());
        painter.text(pos2(left, below), Align2::LEFT_CENTER, frames, font(size::TICK), theme.text3);
    }
}
