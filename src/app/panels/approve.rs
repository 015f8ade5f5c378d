//! One button that approves, with a menu of what to approve.

use super::PanelCx;
use crate::actions::{Action, action_of, list};
use crate::commands::{Command, ReviewCommand};
use crate::state::picked;
use crate::widgets::{Icon, icon_button};
use egui::{Button, Popup, Response, Ui, WidgetInfo};
use posepress_core::metrics::Verdict;
use posepress_core::project::DecisionKind;

/// Width of the menu.
const MENU: f32 = 250.0;

/// The button's words: how many clips are picked, and dots if a note will be asked for.
pub fn words(cx: &PanelCx<'_>) -> String {
    let (clips, slot) = (picked(cx.workspace, cx.view), cx.workspace.active_slot());
    let count = if clips.len() > 1 { format!(" {}", clips.len()) } else { String::new() };
    let fails = clips.iter().any(|clip| cx.workspace.verdict(*clip, slot) == Some(Verdict::Fail));
    format!("Approve{count}{}", if fails { "\u{2026}" } else { "" })
}

/// The action that approves the picked clips.
pub fn action() -> Option<&'static Action> {
    action_of(&Command::Review(ReviewCommand::Judge(DecisionKind::Approved)))
}

/// An arrow that opens the menu of what to approve.
pub fn choice(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let help = "Choose what to approve: this clip, all that pass, or again what still passes.";
    let response = icon_button(ui, cx.theme, Icon::Down, false, "What to approve", help);
    Popup::menu(&response).show(|ui| entries(ui, cx));
}

/// The entries of the menu.
pub fn entries(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    ui.set_min_width(MENU);
    let picked = picked(cx.workspace, cx.view).len();
    let these = if picked > 1 { format!("The {picked} picked clips") } else { "This clip".to_owned() };
    let passing = cx.workspace.passing_to_do().len();
    let changed = cx.workspace.changed_approvals().len();
    for (action, words) in [
        (action(), these),
        (Some(&list::APPROVE_PASSING), format!("All {passing} undecided that pass")),
        (Some(&list::APPROVE_SMALLEST), "Each undecided clip with its smallest recipe".to_owned()),
        (Some(&list::APPROVE_AGAIN), format!("Again what still passes of {changed} changed\u{2026}")),
    ] {
        if action.is_some_and(|action| entry(ui, cx, action, &words).clicked()) {
            ui.close();
        }
    }
}

fn entry(ui: &mut Ui, cx: &mut PanelCx<'_>, action: &'static Action, words: &str) -> Response {
    let key = action.key_text(ui.ctx());
    let response = cx.control(ui, action, |ui, _, help| {
        let mut button = Button::new(words).frame_when_inactive(false);
        if !key.is_empty() {
            button = button.shortcut_text(key);
        }
        ui.add(button).on_hover_text(help)
    });
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, ui.is_enabled(), words));
    response
}
