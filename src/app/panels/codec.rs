use super::PanelCx;
use crate::commands::Command;
use crate::theme::{font, size};
use crate::widgets::{Icon, check_box, icon_button, section};
use egui::text::LayoutJob;
use egui::{ComboBox, DragValue, Response, RichText, Slider, Ui};
use posepress_core::codecs::{CODECS, Codec, ParamValues, Preset};
use posepress_core::session::Recipe;
use posepress_core::text;

/// Room for every codec without scrolling.
const LIST_HEIGHT: f32 = 360.0;

/// Codec, tolerance and shell.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let shown = cx.shown().filter(|_| cx.view.timings);
    let fact = shown.map(|s| format!("encoded in {}", text::work(s.outcome.encode_secs))).unwrap_or_default();
    let fact = LayoutJob::simple_singleline(fact, font(size::TICK), cx.theme.text3);
    section(ui, cx.theme, "Codec", fact, |ui| {
        let recipe = Recipe::clone(cx.workspace.active_recipe());
        choose_codec(ui, cx, &recipe);
        let codec = recipe.codec;
        choose_preset(ui, cx, &recipe, codec);
        ui.label(RichText::new(codec.info().summary).size(size::SMALL).color(cx.theme.text3))
            .on_hover_text(format!("Source: {}", codec.info().source));
        ui.add_space(4.0);
        tolerance(ui, cx, &recipe);
        shell(ui, cx, &recipe);
        if cx.selected().is_some_and(|(rig, _)| !rig.meshes.is_empty()) {
            shell_from_mesh(ui, cx, &recipe);
        }
        if !codec.promises_with(&recipe.values) {
            let note = "No search under the tolerance: it is what the result is judged by.";
            ui.label(RichText::new(note).size(size::TICK).color(cx.theme.text3));
        }
    });
}

fn choose_codec(ui: &mut Ui, cx: &mut PanelCx<'_>, recipe: &Recipe) {
    let mut chosen = recipe.codec;
    let combo =
        ComboBox::from_id_salt("codec").width(ui.available_width()).height(LIST_HEIGHT).selected_text(chosen.name());
    let response = combo.show_ui(ui, |ui| {
        for codec in CODECS {
            ui.selectable_value(&mut chosen, *codec, codec.name()).on_hover_text(codec.info().summary);
        }
    });
    let response = response.response.on_hover_text("How the clip is turned into bytes.");
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Codec"));
    if chosen != recipe.codec {
        let label = format!("Codec {} to {}", recipe.codec.name(), chosen.name());
        let recipe = Recipe { codec: chosen, values: ParamValues::new(), ..recipe.clone() };
        cx.push(Command::EditRecipe(label, Box::new(recipe)));
    }
}

/// Values that have a name, where the codec has such.
fn choose_preset(ui: &mut Ui, cx: &mut PanelCx<'_>, recipe: &Recipe, codec: &'static dyn Codec) {
    let presets = codec.info().presets;
    if presets.is_empty() {
        return;
    }
    let values_of = |preset: &Preset| preset.values(codec.params()).unwrap_or_default(); // a test walks all presets
    let is_default = recipe.values == ParamValues::new();
    let current = presets.iter().find(|p| values_of(p) == recipe.values);
    let shown = if is_default { "defaults" } else { current.map_or("own values", |p| p.name) };
    let mut chosen = None;
    form_row(ui, cx, "Preset", "Values that an article, an engine or we gave a name.", None, |ui| {
        let combo = ComboBox::from_id_salt("preset").width(144.0).selected_text(shown);
        let response = combo.show_ui(ui, |ui| {
            if ui.selectable_label(is_default, "defaults").on_hover_text("Every value at its default.").clicked() {
                chosen = Some(("defaults", ParamValues::new()));
            }
            for preset in presets {
                let on = current.is_some_and(|p| p.name == preset.name);
                if ui.selectable_label(on, preset.name).on_hover_text(preset.summary).clicked() {
                    chosen = Some((preset.name, values_of(preset)));
                }
            }
        });
        response.response
    });
    if let Some((name, values)) = chosen.filter(|(_, values)| *values != recipe.values) {
        let recipe = Box::new(Recipe { values, ..recipe.clone() });
        cx.push(Command::EditRecipe(format!("Preset {name}"), recipe));
    }
}

fn tolerance(ui: &mut Ui, cx: &mut PanelCx<'_>, recipe: &Recipe) {
    let default = Recipe::default().tolerance_m;
    let mut mm = f64::from(recipe.tolerance_m) * 1000.0;
    let help = "Largest error allowed at the shell. Smaller keeps more keys. Default 0.10 mm.";
    let speed = mm * 0.01;
    let field = form_row(ui, cx, "Tolerance", help, (recipe.tolerance_m != default).then_some(()), |ui| {
        ui.add(DragValue::new(&mut mm).range(0.001..=1000.0).speed(speed).fixed_decimals(2).suffix(" mm"))
    });
    if field.reset {
        change(cx, recipe, &field.response, default, true);
    } else {
        follow(cx, recipe, &field.response, mm);
    }
    ui.spacing_mut().slider_width = ui.available_width();
    let slider = Slider::new(&mut mm, 0.01..=10.0).logarithmic(true).show_value(false).text("");
    ui.visuals_mut().selection.bg_fill = cx.theme.accent_fill; // the track's filled part
    let response = ui.add(slider).on_hover_text(help);
    response.widget_info(|| egui::WidgetInfo::slider(true, mm, "Tolerance, millimetres"));
    follow(cx, recipe, &response, mm);
    ticks(ui, cx);
}

fn follow(cx: &mut PanelCx<'_>, recipe: &Recipe, response: &Response, mm: f64) {
    if response.changed() {
        change(cx, recipe, response, (mm / 1000.0) as f32, false);
    } else {
        settle(cx, response, recipe);
    }
}

fn ticks(ui: &mut Ui, cx: &PanelCx<'_>) {
    let (rect, _) = ui.allocate_exact_size(egui::vec2(ui.available_width(), 12.0), egui::Sense::hover());
    for (share, text) in [(0.0, "0.01"), (1.0 / 3.0, "0.1"), (2.0 / 3.0, "1"), (1.0, "10 mm")] {
        let align = match share {
            0.0 => egui::Align2::LEFT_CENTER,
            1.0 => egui::Align2::RIGHT_CENTER,
            _ => egui::Align2::CENTER_CENTER,
        };
        let at = egui::pos2(rect.left() + rect.width() * share, rect.center().y);
        ui.painter().text(at, align, text, font(size::TICK), cx.theme.text3);
    }
}

/// While dragged the recipe is previewed; typed or clicked values are one step.
fn change(cx: &mut PanelCx<'_>, recipe: &Recipe, response: &Response, tolerance_m: f32, at_once: bool) {
    let changed = Box::new(Recipe { tolerance_m, ..recipe.clone() });
    if response.dragged() && !at_once {
        cx.push(Command::PreviewRecipe(changed));
    } else {
        cx.push(Command::EditRecipe(format!("Tolerance to {}", text::length(tolerance_m)), changed));
    }
}

fn settle(cx: &mut PanelCx<'_>, response: &Response, recipe: &Recipe) {
    if response.drag_stopped() || response.lost_focus() {
        cx.push(Command::CommitRecipe(format!("Tolerance to {}", text::length(recipe.tolerance_m))));
    }
}

fn shell(ui: &mut Ui, cx: &mut PanelCx<'_>, recipe: &Recipe) {
    let default = Recipe::default().shell_m;
    let mut mm = f64::from(recipe.shell_m) * 1000.0;
    let help =
        "Distance from the joint at which error is measured. Use the farthest skin or weapon tip. Default 30 mm.";
    let field = form_row(ui, cx, "Shell", help, (recipe.shell_m != default).then_some(()), |ui| {
        ui.add(DragValue::new(&mut mm).range(0.1..=10_000.0).speed(0.5).max_decimals(1).suffix(" mm"))
    });
    let shell_m = if field.reset { default } else { (mm / 1000.0) as f32 };
    let label = format!("Shell to {}", text::length(shell_m));
    let changed = Box::new(Recipe { shell_m, ..recipe.clone() });
    if field.response.dragged() && field.response.changed() {
        cx.push(Command::PreviewRecipe(changed));
    } else if field.reset || field.response.changed() {
        cx.push(Command::EditRecipe(label, changed));
    } else if field.response.drag_stopped() {
        cx.push(Command::CommitRecipe(label));
    }
}

fn shell_from_mesh(ui: &mut Ui, cx: &mut PanelCx<'_>, recipe: &Recipe) {
    let help = "Measures each joint as far out as the mesh that it moves, and at least at the shell above: a weapon's joint \
                at its tip. Default off: one shell for all.";
    let mut on = recipe.shell_from_mesh;
    let changed = on.then_some(());
    let theme = cx.theme;
    let field = form_row(ui, cx, "Shell from mesh", help, changed, |ui| check_box(ui, theme, &mut on, ""));
    if field.reset || field.response.changed() {
        let shell_from_mesh = on && !field.reset;
        let label = if shell_from_mesh { "Shell from the mesh" } else { "One shell for all joints" };
        cx.push(Command::EditRecipe(label.into(), Box::new(Recipe { shell_from_mesh, ..recipe.clone() })));
    }
}

/// What a form row gave.
pub struct Field {
    /// The control.
    pub response: Response,
    /// The arrow back to the default was clicked.
    pub reset: bool,
}

/// A label, an arrow back to the default if the value differs, and a control at the right.
pub fn form_row(
    ui: &mut Ui,
    cx: &PanelCx<'_>,
    name: &str,
    help: &str,
    changed: Option<()>,
    control: impl FnOnce(&mut Ui) -> Response,
) -> Field {
    ui.horizontal(|ui| {
        ui.set_min_height(26.0);
        let label = ui.label(RichText::new(name).color(cx.theme.text2)).on_hover_text(help);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let response = control(ui).labelled_by(label.id).on_hover_text(help);
            let reset = changed.is_some() && reset_arrow(ui, cx, name);
            Field { response, reset }
        })
        .inner
    })
    .inner
}

fn reset_arrow(ui: &mut Ui, cx: &PanelCx<'_>, name: &str) -> bool {
    let name = format!("{name} back to default");
    icon_button(ui, cx.theme, Icon::Reset, false, &name, "Changed. Click for the default.").clicked()
}
