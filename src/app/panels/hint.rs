use super::PanelCx;
use crate::actions::{Action, action_of, list};
use crate::commands::{Command, RecipeCommand, WindowCommand};
use crate::state::{failing_contact, is_hint_shown};
use crate::theme::size;
use crate::widgets::{Icon, icon_button};
use egui::{Align, Button, Frame, Label, Layout, Margin, Response, RichText, Sense, Ui, Vec2, WidgetInfo, vec2};
use posepress_core::import::readable_kinds;
use posepress_core::metrics::ContactSlide;
use posepress_core::project::SLOT_LETTERS;
use posepress_core::text;

/// Number of steps of the guide.
const STEPS: usize = 3;

/// The guide of the first start, below the viewports: a failing contact, and one step at a time.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    if !is_hint_shown(cx.workspace, cx.view) {
        return;
    }
    let id = egui::Id::unique("contact was looked at");
    let was_looked_at: bool = ui.data(|data| data.get_temp(id)).unwrap_or(false);
    let (at, step) = match failing_contact(cx.workspace) {
        Some(contact) if !was_looked_at => (0, look(cx, contact)),
        Some(_) => (1, switch(cx)),
        None => (2, open()),
    };
    let Some(step) = step else { return };
    let frame = Frame::new().fill(cx.theme.panel).inner_margin(Margin::symmetric(16, 8));
    egui::Panel::bottom("guide").resizable(false).frame(frame).show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let close = icon_button(ui, cx.theme, Icon::Cross, false, "Got it", "Close the guide for good (Esc)");
                if close.clicked() {
                    cx.push(WindowCommand::DismissHint);
                }
                if step.button(ui, cx).clicked() {
                    ui.data_mut(|data| data.insert_temp(id, true));
                    cx.run(step.action);
                }
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| step.write(ui, cx, at));
            });
        });
    });
}

/// A step of the guide, with the action that its button runs.
struct Step {
    action: &'static Action,
    title: &'static str,
    detail: String,
}

fn look(cx: &PanelCx<'_>, contact: &ContactSlide) -> Option<Step> {
    let name = cx.selected().map_or(String::new(), |(rig, _)| rig.skeleton.name(contact.joint).to_owned());
    let detail = format!("{name} slides {} on the ground.", text::length(contact.slide_m));
    Some(Step { action: &list::GO_WORST_CONTACT, title: "Look at the red contact", detail })
}

fn switch(cx: &PanelCx<'_>) -> Option<Step> {
    let action = action_of(&Command::Recipe(RecipeCommand::ActivateSlot(1)))?;
    Some(Step { action, title: "Switch to recipe B", detail: recipe_b(cx) })
}

fn open() -> Option<Step> {
    let detail = format!("The feet hold. Now your own clips: {}", readable_kinds());
    Some(Step { action: &list::OPEN, title: "Open your own files", detail })
}

/// Result of recipe B on the same clip, when it is known.
fn recipe_b(cx: &PanelCx<'_>) -> String {
    let id = cx.workspace.selected();
    let known = |slot| id.and_then(|id| cx.workspace.answer(id, slot)?.report.as_ref().ok());
    match (known(0), known(1)) {
        (Some(a), Some(b)) => {
            let slide =
                b.slide.worst_slide_mm.map_or(text::NOT_MEASURED.to_owned(), |mm| text::length((mm / 1000.0) as f32));
            format!("Same clip, {slide} slide, {} more.", text::bytes(b.bytes.saturating_sub(a.bytes) as u64))
        }
        _ => format!("Recipe {} keeps more keys.", SLOT_LETTERS[1]),
    }
}

impl Step {
    fn button(&self, ui: &mut Ui, cx: &PanelCx<'_>) -> Response {
        let words = RichText::new(self.title).color(cx.theme.on_accent);
        let response = ui.add(Button::new(words).fill(cx.theme.accent_fill));
        response.on_hover_text(self.action.tooltip(ui.ctx()))
    }

    fn write(&self, ui: &mut Ui, cx: &PanelCx<'_>, index: usize) {
        dots(ui, cx, index);
        ui.add(Label::new(RichText::new(&self.detail).size(size::BODY).color(cx.theme.text1)).truncate());
    }
}

/// A dot per step; the current one is bright.
fn dots(ui: &mut Ui, cx: &PanelCx<'_>, current: usize) {
    let (rect, response) = ui.allocate_exact_size(Vec2::new(12.0 * STEPS as f32, 16.0), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, format!("Step {} of {STEPS}", current + 1)));
    for step in 0..STEPS {
        let centre = rect.left_center() + vec2(6.0 + 12.0 * step as f32, 0.0);
        let color = if step == current { cx.theme.accent } else { cx.theme.strong };
        ui.painter().circle_filled(centre, 3.5, color);
    }
}
