use super::scene_menu::stays_open;
use crate::commands::DrawCommand;
use crate::panels::PanelCx;
use crate::widgets::check_box;
use egui::{ScrollArea, Ui};
use posepress_core::model::Rig;

/// Largest height of the list.
const LIST_HEIGHT: f32 = 360.0;

const HELP: &str = "Meshes to draw. Errors are always measured on all meshes.";

/// The menu of visible meshes. A character often carries all its weapons at once.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let Some((names, hidden)) = hidden(cx) else { return };
    let title = match hidden {
        0 => "Meshes".to_owned(),
        _ => format!("Meshes {}/{}", names.len() - hidden, names.len()),
    };
    let (response, _) = stays_open(&title).ui(ui, |ui| {
        ui.set_min_width(220.0);
        list(ui, cx);
    });
    response.on_hover_text(HELP);
}

/// The same as the last part of another menu.
pub fn part(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    if hidden(cx).is_some() {
        ui.separator();
        list(ui, cx);
    }
}

fn list(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let Some((names, hidden)) = hidden(cx) else { return };
    let mut all = hidden == 0;
    if check_box(ui, cx.theme, &mut all, "All meshes").on_hover_text(HELP).changed() {
        cx.push(DrawCommand::ShowMeshes(names.iter().map(|name| (*name).to_owned()).collect(), all));
    }
    ScrollArea::vertical().max_height(LIST_HEIGHT).show(ui, |ui| {
        for name in names {
            let mut shown = !cx.view.settings.hidden_meshes.contains(name);
            let label = if name.is_empty() { "unnamed" } else { name };
            if check_box(ui, cx.theme, &mut shown, label).changed() {
                cx.push(DrawCommand::ShowMeshes(vec![name.to_owned()], shown));
            }
        }
    });
}

/// Names of the meshes, and number of hidden ones; `None` for fewer than two names.
fn hidden<'a>(cx: &PanelCx<'a>) -> Option<(Vec<&'a str>, usize)> {
    let names = names(cx.selected()?.0);
    let hidden = names.iter().filter(|name| cx.view.settings.hidden_meshes.contains(**name)).count();
    (names.len() > 1).then_some((names, hidden))
}

/// Names of the meshes, each once, in the order of the file.
fn names(rig: &Rig) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for mesh in &rig.meshes {
        if !names.contains(&mesh.name.as_str()) {
            names.push(&mesh.name);
        }
    }
    names
}
