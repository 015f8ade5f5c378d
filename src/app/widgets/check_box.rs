use crate::theme::Theme;
use egui::{Checkbox, Response, Stroke, Ui};

/// A check box with or without text. While it is empty, its outline is visible on panels and in menus, in both themes.
pub fn check_box(ui: &mut Ui, theme: &Theme, on: &mut bool, words: &str) -> Response {
    ui.scope(|ui| {
        let widgets = &mut ui.visuals_mut().widgets;
        for look in [&mut widgets.inactive, &mut widgets.noninteractive] {
            look.bg_stroke = Stroke::new(1.0, theme.strong);
            look.bg_fill = theme.well;
        }
        if words.is_empty() { ui.add(Checkbox::without_text(on)) } else { ui.checkbox(on, words) }
    })
    .inner
}
