use super::PanelCx;
use crate::actions::{Action, action_of, list};
use crate::commands::{Command, RecipeCommand, WindowCommand};
use crate::state::{failing_contact, is_hint_shown};
use crate::theme::{Theme, font, rounding, size};
use crate::widgets::{label, text_elided};
use egui::{Align, Align2, Frame, Layout, Margin, Rect, RichText, Sense, Stroke, Ui, Vec2, WidgetInfo, pos2, vec2};
use posepress_core::import::readable_kinds;
use posepress_core::metrics::ContactSlide;
use posepress_core::project::SLOT_LETTERS;
use posepress_core::text;

/// The guide of the first start, below the viewports: the failing contact and three steps.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    if !is_hint_shown(cx.workspace, cx.view) {
        return;
    }
    let Some(contact) = failing_contact(cx.workspace) else { return };
    let frame = Frame::new().fill(cx.theme.panel).inner_margin(Margin::symmetric(16, 8));
    egui::Panel::bottom("guide").resizable(false).frame(frame).show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let button = egui::Button::new(RichText::new("Got it").color(cx.theme.on_accent));
                let button = button.fill(cx.theme.accent_fill);
                if ui.add(button).on_hover_text("Close for good (Esc)").clicked() {
                    cx.push(WindowCommand::DismissHint);
                }
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    label(ui, "A foot slides here. Three steps to fix it", size::TOTAL, cx.theme.text1);
                });
            });
        });
        ui.add_space(4.0);
        steps(ui, cx, contact);
    });
}

fn steps(ui: &mut Ui, cx: &mut PanelCx<'_>, contact: &ContactSlide) {
    let name = cx.selected().map_or(String::new(), |(rig, _)| rig.skeleton.name(contact.joint).to_owned());
    let drift = format!("{name} slides {} on the ground.", text::length(contact.slide_m));
    let switch = action_of(&Command::Recipe(RecipeCommand::ActivateSlot(1)));
    let better = recipe_b(cx);
    let own = readable_kinds();
    let all = [
        (Some(&list::GO_WORST_CONTACT), "Look at the red contact", drift.as_str()),
        (switch, "Switch to recipe B", &better),
        (Some(&list::OPEN), "Drop your own files", &own),
    ];
    let all = all
        .into_iter()
        .enumerate()
        .filter_map(|(i, (action, title, detail))| Some(Step { number: i + 1, action: action?, title, detail }));
    if ui.available_width() < STEPS_BESIDE_PX {
        ui.spacing_mut().item_spacing.y = 2.0;
        return all.for_each(|step| step.show(ui, cx, Shape::Line));
    }
    ui.columns(all.clone().count(), |columns| {
        columns.iter_mut().zip(all).for_each(|(ui, step)| step.show(ui, cx, Shape::Column));
    });
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

/// Least width for steps side by side. In a narrower window they are one below the other.
const STEPS_BESIDE_PX: f32 = 660.0;

/// How a step is laid out.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    /// Title above detail.
    Column,
    /// Title, then detail.
    Line,
}

/// A step of the guide. A click runs its action.
#[derive(Clone)]
struct Step<'a> {
    number: usize,
    action: &'static Action,
    title: &'a str,
    detail: &'a str,
}

impl Step<'_> {
    fn show(&self, ui: &mut Ui, cx: &mut PanelCx<'_>, shape: Shape) {
        let Self { number, action, title, detail } = self;
        let height = if shape == Shape::Column { 38.0 } else { 24.0 };
        let (rect, response) = ui.allocate_exact_size(Vec2::new(ui.available_width(), height), Sense::click());
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, *title));
        if response.hovered() {
            ui.painter().rect_filled(rect, rounding::WIDGET as f32, cx.theme.hover);
        }
        let disc = rect.left_center() + vec2(14.0, 0.0);
        ui.painter().circle_filled(disc, 11.0, cx.theme.accent_fill);
        ui.painter().text(disc, Align2::CENTER_CENTER, number.to_string(), font(size::SMALL), cx.theme.on_accent);
        self.write(ui, cx.theme, rect, shape);
        if response.on_hover_text(format!("{title}. {detail} {}", action.tooltip(ui.ctx()))).clicked() {
            cx.run(action);
        }
    }

    fn write(&self, ui: &Ui, theme: &Theme, rect: Rect, shape: Shape) {
        let painter = ui.painter();
        let key = painter.layout_no_wrap(self.action.key_text(ui.ctx()), font(size::TICK), theme.text2);
        let badge =
            Rect::from_min_size(rect.right_top() + vec2(-key.size().x - 14.0, 3.0), key.size() + vec2(12.0, 5.0));
        let middle = if shape == Shape::Column { 10.0 } else { rect.height() / 2.0 };
        let left = rect.left_top() + vec2(34.0, middle);
        let title = text_elided(painter, left, badge.left() - 4.0, self.title, size::BODY, theme.text1);
        let (detail, end) = match shape {
            Shape::Column => (left + vec2(0.0, 17.0), rect.right()),
            Shape::Line => (pos2(title.right() + 10.0, left.y), badge.left()),
        };
        text_elided(painter, detail, end - 4.0, self.detail, size::TICK, theme.text3);
        painter.rect_stroke(badge, 3.0, Stroke::new(1.0, theme.stroke), egui::StrokeKind::Inside);
        painter.galley(badge.min + vec2(6.0, 2.5), key, theme.text2);
    }
}
