use super::super::PanelCx;
use crate::commands::BlindCommand;
use crate::state::BlindTesting;
use crate::theme::size;
use crate::widgets::{Icon, label, paint_icon};
use egui::{Button, Frame, Margin, Rect, RichText, Sense, Stroke, Ui, UiBuilder, Vec2, vec2};
use posepress_core::project::{BlindScore, GUESSING_LIMIT, Trial};
use posepress_core::text;

/// Width of the card.
const WIDTH: f32 = 460.0;
/// Distance from the upper end of the window's free part, as a share of its height.
const TOP: f32 = 0.2;
/// Size of a trial's mark.
const MARK: f32 = 18.0;

/// The result of a finished test, with the question if it is kept.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>, testing: &BlindTesting) {
    let area = ui.available_rect_before_wrap();
    ui.painter().rect_filled(area, 0.0, cx.theme.app);
    let top = TOP * area.height();
    let size = vec2(WIDTH.min(area.width() - 32.0), area.height() - top);
    let card = Rect::from_min_size(area.center_top() + vec2(-size.x / 2.0, top), size);
    ui.scope_builder(UiBuilder::new().max_rect(card), |ui| {
        let frame = Frame::new().fill(cx.theme.panel).stroke(Stroke::new(1.0, cx.theme.stroke));
        frame.corner_radius(6).inner_margin(Margin::same(16)).show(ui, |ui| {
            ui.set_width(size.x - 32.0);
            contents(ui, cx, testing);
        });
    });
}

fn contents(ui: &mut Ui, cx: &mut PanelCx<'_>, testing: &BlindTesting) {
    let score = testing.score();
    let BlindScore { right, trials } = score;
    label(ui, format!("{right} of {trials} right, {}", score.p_words()), size::TITLE, cx.theme.text1);
    label(ui, compared(cx), size::SMALL, cx.theme.text2);
    ui.add_space(8.0);
    marks(ui, cx, &testing.answered);
    ui.add_space(8.0);
    ui.label(RichText::new(sentence(score)).color(cx.theme.text2));
    ui.add_space(12.0);
    ui.horizontal(|ui| {
        let keep = Button::new(RichText::new("Keep").color(cx.theme.on_accent)).fill(cx.theme.accent_fill);
        let help = "Save the result with the clip, in the project. Enter";
        if ui.add(keep.min_size(vec2(104.0, 28.0))).on_hover_text(help).clicked() {
            cx.push(BlindCommand::Keep);
        }
        let help = "The result is not saved. Esc";
        if ui.add(Button::new("Discard").min_size(vec2(104.0, 28.0))).on_hover_text(help).clicked() {
            cx.push(BlindCommand::End);
        }
    });
}

/// The clip and the recipe that were compared.
fn compared(cx: &PanelCx<'_>) -> String {
    let sides = cx.workspace.blind_sides().ok();
    sides.map_or(String::new(), |sides| format!("{}, {}", sides.source.clip.name(), sides.outcome.recipe.title()))
}

/// One mark per trial: right or wrong.
fn marks(ui: &mut Ui, cx: &PanelCx<'_>, trials: &[Trial]) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for (at, trial) in trials.iter().enumerate() {
            let (rect, response) = ui.allocate_exact_size(Vec2::splat(MARK), Sense::hover());
            let (icon, color, word) = match trial.is_right() {
                true => (Icon::Good, cx.theme.ok, "right"),
                false => (Icon::Fail, cx.theme.fail, "wrong"),
            };
            paint_icon(ui.painter(), rect, 13.0, icon, color);
            let (original, x) = (trial.original.name(), trial.x.name());
            let secs = text::duration(trial.secs);
            response.on_hover_text(format!("Trial {}: {word}. The original was {original}, X was {x}. {secs}", at + 1));
        }
    });
}

/// The meaning of a score, as a sentence.
fn sentence(score: BlindScore) -> String {
    let (chance, limit) = (text::percent(score.p_value() as f32), text::percent(GUESSING_LIMIT as f32));
    let BlindScore { right, trials } = score;
    let by_guessing = format!("By guessing, {right} or more of {trials} are right in {chance} of tests");
    match score.shows_difference() {
        true => format!("A difference was seen. {by_guessing}, less than the limit of {limit}."),
        false => format!(
            "No difference was shown. {by_guessing}; the limit is {limit}. This does not prove that there is no difference: more trials \
             and more people find smaller ones."
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_explained_with_its_chance_and_the_limit() {
        let seen = sentence(BlindScore { right: 8, trials: 8 });
        assert!(
            seen.starts_with("A difference was seen. By guessing, 8 or more of 8 are right in 0.4 % of tests"),
            "{seen}"
        );
        let unseen = sentence(BlindScore { right: 5, trials: 8 });
        assert!(
            unseen.starts_with("No difference was shown.") && unseen.contains("36.3 %") && unseen.contains("5.0 %"),
            "{unseen}"
        );
    }
}
