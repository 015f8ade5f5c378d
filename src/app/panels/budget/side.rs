use super::super::{PanelCx, named};
use super::points::{ASPECTS, OF_COMPARISON, error_mm};
use super::{by_clip, limits};
use crate::commands::{BudgetCommand, Command, RecipeCommand};
use crate::state::Budgeting;
use crate::theme::{font, size};
use crate::widgets::{NumberLimits, form_row, label, number, quantity, section, text_right, tool_button};
use egui::text::LayoutJob;
use egui::{Button, Color32, ProgressBar, Rect, Response, RichText, Sense, Ui, Vec2, WidgetInfo, pos2};
use posepress_core::pipeline::{BUDGET_ROUNDS, FileSize};
use posepress_core::settings::Unit;
use posepress_core::study::{StudyLimit, StudyPoint};
use posepress_core::text;
use posepress_core::workspace::{Fitting, StudyScope};

const LIMITS: NumberLimits =
    NumberLimits { unit: Unit::Kilobytes, ends: (0.1, 1_048_576.0), whole: false, decimals: Some((1, 1)) };

/// Budget, limits, and the picked recipe.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    ui.spacing_mut().item_spacing.y = 4.0;
    let letter = cx.workspace.slot_letter(cx.workspace.active_slot());
    let fact = |words: String| LayoutJob::simple_singleline(words, font(size::TICK), cx.theme.text3);
    section(ui, cx.theme, "Budget", fact(format!("recipe {letter}")), |ui| budget(ui, cx));
    if cx.view.budget.by_clip {
        return named::show(ui, cx);
    }
    limits::show(ui, cx);
    let points = cx.workspace.study_points();
    let chosen = points.iter().find(|point| super::points::is_chosen(cx, point));
    section(ui, cx.theme, "Picked", fact(String::new()), |ui| match chosen {
        Some(point) => picked(ui, cx, point),
        None => _ = label(ui, "Click a point or a row.", size::SMALL, cx.theme.text3),
    });
    if let Some(point) = chosen.filter(|_| is_compared(cx)) {
        section(ui, cx.theme, &format!("Against {letter}"), fact(String::new()), |ui| against(ui, cx, point));
    }
    if let Some(point) = chosen {
        section(ui, cx.theme, "Size by clip", fact("now, picked".into()), |ui| by_clip::show(ui, cx, point));
    }
}

/// Current size of a container of the clips with the active recipe.
fn size_now(cx: &PanelCx<'_>) -> FileSize {
    let slot = cx.workspace.active_slot();
    match cx.view.budget.scope {
        StudyScope::All => cx.workspace.totals(slot).file_size(),
        StudyScope::Clip => {
            let answer = cx.workspace.selected().and_then(|id| cx.workspace.answer(id, slot));
            let report = answer.and_then(|answer| answer.report.as_ref().ok());
            let float_names = cx.selected().map_or(&[][..], |(rig, _)| &rig.float_names);
            let recipes = cx.workspace.document().export.recipes;
            FileSize::of(report.and_then(|report| report.file_part(0, float_names, recipes)).as_slice())
        }
    }
}

/// True if every clip of the scope is compressed with the active recipe.
fn is_complete(cx: &PanelCx<'_>) -> bool {
    let totals = cx.workspace.totals(cx.workspace.active_slot());
    cx.view.budget.scope == StudyScope::Clip || totals.measured == totals.clips
}

/// Shows the current size of the scope, and returns it in KB.
fn size_line(ui: &mut Ui, cx: &PanelCx<'_>) -> f64 {
    let size = size_now(cx);
    let bytes = text::bytes(size.bytes as u64);
    let totals = cx.workspace.totals(cx.workspace.active_slot());
    let clips = text::count(totals.clips, "clip");
    let said = match cx.view.budget.scope {
        StudyScope::Clip => format!("{}, {bytes} now", cx.selected().map_or("", |(_, clip)| clip.name())),
        StudyScope::All if is_complete(cx) => format!("{clips}, {bytes} now"),
        StudyScope::All => format!("{} of {clips}, {bytes} so far", totals.measured),
    };
    label(ui, said, size::SMALL, cx.theme.text2)
        .on_hover_text(format!("{}: names, recipes, checksums and the rig", size.words()));
    size.bytes as f64 / 1024.0
}

fn budget(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let now_kb = size_line(ui, cx);
    let now = cx.view.budget.clone();
    // Without a budget: the current size.
    let mut limit_kb = now.limits.bytes.map_or(now_kb.max(0.1), |bytes| bytes as f64 / 1024.0);
    let shown = limit_kb;
    let help = "Size of the container, with names, recipes and rig. In KB, or type 1.5 MB.";
    form_row(ui, cx.theme, "Budget", help, false, |ui| number(ui, &LIMITS, &mut limit_kb));
    let limited = || {
        let limits = now.limits.with_bytes(Some((limit_kb * 1024.0) as usize));
        Command::Budget(BudgetCommand::SetBudget(Budgeting { limits, ..now.clone() }))
    };
    if limit_kb != shown {
        cx.push(limited());
    }
    match cx.workspace.fitting() {
        Some(fitting) => {
            let words = fitting_words(fitting, cx.view.timings);
            label(ui, &words, size::SMALL, cx.theme.text2);
            ui.horizontal(|ui| {
                ui.add(ProgressBar::new(fitting.fraction).desired_width((ui.available_width() - 60.0).max(40.0)));
                if tool_button(ui, cx.theme, "Stop", "", "Stop. The tolerances do not change.").clicked() {
                    cx.push(BudgetCommand::StopStudy);
                }
            });
        }
        None if fit_button(ui, cx).clicked() => {
            cx.push(limited());
            cx.push(BudgetCommand::FitBudget);
        }
        None => {}
    }
    if cx.workspace.own_tolerances(cx.workspace.active_slot()) > 0 {
        own_tolerances(ui, cx);
    }
}

/// `Round 3 of 13, 12 s left`.
fn fitting_words(fitting: Fitting, with_times: bool) -> String {
    match (fitting.round, fitting.left_secs.filter(|_| with_times)) {
        (0, _) => "Waiting".to_owned(),
        (round, None) => format!("Round {round} of {BUDGET_ROUNDS}"),
        (round, Some(secs)) if secs < 90.0 => format!("Round {round} of {BUDGET_ROUNDS}, {:.0} s left", secs.ceil()),
        (round, Some(secs)) => format!("Round {round} of {BUDGET_ROUNDS}, {:.0} min left", (secs / 60.0).ceil()),
    }
}

fn fit_button(ui: &mut Ui, cx: &PanelCx<'_>) -> Response {
    let has_budget = is_complete(cx) || cx.view.budget.limits.bytes.is_some();
    let can_fit = cx.selected().is_some() && !cx.workspace.is_external_active() && has_budget;
    let words = if cx.view.budget.scope == StudyScope::All { "Fit all clips" } else { "Fit this clip" };
    let help = "Give each clip its own tolerance, so that all clips fit the budget with the smallest possible error relative to \
                its limit. Approved clips keep theirs. One step to undo.";
    let wait = "Not all clips are compressed yet. Type a budget, or wait.";
    let button = Button::new(RichText::new(words).color(cx.theme.on_accent)).fill(cx.theme.accent_fill);
    let size = Vec2::new(ui.available_width(), 28.0);
    let response = ui.add_enabled_ui(can_fit, |ui| ui.add_sized(size, button)).inner;
    response.on_hover_text(help).on_disabled_hover_text(wait)
}

/// Number of clips with their own tolerance and of those without, and a button to reset them.
pub fn own_tolerances(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let slot = cx.workspace.active_slot();
    let (own, outside) = (cx.workspace.own_tolerances(slot), cx.workspace.outside_budget(slot));
    let has = if own == 1 { "has its own tolerance" } else { "have their own tolerances" };
    let words = match outside {
        0 => format!("{} {has}.", text::count(own, "clip")),
        _ => format!("{} {has}; {outside} more use the recipe's.", text::count(own, "clip")),
    };
    ui.label(RichText::new(words).size(size::SMALL).color(cx.theme.text2));
    let help = "Use the recipe's tolerance for all clips again.";
    if tool_button(ui, cx.theme, "One tolerance for all", "", help).clicked() {
        cx.push(BudgetCommand::ForgetTolerances);
    }
}

fn picked(ui: &mut Ui, cx: &mut PanelCx<'_>, point: &StudyPoint) {
    let totals = &point.totals;
    label(ui, point.of.title(), size::BODY, cx.theme.text1);
    if let Some(engine) = point.of.engine {
        label(ui, point.of.recipe.title(), size::SMALL, cx.theme.text2);
        ui.label(RichText::new(engine.said()).size(size::SMALL).color(cx.theme.text3));
    }
    line(ui, cx, "size", &text::bytes(totals.file_size().bytes as u64));
    for (aspect, name, _) in ASPECTS {
        if let Some(mm) = error_mm(totals, aspect) {
            line(ui, cx, &format!("worst {}", name.to_lowercase()), &text::length(mm as f32 / 1000.0));
        }
    }
    for limit in StudyLimit::ALL.into_iter().filter(|limit| !matches!(limit, StudyLimit::Shell | StudyLimit::Slide)) {
        let figure = limit.figure(point).filter(|_| cx.view.timings || !limit.is_time());
        if let Some(figure) = figure {
            line(ui, cx, &limit.label().to_lowercase(), &limit.words(figure));
        }
    }
    line(ui, cx, "clips that fail", &totals.failing.to_string());
    line(ui, cx, "clips that warn", &totals.warning.to_string());
    let letter = cx.workspace.slot_letter(cx.workspace.active_slot());
    let words = format!("Put into recipe {letter}");
    if tool_button(ui, cx.theme, &words, "", "Replace the active recipe by this one. One step to undo.").clicked() {
        cx.push(RecipeCommand::TakeRecipe(OF_COMPARISON.into(), point.of.recipe.clone()));
    }
}

/// True if the active recipe has totals of the same clips as the study.
fn is_compared(cx: &PanelCx<'_>) -> bool {
    cx.view.budget.scope == StudyScope::All && cx.workspace.totals(cx.workspace.active_slot()).is_complete()
}

/// Differences of the picked recipe from the active one: green where it is better, red where it is worse.
fn against(ui: &mut Ui, cx: &PanelCx<'_>, point: &StudyPoint) {
    let (totals, now) = (&point.totals, cx.workspace.totals(cx.workspace.active_slot()));
    let bytes = totals.file_size().bytes as i64 - now.file_size().bytes as i64;
    change(ui, cx, "size", bytes as f64, &text::signed_bytes(bytes));
    for (aspect, name, _) in ASPECTS {
        if let Some((picked, active)) = error_mm(totals, aspect).zip(error_mm(&now, aspect)) {
            let mm = picked - active;
            let sign = if mm < 0.0 { "\u{2212}" } else { "+" };
            let words = format!("{sign}{}", text::length((mm.abs() / 1000.0) as f32));
            change(ui, cx, &format!("worst {}", name.to_lowercase()), mm, &words);
        }
    }
    let words = format!("{} to {}", now.failing, totals.failing);
    change(ui, cx, "clips that fail", totals.failing as f64 - now.failing as f64, &words);
}

/// A row with a difference; less is better.
fn change(ui: &mut Ui, cx: &PanelCx<'_>, name: &str, by: f64, words: &str) {
    let color = match by {
        by if by < 0.0 => cx.theme.ok,
        by if by > 0.0 => cx.theme.fail,
        _ => cx.theme.text1,
    };
    row(ui, cx, name, words, color);
}

fn line(ui: &mut Ui, cx: &PanelCx<'_>, name: &str, value: &str) {
    row(ui, cx, name, value, cx.theme.text1);
}

fn row(ui: &mut Ui, cx: &PanelCx<'_>, name: &str, value: &str, color: Color32) {
    let (rect, response) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 20.0), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, format!("{name} {value}")));
    let left = Rect::from_min_max(rect.min, pos2(rect.center().x, rect.bottom()));
    ui.painter().text(left.left_center(), egui::Align2::LEFT_CENTER, name, font(size::SMALL), cx.theme.text2);
    text_right(ui.painter(), rect.right_center(), quantity(cx.theme, value, size::SMALL, color));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fit_says_its_round_and_the_time_that_is_left() {
        let at = |round, left_secs| Fitting { fraction: 0.5, round, left_secs };
        assert_eq!(fitting_words(at(3, Some(11.2)), true), "Round 3 of 13, 12 s left");
        assert_eq!(fitting_words(at(3, Some(200.0)), true), "Round 3 of 13, 4 min left");
        assert_eq!(fitting_words(at(3, None), true), "Round 3 of 13");
        assert_eq!(fitting_words(Fitting::default(), true), "Waiting");
    }
}
