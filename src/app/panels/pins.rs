use super::PanelCx;
use crate::commands::FindCommand;
use crate::theme::size;
use crate::widgets::{Icon, paint_icon, quantity, right_group, text_middle, text_right, verdict_icon};
use egui::{CollapsingHeader, Rect, RichText, Sense, Ui, Vec2, WidgetInfo, pos2};
use posepress_core::metrics::{PinDrift, PinMark};
use posepress_core::model::Rig;
use posepress_core::text;

/// Height of a row.
const ROW: f32 = 24.0;
/// Width of the button of a row.
const BUTTON: f32 = 64.0;
/// Width of the drift of a row.
const DRIFT: f32 = 56.0;

/// The pins of a joint on one space.
struct PinnedPair<'a> {
    mark: PinMark,
    /// Pins, each with its index.
    pins: Vec<(usize, &'a PinDrift)>,
}

impl PinnedPair<'_> {
    fn is_marked(&self) -> bool {
        self.pins.iter().any(|(_, pin)| pin.marked)
    }

    fn worst(&self) -> Option<&(usize, &PinDrift)> {
        self.pins.iter().rev().max_by(|a, b| a.1.drift_m.total_cmp(&b.1.drift_m))
    }
}

/// Pins that were found, each pair of joint and space with a button that marks it. Nothing without pins.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let pairs = pairs(cx);
    if pairs.is_empty() {
        return;
    }
    let marked = pairs.iter().filter(|pair| pair.is_marked()).count();
    let title = match pairs.len() {
        count if marked == 0 => format!("Pins: {count} found"),
        count => format!("Pins: {count} found, {marked} marked"),
    };
    let fold = CollapsingHeader::new(RichText::new(title).size(size::SMALL)).id_salt("pins");
    let response = fold.show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        pairs.iter().for_each(|pair| row(ui, cx, pair));
        ui.spacing_mut().item_spacing.y = 4.0;
        ui.add_space(4.0);
        all_button(ui, cx, marked < pairs.len());
    });
    let help = "Hands on things, on walls and on each other, seats, things that lie still. Marked pins are judged and locked as contacts are.";
    response.header_response.on_hover_text(help);
}

fn pairs<'a>(cx: &PanelCx<'a>) -> Vec<PinnedPair<'a>> {
    let mut pairs: Vec<PinnedPair<'a>> = Vec::new();
    let Some((report, (rig, _))) = cx.report().zip(cx.selected()) else { return pairs };
    for (index, pin) in report.pins.pins.iter().enumerate() {
        let mark = mark_of(rig, pin);
        match pairs.iter_mut().find(|pair| pair.mark == mark) {
            Some(pair) => pair.pins.push((index, pin)),
            None => pairs.push(PinnedPair { mark, pins: vec![(index, pin)] }),
        }
    }
    pairs
}

/// The mark of a pin, by names.
pub fn mark_of(rig: &Rig, pin: &PinDrift) -> PinMark {
    let (joint, on) = (rig.skeleton.name(pin.joint), pin.on.name(&rig.skeleton));
    PinMark { joint: joint.to_owned(), on: on.to_owned() }
}

fn row(ui: &mut Ui, cx: &mut PanelCx<'_>, pair: &PinnedPair<'_>) {
    let theme = cx.theme;
    let name = pair.mark.to_string();
    let (rect, _) = ui.allocate_exact_size(Vec2::new(ui.available_width(), ROW), Sense::hover());
    let (own, button) = rect.split_left_right_at_x(rect.right() - BUTTON);
    let response = ui.interact(own, ui.scope_id().with(("pin", &name)), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::ListBoxOption, true, format!("Pin {name}")));
    if response.hovered() {
        ui.painter().rect_filled(own, 2.0, theme.hover);
    }
    let (painter, y) = (ui.painter(), own.center().y);
    let verdict = pair.pins.iter().filter(|(_, pin)| pin.marked).map(|(_, pin)| pin.verdict).max();
    let icon = Rect::from_center_size(pos2(own.left() + 7.0, y), Vec2::splat(12.0));
    let (shape, color) = match verdict {
        Some(verdict) => (verdict_icon(verdict), theme.verdict(verdict)),
        None => (Icon::Joint, theme.text3),
    };
    paint_icon(painter, icon, 11.0, shape, color);
    let drift = text::length(pair.worst().map_or(0.0, |(_, pin)| pin.drift_m));
    text_middle(painter, pos2(own.left() + 20.0, y), own.right() - DRIFT - 8.0, &name, size::SMALL, theme.text1);
    let color = if verdict.is_some() { color } else { theme.text2 };
    let job = quantity(theme, &drift, size::SMALL, color);
    text_right(painter, pos2(own.right() - 8.0, y), job);
    let count = text::count(pair.pins.len(), "time");
    let hint = format!("{name}: {count} in this clip. Compressed, it drifts {drift} at most. Click to jump to that.");
    if response.on_hover_text(hint).clicked()
        && let Some((index, _)) = pair.worst()
    {
        cx.push(FindCommand::ShowPin(*index));
    }
    let mut child = ui.new_child(egui::UiBuilder::new().max_rect(button.shrink2(Vec2::new(0.0, 1.0))).id_salt(&name));
    right_group(&mut child, &name, |ui| mark_button(ui, cx, &pair.mark, pair.is_marked()));
}

fn mark_button(ui: &mut Ui, cx: &mut PanelCx<'_>, mark: &PinMark, is_marked: bool) {
    let (text, help) = match is_marked {
        true => ("Unmark", "Stop judging this pin."),
        false => ("Mark", "Judge and lock this pin in all clips with this recipe."),
    };
    let response = ui.small_button(text).on_hover_text(help);
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, format!("{text} {mark}")));
    if response.clicked() {
        set_marked(cx, mark, !is_marked);
    }
}

/// Marks a pin of the selected clip, or takes its mark away.
pub fn set_marked(cx: &mut PanelCx<'_>, mark: &PinMark, is_marked: bool) {
    let known: Vec<_> = pairs(cx).into_iter().map(|pair| pair.mark).collect();
    let label = if is_marked { format!("Mark {mark}") } else { format!("Unmark {mark}") };
    let mark = mark.clone();
    cx.edit_recipe(label, move |recipe| match is_marked {
        true => mark.mark(&mut recipe.contacts.pins),
        false => mark.unmark(&mut recipe.contacts.pins, &known),
    });
}

fn all_button(ui: &mut Ui, cx: &mut PanelCx<'_>, mark: bool) {
    let (text, help) = match mark {
        true => ("Mark all pins", "Judge and lock all pins that are found, in all clips with this recipe."),
        false => ("Unmark all pins", "Stop judging pins."),
    };
    if ui.button(RichText::new(text).size(size::SMALL)).on_hover_text(help).clicked() {
        let lines = if mark { vec!["*".to_owned()] } else { Vec::new() };
        cx.edit_recipe(text, move |recipe| recipe.contacts.pins.clone_from(&lines));
    }
}
