//! Recipes compared on many clips, and clips fitted into a budget.

use super::main_tab::show_main_tab;
use crate::commands::BudgetCommand;
use crate::state::{MainTab, View};
use posepress_core::workspace::Workspace;

/// Carries out commands about sizes of many clips.
pub fn carry_out(workspace: &mut Workspace, view: &mut View, command: BudgetCommand) {
    match command {
        BudgetCommand::SetBudget(budget) => view.budget = budget,
        BudgetCommand::Study => workspace.study(view.budget.scope),
        BudgetCommand::StopStudy => workspace.stop_study(),
        BudgetCommand::FitBudget => {
            workspace.fit_budget(view.budget.scope, view.budget.limits.of_budget());
        }
        BudgetCommand::ForgetTolerances => workspace.forget_tolerances(),
        BudgetCommand::ShowTable => show_table(workspace, view),
    }
}

/// Shows the table of clips and recipes.
fn show_table(workspace: &Workspace, view: &mut View) {
    view.budget.by_clip = true;
    show_main_tab(workspace, view, MainTab::Budget);
}

/// Computes the table while it is visible.
pub fn keep_table(workspace: &mut Workspace, view: &View) {
    workspace.open_table(view.budget.by_clip && view.settings.main_tab == MainTab::Budget);
}
