use super::PanelCx;
use super::recipe_field::{Named, send};
use crate::theme::{font, size};
use crate::widgets::value_row;
use egui::{RichText, Ui};
use posepress_core::codecs::{self, Param, ParamKind, ParamValues};
use posepress_core::recipe::{JointOverride, Recipe};

/// Codec parameters with own values for the joints of an override, and a menu of the others.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>, recipe: &Recipe, index: usize) {
    let (one, codec) = (&recipe.overrides[index], recipe.codec);
    let Ok(values) = codecs::with_changes(codec, &recipe.values, &one.set) else { return };
    if codec.encoder().is_none() {
        return; // a search chooses parameters itself
    }
    let is_list = |param: &Param| matches!(param.kind, ParamKind::Lines(_));
    let active = codec.params().iter().filter(|param| values.is_active(codec.params(), param) && !is_list(param));
    let (own, others): (Vec<_>, Vec<_>) = active.partition(|param| one.set.contains_key(param.key));
    for param in own {
        row(ui, cx, (recipe, index), &values, param);
    }
    if others.is_empty() {
        return;
    }
    let words = RichText::new("Own parameter").font(font(size::SMALL));
    let menu = ui.menu_button(words, |ui| {
        for param in others {
            if ui.button(param.label).on_hover_text(param.help).clicked() {
                let label = format!("{} of {}", param.label, one.joint);
                let (key, value) = (param.key, recipe.values.get(param));
                cx.edit_recipe(label, move |recipe| {
                    if let Some(one) = recipe.overrides.get_mut(index) {
                        one.set.insert(key.to_owned(), value.clone());
                    }
                });
            }
        }
    });
    menu.response.on_hover_text(
        "Gives these joints another value of one of the codec's parameters. They are stored apart from the other joints.",
    );
}

fn row(
    ui: &mut Ui,
    cx: &mut PanelCx<'_>,
    (recipe, index): (&Recipe, usize),
    values: &ParamValues,
    param: &'static Param,
) {
    let (of_recipe, joint) = (param.shown(&recipe.values.get(param)), &recipe.overrides[index].joint);
    let default = format!("the recipe's, {of_recipe}");
    let Some(change) = value_row(ui, cx.theme, param, None, &default, &values.get(param), true) else { return };
    let name = format!("{} of {joint}", param.label);
    send(cx, &Named { name: &name, default: &default }, param, change, move |recipe, value| {
        let Some(JointOverride { set, .. }) = recipe.overrides.get_mut(index) else { return Ok(()) };
        match value {
            Some(value) => set.insert(param.key.to_owned(), param.check(value)?),
            None => set.remove(param.key),
        };
        Ok(())
    });
}
