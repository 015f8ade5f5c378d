//! Results without tiers, level by level.

use super::PanelCx;
use super::recipe_field::rows;
use super::sides::compare_to;
use crate::commands::{CompareCommand, RecipeCommand};
use crate::theme::{font, size};
use crate::widgets::{label, text_elided, text_right};
use egui::text::LayoutJob;
use egui::{Align2, Rect, RichText, Sense, Ui, Vec2, WidgetInfo, pos2};
use posepress_core::metrics::Verdict;
use posepress_core::report::TierRow;
use posepress_core::text;
use posepress_core::workspace::Reference;

/// Height of the row of a level.
const ROW: f32 = 20.0;
/// Distances from the right edge to the right ends of the numbers.
const ENDS: [f32; 4] = [138.0, 92.0, 44.0, 0.0];

/// The settings, and one row per level. A click shows the level beside the original.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let settings = cx.workspace.document().tiers;
    rows(ui, cx, &settings, RecipeCommand::SetTiers);
    if !settings.on {
        return;
    }
    let levels = match cx.workspace.tiers() {
        None => {
            label(ui, "Splitting tiers\u{2026}", size::SMALL, cx.theme.text3);
            return;
        }
        Some(Err(error)) => {
            let words = RichText::new(format!("The clip {error}.")).size(size::SMALL).color(cx.theme.warn);
            ui.add(egui::Label::new(words).wrap());
            return;
        }
        Some(Ok(levels)) => TierRow::of(levels),
    };
    heads(ui, cx);
    for (number, level) in levels.iter().enumerate() {
        row(ui, cx, number, level);
    }
    label(ui, "millimetres: shell, between samples, slide", size::TICK, cx.theme.text3);
}

fn heads(ui: &mut Ui, cx: &PanelCx<'_>) {
    let (rect, _) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 16.0), Sense::hover());
    for (end, head) in ENDS.into_iter().zip(["size", "max", "between", "slide"]) {
        let at = pos2(rect.right() - end, rect.center().y);
        ui.painter().text(at, Align2::RIGHT_CENTER, head, font(size::TICK), cx.theme.text3);
    }
}

fn row(ui: &mut Ui, cx: &mut PanelCx<'_>, number: usize, level: &TierRow) {
    let theme = cx.theme;
    let reference = if number == 0 { Reference::Original } else { Reference::Level(number) };
    let is_on = cx.workspace.reference() == reference;
    let (rect, response) = ui.allocate_exact_size(Vec2::new(ui.available_width(), ROW), Sense::click());
    let words = words(level);
    response.widget_info(|| WidgetInfo::selected(egui::Role::ListItem, true, is_on, &words));
    if response.hovered() || (is_on && number > 0) {
        ui.painter().rect_filled(rect, 0.0, theme.hover);
    }
    let millimetres = |mm: f64| if mm < 10.0 { format!("{mm:.2}") } else { format!("{mm:.1}") };
    let slide = level.worst_slide_mm.map_or_else(|| text::NOT_MEASURED.to_owned(), millimetres);
    let numbers = [text::bytes(level.bytes as u64), millimetres(level.max_mm), millimetres(level.between_mm), slide];
    let color = if level.verdict == Verdict::Good { theme.text1 } else { theme.verdict(level.verdict) };
    let y = rect.center().y;
    let mut first = Rect::NOTHING;
    for (end, number) in ENDS.into_iter().zip(numbers) {
        let job = LayoutJob::simple_singleline(number, font(size::SMALL), color);
        let placed = text_right(ui.painter(), pos2(rect.right() - end, y), job);
        first = if first.is_positive() { first } else { placed };
    }
    text_elided(ui.painter(), pos2(rect.left() + 2.0, y), first.left() - 6.0, &level.level, size::SMALL, theme.text2);
    if response.clicked() {
        cx.push(CompareCommand::CompareTo(reference));
    }
    if let Some(reason) = level.reasons.first().filter(|_| level.verdict > Verdict::Good) {
        let words = RichText::new(reason).size(size::TICK).color(theme.verdict(level.verdict));
        ui.add(egui::Label::new(words).truncate());
    }
    let to = compare_to(reference).map_or(String::new(), |action| format!("\n{}", action.label));
    response.on_hover_text(format!("{words}{to}"));
}

/// All figures of a level, as text.
fn words(level: &TierRow) -> String {
    let length = |mm: f64| text::length((mm / 1000.0) as f32);
    let slide = level.worst_slide_mm.map_or(String::new(), |mm| format!(", slide {}", length(mm)));
    format!(
        "{}: {} and {} in tiers, within {}: max {}, between {}{slide}{}",
        level.level,
        text::bytes(level.bytes as u64),
        text::bytes(level.tier_bytes as u64),
        length(level.tolerance_mm),
        length(level.max_mm),
        length(level.between_mm),
        level.reasons.iter().map(|reason| format!("\n{reason}")).collect::<String>(),
    )
}
