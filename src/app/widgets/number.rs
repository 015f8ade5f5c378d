//! A number that is dragged, stepped by keys, or typed with a unit.

use crate::theme::{Theme, size};
use egui::{DragValue, Id, Response, RichText, Slider, Ui};
use posepress_core::settings::Unit;
use std::cell::RefCell;

/// Range of a number field, in its display unit.
#[derive(Debug, Clone, Copy)]
pub struct NumberLimits {
    /// Unit.
    pub unit: Unit,
    /// Smallest and largest.
    pub ends: (f64, f64),
    /// True for whole numbers only.
    pub whole: bool,
    /// Smallest and largest number of decimals.
    pub decimals: Option<(usize, usize)>,
}

/// Message about a typed text that was refused or changed. It is shown until the value changes.
#[derive(Debug, Clone, PartialEq)]
struct Note {
    words: String,
    value: f64,
}

/// Draws the field and applies edits. A number beyond the limits stays until it is edited.
pub fn number(ui: &mut Ui, limits: &NumberLimits, value: &mut f64) -> Response {
    let before = *value;
    let NumberLimits { unit, ends: (least, most), whole, .. } = *limits;
    let (shown, note) = (RefCell::new(String::new()), RefCell::new(None));
    let numbers = ui.style().number_formatter.clone();
    let format = |value: f64, decimals: std::ops::RangeInclusive<usize>| {
        let text = numbers.format(value, *decimals.start()..=(*decimals.end()).max(digits_to_see(value)));
        shown.borrow_mut().clone_from(&text);
        text
    };
    let read = |typed: &str| {
        if typed == *shown.borrow() {
            return Some(before); // not edited: the shown text is rounded
        }
        let (value, words) = judge(limits, typed);
        *note.borrow_mut() = words;
        value
    };
    let speed = if whole { 0.1 } else { (before.abs() * 0.01).max(1e-4) };
    let mut drag = DragValue::new(value).speed(speed).suffix(unit.suffix()).range(least..=most);
    drag = drag.clamp_existing_to_range(false).update_while_editing(false);
    drag = drag.custom_formatter(format).custom_parser(read);
    if let Some((fewest, most)) = limits.decimals {
        drag = drag.min_decimals(fewest).max_decimals(most);
    }
    let response = ui.add(drag);
    *value = if *value == before { before } else { value.clamp(least, most) };
    keep_note(ui, &response, note.into_inner(), *value);
    response
}

/// Number of decimals with which a number other than zero does not look like zero.
fn digits_to_see(value: f64) -> usize {
    if value == 0.0 { 0 } else { (-value.abs().log10().floor()).clamp(0.0, 7.0) as usize }
}

/// Value of a typed text, and a message about it.
fn judge(limits: &NumberLimits, typed: &str) -> (Option<f64>, Option<String>) {
    let NumberLimits { unit, ends: (least, most), whole, .. } = *limits;
    let limit = |word: &str, value: f64| Some(format!("{word} is {value}{}.", unit.suffix()));
    match unit.read(typed) {
        Err(refused) => (None, Some(refused.to_string())),
        Ok(value) if whole && value.fract() != 0.0 => (None, Some(format!("'{typed}' is no whole number."))),
        Ok(value) if value < least => (Some(least), limit("Smallest", least)),
        Ok(value) if value > most => (Some(most), limit("Largest", most)),
        Ok(value) => (Some(value), None),
    }
}

fn note_id(response: &Response) -> Id {
    response.id.with("note")
}

fn keep_note(ui: &Ui, response: &Response, words: Option<String>, value: f64) {
    let id = note_id(response);
    let kept: Option<Note> = ui.data(|d| d.get_temp(id));
    if let Some(words) = words {
        ui.data_mut(|d| d.insert_temp(id, Note { words, value }));
    } else if response.gained_focus() || response.dragged() || kept.is_some_and(|note| note.value != value) {
        ui.data_mut(|d| d.remove::<Note>(id));
    }
}

/// Shows the message below a number field about a typed text that was refused or changed.
pub fn typed_note(ui: &mut Ui, theme: &Theme, response: &Response) {
    if let Some(Note { words, .. }) = ui.data(|d| d.get_temp(note_id(response))) {
        ui.label(RichText::new(words).size(size::TICK).color(theme.warn));
    }
}

/// A logarithmic slider below a number, ten times finer with Shift. It changes the number only when dragged.
pub fn log_slider(ui: &mut Ui, (least, most): (f64, f64), value: &mut f64) -> Response {
    let before = *value;
    let width = ui.available_width();
    ui.spacing_mut().slider_width = width;
    let response = ui.add(Slider::new(value, least..=most).logarithmic(true).show_value(false).text(""));
    if !response.changed() {
        *value = before;
    }
    if response.dragged() && ui.input(|i| i.modifiers.shift) {
        let share = FINE * f64::from(response.drag_delta().x / width);
        *value = (before.clamp(least, most) * (most / least).powf(share)).clamp(least, most);
    }
    response
}

/// Factor on the speed of a slider with Shift.
const FINE: f64 = 0.1;
