//! Points of a study, for plot, table and side panel.

use super::super::PanelCx;
use crate::commands::BudgetCommand;
use crate::state::Budgeting;
use egui::Rect;
use posepress_core::metrics::Aspect;
use posepress_core::report::Totals;
use posepress_core::study::StudyPoint;
use posepress_core::workspace::StudyScope;

/// Undo label of taking a recipe of the study.
pub const OF_COMPARISON: &str = "Recipe of the comparison";

/// Errors that the plot can show against size, with name and help.
pub const ASPECTS: [(Aspect, &str, &str); 3] = [
    (Aspect::Shell, "Shell", "The largest shell error of all clips."),
    (Aspect::Skin, "Skinned", "The largest error on the skin of all clips."),
    (Aspect::Slide, "Slide", "Largest slide of a contact in all clips."),
];

/// Worst error of an aspect, millimetres; `None` if no clip has it.
pub fn error_mm(totals: &Totals, aspect: Aspect) -> Option<f64> {
    totals.worst(aspect).map(|worst| worst.error_mm)
}

/// The slot with the recipe of a point, if its clips have no tolerances of their own.
pub fn slot_of(cx: &PanelCx<'_>, point: &StudyPoint) -> Option<usize> {
    let recipes = cx.workspace.document().recipes.iter().enumerate();
    let mut plain = recipes.filter(|(slot, _)| cx.workspace.own_tolerances(*slot) == 0);
    plain.find(|(_, recipe)| **recipe == *point.of.recipe).map(|(slot, _)| slot)
}

/// Slots whose clips have their own tolerances, with current totals. The study has no points of them.
pub fn fitted<'a>(cx: &PanelCx<'a>) -> impl Iterator<Item = (usize, Totals)> + 'a {
    let (workspace, scope) = (cx.workspace, cx.view.budget.scope);
    let slots = (0..workspace.document().recipes.len()).filter(move |slot| workspace.own_tolerances(*slot) > 0);
    let totals = slots.map(|slot| (slot, workspace.totals(slot)));
    totals.filter(move |(_, totals)| scope == StudyScope::All && totals.is_complete())
}

/// True for the point that was picked.
pub fn is_chosen(cx: &PanelCx<'_>, point: &StudyPoint) -> bool {
    cx.view.budget.chosen.as_ref() == Some(&point.of.recipe)
}

/// Picks a point.
pub fn choose(cx: &mut PanelCx<'_>, point: &StudyPoint) {
    let chosen = Some(point.of.recipe.clone());
    cx.push(BudgetCommand::SetBudget(Budgeting { chosen, ..cx.view.budget.clone() }));
}

/// A rectangle without its borders.
pub fn within(area: Rect, [left, top, right, bottom]: [f32; 4]) -> Rect {
    Rect::from_min_max(area.min + egui::vec2(left, top), area.max - egui::vec2(right, bottom))
}
