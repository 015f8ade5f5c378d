use super::PanelCx;
use crate::commands::FindCommand;
use crate::theme::{font, size};
use crate::widgets::{label, section, text_elided, text_right};
use egui::text::LayoutJob;
use egui::{Align2, Sense, Ui, Vec2, WidgetInfo, pos2};
use posepress_core::metrics::error_peaks;
use posepress_core::text;

/// Height of a row.
const ROW: f32 = 20.0;
/// Largest number of listed peaks.
const LISTED: usize = 8;

/// Error peaks, largest first. A click jumps there.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let (Some((rig, clip)), Some(report)) = (cx.selected(), cx.report()) else { return };
    let mut peaks = error_peaks(report);
    let fact = LayoutJob::simple_singleline(text::count(peaks.len(), "peak"), font(size::TICK), cx.theme.text3);
    peaks.sort_by(|a, b| b.error_m.total_cmp(&a.error_m).then(a.sample.total_cmp(&b.sample)));
    section(ui, cx.theme, "Peaks", fact, |ui| {
        if peaks.is_empty() {
            label(ui, "No peaks: the clip has no error.", size::SMALL, cx.theme.text3);
        }
        for peak in peaks.iter().take(LISTED) {
            let (rect, response) = ui.allocate_exact_size(Vec2::new(ui.available_width(), ROW), Sense::click());
            let at = cx.frame_numbers().frame(peak.sample);
            let error = text::length(peak.error_m);
            let name = rig.skeleton.name(peak.joint);
            response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, format!("Peak {error} at {at}")));
            if response.hovered() {
                ui.painter().rect_filled(rect, 0.0, cx.theme.hover);
            }
            let y = rect.center().y;
            let color = if peak.error_m > report.most_m() { cx.theme.warn } else { cx.theme.text1 };
            ui.painter().text(pos2(rect.left() + 2.0, y), Align2::LEFT_CENTER, at, font(size::SMALL), cx.theme.text2);
            text_elided(
                ui.painter(),
                pos2(rect.left() + 70.0, y),
                rect.right() - 70.0,
                name,
                size::SMALL,
                cx.theme.text2,
            );
            let job = LayoutJob::simple_singleline(error.clone(), font(size::SMALL), color);
            text_right(ui.painter(), pos2(rect.right() - 2.0, y), job);
            let time_secs = clip.grid().time_secs(peak.sample);
            let help =
                format!("{name} has an error of {error} here. Click to jump there and find the joint that causes it.");
            if response.on_hover_text(help).clicked() {
                cx.push(FindCommand::ShowPeak(time_secs));
            }
        }
    });
}
