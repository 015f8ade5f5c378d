use super::super::PanelCx;
use crate::commands::BlindCommand;
use crate::state::fresh_seed;
use crate::theme::size;
use crate::widgets::label;
use egui::{Button, Frame, Grid, Id, Key, Margin, Modal, Modifiers, RichText, Ui, vec2};
use posepress_core::project::{BLIND_TEST_LENGTHS, BlindScore};
use posepress_core::text;

const WIDTH: f32 = 460.0;

/// Keys of a trial, each with its effect.
const KEYS: [(&str, &str); 6] = [
    ("A  B  X", "Show A, B or X. The clip plays on."),
    ("1 or Left", "Answer: X is A."),
    ("2 or Right", "Answer: X is B."),
    ("Space", "Play or pause."),
    ("F", "Frame the selected joint, or the whole character. Drag and wheel move the camera."),
    ("Esc", "End without a result."),
];

/// The sheet that explains a blind test and starts it.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    if !cx.view.sheets.blind {
        return;
    }
    let frame = Frame::popup(ui.style()).inner_margin(Margin::same(16));
    let is_free = ui.memory(|memory| memory.focused()).is_none();
    let is_entered = is_free && ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Enter));
    let mut chosen = is_entered.then_some(BLIND_TEST_LENGTHS[0]);
    let modal = Modal::new(Id::unique("blind test")).frame(frame).show(ui.ctx(), |ui| {
        ui.set_width(WIDTH.min(ui.ctx().content_rect().width() - 48.0));
        explain(ui, cx);
        ui.add_space(12.0);
        ui.horizontal(|ui| {
            for (at, trials) in BLIND_TEST_LENGTHS.into_iter().enumerate() {
                let (words, least) = (text::count(trials, "trial"), BlindScore::least_right(trials).unwrap_or(trials));
                let button = match at {
                    0 => Button::new(RichText::new(words).color(cx.theme.on_accent)).fill(cx.theme.accent_fill),
                    _ => Button::new(words),
                };
                let key = if at == 0 { " Enter" } else { "" };
                let help = format!("From {least} right answers on, the two count as different.{key}");
                if ui.add(button.min_size(vec2(104.0, 28.0))).on_hover_text(help).clicked() {
                    chosen = Some(trials);
                }
            }
            if ui.add(Button::new("Cancel").min_size(vec2(104.0, 28.0))).on_hover_text("Esc").clicked() {
                cx.push(BlindCommand::Ask(false));
            }
        });
    });
    if let Some(trials) = chosen {
        cx.push(BlindCommand::Start { trials, seed: fresh_seed() });
    } else if modal.should_close() {
        cx.push(BlindCommand::Ask(false));
    }
}

fn explain(ui: &mut Ui, cx: &PanelCx<'_>) {
    let clip = cx.selected().map_or(String::new(), |(_, clip)| clip.name().to_owned());
    let slot = cx.workspace.active_slot();
    let recipe = format!("{} ({})", cx.workspace.slot_letter(slot), cx.workspace.slot_title(slot));
    label(ui, format!("Blind test of {clip}"), size::TITLE, cx.theme.text1);
    ui.add_space(8.0);
    let words = format!(
        "One is the original, the other the clip compressed with recipe {recipe}. They are shown as A and B in a hidden order, which \
         is drawn again for each trial. X repeats one of them. Say which one. The result comes at the end."
    );
    ui.label(RichText::new(words).color(cx.theme.text2));
    ui.add_space(8.0);
    Grid::new("keys of a blind test").num_columns(2).spacing(vec2(16.0, 4.0)).show(ui, |ui| {
        for (keys, help) in KEYS {
            ui.label(RichText::new(keys).size(size::SMALL).color(cx.theme.text1));
            ui.add(egui::Label::new(RichText::new(help).size(size::SMALL).color(cx.theme.text2)).wrap());
            ui.end_row();
        }
    });
}
