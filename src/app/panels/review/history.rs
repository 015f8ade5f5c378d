//! Earlier decisions about the clip under review.

use super::super::PanelCx;
use super::state_icon;
use crate::theme::{font, size};
use crate::widgets::{paint_icon, section, text_elided, text_right};
use egui::text::LayoutJob;
use egui::{Rect, Sense, Ui, Vec2, pos2, vec2};
use posepress_core::project::{EarlierDecision, ReviewState};
use posepress_core::text;

/// Height of a row.
const ROW: f32 = 22.0;

/// All decisions about the clip, latest first. Draws nothing without earlier ones.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let decision = cx.workspace.selected().and_then(|id| cx.workspace.decision(id));
    let Some(decision) = decision.filter(|decision| !decision.earlier.is_empty()) else { return };
    let all = decision.history();
    let fact = LayoutJob::simple_singleline(all.len().to_string(), font(size::TICK), cx.theme.text3);
    section(ui, cx.theme, "History", fact, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        all.iter().rev().for_each(|earlier| row(ui, cx, earlier));
    });
}

fn row(ui: &mut Ui, cx: &PanelCx<'_>, of: &EarlierDecision) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
    let (y, theme) = (rect.center().y, cx.theme);
    let (icon, color) = state_icon(cx, ReviewState::Decided(of.kind));
    paint_icon(ui.painter(), Rect::from_center_size(pos2(rect.left() + 8.0, y), Vec2::splat(12.0)), 12.0, icon, color);
    let slide = of.slide_mm.map_or(String::new(), |mm| format!("slide {}", text::length((mm / 1000.0) as f32)));
    let slide = LayoutJob::simple_singleline(slide, font(size::SMALL), theme.text3);
    let right = text_right(ui.painter(), pos2(rect.right() - 8.0, y), slide);
    let words = sentence(cx, of);
    text_elided(ui.painter(), pos2(rect.left() + 24.0, y), right.left() - 8.0, &words, size::SMALL, theme.text2);
    response.on_hover_text(match of.note.as_str() {
        "" => words,
        note => format!("{words}\n{note}"),
    });
}

/// Kind, recipe, author and day.
fn sentence(cx: &PanelCx<'_>, of: &EarlierDecision) -> String {
    let mut kind = of.kind.name().to_owned();
    kind.get_mut(..1).into_iter().for_each(str::make_ascii_uppercase);
    // Pictures of the tests have no names and days.
    let (author, day) = match cx.view.timings {
        true => (of.author.as_str(), of.time.split('T').next().unwrap_or_default()),
        false => ("", ""),
    };
    let by = if author.is_empty() { String::new() } else { format!(" by {author}") };
    let on = if day.is_empty() { String::new() } else { format!(" on {day}") };
    format!("{kind} with {}{by}{on}", of.recipe)
}
