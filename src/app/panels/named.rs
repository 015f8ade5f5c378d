use super::PanelCx;
use crate::commands::{Naming, RecipeCommand};
use crate::state::picked;
use crate::theme::{font, size};
use crate::widgets::{COMBO_WIDTH, Icon, Typed, draft_field, form_row, icon_button, label, right_group, section};
use egui::text::LayoutJob;
use egui::{ComboBox, RichText, Ui, WidgetInfo};
use posepress_core::project::{PatternRecipe, RecipePlace};
use posepress_core::text;

/// Named recipes, and the clips that have them in the active slot.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    if cx.workspace.is_external_active() || cx.selected().is_none() {
        return;
    }
    let names: Vec<String> = cx.workspace.document().named.keys().cloned().collect();
    let fact = if names.is_empty() { String::new() } else { names.len().to_string() };
    let fact = LayoutJob::simple_singleline(fact, font(size::TICK), cx.theme.text3);
    section(ui, cx.theme, "Named recipes", fact, |ui| {
        chosen(ui, cx, &names);
        for name in &names {
            ui.push_id(name, |ui| one(ui, cx, name));
        }
        keep(ui, cx);
    });
}

/// Choice of the recipe of the picked clips.
fn chosen(ui: &mut Ui, cx: &mut PanelCx<'_>, names: &[String]) {
    let (clips, slot) = (picked(cx.workspace, cx.view), cx.workspace.active_slot());
    let own = RecipePlace::Slot(slot);
    let places: Vec<RecipePlace> = std::iter::once(own).chain(names.iter().cloned().map(RecipePlace::Named)).collect();
    let has = |place: &RecipePlace| clips.iter().all(|clip| cx.workspace.place_in(slot, *clip) == *place);
    let now = places.iter().find(|place| has(place));
    let name = |place: &RecipePlace| match place {
        RecipePlace::Slot(_) => format!("Recipe {} (default)", cx.workspace.slot_letter(slot)),
        RecipePlace::Named(name) => name.clone(),
    };
    let shown = now.map_or("several".to_owned(), name);
    let who = match clips.len() {
        1 => "This clip has".to_owned(),
        many => format!("{many} clips have"),
    };
    let help = "The recipe of the picked clips in this slot. Changes to its codec and parameters affect every clip with this recipe.";
    let mut wanted = None;
    form_row(ui, cx.theme, &who, help, false, |ui| {
        let combo = ComboBox::from_id_salt("named recipe").width(COMBO_WIDTH).selected_text(shown).truncate();
        let response = combo.show_ui(ui, |ui| {
            for place in &places {
                if ui.selectable_label(now == Some(place), name(place)).clicked() {
                    wanted = Some(place.clone());
                }
            }
        });
        response.response.widget_info(|| WidgetInfo::labeled(egui::Role::ComboBox, true, "Recipe of the clip"));
        response.response
    });
    if let Some(place) = wanted.filter(|place| now != Some(place)) {
        cx.push(RecipeCommand::Naming(Naming::Assign(place)));
    }
}

/// A recipe: its name, the number of its clips, and its patterns of clip names.
fn one(ui: &mut Ui, cx: &mut PanelCx<'_>, name: &str) {
    let slot = cx.workspace.active_slot();
    let clips = cx.workspace.clips_with(slot, name);
    ui.horizontal(|ui| {
        let width = (ui.available_width() - 96.0).max(60.0);
        let help = "Rename. Its clips keep the recipe.";
        if let Some(Typed { text, .. }) = draft_field(ui, "Name of the recipe", name, "", width, help) {
            cx.push(RecipeCommand::Naming(Naming::Rename(name.to_owned(), text)));
        }
        right_group(ui, "named", |ui| {
            let color = if clips == 0 { cx.theme.text3 } else { cx.theme.text2 };
            ui.label(RichText::new(text::count(clips, "clip")).size(size::TICK).color(color));
            let remove = format!("Remove recipe {name}");
            if icon_button(ui, cx.theme, Icon::Cross, false, &remove, "Its clips use the recipe of their slot again.")
                .clicked()
            {
                cx.push(RecipeCommand::Naming(Naming::Remove(name.to_owned())));
            }
        });
    });
    let letter = cx.workspace.slot_letter(slot);
    let assigned = cx.workspace.document().assigned.get(letter);
    let of_name = |pattern: &&PatternRecipe| pattern.recipe == name;
    let patterns: Vec<PatternRecipe> =
        assigned.map_or(Vec::new(), |assigned| assigned.patterns.iter().filter(of_name).cloned().collect());
    for pattern in &patterns {
        ui.horizontal(|ui| one_pattern(ui, cx, pattern));
    }
    ui.horizontal(|ui| {
        ui.add_space(12.0);
        let help = "Patterns of clip names: Walk* matches names that start with Walk, combat/* all clips of files in the folder combat. The last matching pattern counts.";
        let width = (ui.available_width() - 12.0).max(60.0);
        let typed = draft_field(ui, "Clips with this recipe", "", "Walk* or combat/*, Enter", width, help);
        if let Some(Typed { text, entered: true }) = typed {
            cx.push(RecipeCommand::Naming(Naming::Pattern(text, name.to_owned())));
        }
    });
}

fn one_pattern(ui: &mut Ui, cx: &mut PanelCx<'_>, pattern: &PatternRecipe) {
    ui.add_space(12.0);
    let named = cx.workspace.library().clip_ids().filter(|clip| cx.workspace.is_named_by(pattern, *clip)).count();
    let color = if named == 0 { cx.theme.warn } else { cx.theme.text2 };
    label(ui, &pattern.clips, size::SMALL, cx.theme.text1);
    right_group(ui, &format!("pattern {}", pattern.clips), |ui| {
        let words = if named == 0 { "no such clip".to_owned() } else { text::count(named, "clip") };
        ui.label(RichText::new(words).size(size::TICK).color(color));
        let remove = format!("Remove pattern {}", pattern.clips);
        if icon_button(ui, cx.theme, Icon::Cross, false, &remove, "Its clips use the recipe of their slot again.")
            .clicked()
        {
            cx.push(RecipeCommand::Naming(Naming::DropPattern(pattern.clips.clone())));
        }
    });
}

/// Field that saves the active recipe under a name.
fn keep(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let help =
        "Saves the current recipe under a name and gives it to the picked clips. Changes to it then affect only them.";
    let width = ui.available_width() - 8.0;
    let typed = draft_field(ui, "Keep recipe under a name", "", "New name, then Enter", width, help);
    if let Some(Typed { text, entered: true }) = typed {
        cx.push(RecipeCommand::Naming(Naming::Keep(text)));
    }
}
