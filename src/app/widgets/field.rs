use super::{Icon, NumberLimits, check_box, icon_button, number, typed_note};
use crate::theme::Theme;
use egui::{Button, ComboBox, Popup, Response, RichText, Ui};
use posepress_core::settings::{Param, ParamKind, ParamValue, Range};

/// Width of a combo box. Long names are cut, but the list shows them whole.
pub const COMBO_WIDTH: f32 = 144.0;

/// Result of a form row.
pub struct Field {
    /// The control.
    pub response: Response,
    /// True if the reset arrow was clicked.
    pub reset: bool,
}

/// Change of a value in this frame.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// A value during a drag, which is not an undo step yet.
    Preview(ParamValue),
    /// A value that was typed or clicked.
    Edit(ParamValue),
    /// The end of a drag.
    Settle,
    /// A reset to the default.
    Reset,
}

impl Change {
    /// Change of a value by a control; `None` without a change.
    pub fn of(response: &Response, before: &ParamValue, now: ParamValue) -> Option<Self> {
        match now != *before {
            true if response.dragged() => Some(Self::Preview(now)),
            true => Some(Self::Edit(now)),
            false if response.drag_stopped() => Some(Self::Settle),
            false => None,
        }
    }
}

/// A label, a reset arrow if the value differs from the default, and a control at the right.
pub fn form_row(
    ui: &mut Ui,
    theme: &Theme,
    name: &str,
    help: &str,
    changed: bool,
    control: impl FnOnce(&mut Ui) -> Response,
) -> Field {
    let field = ui.horizontal(|ui| {
        ui.set_min_height(26.0);
        let label = ui.label(RichText::new(name).color(theme.text2)).on_hover_text(help);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let response = control(ui).labelled_by(label.id).on_hover_text(help);
            let reset = changed && reset_arrow(ui, theme, name);
            Field { response, reset }
        })
        .inner
    });
    typed_note(ui, theme, &field.inner.response);
    field.inner
}

/// The row of a parameter or setting.
pub fn value_row(
    ui: &mut Ui,
    theme: &Theme,
    param: &Param,
    range: Option<&Range>,
    default: &str,
    before: &ParamValue,
    changed: bool,
) -> Option<Change> {
    let mut now = before.clone();
    let help = format!("{} Default {default}.", param.help);
    let row = |ui: &mut Ui| control(ui, theme, param, range, &mut now);
    let Field { response, mut reset } = form_row(ui, theme, param.label, &help, changed, row);
    reset |= value_menu(&response, default, changed, &param.shown(before));
    if reset { Some(Change::Reset) } else { Change::of(&response, before, now) }
}

/// Context menu of a control: back to the default, and copy. Returns true for the default.
pub fn value_menu(response: &Response, default: &str, changed: bool, shown: &str) -> bool {
    let mut reset = false;
    // A combo box's list has the id of a usual context menu, which closes at a click.
    Popup::context_menu(response).id(response.id.with("value menu")).show(|ui| {
        let words = format!("Back to {default}");
        reset = ui.add_enabled(changed, Button::new(words)).on_disabled_hover_text("It is at its default.").clicked();
        if ui.button("Copy value").clicked() {
            ui.ctx().copy_text(shown.to_owned());
        }
    });
    reset
}

/// The control of a parameter or setting. `range` has the decimals of a number.
pub fn control(ui: &mut Ui, theme: &Theme, param: &Param, range: Option<&Range>, value: &mut ParamValue) -> Response {
    match (param.kind, value) {
        (ParamKind::Bool { .. }, ParamValue::Bool(on)) => check_box(ui, theme, on, ""),
        (ParamKind::Choice { options, .. }, ParamValue::Choice(chosen)) => {
            let label = options.iter().find(|o| o.key == chosen).map_or(chosen.as_str(), |o| o.label);
            let width = (ui.available_width() - 8.0).min(COMBO_WIDTH);
            let combo = ComboBox::from_id_salt(param.key).width(width).selected_text(label.to_owned()).truncate();
            let inner = combo.show_ui(ui, |ui| {
                for option in options {
                    ui.selectable_value(chosen, option.key.to_owned(), option.label).on_hover_text(option.help);
                }
            });
            inner.response
        }
        (ParamKind::Int { min, max, unit, .. }, ParamValue::Int(count)) => {
            let limits = NumberLimits { unit, ends: (min as f64, max as f64), whole: true, decimals: Some((0, 0)) };
            let mut shown = *count as f64;
            let response = number(ui, &limits, &mut shown);
            *count = shown.round() as i64;
            response
        }
        (ParamKind::Float { min, max, unit, .. }, ParamValue::Float(stored)) => {
            let ends = (unit.shown(min), unit.shown(max));
            let limits = NumberLimits { unit, ends, whole: false, decimals: range.map(|r| r.decimals) };
            let before = unit.shown(*stored);
            let mut shown = before;
            let response = number(ui, &limits, &mut shown);
            if shown != before {
                *stored = unit.stored_of(shown).clamp(min, max);
            }
            response
        }
        (_, value) => ui.label(value.to_string()),
    }
}

fn reset_arrow(ui: &mut Ui, theme: &Theme, name: &str) -> bool {
    let name = format!("{name} back to default");
    icon_button(ui, theme, Icon::Reset, false, &name, "Changed. Click for the default.").clicked()
}
