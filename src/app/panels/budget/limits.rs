//! Limits on recipes, and the best recipe within them.

use super::super::PanelCx;
use crate::commands::{BudgetCommand, RecipeCommand};
use crate::state::Budgeting;
use crate::theme::{font, size};
use crate::widgets::{NumberLimits, check_box, number, section, segment};
use egui::text::LayoutJob;
use egui::{Align, Layout, RichText, Ui, Vec2};
use posepress_core::settings::Unit;
use posepress_core::study::{StudyGoal, StudyLimit, StudyLimits};
use posepress_core::text;

/// Range and decimals of a limit's number, in the shown unit.
fn numbers(limit: StudyLimit) -> NumberLimits {
    let (ends, decimals) = match limit.unit() {
        Unit::Nanoseconds => ((0.1, 1e9), (0, 1)),
        Unit::Kilobytes => ((1.0, 1e9), (0, 1)),
        _ => ((0.001, 10_000.0), (1, 2)),
    };
    NumberLimits { unit: limit.unit(), ends, whole: false, decimals: Some(decimals) }
}

/// A row for each limit, the number of recipes that fit, and a button that takes the best.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let now = cx.view.budget.clone();
    let active = match now.limits.count() {
        0 => String::new(),
        count => format!("{count} active"),
    };
    let fact = LayoutJob::simple_singleline(active, font(size::TICK), cx.theme.text3);
    section(ui, cx.theme, "Limits", fact, |ui| {
        size_row(ui, cx, &now);
        for limit in StudyLimit::ALL {
            row(ui, cx, &now, limit);
        }
        best(ui, cx, &now);
    });
}

fn send(cx: &mut PanelCx<'_>, now: &Budgeting, limits: StudyLimits) {
    if limits != now.limits {
        cx.push(BudgetCommand::SetBudget(Budgeting { limits, ..now.clone() }));
    }
}

/// Row of the size limit: the typed budget, whose number is above.
fn size_row(ui: &mut Ui, cx: &mut PanelCx<'_>, now: &Budgeting) {
    let mut is_on = now.limits.bytes.is_some();
    let words = match now.limits.bytes {
        Some(bytes) => format!("Size, {}", text::bytes(bytes as u64)),
        None => "Size".to_owned(),
    };
    let help = "Limit on the total size: the budget above.";
    ui.add_enabled_ui(is_on, |ui| {
        check_box(ui, cx.theme, &mut is_on, &words).on_hover_text(help).on_disabled_hover_text("Type a budget first.");
    });
    let bytes = now.limits.bytes.filter(|_| is_on);
    send(cx, now, now.limits.with_bytes(bytes));
}

fn row(ui: &mut Ui, cx: &mut PanelCx<'_>, now: &Budgeting, limit: StudyLimit) {
    let (mut is_on, most) = now.limits.row(limit);
    let unit = limit.unit();
    let mut shown = unit.shown(most);
    let before = shown;
    ui.horizontal(|ui| {
        ui.set_min_height(26.0);
        let switch = check_box(ui, cx.theme, &mut is_on, limit.label()).on_hover_text(limit.help());
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            number(ui, &numbers(limit), &mut shown).labelled_by(switch.id).on_hover_text(limit.help());
        });
    });
    // A typed number turns the limit on.
    let is_typed = shown != before;
    let mut limits = now.limits;
    limits.set(limit, is_on || is_typed, if is_typed { unit.stored_of(shown) } else { most });
    send(cx, now, limits);
}

fn best(ui: &mut Ui, cx: &mut PanelCx<'_>, now: &Budgeting) {
    ui.add_space(4.0);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for (goal, name, help) in StudyGoal::ALL {
            if segment(ui, cx.theme, now.goal == goal, "", name, help).clicked() {
                cx.push(BudgetCommand::SetBudget(Budgeting { goal, ..now.clone() }));
            }
        }
    });
    let points = cx.workspace.study_points();
    let fitting = points.iter().filter(|point| now.limits.fits(point)).count();
    let best = now.limits.best(points, now.goal);
    let words = match (points.len(), fitting) {
        (0, _) => "Compare recipes first.".to_owned(),
        (tried, 0) => {
            format!("None of {} fits all limits without a failing clip.", text::count(tried, "recipe"))
        }
        (tried, fit) => format!("{fit} of {} fit every limit.", text::count(tried, "recipe")),
    };
    ui.label(RichText::new(words).size(size::SMALL).color(cx.theme.text2));
    let letter = cx.workspace.slot_letter(cx.workspace.active_slot());
    let take = egui::Button::new(RichText::new(format!("Put the best into recipe {letter}")));
    let response =
        ui.add_enabled_ui(best.is_some(), |ui| ui.add_sized(Vec2::new(ui.available_width(), 26.0), take)).inner;
    let help = best.map_or(String::new(), |best| {
        format!("{}, {}. One step to undo.", best.of.title(), text::bytes(best.totals.file_size().bytes as u64))
    });
    let is_clicked = response.on_hover_text(help).clicked();
    if let Some(best) = best.filter(|_| is_clicked) {
        cx.push(RecipeCommand::TakeRecipe(super::points::OF_COMPARISON.into(), best.of.recipe.clone()));
        super::points::choose(cx, best);
    }
}
