use super::PanelCx;
use super::override_params;
use super::recipe_field::{Named, send};
use crate::theme::{font, size};
use crate::widgets::{Icon, Typed, draft_field, icon_button, paint_icon, right_group, section, value_row};
use egui::text::LayoutJob;
use egui::{Button, RichText, Ui};
use posepress_core::recipe::{FAR_SHELL_M, JointOverride, Recipe};
use posepress_core::settings::{ParamValue, Setting, Settings};
use posepress_core::text;

/// Joints with their own shell, tolerance or parameters.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let recipe = Recipe::clone(cx.workspace.active_recipe());
    let fact = match recipe.overrides.len() {
        0 => String::new(),
        n => n.to_string(),
    };
    let fact = LayoutJob::simple_singleline(fact, font(size::TICK), cx.theme.text3);
    section(ui, cx.theme, "Overrides", fact, |ui| {
        for index in 0..recipe.overrides.len() {
            ui.push_id(index, |ui| one(ui, cx, &recipe, index));
        }
        add_buttons(ui, cx);
    });
}

/// An override: its joints, where it applies, its cost and its values.
fn one(ui: &mut Ui, cx: &mut PanelCx<'_>, recipe: &Recipe, index: usize) {
    let one = &recipe.overrides[index];
    ui.horizontal(|ui| {
        let (icon, _) = ui.allocate_exact_size(egui::Vec2::splat(12.0), egui::Sense::hover());
        paint_icon(ui.painter(), icon, 12.0, Icon::Joint, cx.theme.text2);
        let width = (ui.available_width() - 96.0).max(60.0);
        pattern(ui, cx, index, &one.joint, width);
        right_group(ui, "override", |ui| {
            let remove = format!("Remove override of {}", one.joint);
            if icon_button(ui, cx.theme, Icon::Cross, false, &remove, "Removes the override.").clicked() {
                let (label, gone) = (format!("No override of {}", one.joint), one.clone());
                cx.edit_recipe(label, move |recipe| recipe.overrides.retain(|one| *one != gone));
            }
            found(ui, cx, one);
        });
    });
    let cost = cx.workspace.override_cost(one).map(|bytes| match bytes {
        ..0 => format!("saves {}", text::bytes(bytes.unsigned_abs())),
        _ => format!("costs {}", text::bytes(bytes.unsigned_abs())),
    });
    let facts: Vec<String> = when(cx, one).into_iter().chain(cost).collect();
    if !facts.is_empty() {
        ui.label(RichText::new(facts.join(", ")).size(size::TICK).color(cx.theme.text3))
            .on_hover_text("Size of this clip with the override, compared with the same recipe without it.");
    }
    // Shell and codec parameters apply to whole clips.
    let is_throughout = one.span_secs.is_none();
    for setting in JointOverride::ALL.iter().filter(|setting| is_throughout || setting.key != "shell_m") {
        value(ui, cx, recipe, index, setting);
    }
    if is_throughout && !one.exact {
        override_params::show(ui, cx, recipe, index);
    }
    ui.add_space(4.0);
}

/// Field for the joint's name, or for a pattern of names.
fn pattern(ui: &mut Ui, cx: &mut PanelCx<'_>, index: usize, joint: &str, width: f32) {
    let help = "The joint, or a pattern of names: *_twist* is every joint with _twist in its name.";
    if let Some(Typed { text: named, .. }) = draft_field(ui, "Joints of the override", joint, "", width, help) {
        cx.edit_recipe(format!("Override of {named}"), move |recipe| {
            if let Some(one) = recipe.overrides.get_mut(index) {
                one.joint.clone_from(&named);
            }
        });
    }
}

/// Number of matching joints, for patterns.
fn found(ui: &mut Ui, cx: &PanelCx<'_>, one: &JointOverride) {
    let Some((rig, _)) = cx.selected() else { return };
    let (words, color) = match one.joints(&rig.skeleton).count() {
        0 => ("no such joint".to_owned(), cx.theme.warn),
        1 if rig.skeleton.find(&one.joint).is_some() => return,
        count => (text::count(count, "joint"), cx.theme.text3),
    };
    ui.label(RichText::new(words).size(size::TICK).color(color));
}

/// Clip and frames of an override, such as `walk, f20 to f40`; `None` if it applies everywhere.
fn when(cx: &PanelCx<'_>, one: &JointOverride) -> Option<String> {
    let is_here = cx.selected().is_some_and(|(_, clip)| one.is_of_clip(clip.name()));
    let span = one.span_secs.map(|span_secs| match is_here {
        true => cx.frames_of(span_secs),
        false => format!("{} to {}", text::clock(span_secs[0]), text::clock(span_secs[1])),
    });
    let clip = (!one.clip.is_empty()).then(|| match is_here {
        true => one.clip.clone(),
        false => format!("{} (not this clip)", one.clip),
    });
    let parts: Vec<String> = clip.into_iter().chain(span).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Row of a setting, with the recipe's value if the override has none.
fn value(ui: &mut Ui, cx: &mut PanelCx<'_>, recipe: &Recipe, index: usize, setting: &'static Setting<JointOverride>) {
    let one = &recipe.overrides[index];
    let of_recipe = Recipe::setting(setting.key).and_then(|common| common.get(recipe));
    let (own, is_own) = (setting.get(one), setting.is_changed(one));
    let Some(before) = own.or(of_recipe) else { return };
    let (param, default) = (setting.param(), setting.default_text());
    if let Some(change) = value_row(ui, cx.theme, &param, setting.range(), &default, &before, is_own) {
        let name = format!("{} of {}", param.label, one.joint);
        let named = Named { name: &name, default: &default };
        send(cx, &named, &param, change, move |recipe, value: Option<ParamValue>| {
            match (recipe.overrides.get_mut(index), value) {
                (Some(one), Some(value)) => setting.set(one, value)?,
                (Some(one), None) => setting.reset(one),
                (None, _) => {}
            }
            Ok(())
        });
    }
}

/// Buttons that add an override of the selected joint: for all clips, or for the played part of this one.
fn add_buttons(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let offers = cx.view.selection.joint.map_or(Vec::new(), |joint| offers(cx, joint));
    if offers.is_empty() {
        ui.add_enabled(false, Button::new(RichText::new("Add selected joint").size(size::SMALL)))
            .on_disabled_hover_text("Select a joint in the tree first. Overrides in the list are edited here.");
    }
    for Offer { words, help, added } in offers {
        if ui.button(RichText::new(format!("Add {words}")).size(size::SMALL)).on_hover_text(help).clicked() {
            add(cx, added);
        }
    }
}

/// The same in the context menu of a joint.
pub fn entries(ui: &mut Ui, cx: &mut PanelCx<'_>, joint: usize) {
    for Offer { words, help, added } in offers(cx, joint) {
        if ui.button(format!("Override {words}")).on_hover_text(help).clicked() {
            add(cx, added);
        }
    }
}

/// Menu entry that stores a joint without loss.
pub fn never_touch_entry(ui: &mut Ui, cx: &mut PanelCx<'_>, joint: usize) {
    let Some((rig, _)) = cx.selected().filter(|(rig, _)| joint < rig.skeleton.len()) else { return };
    let name = rig.skeleton.name(joint).to_owned();
    let overrides = &cx.workspace.active_recipe().overrides;
    let is_known = overrides.iter().any(|one| one.joint == name && one.is_everywhere() && one.exact);
    let help = "Stores this joint without loss, as float32, in every clip.";
    let entry = ui.add_enabled(!is_known, Button::new(format!("Keep {name} lossless"))).on_hover_text(help);
    if entry.on_disabled_hover_text("It is lossless already: see Overrides.").clicked() {
        add(cx, JointOverride { exact: true, ..JointOverride::of(&name) });
    }
}

/// An override that can be added.
struct Offer {
    words: String,
    help: &'static str,
    added: JointOverride,
}

/// Tolerance of a new override for a part of a clip, as a share of the recipe's tolerance.
const PROTECTS: f32 = 0.5;

fn offers(cx: &PanelCx<'_>, joint: usize) -> Vec<Offer> {
    let Some((rig, clip)) = cx.selected().filter(|(rig, _)| joint < rig.skeleton.len()) else { return Vec::new() };
    let (recipe, name) = (cx.workspace.active_recipe(), rig.skeleton.name(joint));
    let is_known = recipe.overrides.iter().any(|one| one.joint == name && one.is_everywhere());
    let throughout = (!is_known).then(|| Offer {
        words: name.to_owned(),
        help: "Give this joint its own tolerance, or measure its error at another shell.",
        added: JointOverride { shell_m: Some(FAR_SHELL_M), ..JointOverride::of(name) },
    });
    let in_part = cx.view.transport.range_secs.map(|span_secs| Offer {
        words: format!("{name}, {}", cx.frames_of(span_secs)),
        help: "Another tolerance from the in point to the out point of this clip. Smaller: protects these frames. Larger: saves \
               bytes in them. Write * as the joint for all joints.",
        added: JointOverride {
            clip: clip.name().to_owned(),
            span_secs: Some(span_secs),
            tolerance_m: Some(recipe.tolerance_m * PROTECTS),
            ..JointOverride::of(name)
        },
    });
    throughout.into_iter().chain(in_part).collect()
}

fn add(cx: &mut PanelCx<'_>, added: JointOverride) {
    let label = format!("Override of {}", added.joint);
    cx.edit_recipe(label, move |recipe| recipe.overrides.push(added.clone()));
}
