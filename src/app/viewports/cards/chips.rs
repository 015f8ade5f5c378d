use super::super::{input, probe};
use super::card::{Card, Otherwise, Picture};
use crate::panels::{PanelCx, Standing, reference_entries};
use crate::render::{Show, Side};
use crate::theme::{font, rounding, size};
use crate::widgets::{Icon, chevron, paint_icon};
use egui::{Galley, Id, Painter, Popup, Rect, Sense, Stroke, StrokeKind, Ui, Vec2, WidgetInfo, pos2, vec2};
use posepress_core::text;
use posepress_core::workspace::Reference;
use std::sync::Arc;

/// Position of the first chip from the top left corner.
pub(super) const LEFT: f32 = 12.0;
const TOP: f32 = 10.0;
/// Height of a row.
pub(super) const ROW: f32 = 24.0;
/// Gap between chips, and between rows.
pub(super) const GAP: f32 = 6.0;
/// Distance from the top to the second row.
pub(super) const SECOND_ROW: f32 = TOP + ROW + GAP;
/// Width of a mark before the text.
const LEAD: f32 = 14.0;
/// Width of the menu sign after the text.
const OPENS: f32 = 12.0;
/// Width of the progress icon at the end of a row.
const WORKING: f32 = 14.0;
/// Below this speed the ground counts as still.
const STANDS_M_S: f32 = 0.05;

/// Text on a small card.
struct Chip {
    galley: Arc<Galley>,
    mark: Mark,
    /// True if it has a menu, which a sign shows.
    opens: bool,
}

/// A side's mark before the text.
#[derive(Clone, Copy, PartialEq)]
enum Mark {
    None,
    /// A square in the original's colour.
    Original,
    /// A disc in the compressed side's colour.
    Compressed,
}

impl Chip {
    fn new(cx: &PanelCx<'_>, painter: &Painter, words: &str, mark: Mark) -> Self {
        Self { galley: painter.layout_no_wrap(words.to_owned(), font(size::SMALL), cx.theme.text1), mark, opens: false }
    }

    fn lead(&self) -> f32 {
        if self.mark == Mark::None { 0.0 } else { LEAD }
    }

    fn size(&self) -> Vec2 {
        vec2(self.galley.size().x + self.lead() + 18.0 + if self.opens { OPENS } else { 0.0 }, ROW)
    }

    fn draw(self, painter: &Painter, cx: &PanelCx<'_>, rect: Rect) {
        painter.rect_filled(rect, rounding::WIDGET as f32, cx.theme.glass);
        let middle = rect.center().y;
        let mark = pos2(rect.left() + 13.0, middle);
        match self.mark {
            Mark::None => {}
            Mark::Original => {
                painter.rect_filled(Rect::from_center_size(mark, Vec2::splat(7.0)), 0.0, cx.theme.original);
            }
            Mark::Compressed => {
                painter.circle_filled(mark, 4.0, cx.theme.compressed);
            }
        }
        let at = pos2(rect.left() + 9.0 + self.lead(), middle - self.galley.size().y / 2.0);
        painter.galley(at, self.galley, cx.theme.text1);
        if self.opens {
            chevron(painter, pos2(rect.right() - 12.0, middle), true, cx.theme);
        }
    }
}

/// Chips side by side.
struct Row {
    chips: Vec<Chip>,
    /// True while results are pending.
    working: bool,
}

impl Row {
    fn size(&self) -> Vec2 {
        let chips: f32 = self.chips.iter().map(|chip| chip.size().x).sum();
        let gaps = GAP * self.chips.len().saturating_sub(1) as f32;
        vec2(chips + gaps + if self.working { 8.0 + WORKING } else { 0.0 }, ROW)
    }

    /// Drops the last chips if the viewport is too narrow for all.
    fn fitted(mut self, part: Rect) -> Self {
        while self.chips.len() > 1 && self.size().x > part.width() - 2.0 * LEFT {
            self.chips.pop();
        }
        self
    }

    fn draw(self, painter: &Painter, cx: &PanelCx<'_>, rect: Rect) {
        let mut at = rect.min;
        for chip in self.chips {
            let place = Rect::from_min_size(at, chip.size());
            chip.draw(painter, cx, place);
            at.x = place.right() + GAP;
        }
        if self.working {
            let sign = Rect::from_min_size(at + vec2(8.0 - GAP, 5.0), Vec2::splat(WORKING));
            paint_icon(painter, sign, 12.0, Icon::Working, cx.theme.accent);
        }
    }
}

/// The reference: the original or what replaces it. A click opens a menu of others.
pub(super) fn original<'f>(cx: &PanelCx<'_>, picture: &Picture<'f>) -> Option<Card<'f>> {
    let (part, painter) = picture.part(Side::Original)?;
    let Standing { word, title, .. } = cx.standing(Side::Original);
    let opens = cx.shows_all() || cx.workspace.reference() != Reference::Original;
    let choice = Chip { opens, ..Chip::new(cx, &painter, word, Mark::Original) };
    let mut chips = vec![choice];
    // The number of samples of the original is in the tooltip of the clip.
    if opens {
        chips.push(Chip::new(cx, &painter, &title, Mark::None));
    }
    let row = Row { chips, working: false }.fitted(part);
    let place = Rect::from_min_size(part.min + vec2(LEFT, TOP), row.size());
    let name = picture.place.name;
    Some(Card::new([place], part, Otherwise::Fixed, move |ui, cx, rect| {
        let choice = Rect::from_min_size(rect.min, row.chips[0].size());
        row.draw(&painter, cx, rect);
        if !opens {
            return;
        }
        references(ui, cx, (name, choice.intersect(part)));
    }))
}

/// The menu of references.
fn references(ui: &mut Ui, cx: &mut PanelCx<'_>, (name, rect): (&str, Rect)) {
    let response = ui.interact(rect, Id::unique(("reference", name)), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, "Reference"));
    if response.hovered() {
        ui.painter().rect_stroke(rect, rounding::WIDGET as f32, Stroke::new(1.0, cx.theme.strong), StrokeKind::Inside);
    }
    let help = "Reference with which the compressed side is compared. Click to choose another.";
    Popup::menu(&response).show(|ui| reference_entries(ui, cx));
    response.on_hover_text(help);
}

/// Title of the compressed side. It shows the original's while that is shown in its place.
pub(super) fn compressed<'f>(cx: &PanelCx<'_>, picture: &Picture<'f>) -> Option<Card<'f>> {
    let (part, painter) = picture.part(Side::Compressed)?;
    let chip = |words: &str, mark| Chip::new(cx, &painter, words, mark);
    let row = if cx.view.original_on_both() {
        let key = if cx.view.held.original { "R is held" } else { "B blinks" };
        let word = cx.standing(Side::Original).word;
        Row { chips: vec![chip(&format!("{word}, while {key}"), Mark::Original)], working: false }
    } else {
        let Standing { word, title, .. } = cx.standing(Side::Compressed);
        let chips = match picture.place.is_heat() {
            true => vec![chip("heat map", Mark::Compressed)],
            false => vec![chip(word, Mark::Compressed), chip(&title, Mark::None)],
        };
        Row { chips, working: cx.is_stale() || cx.workspace.is_pairing() }.fitted(part)
    };
    // If one viewport shows both sides, their chips share a row.
    let beside = match (picture.place.show, original(cx, picture)) {
        (Show::Onion { .. }, Some(original)) => original.places[0].right() - part.left(),
        _ => 0.0,
    };
    let place = Rect::from_min_size(part.min + vec2(beside + LEFT, TOP), row.size());
    Some(Card::new([place], part, Otherwise::Fixed, move |_, cx, rect| row.draw(&painter, cx, rect)))
}

/// A chip for a compressed side with its own camera.
pub(super) fn own_camera<'f>(cx: &PanelCx<'_>, picture: &Picture<'f>) -> Option<Card<'f>> {
    cx.view.cameras.compressed.filter(|_| picture.place.show == Show::Side(Side::Compressed))?;
    let (painter, rect) = (picture.painter.clone(), picture.place.rect);
    let galley = painter.layout_no_wrap("own camera".to_owned(), font(size::SMALL), cx.theme.text2);
    let chip = Chip { galley, mark: Mark::None, opens: false };
    let places = second_row(picture, chip.size());
    Some(Card::new(places, rect, Otherwise::Near, move |_, cx, rect| chip.draw(&painter, cx, rect)))
}

/// Speed of the ground under a character that walks in place.
pub(super) fn ground<'f>(cx: &PanelCx<'_>, picture: &Picture<'f>) -> Option<Card<'f>> {
    let first = picture.place.part(Side::Original);
    let part = if Picture::is_alone(cx) { picture.place.rect } else { first? };
    let speed = cx.report()?.slide.plan.ground_velocity_m_s;
    if speed.length() < STANDS_M_S || !cx.shows_all() {
        return None;
    }
    let along = if speed.z.abs() > speed.x.abs() { speed.z } else { speed.x };
    let painter = picture.painter.with_clip_rect(part);
    let chip = Chip::new(cx, &painter, &format!("in place, ground {}", text::speed(along)), Mark::None);
    let place = Rect::from_min_size(part.right_bottom() - vec2(chip.size().x + 12.0, 36.0), chip.size());
    Some(Card::new([place], part, Otherwise::Fixed, move |_, cx, rect| chip.draw(&painter, cx, rect)))
}

/// Error under the pointer: of the skin, or of a joint's shell.
pub(super) fn pointed_at<'f>(cx: &PanelCx<'_>, picture: &Picture<'f>) -> Option<Card<'f>> {
    let part = picture.compared(cx)?;
    let ctx = picture.painter.ctx();
    let pointer = ctx.pointer_hover_pos().filter(|p| part.contains(*p) && !ctx.egui_is_using_pointer())?;
    let (figures, scene, rect) = (picture.figures, picture.scene, picture.place.rect);
    let on_skin = probe::vertex(figures, scene, rect, pointer).map(|hit| (hit.joint, hit.error_m, "on the skin"));
    let of_joint = || {
        let joint = input::pick(scene, rect, Side::Compressed, pointer, input::PICK_RADIUS)?;
        Some((joint, *figures.joint_errors_m.get(joint)?, "at the shell"))
    };
    let (joint, error_m, place) = on_skin.or_else(of_joint)?;
    let words = format!("{}  {} {place}", figures.rig.skeleton.name(joint), text::length(error_m));
    let painter = picture.painter.with_clip_rect(part);
    let chip = Chip::new(cx, &painter, &words, Mark::None);
    let left = (pointer.x + 14.0).min(part.right() - chip.size().x - 6.0).max(part.left());
    let at = Rect::from_min_size(pos2(left, pointer.y + 16.0), chip.size());
    Some(Card::new([at], part, Otherwise::Fixed, move |_, cx, rect| chip.draw(&painter, cx, rect)))
}

/// Positions below the chips, from the left. With a wipe line far right they stay inside the viewport.
pub(super) fn second_row(picture: &Picture<'_>, size: Vec2) -> Vec<Rect> {
    let rect = picture.place.rect;
    let part = match picture.place.show {
        Show::Wipe { .. } => picture.place.part(Side::Compressed).unwrap_or(rect),
        Show::Side(_) | Show::Onion { .. } => rect,
    };
    let left = part.left().min(rect.right() - super::controls::WIDTH).max(rect.left());
    let at =
        |column: usize| pos2(left + LEFT + column as f32 * (super::controls::WIDTH + GAP), rect.top() + SECOND_ROW);
    (0..3).map(|column| Rect::from_min_size(at(column), size)).collect()
}
