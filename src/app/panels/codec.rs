use super::budget::own_tolerances;
use super::contacts::WEIGHT;
use super::recipe_field::{CONTACTS, WHOLE, apply, setting_row};
use super::{PanelCx, external, params, screen};
use crate::commands::RecipeCommand;
use crate::state::Panel;
use crate::theme::{font, size};
use crate::widgets::{COMBO_WIDTH, Change, about, form_row, log_slider, open_section, section, value_menu, value_row};
use egui::text::LayoutJob;
use egui::{CollapsingHeader, ComboBox, RichText, Sense, TextFormat, Ui};
use posepress_core::codecs::{CODECS, Codec, ParamValues, Preset};
use posepress_core::metrics::ContactSettings;
use posepress_core::recipe::Recipe;
use posepress_core::settings::{Param, ParamValue, Setting, Settings};
use posepress_core::text;

/// Largest height of the list of codecs.
const LIST_HEIGHT: f32 = 640.0;

/// Codec, tolerance and shell.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let encoding = cx.workspace.compressed().filter(|_| cx.view.timings).and_then(|shown| shown.outcome.encoding());
    let secs = encoding.and_then(|made| made.encode_secs);
    let fact = secs.map(|secs| format!("encoded in {}", text::work(secs))).unwrap_or_default();
    let fact = LayoutJob::simple_singleline(fact, font(size::TICK), cx.theme.text3);
    if cx.workspace.is_external_active() {
        return about(ui, "how-to/external-file.md", |ui| external::show(ui, cx));
    }
    match cx.shows_all() {
        true => section(ui, cx.theme, "Codec", fact, |ui| fields(ui, cx)),
        false => open_section(ui, cx.theme, "Codec", fact, |ui| fields(ui, cx)),
    }
}

fn fields(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let recipe = Recipe::clone(cx.workspace.active_recipe());
    choose_codec(ui, cx, &recipe);
    let codec = recipe.codec;
    if cx.shows_fields(Panel::Parameters) || recipe.values != ParamValues::new() {
        choose_preset(ui, cx, &recipe, codec);
    }
    ui.label(RichText::new(codec.info().summary).size(size::SMALL).color(cx.theme.text3))
        .on_hover_text(format!("Source: {}", codec.info().source));
    ui.add_space(4.0);
    if codec.has_one_knob() {
        tolerance(ui, cx);
        if cx.shows_fields(Panel::Parameters) || is_more_changed(&recipe) {
            more(ui, cx, &recipe);
        }
    } else {
        limits(ui, cx);
    }
    if !codec.promises_with(&recipe.values) {
        let note = "This codec does not search. The tolerance only affects the verdict.";
        ui.label(RichText::new(note).size(size::TICK).color(cx.theme.text3));
    }
}

/// Tolerance and shell.
pub fn limits(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    tolerance(ui, cx);
    shells(ui, cx);
}

const TOLERANCE: &str = "tolerance_m";

/// The tolerance that the selected clip is compressed with: its own, or that of the recipe.
fn tolerance(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let slot = cx.workspace.active_slot();
    let own = cx.workspace.selected().and_then(|clip| cx.workspace.own_tolerance(clip, slot));
    for setting in Recipe::ALL.iter().filter(|s| s.key == TOLERANCE) {
        match own {
            Some(own_m) => own_tolerance(ui, cx, setting, own_m),
            None => {
                setting_row(ui, cx, WHOLE, setting, None);
                slider(ui, cx, setting);
            }
        }
    }
    if own.is_none() {
        screen::tolerance(ui, cx);
    }
    if cx.workspace.own_tolerances(slot) > 0 {
        own_tolerances(ui, cx);
    }
}

/// Rows of the recipe's other settings.
fn shells(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let has_mesh = cx.selected().is_some_and(|(rig, _)| !rig.meshes.is_empty());
    let needs_mesh = |setting: &&Setting<Recipe>| setting.key == "shell_from_mesh";
    let shows_all = cx.shows_fields(Panel::Parameters);
    for setting in Recipe::ALL.iter().filter(|s| s.in_form && s.key != TOLERANCE && (has_mesh || !needs_mesh(s))) {
        if !shows_all && !setting.is_changed(cx.workspace.active_recipe()) {
            continue;
        }
        setting_row(ui, cx, WHOLE, setting, None);
        slider(ui, cx, setting);
    }
}

/// True if a setting in [`more`] differs from its default.
fn is_more_changed(recipe: &Recipe) -> bool {
    let is_shell = |setting: &&Setting<Recipe>| setting.in_form && setting.key != TOLERANCE;
    let mut weight = ContactSettings::ALL.iter().filter(|setting| setting.key == WEIGHT);
    recipe.values != ParamValues::new()
        || Recipe::ALL.iter().filter(is_shell).any(|setting| setting.is_changed(recipe))
        || weight.any(|setting| setting.is_changed(&recipe.contacts))
}

/// Rarely used settings of a codec with one main setting: parameters, shells and the weight of feet.
fn more(ui: &mut Ui, cx: &mut PanelCx<'_>, recipe: &Recipe) {
    let title = match recipe.values.changed().count() {
        0 => "More".to_owned(),
        changed => format!("More ({changed} changed)"),
    };
    let fold = CollapsingHeader::new(RichText::new(title).size(size::BODY).color(cx.theme.text2));
    let fold = fold.id_salt("more of the codec").show(ui, |ui| {
        params::rows(ui, cx, recipe);
        shells(ui, cx);
        ContactSettings::ALL.iter().filter(|s| s.key == WEIGHT).for_each(|s| setting_row(ui, cx, CONTACTS, s, None));
    });
    fold.header_response.on_hover_text("Search effort, storage, shell size and the weight of feet.");
}

/// The clip's own tolerance, which replaces that of the recipe. Its reset restores the recipe's.
fn own_tolerance(ui: &mut Ui, cx: &mut PanelCx<'_>, setting: &'static Setting<Recipe>, own_m: f32) {
    let param = Param { label: "Tolerance of this clip", ..setting.param() };
    let of_recipe = text::length(cx.workspace.active_recipe().tolerance_m);
    let default = format!("{of_recipe}, the recipe's");
    let before = ParamValue::Float(text::shifted(own_m, 0));
    let row = value_row(ui, cx.theme, &param, setting.range(), &default, &before, true);
    let slider = slider_change(ui, cx, setting, &before, (&default, true));
    let Some(change) = row.or(slider) else { return };
    let metres = |value: ParamValue| if let ParamValue::Float(metres) = value { metres as f32 } else { own_m };
    cx.push(match change {
        Change::Preview(value) => RecipeCommand::PreviewTolerance(metres(value)),
        Change::Edit(value) => RecipeCommand::SetTolerance(Some(metres(value))),
        Change::Settle => RecipeCommand::Settle,
        Change::Reset => RecipeCommand::SetTolerance(None),
    });
}

fn choose_codec(ui: &mut Ui, cx: &mut PanelCx<'_>, recipe: &Recipe) {
    let mut chosen = recipe.codec;
    let combo =
        ComboBox::from_id_salt("codec").width(ui.available_width()).height(LIST_HEIGHT).selected_text(chosen.name());
    let response = combo.show_ui(ui, |ui| {
        for codec in CODECS {
            let response = ui.selectable_value(&mut chosen, *codec, described(cx, *codec, ui.available_width()));
            let on = *codec == recipe.codec;
            response.widget_info(|| egui::WidgetInfo::selected(egui::Role::Button, true, on, codec.name()));
        }
    });
    let response = response.response.on_hover_text("The method of compression.");
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Codec"));
    if chosen != recipe.codec {
        cx.push(RecipeCommand::UseCodec(chosen));
    }
}

/// A codec's name, and below it what it does.
fn described(cx: &PanelCx<'_>, codec: &dyn Codec, width: f32) -> LayoutJob {
    let mut job = LayoutJob::default();
    job.append(codec.name(), 0.0, TextFormat::simple(font(size::BODY), cx.theme.text1));
    job.append("\n", 0.0, TextFormat::default());
    job.append(codec.info().summary, 0.0, TextFormat::simple(font(size::TICK), cx.theme.text3));
    job.wrap.max_width = width;
    job
}

/// The presets of the codec, if it has any.
fn choose_preset(ui: &mut Ui, cx: &mut PanelCx<'_>, recipe: &Recipe, codec: &'static dyn Codec) {
    let presets = codec.info().presets;
    if presets.is_empty() {
        return;
    }
    let values_of = |preset: &Preset| preset.values(codec.params()).unwrap_or_default(); // a test checks all presets
    let is_default = recipe.values == ParamValues::new();
    let current = presets.iter().find(|p| values_of(p) == recipe.values);
    let shown = if is_default { "defaults" } else { current.map_or("own values", |p| p.name) };
    let mut chosen = None;
    form_row(ui, cx.theme, "Preset", "Named values from an article, an engine or Posepress.", false, |ui| {
        let combo = ComboBox::from_id_salt("preset").width(COMBO_WIDTH).selected_text(shown);
        let response = combo.show_ui(ui, |ui| {
            if ui.selectable_label(is_default, "defaults").on_hover_text("All values are defaults.").clicked() {
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
        cx.edit_recipe(format!("Preset {name}"), move |recipe| recipe.values.clone_from(&values));
    }
}

/// A slider below a setting that has one.
fn slider(ui: &mut Ui, cx: &mut PanelCx<'_>, setting: &'static Setting<Recipe>) {
    let recipe = cx.workspace.active_recipe();
    let Some(before) = setting.get(recipe) else { return };
    let default = (&*setting.default_text(), setting.is_changed(recipe));
    if let Some(change) = slider_change(ui, cx, setting, &before, default) {
        apply(cx, WHOLE, setting, change);
    }
}

/// A slider for a value of a setting, and the change that it makes.
fn slider_change(
    ui: &mut Ui,
    cx: &PanelCx<'_>,
    setting: &'static Setting<Recipe>,
    before: &ParamValue,
    (default, is_changed): (&str, bool),
) -> Option<Change> {
    let (range, (least, most)) = setting.range().and_then(|range| Some((range, range.slider?)))?;
    let &ParamValue::Float(before) = before else { return None };
    let (unit, value) = (range.unit, range.unit.shown(before));
    let mut shown = value;
    ui.visuals_mut().selection.bg_fill = cx.theme.accent_fill; // the track's filled part
    let response = log_slider(ui, (unit.shown(least), unit.shown(most)), &mut shown);
    let help = format!("{} Shift-drag for small steps. Double-click to reset to {default}.", setting.help);
    let response = response.on_hover_text(help);
    response.widget_info(|| egui::WidgetInfo::slider(true, shown, format!("{}, millimetres", setting.label)));
    let now = if shown == value { before } else { unit.stored_of(shown) };
    if cx.shows_all() {
        ticks(ui, cx);
    }
    let change = Change::of(&response, &ParamValue::Float(before), ParamValue::Float(now));
    // A slider of egui senses no clicks.
    let clicks = ui.interact(response.rect, response.id.with("clicks"), Sense::CLICK);
    let is_reset = value_menu(&clicks, default, is_changed, &setting.param().shown(&ParamValue::Float(before)));
    if is_reset || clicks.double_clicked() { Some(Change::Reset) } else { change }
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
