use crate::theme::Theme;
use egui::{Checkbox, Response, Stroke, Ui};

/// A box with words, or without, whose outline is seen while it is empty: on a panel and in a menu, in either theme.
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
