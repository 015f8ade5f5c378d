//! The Budget tab: recipes on all clips by size and error, as plot and table, and the shared budget.

mod by_clip;
mod front;
mod legend;
mod limits;
mod matrix;
mod plot;
mod points;
mod side;
mod table;

pub use side::{own_tolerances, show};

use super::PanelCx;
use crate::commands::BudgetCommand;
use crate::state::Budgeting;
use crate::theme::size;
use crate::widgets::{label, right_group, segment, tool_button};
use egui::{Margin, Ui, UiBuilder};
use points::ASPECTS;
use posepress_core::text;
use posepress_core::workspace::StudyScope;

/// The plot with the table below it, or the table of clips and recipes.
pub fn show_study(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    egui::Frame::new().inner_margin(Margin { left: 12, right: 12, top: 8, bottom: 4 }).show(ui, |ui| {
        ui.horizontal(|ui| head(ui, cx));
    });
    if cx.view.budget.by_clip {
        return matrix::show(ui, cx);
    }
    let area = ui.available_rect_before_wrap();
    if cx.workspace.study_points().is_empty() {
        return nothing(ui, cx);
    }
    let split = area.top() + 0.55 * area.height();
    let parts = [("plot", area.with_max_y(split)), ("table", area.with_min_y(split))];
    for (name, part) in parts {
        let child = &mut ui.new_child(UiBuilder::new().id_salt(name).max_rect(part));
        child.shrink_clip_rect(part);
        if name == "plot" { plot::show(child, cx, part) } else { table::show(child, cx) }
    }
}

fn head(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    ui.spacing_mut().item_spacing.x = 6.0;
    choose_plot_or_matrix(ui, cx);
    if cx.view.budget.by_clip {
        return;
    }
    progress(ui, cx);
    failed(ui, cx);
    right_group(ui, "what is compared", |ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        choose_aspect(ui, cx);
        ui.add_space(8.0);
        choose_scope(ui, cx);
        // While a study runs, its Stop button leaves no room for this one.
        if cx.workspace.study_left() == 0 {
            ui.add_space(8.0);
            study_button(ui, cx);
        }
    });
}

/// A switch whose click sets `chosen`.
fn choice(ui: &mut Ui, cx: &mut PanelCx<'_>, name: &str, help: &str, chosen: Budgeting) {
    if segment(ui, cx.theme, cx.view.budget == chosen, "", name, help).clicked() {
        cx.push(BudgetCommand::SetBudget(chosen));
    }
}

fn choose_plot_or_matrix(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    for (by_clip, name, help) in [
        (false, "Size against error", "Size and error of many codecs and tolerances, each on all clips."),
        (
            true,
            "Clips and recipes",
            "Size, error and slide of every clip with every recipe. Choose a recipe for each clip.",
        ),
    ] {
        choice(ui, cx, name, help, Budgeting { by_clip, ..cx.view.budget.clone() });
    }
}

fn choose_aspect(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    for (aspect, name, help) in ASPECTS {
        choice(ui, cx, name, help, Budgeting { aspect, ..cx.view.budget.clone() });
    }
}

fn choose_scope(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    for (scope, name, help) in [
        (StudyScope::All, "All clips", "Every clip that is open."),
        (StudyScope::Clip, "This clip", "Only the clip that is selected."),
    ] {
        choice(ui, cx, name, help, Budgeting { scope, ..cx.view.budget.clone() });
    }
}

/// Progress of the study, and a button to stop it.
fn progress(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let (points, left) = (cx.workspace.study_points().len(), cx.workspace.study_left());
    if left > 0 {
        label(ui, format!("{points} of {}", text::count(points + left, "recipe")), size::BODY, cx.theme.text2);
        if tool_button(ui, cx.theme, "Stop", "", "Skip the rest. Results so far stay.").clicked() {
            cx.push(BudgetCommand::StopStudy);
        }
    } else if points > 0 {
        let of = text::count(cx.workspace.studied_clips(), "clip");
        label(ui, format!("{} on {of}", text::count(points, "recipe")), size::BODY, cx.theme.text2);
    }
}

fn failed(ui: &mut Ui, cx: &PanelCx<'_>) {
    let failed = cx.workspace.study_failed();
    if !failed.is_empty() {
        label(ui, format!("{} failed", failed.len()), size::BODY, cx.theme.warn).on_hover_text(failed.join("\n"));
    }
}

fn study_button(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let help = "Compress the clips with every codec that holds a tolerance, around the active recipe's tolerance, and with the engine presets.";
    let can_study = cx.selected().is_some() && !cx.workspace.is_external_active();
    ui.add_enabled_ui(can_study, |ui| {
        if tool_button(ui, cx.theme, "Compare recipes", "", help).clicked() {
            cx.push(BudgetCommand::Study);
        }
    });
}

fn nothing(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    ui.vertical_centered(|ui| {
        ui.add_space(0.25 * ui.available_height());
        if cx.workspace.study_left() > 0 {
            label(ui, "Compressing all clips with the first recipe\u{2026}", size::BODY, cx.theme.text2);
            return;
        }
        if cx.selected().is_none() {
            return super::clips::nothing(ui, cx);
        }
        let words = "Which codec, at which tolerance? Compare them on all clips: size against error.";
        label(ui, words, size::BODY, cx.theme.text2);
        ui.add_space(8.0);
        let can_study = !cx.workspace.is_external_active();
        ui.add_enabled_ui(can_study, |ui| {
            let help = "Takes a while. The plot fills as results arrive.";
            if ui.button("Compare recipes on all clips").on_hover_text(help).clicked() {
                cx.push(BudgetCommand::SetBudget(Budgeting { scope: StudyScope::All, ..cx.view.budget.clone() }));
                cx.push(BudgetCommand::Study);
            }
        });
    });
}
