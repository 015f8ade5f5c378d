//! Naming of slots in their chips.

use super::PanelCx;
use crate::commands::{Naming, RecipeCommand};
use crate::widgets::{Typed, draft_field, draft_id};
use egui::{Id, Rect, Ui, UiBuilder};

/// The name of the field.
const FIELD: &str = "Name of the slot";

/// The slot that is named.
#[derive(Clone, Copy)]
struct Named {
    slot: usize,
    /// True after the first frame, in which the field asks for the focus.
    has_begun: bool,
}

fn id() -> Id {
    Id::unique("slot that is named")
}

/// Shows the field in the slot's chip from the next frame on.
pub fn begin(ui: &Ui, slot: usize) {
    ui.data_mut(|data| data.insert_temp(id(), Some(Named { slot, has_begun: false })));
}

/// The field, if this slot is named now. Returns true if it is shown.
pub fn edit(ui: &mut Ui, cx: &mut PanelCx<'_>, area: Rect, slot: usize) -> bool {
    let known: Option<Named> = ui.data(|data| data.get_temp(id())).flatten();
    let Some(named) = known.filter(|named| named.slot == slot) else { return false };
    let name = cx.workspace.document().slot_names.get(cx.workspace.slot_letter(slot)).cloned().unwrap_or_default();
    let place = area.shrink2(egui::vec2(2.0, 6.0));
    ui.scope_builder(UiBuilder::new().id_salt("name of a slot").max_rect(place), |ui| {
        let field = draft_id(ui, FIELD);
        if !named.has_begun {
            ui.memory_mut(|memory| memory.request_focus(field));
        }
        let help =
            "A name for this recipe in the bar, in a project and in exports of pictures. Enter takes it, Esc does not.";
        if let Some(Typed { text, .. }) = draft_field(ui, FIELD, &name, "Name", place.width(), help) {
            cx.push(RecipeCommand::Naming(Naming::Slot(slot, Some(text))));
        }
        let has_ended = named.has_begun && !ui.memory(|memory| memory.has_focus(field));
        ui.data_mut(|data| data.insert_temp(id(), (!has_ended).then_some(Named { slot, has_begun: true })));
    });
    true
}

/// Entries of the chip's menu.
pub fn entries(ui: &mut Ui, cx: &mut PanelCx<'_>, slot: usize) {
    if ui.button("Rename\u{2026}").on_hover_text("Gives the recipe a name. A double-click does the same.").clicked() {
        begin(ui, slot);
    }
    let is_named = cx.workspace.document().slot_names.contains_key(cx.workspace.slot_letter(slot));
    if is_named && ui.button("Remove the name").on_hover_text("The recipe is called by its codec again.").clicked() {
        cx.push(RecipeCommand::Naming(Naming::Slot(slot, None)));
    }
}
