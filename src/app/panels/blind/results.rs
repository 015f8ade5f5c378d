use super::super::PanelCx;
use crate::theme::size;
use egui::{Label, RichText, Ui};
use posepress_core::project::{BlindScore, BlindTest};
use posepress_core::workspace::ClipSlot;

/// The blind tests of the selected clip: those of its recipe, then others. Nothing without any.
pub fn show(ui: &mut Ui, cx: &PanelCx<'_>) {
    let Some(clip) = cx.workspace.selected() else { return };
    let tests = cx.workspace.blind_tests(ClipSlot { clip, slot: cx.workspace.active_slot() });
    let mut line = |words: String, color, help: &str| {
        ui.add(Label::new(RichText::new(words).size(size::SMALL).color(color)).wrap()).on_hover_text(help);
    };
    if !tests.current.is_empty() {
        let together = match &tests.current[..] {
            [_] => String::new(),
            several => format!(". Together {}", several.iter().map(|test| test.score()).sum::<BlindScore>().words()),
        };
        let help = "Right answers of each person, and the chance of so many by guessing.";
        line(format!("Blind test: {}{together}", listed(cx, &tests.current)), cx.theme.text2, help);
    }
    if !tests.older.is_empty() {
        let help = "These tests were made with other settings of the recipe, or with an older version of the file.";
        line(format!("Blind test of an older recipe: {}", listed(cx, &tests.older)), cx.theme.text3, help);
    }
}

fn listed(cx: &PanelCx<'_>, tests: &[&BlindTest]) -> String {
    let words = |test: &&BlindTest| match cx.view.timings {
        true => test.words(),
        false => test.score().words(), // pictures of the tests have no names
    };
    tests.iter().map(words).collect::<Vec<_>>().join(", ")
}
