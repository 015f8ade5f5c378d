use super::PanelCx;
use super::recipe_field::{Named, send};
use crate::theme::{font, size};
use crate::widgets::{Change, Icon, control, icon_button, paint_icon, right_group, section, typed_note};
use egui::text::LayoutJob;
use egui::{Id, RichText, Ui};
use posepress_core::session::{JointOverride, Recipe};
use posepress_core::settings::Settings;

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
    let joint = recipe.overrides[index].joint.clone();
    ui.horizontal(|ui| {
        let (icon, _) = ui.allocate_exact_size(egui::Vec2::splat(12.0), egui::Sense::hover());
        paint_icon(ui.painter(), icon, 12.0, Icon::Joint, cx.theme.text2);
        let name = ui.label(RichText::new(&joint).color(cx.theme.text2));
        right_group(ui, joint.as_str(), |ui| {
            shell(ui, cx, recipe, index, name.id);
            let remove = format!("Remove override of {joint}");
            if icon_button(ui, cx.theme, Icon::Cross, false, &remove, "Back to the common shell.").clicked() {
                let label = format!("No override of {joint}");
                let joint = joint.clone();
                cx.edit_recipe(label, move |recipe| recipe.overrides.retain(|o| o.joint != joint));
            }
        });
    });
}

fn shell(ui: &mut Ui, cx: &mut PanelCx<'_>, recipe: &Recipe, index: usize, name: Id) {
    let one = &recipe.overrides[index];
    for setting in JointOverride::ALL {
        let (param, Some(before)) = (setting.param(), setting.get(one)) else { continue };
        let mut now = before.clone();
        let response = control(ui, cx.theme, &param, setting.range(), &mut now);
        let response = response.labelled_by(name).on_hover_text(param.help);
        typed_note(ui, cx.theme, &response);
        let Some(change) = Change::of(&response, &before, now) else { continue };
        let name = format!("{} of {}", param.label, one.joint);
        let named = Named { name: &name, default: &setting.default_text() };
        send(cx, &named, &param, change, move |recipe, value| match (recipe.overrides.get_mut(index), value) {
            (Some(one), Some(value)) => setting.set(one, value),
            // The cross beside it takes the override away: there is no arrow back to a default.
            _ => Ok(()),
        });
    }
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
            let added = JointOverride { joint, ..JointOverride::default() };
            cx.edit_recipe(label, move |recipe| recipe.overrides.push(added.clone()));
        }
    });
}
