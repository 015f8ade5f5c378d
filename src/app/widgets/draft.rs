use crate::theme::{font, size};
use egui::{Id, Key, TextEdit, Ui, WidgetInfo};

/// Text typed into a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed {
    /// The text without spaces around it; never empty.
    pub text: String,
    /// True if Enter ended it, not a click elsewhere.
    pub entered: bool,
}

/// Id of the field of this name in an [`Ui`], for requesting the focus.
pub fn draft_id(ui: &Ui, name: &str) -> Id {
    ui.scope_id().with((name, "field"))
}

/// A line of text that is taken when the field loses the focus. Until then it is a draft. `text` is the current text,
/// and `hint` is shown while it is empty. Returns the typed text if it is new. A name must be unique in an
/// [`egui::Ui`].
pub fn draft_field(ui: &mut Ui, name: &str, text: &str, hint: &str, width: f32, help: &str) -> Option<Typed> {
    let id = ui.scope_id().with((name, "draft"));
    let mut draft = ui.data(|data| data.get_temp::<String>(id)).unwrap_or_else(|| text.to_owned());
    let field = TextEdit::singleline(&mut draft)
        .id(draft_id(ui, name))
        .hint_text(hint)
        .desired_width(width)
        .font(font(size::SMALL));
    let response = ui.add(field).on_hover_text(help);
    response.widget_info(|| WidgetInfo::labeled(egui::Role::TextInput, true, name));
    if response.has_focus() {
        ui.data_mut(|data| data.insert_temp(id, draft));
        return None;
    }
    if !response.lost_focus() {
        return None;
    }
    ui.data_mut(|data| data.remove::<String>(id));
    let typed = Typed { text: draft.trim().to_owned(), entered: ui.input(|input| input.key_pressed(Key::Enter)) };
    let is_given_up = ui.input(|input| input.key_pressed(Key::Escape));
    (!typed.text.is_empty() && typed.text != text && !is_given_up).then_some(typed)
}
