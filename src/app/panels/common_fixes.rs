use super::PanelCx;
use crate::commands::RecipeCommand;
use crate::theme::size;
use crate::widgets::label;
use egui::{Align, Button, Frame, Id, Label, Layout, Margin, Modal, RichText, Ui, WidgetInfo, vec2};
use posepress_core::text;
use posepress_core::workspace::{CommonFixRow, FixPrice};

const WIDTH: f32 = 560.0;
/// Width of a row's button.
const BUTTON: f32 = 64.0;

/// The sheet with every fix that helps clips of the active slot, each with its measured price.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    if !cx.view.sheets.common_fixes {
        return;
    }
    let frame = Frame::popup(ui.style()).inner_margin(Margin::same(16));
    let modal = Modal::new(Id::unique("fix all")).frame(frame).show(ui.ctx(), |ui| {
        ui.set_width(WIDTH.min(ui.ctx().content_rect().width() - 48.0));
        label(ui, "Fix all clips", size::TITLE, cx.theme.text1);
        ui.add_space(8.0);
        ui.label(RichText::new(state(cx)).color(cx.theme.text2));
        for row in &cx.workspace.common_fixes() {
            ui.add_space(8.0);
            fix(ui, cx, row);
        }
        ui.add_space(12.0);
        if ui.add(Button::new("Close").min_size(vec2(104.0, 28.0))).on_hover_text("Esc").clicked() {
            cx.push(RecipeCommand::AskCommonFixes(false));
        }
    });
    if modal.should_close() {
        cx.push(RecipeCommand::AskCommonFixes(false));
    }
}

/// How the clips are now.
fn state(cx: &PanelCx<'_>) -> String {
    let slot = cx.workspace.active_slot();
    let (totals, letter) = (cx.workspace.totals(slot), cx.workspace.slot_letter(slot));
    let (failing, warning) = (totals.failing, totals.warning);
    let verdict =
        format!("Recipe {letter}: of {}, {failing} fail and {warning} need a look.", text::count(totals.clips, "clip"));
    let rest = match (cx.workspace.has_common_fix(), totals.is_complete()) {
        (true, true) => "Each fix is one step to undo. Approved clips keep their recipe.",
        (_, false) => "Clips are still being measured.",
        (false, true) => "No fix is known for several clips at once.",
    };
    format!("{verdict} {rest}")
}

/// A fix with its price and its button.
fn fix(ui: &mut Ui, cx: &mut PanelCx<'_>, row: &CommonFixRow) {
    let title = row.fix.title(row.clips, row.files);
    ui.horizontal(|ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            button(ui, cx, row, &title);
            ui.with_layout(Layout::top_down(Align::Min), |ui| {
                ui.spacing_mut().item_spacing.y = 1.0;
                let words =
                    |words: String, points, color| Label::new(RichText::new(words).size(points).color(color)).wrap();
                ui.add(words(format!("{title}, {}", price(row)), size::BODY, cx.theme.text1));
                ui.add(words(row.fix.help().to_owned(), size::SMALL, cx.theme.text2));
            });
        });
    });
}

fn button(ui: &mut Ui, cx: &mut PanelCx<'_>, row: &CommonFixRow, title: &str) {
    let why_not = match row.price {
        FixPrice::Measuring { .. } => Some("The price is being measured."),
        FixPrice::Known { better: 0, .. } if row.fix.is_of_recipe() => {
            Some("It was tried, and no clip gets a better verdict.")
        }
        FixPrice::Known { .. } | FixPrice::Unknown => None,
    };
    let response = ui.add_enabled(why_not.is_none(), Button::new("Fix").min_size(vec2(BUTTON, 28.0)));
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, why_not.is_none(), format!("Fix: {title}")));
    let response = response.on_hover_text("One step to undo.").on_disabled_hover_text(why_not.unwrap_or_default());
    if response.clicked() {
        cx.push(RecipeCommand::FixAll(row.fix));
    }
}

/// The price in words: `+8.1 KB, 9 of 9 pass then`.
fn price(row: &CommonFixRow) -> String {
    match row.price {
        FixPrice::Measuring { of: 0 | 1, .. } => "measuring\u{2026}".to_owned(),
        FixPrice::Measuring { done, of } => format!("measuring\u{2026} {done} of {of}"),
        FixPrice::Unknown => "size known after reading".to_owned(),
        FixPrice::Known { extra_bytes, passing, better } => {
            let bytes = text::signed_bytes(extra_bytes);
            match (row.fix.is_of_recipe(), better, passing) {
                (false, ..) => bytes,
                (true, 0, _) => format!("{bytes}, without help"),
                (true, _, 0) => format!("{bytes}, {better} of {} get a better verdict", row.clips),
                (true, ..) => format!("{bytes}, {passing} of {} pass then", row.clips),
            }
        }
    }
}
