use super::PanelCx;
use crate::commands::Command;
use crate::theme::{font, size};
use crate::view_state::TimelineTab;
use crate::widgets::{Icon, check_box, icon_button, paint_icon, right_group, segment, tool_button, verdict_icon};
use egui::{Align2, DragValue, Sense, Ui, Vec2, WidgetInfo};
use posepress_core::metrics::Verdict;
use posepress_core::text;

/// Narrower rows leave the rate out, and then name both peaks by their keys.
const ROOM_FOR_RATE: f32 = 1100.0;
const ROOM_FOR_NAMES: f32 = 1000.0;
/// Narrower still, the seam is told by the report alone.
const ROOM_FOR_SEAM: f32 = 730.0;

/// Play, step, clock, speed, loop, peaks.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let enabled = cx.selected().is_some();
    let room = ui.available_width();
    ui.add_enabled_ui(enabled, |ui| {
        ui.horizontal_centered(|ui| {
            ui.spacing_mut().item_spacing.x = 6.0;
            buttons(ui, cx);
            clock(ui, cx);
            speed(ui, cx);
            let on = cx.view.transport.looped;
            if segment(ui, cx.theme, on, "", "Loop", "Go round at the end. L").clicked() {
                cx.push(Command::ToggleLoop);
            }
            if room >= ROOM_FOR_SEAM {
                seam(ui, cx);
            }
            if room >= ROOM_FOR_RATE {
                rate(ui, cx);
            }
            right_group(ui, "peaks", |ui| peaks(ui, cx, room >= ROOM_FOR_NAMES));
        });
    });
}

fn buttons(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let playing = cx.view.transport.playing;
    let (icon, name) = if playing { (Icon::Pause, "Pause") } else { (Icon::Play, "Play") };
    let all = [
        (Icon::Home, false, "First sample", "Start of the clip. Home", Command::GoStart),
        (Icon::StepBack, false, "Previous sample", "One sample back. Left", Command::Step(-1.0)),
        (icon, true, name, "Start or stop both sides. Space", Command::TogglePlay),
        (Icon::StepForward, false, "Next sample", "One sample forward. Right", Command::Step(1.0)),
        (Icon::End, false, "Last sample", "End of the clip. End", Command::GoEnd),
    ];
    for (icon, primary, name, help, command) in all {
        if icon_button(ui, cx.theme, icon, primary, name, help).clicked() {
            cx.push(command);
        }
    }
}

fn clock(ui: &mut Ui, cx: &PanelCx<'_>) {
    let (time_secs, frame, last) = match cx.selected() {
        Some((_, clip)) => {
            let grid = clip.grid();
            (cx.view.transport.time_secs, grid.sample_at(cx.view.transport.time_secs), grid.samples() - 1)
        }
        None => (0.0, 0.0, 0),
    };
    let width = if cx.narrow { 172.0 } else { 190.0 };
    let (rect, response) = ui.allocate_exact_size(Vec2::new(width, 26.0), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, text::clock(time_secs)));
    let painter = ui.painter();
    let left = rect.left_center() + Vec2::new(6.0, 0.0);
    painter.text(left, Align2::LEFT_CENTER, text::clock(time_secs), font(size::TITLE), cx.theme.text1);
    let frame = format!("f{frame:.2} / {last}");
    let right = rect.right_center() - Vec2::new(2.0, 0.0);
    painter.text(right, Align2::RIGHT_CENTER, frame, font(size::SMALL), cx.theme.text3);
    response.on_hover_text("Time, and sample of the last.");
}

fn speed(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let mut speed = cx.view.transport.speed;
    let field = DragValue::new(&mut speed).range(0.05..=4.0).speed(0.01).fixed_decimals(2).suffix(" \u{d7}");
    let response = ui.add(field).on_hover_text("Speed. Drag, or click to type. Default 1.00.");
    response.widget_info(|| WidgetInfo::labeled(egui::Role::SpinButton, true, "Speed"));
    if response.changed() {
        cx.push(Command::SetSpeed(speed));
    }
}

/// What a loop's seam jumps by beyond the original; pressed, only the seam is played.
fn seam(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let Some(motion) = cx.report().map(|r| r.motion).filter(|motion| motion.looping) else { return };
    let tolerance_m = cx.report().map_or(0.0, |r| r.tolerance_m);
    let verdict = if motion.seam_pop_m <= tolerance_m { Verdict::Good } else { Verdict::Warn };
    let (icon, _) = ui.allocate_exact_size(Vec2::splat(12.0), Sense::hover());
    paint_icon(ui.painter(), icon, 11.0, verdict_icon(verdict), cx.theme.verdict(verdict));
    let name = format!("seam {}", text::length(motion.seam_pop_m));
    let help = format!(
        "From the last sample to the first a joint jumps by {} and changes its speed by {}, beyond what the original \
         does. Over the tolerance of {} it warns. Click: play half a second around the seam, over and over. Shift+L",
        text::length(motion.seam_pop_m),
        text::speed(motion.seam_velocity_m_s),
        text::length(tolerance_m)
    );
    if segment(ui, cx.theme, cx.view.transport.seam, "", &name, &help).clicked() {
        cx.push(Command::ToggleSeam);
    }
}

fn rate(ui: &mut Ui, cx: &PanelCx<'_>) {
    let Some((_, clip)) = cx.selected() else { return };
    let rate = match clip.samples() {
        1 => "one sample: a pose".to_owned(),
        _ => format!("{} detected", text::rate(clip.grid().rate_hz())),
    };
    crate::widgets::label(ui, rate, size::SMALL, cx.theme.text3);
}

fn peaks(ui: &mut Ui, cx: &mut PanelCx<'_>, names: bool) {
    if cx.narrow {
        let tab = cx.view.settings.timeline_tab;
        for (value, name) in [(TimelineTab::Error, "Error"), (TimelineTab::Curves, "Curves")] {
            if segment(ui, cx.theme, tab == value, "", name, "What stands below.").clicked() {
                cx.push(Command::ShowTimeline(value));
            }
        }
        return worst(ui, cx);
    }
    let mut on = cx.view.settings.between_samples;
    let help = "Measure between samples too: curve fits can ring there.";
    if check_box(ui, cx.theme, &mut on, "Between samples").on_hover_text(help).changed() {
        cx.push(Command::ToggleBetween);
    }
    let all = [
        ("Previous peak", "[", "Error peak before the playhead. [", Command::PreviousPeak),
        ("Next peak", "]", "Error peak after the playhead. ]", Command::NextPeak),
    ];
    for (name, key, help, command) in all {
        let response = tool_button(ui, cx.theme, if names { name } else { "Peak" }, key, help);
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, name));
        if response.clicked() {
            cx.push(command);
        }
    }
    worst(ui, cx);
}

fn worst(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    if tool_button(ui, cx.theme, "Worst", "W", "Jump to the largest skinned error of this clip. W").clicked() {
        cx.push(Command::GoWorst);
    }
}
