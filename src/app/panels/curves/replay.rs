use crate::commands::CurveCommand;
use crate::panels::PanelCx;
use crate::state::Insertions;
use crate::theme::size;
use crate::widgets::label;
use egui::{Slider, Ui, WidgetInfo};

/// Slider that replays a fit, from two keys to all.
pub fn slider(ui: &mut Ui, cx: &mut PanelCx<'_>, insertions: Insertions, width: f32) {
    // A fit begins with two keys.
    let (mut inserted, last) = (insertions.shown - 2, insertions.all - 2);
    label(ui, format!("insertions {inserted} / {last}"), size::TICK, cx.theme.text2);
    ui.spacing_mut().slider_width = width;
    let response = ui.add(Slider::new(&mut inserted, 0..=last).show_value(false)).on_hover_text(
        "Replays the fit: it starts with two keys and adds one to the worst section, until every section is within the tolerance.",
    );
    response.widget_info(|| WidgetInfo::slider(true, inserted as f64, "Insertions"));
    if response.changed() {
        cx.push(CurveCommand::SetReplay((inserted < last).then_some(inserted + 2)));
    }
}
