use super::PanelCx;
use super::time_axis::TimeAxis;
use egui::{Rect, Sense, Ui, WidgetInfo, pos2};
use posepress_core::recipe::JointOverride;
use posepress_core::text;

/// Height of a mark.
const MARK: f32 = 4.0;

/// Marks under the ruler: parts of this clip with another tolerance.
pub fn show(ui: &Ui, cx: &PanelCx<'_>, axis: &TimeAxis, ruler: Rect) {
    let Some((_, clip)) = cx.selected() else { return };
    let plot = axis.plot(ruler);
    let recipe = cx.workspace.active_recipe();
    for (index, one) in recipe.overrides.iter().enumerate().filter(|(_, one)| one.is_of_clip(clip.name())) {
        let Some((span_secs, tolerance_m)) = one.span_secs.zip(one.tolerance_m) else { continue };
        let [from, to] = span_secs.map(|secs| axis.x_of_secs(secs).clamp(plot.left(), plot.right()));
        let mark = Rect::from_min_max(pos2(from, ruler.bottom() - MARK), pos2(to.max(from + 2.0), ruler.bottom()));
        let is_tighter = tolerance_m < recipe.tolerance_m;
        let words = told(cx, one, span_secs, tolerance_m, is_tighter);
        let response = ui.interact(mark.expand(2.0), ui.scope_id().with(("override", index)), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, &words));
        let color = if is_tighter { cx.theme.accent } else { cx.theme.text3 };
        ui.painter().rect_filled(mark, 1.0, color);
        response.on_hover_text(words);
    }
}

/// Text of a mark, such as `head protected f20 to f40, within 0.05 mm`.
fn told(cx: &PanelCx<'_>, one: &JointOverride, span_secs: [f32; 2], tolerance_m: f32, is_tighter: bool) -> String {
    let joint = if one.joint == "*" { "Every joint" } else { &one.joint };
    let how = if is_tighter { "protected" } else { "relaxed" };
    format!("{joint} {how} {}, within {}", cx.frames_of(span_secs), text::length(tolerance_m))
}
