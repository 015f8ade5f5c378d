use super::PanelCx;
use crate::actions::list;
use crate::commands::{PlayCommand, WindowCommand};
use crate::state::{FIRST_FRAME_RANGE, TimelineTab};
use crate::theme::{font, size};
use crate::widgets::{
    Icon, check_box, icon_button, label, paint_icon, right_group, segment, tool_button, verdict_icon,
};
use egui::{Align2, DragValue, Sense, Ui, Vec2, WidgetInfo};
use posepress_core::metrics::{ErrorLimits, Verdict};
use posepress_core::text;

/// Least width of a row with the sample rate.
const ROOM_FOR_RATE: f32 = 1100.0;
/// Least width of a row with the full names of the peak buttons.
const ROOM_FOR_NAMES: f32 = 1000.0;
/// Least width of a row with the seam.
const ROOM_FOR_SEAM: f32 = 730.0;
/// Least width of a row with speed, *Loop* and frame number.
const ROOM_FOR_SPEED: f32 = 640.0;
/// Least width of a row with buttons for the first and last sample.
const ROOM_FOR_ENDS: f32 = 470.0;

/// Play, step, clock, speed, loop, peaks.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let enabled = cx.selected().is_some();
    let room = ui.available_width();
    ui.add_enabled_ui(enabled, |ui| {
        ui.horizontal_centered(|ui| {
            ui.spacing_mut().item_spacing.x = 6.0;
            buttons(ui, cx, room >= ROOM_FOR_ENDS && cx.shows_all());
            clock(ui, cx, room >= ROOM_FOR_SPEED);
            if room >= ROOM_FOR_SPEED {
                if cx.shows_all() || cx.view.transport.speed != 1.0 {
                    speed_field(ui, cx);
                }
                let on = cx.view.transport.looped;
                if cx.shows_all() || !on {
                    loop_button(ui, cx, on);
                }
            }
            if room >= ROOM_FOR_SEAM {
                seam(ui, cx);
            }
            if room >= ROOM_FOR_RATE && cx.shows_all() {
                rate(ui, cx);
            }
            right_group(ui, "peaks", |ui| peaks(ui, cx, room >= ROOM_FOR_NAMES));
        });
    });
}

fn loop_button(ui: &mut Ui, cx: &mut PanelCx<'_>, on: bool) {
    cx.control(ui, &list::LOOP, |ui, theme, help| segment(ui, theme, on, "", &list::LOOP.label, help));
}

fn buttons(ui: &mut Ui, cx: &mut PanelCx<'_>, with_ends: bool) {
    let playing = cx.view.transport.playing;
    let (icon, name) = if playing { (Icon::Pause, "Pause") } else { (Icon::Play, "Play") };
    let all = [
        (Icon::Home, &*list::GO_START.label, &list::GO_START),
        (Icon::StepBack, &*list::PREVIOUS_SAMPLE.label, &list::PREVIOUS_SAMPLE),
        (icon, name, &list::TOGGLE_PLAY),
        (Icon::StepForward, &*list::NEXT_SAMPLE.label, &list::NEXT_SAMPLE),
        (Icon::End, &*list::GO_END.label, &list::GO_END),
    ];
    let shown = match (with_ends, cx.shows_all()) {
        (true, _) => &all[..],
        (false, true) => &all[1..all.len() - 1],
        (false, false) => &all[2..3], // the arrow keys step
    };
    for (icon, name, action) in shown.iter().copied() {
        let primary = *action == list::TOGGLE_PLAY;
        cx.control(ui, action, |ui, theme, help| icon_button(ui, theme, icon, primary, name, help));
    }
}

/// The time, the frame and the last frame. `with_sample` is false if there is only room for the time.
fn clock(ui: &mut Ui, cx: &mut PanelCx<'_>, with_sample: bool) {
    let (time_secs, frame, last) = match cx.selected() {
        Some((_, clip)) => {
            let grid = clip.grid();
            (cx.view.transport.time_secs, grid.sample_at(cx.view.transport.time_secs), grid.samples() as u32 - 1)
        }
        None => (0.0, 0.0, 0_u32),
    };
    // The essentials have the frame alone, or the time in a narrow row.
    let is_frame_alone = with_sample && !cx.shows_all();
    let width = match (with_sample, cx.narrow) {
        (false, _) => 96.0,
        _ if is_frame_alone => 100.0,
        (true, true) => 172.0,
        (true, false) => 190.0,
    };
    let (rect, response) = ui.allocate_exact_size(Vec2::new(width, 26.0), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, text::clock(time_secs)));
    let painter = ui.painter();
    let left = rect.left_center() + Vec2::new(6.0, 0.0);
    let clock = text::clock(time_secs);
    let numbers = cx.frame_numbers();
    let (now, last) = (numbers.at(frame), numbers.at(f64::from(last)));
    let precise = format!("f{now:.2} / {last}");
    let (shown, points) = match is_frame_alone {
        true => (format!("f {now:.0} / {last}"), size::TOTAL),
        false => (clock.clone(), size::TITLE),
    };
    painter.text(left, Align2::LEFT_CENTER, shown, font(points), cx.theme.text1);
    if with_sample && !is_frame_alone {
        let right = rect.right_center() - Vec2::new(2.0, 0.0);
        painter.text(right, Align2::RIGHT_CENTER, &precise, font(size::SMALL), cx.theme.text3);
    }
    let response = response.on_hover_text(format!("{clock}, {precise}. Click to change the numbering."));
    let stays = egui::PopupCloseBehavior::CloseOnClickOutside;
    egui::Popup::menu(&response).close_behavior(stays).show(|ui| counting(ui, cx));
}

/// Menu of the numbering: the first frame's number, and seconds on the ruler.
fn counting(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    ui.horizontal(|ui| {
        label(ui, "First frame", size::BODY, cx.theme.text2);
        let mut first = cx.view.settings.first_frame;
        let help = "Number of the first frame in your animation program: often 0, 1 or 1001.";
        let response = ui.add(DragValue::new(&mut first).range(FIRST_FRAME_RANGE)).on_hover_text(help);
        response.widget_info(|| WidgetInfo::labeled(egui::Role::SpinButton, true, "First frame"));
        if response.changed() {
            cx.push(PlayCommand::SetFirstFrame(first));
        }
    });
    cx.entry(ui, &list::RULER_SECONDS);
}

/// Playback speed.
pub fn speed_field(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let mut speed = cx.view.transport.speed;
    let field = DragValue::new(&mut speed).range(0.05..=4.0).speed(0.01).fixed_decimals(2).suffix(" \u{d7}");
    let response = ui.add(field).on_hover_text("Speed. Drag, or click to type. Default 1.00.");
    response.widget_info(|| WidgetInfo::labeled(egui::Role::SpinButton, true, "Speed"));
    if response.changed() {
        cx.push(PlayCommand::SetSpeed(speed));
    }
}

/// A button with the error at the seam, beyond the original's. Pressed, only the seam plays.
fn seam(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let Some(motion) = cx.report().map(|r| r.motion).filter(|motion| motion.looping) else { return };
    let limits = cx.report().map_or_else(ErrorLimits::default, |r| r.limits);
    let sample_secs = cx.selected().map_or(0.0, |(_, clip)| clip.grid().time_secs(1.0));
    let [pop, speed] = [motion.seam_pop_m, motion.seam_velocity_m_s * sample_secs].map(|m| limits.seam_verdict(m));
    // The speed is shown if only the speed is over its limit.
    let (verdict, shown) = match (pop, speed) {
        (Verdict::Good, Verdict::Warn | Verdict::Fail) => (speed, text::speed(motion.seam_velocity_m_s)),
        _ => (pop, text::length(motion.seam_pop_m)),
    };
    let on = cx.view.transport.seam;
    if verdict == Verdict::Good && !on && !cx.shows_all() {
        return;
    }
    let (icon, _) = ui.allocate_exact_size(Vec2::splat(12.0), Sense::hover());
    paint_icon(ui.painter(), icon, 11.0, verdict_icon(verdict), cx.theme.verdict(verdict));
    let name = format!("seam {shown}");
    let help = format!(
        "From the last sample to the first, a joint jumps by {} and changes its speed by {}, in addition to the original's own. \
         From {}, or that much per sample, it warns. Click: repeat half a second around the seam. {}",
        text::length(motion.seam_pop_m),
        text::speed(motion.seam_velocity_m_s),
        text::length(limits.warn_between_m()),
        list::PLAY_SEAM.key_text(ui.ctx())
    );
    cx.control(ui, &list::PLAY_SEAM, |ui, theme, _| segment(ui, theme, on, "", &name, &help));
}

fn rate(ui: &mut Ui, cx: &PanelCx<'_>) {
    let Some((_, clip)) = cx.selected() else { return };
    let rate = match clip.samples() {
        1 => "one sample: a pose".to_owned(),
        _ => format!("{} detected", text::rate(clip.grid().rate_hz())),
    };
    let shown_hz = cx.view.frame_times.shown_hz().filter(|_| cx.view.transport.playing && cx.view.timings);
    let rate = shown_hz.map_or(rate.clone(), |hz| format!("{rate}, {hz:.0} frames per second"));
    crate::widgets::label(ui, rate, size::SMALL, cx.theme.text3);
}

fn peaks(ui: &mut Ui, cx: &mut PanelCx<'_>, names: bool) {
    if cx.tabs {
        let tab = cx.view.settings.timeline_tab;
        for value in TimelineTab::ALL {
            if segment(ui, cx.theme, tab == value, "", value.name(), "Show this tab below.").clicked() {
                cx.push(WindowCommand::ShowTimeline(value));
            }
        }
        return worst(ui, cx);
    }
    let mut on = cx.view.settings.between_samples;
    let help = "Also measure between samples, where curve fits can overshoot.";
    if check_box(ui, cx.theme, &mut on, "Between samples").on_hover_text(help).changed() {
        cx.push(PlayCommand::ToggleBetween);
    }
    for action in [&list::PREVIOUS_PEAK, &list::NEXT_PEAK] {
        let key = action.key_text(ui.ctx());
        let written = if names { &*action.label } else { "Peak" };
        let response = cx.control(ui, action, |ui, theme, help| tool_button(ui, theme, written, &key, help));
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, ui.is_enabled(), &*action.label));
    }
    worst(ui, cx);
}

fn worst(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let key = list::GO_WORST.key_text(ui.ctx());
    cx.control(ui, &list::GO_WORST, |ui, theme, help| tool_button(ui, theme, "Worst", &key, help));
}
