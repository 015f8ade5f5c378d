use super::PanelCx;
use crate::actions::{Action, list};
use crate::commands::Command;
use crate::theme::{font, size};
use crate::widgets::label;
use egui::{Align2, Area, Frame, Id, Margin, Rect, RichText, Sense, Stroke, Ui, Vec2, vec2};
use posepress_core::metrics::{PlantReport, Verdict};
use posepress_core::session::SLOT_LETTERS;
use posepress_core::text;

/// The first start: what the red plant is, and three steps. Shown over the sample while a foot fails, until it is closed.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let area = ui.max_rect();
    if cx.view.settings.hint_seen || !is_sample(cx) || !cx.view.messages.problems.is_empty() || area.height() < 300.0 {
        return;
    }
    let worst = cx.report().and_then(|r| r.contacts.worst()).cloned();
    let Some(plant) = worst.filter(|p| p.verdict == Verdict::Fail) else { return };
    let at = area.left_bottom() + vec2(16.0, -16.0);
    Area::new(Id::unique("hint")).pivot(Align2::LEFT_BOTTOM).fixed_pos(at).show(ui.ctx(), |ui| {
        Frame::new()
            .fill(cx.theme.panel)
            .stroke(Stroke::new(1.0, cx.theme.stroke))
            .corner_radius(6)
            .inner_margin(Margin::same(12))
            .show(ui, |ui| {
                ui.set_width(300.0f32.min(area.width() * 0.5 - 56.0));
                steps(ui, cx, &plant);
            });
    });
}

fn is_sample(cx: &PanelCx<'_>) -> bool {
    let source = cx.workspace.selected().and_then(|id| cx.workspace.library().source(id.source));
    source.is_some_and(|s| s.path.is_none())
}

fn steps(ui: &mut Ui, cx: &mut PanelCx<'_>, plant: &PlantReport) {
    label(ui, "A foot slides here. Three steps to fix it", size::TOTAL, cx.theme.text1);
    ui.add_space(6.0);
    let name = cx.selected().map_or(String::new(), |(rig, _)| rig.skeleton.name(plant.joint).to_owned());
    let drift = format!("{name} drifts {} while it should stand still.", text::length(plant.slide_m));
    let key = |action: &Action| action.key_text(ui.ctx());
    let switch = Action::of(&Command::ActivateSlot(1)).map(key).unwrap_or_default();
    let (look, open) = (key(&list::GO_WORST), key(&list::OPEN));
    step(ui, cx, 1, "Look at the red plant", &drift, &look);
    step(ui, cx, 2, "Switch to recipe B", &recipe_b(cx), &switch);
    step(ui, cx, 3, "Drop your own files", "glTF, GLB or BVH. The sample then closes.", &open);
    ui.add_space(6.0);
    ui.horizontal(|ui| {
        cx.control(ui, &list::OPEN, |ui, _, help| ui.button(&*list::OPEN.label).on_hover_text(help));
        let button = egui::Button::new(RichText::new("Got it").color(cx.theme.on_accent)).fill(cx.theme.accent_fill);
        if ui.add(button).on_hover_text("Close. It is not shown again.").clicked() {
            cx.push(Command::DismissHint);
        }
    });
}

/// What recipe B does to the same clip, once that is known.
fn recipe_b(cx: &PanelCx<'_>) -> String {
    let id = cx.workspace.selected();
    let known = |slot| id.and_then(|id| cx.workspace.answer(id, slot)?.report.as_ref().ok());
    match (known(0), known(1)) {
        (Some(a), Some(b)) => {
            let slide = b
                .contacts
                .worst_slide_mm
                .map_or(text::NOT_MEASURED.to_owned(), |mm| text::length((mm / 1000.0) as f32));
            format!("Same clip, {slide} slide, {} more.", text::bytes(b.bytes.saturating_sub(a.bytes) as u64))
        }
        _ => format!("Recipe {} keeps more keys.", SLOT_LETTERS[1]),
    }
}

fn step(ui: &mut Ui, cx: &PanelCx<'_>, number: u32, title: &str, detail: &str, key: &str) {
    let theme = cx.theme;
    let (rect, _) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 38.0), Sense::hover());
    let disc = rect.left_center() + vec2(12.0, 0.0);
    ui.painter().circle_filled(disc, 11.0, theme.accent_fill);
    ui.painter().text(disc, Align2::CENTER_CENTER, number.to_string(), font(size::SMALL), theme.on_accent);
    let left = rect.left_top() + vec2(34.0, 10.0);
    ui.painter().text(left, Align2::LEFT_CENTER, title, font(size::BODY), theme.text1);
    ui.painter().text(left + vec2(0.0, 17.0), Align2::LEFT_CENTER, detail, font(size::TICK), theme.text3);
    let galley = ui.painter().layout_no_wrap(key.to_owned(), font(size::TICK), theme.text2);
    let badge =
        Rect::from_min_size(rect.right_top() + vec2(-galley.size().x - 12.0, 1.0), galley.size() + vec2(12.0, 5.0));
    ui.painter().rect_stroke(badge, 3.0, Stroke::new(1.0, theme.stroke), egui::StrokeKind::Inside);
    ui.painter().galley(badge.min + vec2(6.0, 2.5), galley, theme.text2);
}
