use super::PanelCx;
use crate::commands::ReviewCommand;
use crate::theme::size;
use crate::widgets::label;
use egui::{Button, Frame, Id, Margin, Modal, RichText, ScrollArea, Ui, vec2};
use posepress_core::model::ClipId;
use posepress_core::text;

const WIDTH: f32 = 520.0;
/// Height of the list of clips. Longer lists scroll.
const LIST: f32 = 220.0;

/// The sheet that approves again what still passes, with what got worse per clip.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    if !cx.view.sheets.approve_again {
        return;
    }
    let changed = cx.workspace.changed_approvals();
    let passing = cx.workspace.passing_again();
    let frame = Frame::popup(ui.style()).inner_margin(Margin::same(16));
    let modal = Modal::new(Id::unique("approve again")).frame(frame).show(ui.ctx(), |ui| {
        ui.set_width(WIDTH.min(ui.ctx().content_rect().width() - 48.0));
        label(ui, "Approve again", size::TITLE, cx.theme.text1);
        ui.add_space(8.0);
        let letter = cx.workspace.slot_letter(cx.workspace.active_slot());
        let words = format!(
            "{} changed since approval: recipe, fixes or file. {} with recipe {letter} without flags. The notes stay.",
            text::count(changed.len(), "clip"),
            if passing.len() == 1 { "1 passes".to_owned() } else { format!("{} pass", passing.len()) },
        );
        ui.label(RichText::new(words).color(cx.theme.text2));
        ui.add_space(8.0);
        let list = ScrollArea::vertical().id_salt("approve again").max_height(LIST).auto_shrink([false, true]);
        list.show(ui, |ui| lines(ui, cx, &changed, &passing));
        ui.add_space(12.0);
        buttons(ui, cx, passing.len());
    });
    if modal.should_close() {
        cx.push(ReviewCommand::AskApproveAgain(false));
    }
}

/// First the clips that do not pass, then those with a larger error, then the number of the others.
fn lines(ui: &mut Ui, cx: &PanelCx<'_>, changed: &[ClipId], passing: &[ClipId]) {
    let name = |id: ClipId| cx.workspace.library().clip(id).map_or(String::new(), |(_, clip)| clip.name().to_owned());
    let failing = changed.iter().filter(|id| !passing.contains(id));
    for id in failing {
        let why = match cx.workspace.verdict(*id, cx.workspace.active_slot()) {
            None => "being measured".to_owned(),
            Some(_) => format!("does not pass{}", worse(cx, *id).map_or(String::new(), |worse| format!(": {worse}"))),
        };
        label(ui, format!("{}: {why}. Stays as it is.", name(*id)), size::SMALL, cx.theme.fail);
    }
    let grown: Vec<(ClipId, String)> = passing.iter().filter_map(|id| Some((*id, worse(cx, *id)?))).collect();
    for (id, worse) in &grown {
        label(ui, format!("{}: {worse}", name(*id)), size::SMALL, cx.theme.text1);
    }
    let same = passing.len() - grown.len();
    if same > 0 {
        let words = format!("{} without a larger error", text::count(same, "clip"));
        label(ui, words, size::SMALL, cx.theme.text3);
    }
}

/// The errors of a clip that grew since its approval: `skin +0.12 mm`.
fn worse(cx: &PanelCx<'_>, id: ClipId) -> Option<String> {
    let worse = cx.workspace.worse_since(id, cx.workspace.active_slot());
    let words = |(name, mm): &(&str, f64)| format!("{name} +{}", text::length((mm / 1000.0) as f32));
    (!worse.is_empty()).then(|| worse.iter().map(words).collect::<Vec<_>>().join(", "))
}

fn buttons(ui: &mut Ui, cx: &mut PanelCx<'_>, passing: usize) {
    ui.horizontal(|ui| {
        let words = RichText::new(format!("Approve {passing} again")).color(cx.theme.on_accent);
        let button = Button::new(words).fill(cx.theme.accent_fill).min_size(vec2(104.0, 28.0));
        let response = ui.add_enabled(passing > 0, button).on_hover_text("One step to undo.");
        if response.on_disabled_hover_text("None of these clips passes with this recipe.").clicked() {
            cx.push(ReviewCommand::ApproveAgain);
        }
        if ui.add(Button::new("Cancel").min_size(vec2(104.0, 28.0))).on_hover_text("Esc").clicked() {
            cx.push(ReviewCommand::AskApproveAgain(false));
        }
    });
}
