use egui::{Label, RectAlign, Response, Tooltip};

/// A tooltip beside a row of a list, so that the rows below stay in sight.
pub fn row_tooltip(response: Response, words: impl Into<String>) -> Response {
    let mut tooltip = Tooltip::for_enabled(&response);
    tooltip.popup = tooltip.popup.align(RectAlign::RIGHT_START).align_alternatives(&[RectAlign::LEFT_START]);
    tooltip.show(|ui| {
        ui.set_max_width(ui.spacing().tooltip_width);
        ui.add(Label::new(words.into()));
    });
    response
}
