use super::super::{PanelCx, speed_field};
use crate::actions::list;
use crate::commands::BlindCommand;
use crate::state::{BlindTesting, Shown};
use crate::theme::size;
use crate::widgets::{Icon, icon_button, label, right_group, segment, tool_button};
use egui::{Sense, Ui, Vec2, pos2};
use posepress_core::project::Letter;

/// Answers with their keys.
const ANSWERS: [(Letter, &str, &str); 2] = [(Letter::A, "X is A", "1"), (Letter::B, "X is B", "2")];

/// Diameter of a trial's dot.
const DOT: f32 = 8.0;

/// The bar above the picture: the number of the trial, and a button that ends the test. It shows no right or wrong answer.
pub fn show_progress(ui: &mut Ui, cx: &mut PanelCx<'_>, testing: &BlindTesting) {
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = 12.0;
        label(ui, "Blind test", size::TITLE, cx.theme.text1);
        if testing.is_over() {
            return;
        }
        let (number, length) = (testing.number(), testing.length);
        label(ui, format!("Trial {number} of {length}"), size::BODY, cx.theme.text2);
        dots(ui, cx, testing);
        right_group(ui, "end", |ui| {
            let help = "End the test. No result is kept.";
            if tool_button(ui, cx.theme, "End without a result", "Esc", help).clicked() {
                cx.push(BlindCommand::End);
            }
        });
    });
}

/// One dot per trial; those with an answer are filled.
fn dots(ui: &mut Ui, cx: &PanelCx<'_>, testing: &BlindTesting) {
    let step = DOT + 6.0;
    let (rect, _) = ui.allocate_exact_size(Vec2::new(step * testing.length as f32, DOT), Sense::hover());
    for trial in 0..testing.length {
        let at = pos2(rect.left() + step * trial as f32 + DOT / 2.0, rect.center().y);
        let is_answered = trial < testing.answered.len();
        let color = if is_answered { cx.theme.accent } else { cx.theme.track };
        ui.painter().circle_filled(at, DOT / 2.0, color);
    }
}

/// The bar below the picture: playback, the three pictures, and the two answers.
pub fn show_controls(ui: &mut Ui, cx: &mut PanelCx<'_>, testing: &BlindTesting) {
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = 8.0;
        let playing = cx.view.transport.playing;
        let (icon, name) = if playing { (Icon::Pause, "Pause") } else { (Icon::Play, "Play") };
        cx.control(ui, &list::TOGGLE_PLAY, |ui, theme, help| icon_button(ui, theme, icon, false, name, help));
        speed_field(ui, cx);
        ui.add_space(16.0);
        label(ui, "Show", size::SMALL, cx.theme.text3);
        ui.spacing_mut().button_padding.x = 20.0;
        for shown in Shown::ALL {
            let help = format!("Show {0}. Key {0}", shown.name());
            if segment(ui, cx.theme, testing.shown == shown, "", shown.name(), &help).clicked() {
                cx.push(BlindCommand::Show(shown));
            }
        }
        right_group(ui, "answers", |ui| {
            ANSWERS.into_iter().for_each(|answer| answer_button(ui, cx, testing, answer));
        });
    });
}

fn answer_button(ui: &mut Ui, cx: &mut PanelCx<'_>, testing: &BlindTesting, (letter, name, key): (Letter, &str, &str)) {
    let draw = |ui: &mut Ui| tool_button(ui, cx.theme, name, key, "Answer, and go to the next trial.");
    let response = ui.add_enabled_ui(testing.can_answer(), draw).inner.on_disabled_hover_text("Look at X first.");
    if response.clicked() {
        let secs = ui.input(|input| input.time) - testing.since_secs;
        cx.push(BlindCommand::Answer(letter, secs as f32));
    }
}
