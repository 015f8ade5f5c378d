use super::super::PanelCx;
use crate::commands::BlindCommand;
use crate::state::fresh_seed;
use crate::theme::size;
use crate::widgets::label;
use egui::{Button, Frame, Grid, Id, Label, Margin, Modal, RichText, Ui, vec2};
use posepress_core::project::{BLIND_TEST_LENGTHS, BlindScore};
use posepress_core::text;

const WIDTH: f32 = 460.0;

/// Keys of a trial, each with its effect.
const KEYS: [(&str, &str); 7] = [
    ("A  B  X", "Show A, B or X. The clip plays on."),
    ("1 or Left", "Answer: X is A."),
    ("2 or Right", "Answer: X is B."),
    ("Space", "Play or pause."),
    ("F", "Frame the selected joint, or the whole character."),
    ("Drag, wheel", "Move the camera."),
    ("Esc", "End without a result."),
];

/// The sheet that explains a blind test and starts it.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    if !cx.view.sheets.blind {
        return;
    }
    let frame = Frame::popup(ui.style()).inner_margin(Margin::same(16));
    let mut chosen = None;
    let modal = Modal::new(Id::unique("blind test")).frame(frame).show(ui.ctx(), |ui| {
        ui.set_width(WIDTH.min(ui.ctx().content_rect().width() - 48.0));
        explain(ui, cx);
        ui.add_space(12.0);
        let buttons = ui.horizontal(|ui| {
            let mut buttons = Vec::new();
            for (at, trials) in BLIND_TEST_LENGTHS.into_iter().enumerate() {
                let (words, least) = (text::count(trials, "trial"), BlindScore::least_right(trials).unwrap_or(trials));
                let button = match at {
                    0 => Button::new(RichText::new(words).color(cx.theme.on_accent)).fill(cx.theme.accent_fill),
                    _ => Button::new(words),
                };
                let help = format!("From {least} right answers on, a difference counts as seen.");
                let response = ui.add(button.min_size(vec2(104.0, 28.0))).on_hover_text(help);
                if response.clicked() {
                    chosen = Some(trials);
                }
                buttons.push(response);
            }
            let cancel = ui.add(Button::new("Cancel").min_size(vec2(104.0, 28.0))).on_hover_text("Esc");
            if cancel.clicked() {
                cx.push(BlindCommand::Ask(false));
            }
            buttons.push(cancel);
            buttons
        });
        // Enter presses the first button, unless Tab went to another.
        if !buttons.inner.iter().any(egui::Response::has_focus) {
            buttons.inner[0].request_focus();
        }
    });
    if let Some(trials) = chosen {
        cx.push(BlindCommand::Start { trials, seed: fresh_seed() });
    } else if modal.should_close() {
        cx.push(BlindCommand::Ask(false));
    }
}

fn explain(ui: &mut Ui, cx: &PanelCx<'_>) {
    let clip = cx.selected().map_or(String::new(), |(_, clip)| clip.name().to_owned());
    let recipe = cx.workspace.blind_sides().map_or(String::new(), |sides| sides.outcome.recipe.title());
    label(ui, format!("Blind test of {clip}"), size::TITLE, cx.theme.text1);
    ui.add_space(8.0);
    let words = format!(
        "One is the original, the other the clip compressed with {recipe}. They are shown as A and B in a hidden order, which \
         is drawn again for each trial. X repeats one of them. Say which one. The result comes at the end."
    );
    ui.label(RichText::new(words).color(cx.theme.text2));
    ui.add_space(8.0);
    Grid::new("keys of a blind test").num_columns(2).spacing(vec2(16.0, 4.0)).show(ui, |ui| {
        for (keys, help) in KEYS {
            for (words, color) in [(keys, cx.theme.text1), (help, cx.theme.text2)] {
                ui.add(Label::new(RichText::new(words).size(size::SMALL).color(color)).extend());
            }
            ui.end_row();
        }
    });
}
