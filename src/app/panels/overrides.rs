use super::PanelCx;
use crate::commands::Command;
use crate::theme::{font, size};
use crate::widgets::{Icon, icon_button, paint_icon, right_group, section};
use egui::text::LayoutJob;
use egui::{DragValue, RichText, Ui};
use posepress_core::session::{JointOverride, Recipe};

/// Shell that a new override starts with: the reach of a weapon or camera.
const NEW_SHELL_M: f32 = 1.0;

/// Joints with a shell of their own.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let recipe = Recipe::clone(cx.workspace.active_recipe());
    let count = recipe.overrides.len();
    let fact = match count {
        0 => String::new(),
        1 => "1 joint".into(),
        n => format!("{n} joints"),
    };
    let fact = LayoutJob::simple_singleline(fact, font(size::TICK), cx.theme.text3);
    section(ui, cx.theme, "Overrides", fact, |ui| {
        for index in 0..count {
            row(ui, cx, &recipe, index);
        }
        add_button(ui, cx, &recipe);
    });
}

fn row(ui: &mut Ui, cx: &mut PanelCx<'_>, recipe: &Recipe, index: usize) {
    let JointOverride { joint, shell_m } = recipe.overrides[index].clone();
    let help = "Distance at which this joint's error is measured. 1000 mm for a weapon or a camera.";
    ui.horizontal(|ui| {
        let (icon, _) = ui.allocate_exact_size(egui::Vec2::splat(12.0), egui::Sense::hover());
        paint_icon(ui.painter(), icon, 12.0, Icon::Joint, cx.theme.text2);
        let name = ui.label(RichText::new(&joint).color(cx.theme.text2)).on_hover_text(help);
        right_group(ui, joint.as_str(), |ui| {
            let mut mm = f64::from(shell_m) * 1000.0;
            let field = DragValue::new(&mut mm).range(0.1..=10_000.0).max_decimals(1).suffix(" mm");
            let response = ui.add(field).labelled_by(name.id).on_hover_text(help);
            let label = format!("Shell of {joint} to {mm:.0} mm");
            if response.changed() {
                let mut recipe = recipe.clone();
                recipe.overrides[index].shell_m = (mm / 1000.0) as f32;
                let recipe = Box::new(recipe);
                cx.push(match response.dragged() {
                    true => Command::PreviewRecipe(recipe),
                    false => Command::EditRecipe(label, recipe),
                });
            } else if response.drag_stopped() {
                cx.push(Command::CommitRecipe(label));
            }
            let remove = format!("Remove override of {joint}");
            if icon_button(ui, cx.theme, Icon::Cross, false, &remove, "Back to the common shell.").clicked() {
                let mut recipe = recipe.clone();
                recipe.overrides.remove(index);
                cx.push(Command::EditRecipe(format!("No override of {joint}"), Box::new(recipe)));
            }
        });
    });
}

fn add_button(ui: &mut Ui, cx: &mut PanelCx<'_>, recipe: &Recipe) {
    let name = cx
        .selected()
        .zip(cx.view.selection.joint)
        .and_then(|((rig, _), joint)| (joint < rig.skeleton.len()).then(|| rig.skeleton.name(joint).to_owned()));
    let free = name.filter(|n| recipe.overrides.iter().all(|o| o.joint != *n));
    let text = match &free {
        Some(name) => format!("Add {name}"),
        None => "Add selected joint".to_owned(),
    };
    ui.add_enabled_ui(free.is_some(), |ui| {
        let response = ui
            .button(RichText::new(text).size(size::SMALL))
            .on_hover_text("Measure this joint's error at a shell of its own.")
            .on_disabled_hover_text("Select a joint in the tree first.");
        if let Some(joint) = free.filter(|_| response.clicked()) {
            let label = format!("Override of {joint}");
            let mut recipe = recipe.clone();
            recipe.overrides.push(JointOverride { joint, shell_m: NEW_SHELL_M });
            cx.push(Command::EditRecipe(label, Box::new(recipe)));
        }
    });
}
