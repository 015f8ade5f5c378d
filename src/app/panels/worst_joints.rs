use super::PanelCx;
use crate::commands::JointCommand;
use crate::theme::{font, size};
use crate::widgets::{RowList, error_bar, header, row_tooltip, text_middle};
use egui::text::LayoutJob;
use egui::{Align2, Rect, Ui, WidgetInfo, pos2};
use posepress_core::text;

/// Height of a row.
const ROW: f32 = 22.0;
/// Number of joints that are shown without all settings.
const WORST: usize = 4;
/// Height of the header and four rows.
pub const LEAST_HEIGHT: f32 = 28.0 + 4.0 * ROW;

/// As many joints as fit, largest error first. A narrow window shows them below its clips.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let (Some((rig, clip)), Some(report)) = (cx.selected(), cx.report()) else { return };
    let title = format!("Worst joints of {}", clip.name());
    header(ui, cx.theme, None, &title, LayoutJob::simple_singleline("mm".into(), font(size::TICK), cx.theme.text3));
    let errors = &report.samples.per_joint;
    let mut joints: Vec<usize> = (0..rig.skeleton.len().min(errors.len())).collect();
    joints.sort_by(|a, b| errors[*b].max_m.total_cmp(&errors[*a].max_m).then(a.cmp(b)));
    let most = if cx.shows_all() { usize::MAX } else { WORST };
    joints.truncate(((ui.available_height() / ROW) as usize).min(most));
    let selected = joints.iter().position(|joint| Some(*joint) == cx.view.selection.joint);
    let list = RowList::new(ui, "worst joints", selected, joints.len(), ROW).of(cx.view.selection.joint);
    let all = 0..joints.len();
    for (index, joint) in joints.iter().enumerate() {
        let (rect, response) = list.row(ui, index, &all);
        let (name, error_m) = (rig.skeleton.name(*joint), errors[*joint].max_m);
        let is_selected = selected == Some(index);
        let spoken = format!("Worst joint {name}");
        response.widget_info(|| WidgetInfo::selected(egui::Role::ListBoxOption, true, is_selected, &spoken));
        if is_selected || response.hovered() {
            let fill = if is_selected { cx.theme.selection } else { cx.theme.hover };
            ui.painter().rect_filled(rect, 0.0, fill);
        }
        row(ui, cx, rect, name, error_m, report.most_m());
        let help =
            format!("{name}: largest error {}, allowed {}", text::length(error_m), text::length(report.most_m()));
        if row_tooltip(response, help).clicked() {
            cx.push(JointCommand::SelectJoint(Some(*joint)));
        }
    }
    if let Some(row) = list.keys(ui, &all).moved {
        cx.push(JointCommand::SelectJoint(Some(joints[row])));
    }
}

fn row(ui: &Ui, cx: &PanelCx<'_>, rect: Rect, name: &str, error_m: f32, allowed_m: f32) {
    let (painter, y) = (ui.painter(), rect.center().y);
    let bar = Rect::from_min_max(pos2(rect.right() - 92.0, y - 3.0), pos2(rect.right() - 52.0, y + 3.0));
    text_middle(painter, pos2(rect.left() + 12.0, y), bar.left() - 6.0, name, size::SMALL, cx.theme.text2);
    error_bar(painter, cx.theme, bar, error_m / allowed_m);
    let color = if error_m > allowed_m { cx.theme.warn } else { cx.theme.text1 };
    let mm = format!("{:.2}", error_m * 1000.0);
    painter.text(pos2(rect.right() - 12.0, y), Align2::RIGHT_CENTER, mm, font(size::SMALL), color);
}
