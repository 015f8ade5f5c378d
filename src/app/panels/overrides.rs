use super::PanelCx;
use super::recipe_field::{Named, send};
use crate::theme::{font, size};
use crate::widgets::{Icon, icon_button, paint_icon, right_group, section, value_row};
use egui::text::LayoutJob;
use egui::{RichText, TextEdit, Ui};
use posepress_core::session::{FAR_SHELL_M, JointOverride, Recipe};
use posepress_core::settings::{ParamValue, Setting, Settings};
use posepress_core::text;

/// Joints with a shell or a tolerance of their own.
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
        add_buttons(ui, cx, &recipe);
    });
}

/// The joints that an override names, when it holds, and what it asks for.
fn one(ui: &mut Ui, cx: &mut PanelCx<'_>, recipe: &Recipe, index: usize) {
    let one = &recipe.overrides[index];
    ui.horizontal(|ui| {
        let (icon, _) = ui.allocate_exact_size(egui::Vec2::splat(12.0), egui::Sense::hover());
        paint_icon(ui.painter(), icon, 12.0, Icon::Joint, cx.theme.text2);
        let width = (ui.available_width() - 96.0).max(60.0);
        pattern(ui, cx, index, &one.joint, width);
        right_group(ui, "override", |ui| {
            let remove = format!("Remove override of {}", one.joint);
            if icon_button(ui, cx.theme, Icon::Cross, false, &remove, "Back to the recipe's.").clicked() {
                let (label, gone) = (format!("No override of {}", one.joint), one.clone());
                cx.edit_recipe(label, move |recipe| recipe.overrides.retain(|one| *one != gone));
            }
            found(ui, cx, one);
        });
    });
    if let Some(when) = when(cx, one) {
        ui.label(RichText::new(when).size(size::TICK).color(cx.theme.text3));
    }
    for setting in JointOverride::ALL {
        // A shell holds throughout a clip.
        let is_shell_of_span = setting.key == "shell_m" && one.span_secs.is_some();
        if !is_shell_of_span {
            value(ui, cx, recipe, index, setting);
        }
    }
    ui.add_space(4.0);
}

/// Its name, or its pattern of names; taken when the field is left.
fn pattern(ui: &mut Ui, cx: &mut PanelCx<'_>, index: usize, joint: &str, width: f32) {
    let draft_id = ui.scope_id().with("draft");
    let mut draft = ui.data(|data| data.get_temp::<String>(draft_id)).unwrap_or_else(|| joint.to_owned());
    let field = TextEdit::singleline(&mut draft).desired_width(width).font(font(size::SMALL));
    let response = ui
        .add(field)
        .on_hover_text("The joint, or a pattern of names: *_twist* is every joint with _twist in its name.");
    response.widget_info(|| egui::WidgetInfo::text_edit(true, joint, &draft, "Joints of the override"));
    if response.has_focus() {
        ui.data_mut(|data| data.insert_temp(draft_id, draft));
    } else if response.lost_focus() {
        ui.data_mut(|data| data.remove::<String>(draft_id));
        let named = draft.trim().to_owned();
        if !named.is_empty() && named != joint {
            let label = format!("Override of {named}");
            cx.edit_recipe(label, move |recipe| {
                if let Some(one) = recipe.overrides.get_mut(index) {
                    one.joint.clone_from(&named);
                }
            });
        }
    }
}

/// How many joints of the clip's rig it names, where that is not plain.
fn found(ui: &mut Ui, cx: &PanelCx<'_>, one: &JointOverride) {
    let Some((rig, _)) = cx.selected() else { return };
    let (words, color) = match one.joints(&rig.skeleton).count() {
        0 => ("no such joint".to_owned(), cx.theme.warn),
        1 if rig.skeleton.find(&one.joint).is_some() => return,
        count => (text::count(count, "joint"), cx.theme.text3),
    };
    ui.label(RichText::new(words).size(size::TICK).color(color));
}

/// `walk, f20 to f40`; `None` where it always holds.
fn when(cx: &PanelCx<'_>, one: &JointOverride) -> Option<String> {
    let selected = cx.selected();
    let is_here = selected.as_ref().is_some_and(|(_, clip)| one.is_of_clip(clip.name()));
    let span = one.span_secs.map(|[start, end]| match &selected {
        Some((_, clip)) if is_here => {
            let [first, last] = [start, end].map(|secs| clip.grid().sample_at(secs).round() as usize);
            cx.frame_numbers().frames(first, last)
        }
        _ => format!("{} to {}", text::clock(start), text::clock(end)),
    });
    let clip = (!one.clip.is_empty()).then(|| match is_here {
        true => one.clip.clone(),
        false => format!("{} (not this clip)", one.clip),
    });
    let parts: Vec<String> = clip.into_iter().chain(span).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// What it asks for; the recipe's own number where it asks for nothing.
fn value(ui: &mut Ui, cx: &mut PanelCx<'_>, recipe: &Recipe, index: usize, setting: &'static Setting<JointOverride>) {
    let one = &recipe.overrides[index];
    let of_recipe = Recipe::setting(setting.key).and_then(|common| common.get(recipe));
    let own = setting.get(one);
    let is_own = own.is_some();
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

/// For the selected joint: throughout every clip, or in the played part of this one.
fn add_buttons(ui: &mut Ui, cx: &mut PanelCx<'_>, recipe: &Recipe) {
    let joint = cx.selected().zip(cx.view.selection.joint).and_then(|((rig, clip), joint)| {
        (joint < rig.skeleton.len()).then(|| (rig.skeleton.name(joint).to_owned(), clip.name().to_owned()))
    });
    let free = joint.as_ref().filter(|(n, _)| recipe.overrides.iter().all(|o| o.joint != *n || !o.is_everywhere()));
    let text = match &free {
        Some((name, _)) => format!("Add {name}"),
        None => "Add selected joint".to_owned(),
    };
    ui.add_enabled_ui(free.is_some(), |ui| {
        let response = ui
            .button(RichText::new(text).size(size::SMALL))
            .on_hover_text("Hold this joint to a tolerance of its own, or measure its error farther out.")
            .on_disabled_hover_text("Select a joint in the tree first.");
        if let Some((joint, _)) = free.filter(|_| response.clicked()) {
            add(cx, JointOverride { shell_m: Some(FAR_SHELL_M), ..JointOverride::of(joint) });
        }
    });
    let Some((span_secs, (joint, clip))) = cx.view.transport.range_secs.zip(joint) else { return };
    let frames = cx.selected().map(|(_, clip)| {
        let [first, last] = span_secs.map(|secs| clip.grid().sample_at(secs).round() as usize);
        cx.frame_numbers().frames(first, last)
    });
    let words = format!("Add {joint}, {}", frames.unwrap_or_default());
    let help = "Another tolerance in the played part of this clip: smaller protects a moment, larger relaxes one that nobody sees. \
                Write * in place of the joint for all of them.";
    if ui.button(RichText::new(words).size(size::SMALL)).on_hover_text(help).clicked() {
        let tolerance_m = Some(recipe.tolerance_m * PROTECTS);
        add(cx, JointOverride { clip, span_secs: Some(span_secs), tolerance_m, ..JointOverride::of(&joint) });
    }
}

/// Part of the recipe's tolerance that a protected moment begins with.
const PROTECTS: f32 = 0.5;

fn add(cx: &mut PanelCx<'_>, added: JointOverride) {
    let label = format!("Override of {}", added.joint);
    cx.edit_recipe(label, move |recipe| recipe.overrides.push(added.clone()));
}
