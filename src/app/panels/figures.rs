//! Size, worst figures and what would help: always in sight at the foot of the right column.

use super::PanelCx;
use crate::commands::Command;
use crate::theme::{font, size};
use crate::widgets::{label, paint_icon, quantity, text_right, verdict_icon};
use egui::{Align2, Button, Frame, Margin, Rect, RichText, Sense, Ui, Vec2, WidgetInfo, pos2};
use posepress_core::metrics::{Aspect, ErrorReport, Judged, Verdict};
use posepress_core::session::Trial;
use posepress_core::text;

/// Proposals that there is room for.
const PROPOSALS: usize = 3;

/// Size and worst figures in short, then what helps.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let (Some((rig, clip)), Some(shown)) = (cx.selected(), cx.shown()) else { return };
    ui.spacing_mut().item_spacing.y = 2.0;
    ui.scope(|ui| {
        if cx.is_stale() {
            ui.set_opacity(0.5);
        }
        if let Some(words) = cx.pair_words() {
            let words = RichText::new(words).size(size::SMALL).color(cx.theme.warn);
            ui.add(egui::Label::new(words).truncate());
        }
        let size_text = format!("{}  {}", text::bytes(shown.report.bytes as u64), text::ratio(shown.report.ratio));
        label(ui, size_text, size::TOTAL, cx.theme.text1);
        // What was lost at import is of interest when it was much.
        let is_told = |j: &Judged| j.aspect != Aspect::Sampling || j.verdict > Verdict::Good;
        let report = &shown.outcome.report;
        let place = |joint: usize, time_secs: f32| {
            let at = cx.frame_numbers().frame(clip.grid().sample_at(time_secs));
            format!("{} at {at}", rig.skeleton.name(joint))
        };
        for judged in report.judged().into_iter().filter(is_told) {
            let Largest { error_m, joint, time_secs } = Largest::of(report, &judged);
            let mut words = place(joint, time_secs);
            if (joint, time_secs) != (judged.joint, judged.time_secs) {
                let judged_m = text::length(judged.error_m);
                words += &format!(". Judged by {judged_m}, {}", place(judged.joint, judged.time_secs));
            }
            figure(ui, cx, &judged, error_m, &words);
        }
        // The numbers of a codec that stored float32 alone look like a success.
        if let Some(words) = shown.report.stored_exactly_words() {
            let short = match shown.report.exact_time() {
                Some([exact, _]) => format!("Nothing lost in {exact}: stored as float32"),
                None => "Nothing lost, little won: stored as float32".to_owned(),
            };
            label(ui, short, size::SMALL, cx.theme.warn).on_hover_text(words);
        }
    });
    proposals(ui, cx);
}

fn name(aspect: Aspect) -> &'static str {
    match aspect {
        Aspect::Shell => "shell max",
        Aspect::Between => "between samples",
        Aspect::Skin => "skinned max",
        Aspect::Slide => "worst slide",
        Aspect::Sampling => "sampling error",
    }
}

/// The largest error of an aspect. Where joints have tolerances of their own another error may be the worse one.
struct Largest {
    error_m: f32,
    joint: usize,
    time_secs: f32,
}

impl Largest {
    fn of(report: &ErrorReport, judged: &Judged) -> Self {
        let worst = match judged.aspect {
            Aspect::Shell => Some(&report.samples.worst),
            Aspect::Between => Some(&report.between.worst),
            Aspect::Skin | Aspect::Slide | Aspect::Sampling => None,
        };
        match worst {
            Some(worst) => Self { error_m: worst.error_m, joint: worst.joint, time_secs: worst.time_secs },
            None => Self { error_m: judged.error_m, joint: judged.joint, time_secs: judged.time_secs },
        }
    }
}

fn figure(ui: &mut Ui, cx: &PanelCx<'_>, judged: &Judged, error_m: f32, place: &str) {
    let (verdict, value) = (judged.verdict, text::length(error_m));
    let (rect, response) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 18.0), Sense::hover());
    let spoken = format!("{} {value}, {}", name(judged.aspect), verdict.key());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, &spoken));
    let y = rect.center().y;
    let icon = Rect::from_center_size(pos2(rect.left() + 6.0, y), Vec2::splat(12.0));
    let color = cx.theme.verdict(verdict);
    paint_icon(ui.painter(), icon, 11.0, verdict_icon(verdict), color);
    let at = pos2(rect.left() + 18.0, y);
    ui.painter().text(at, Align2::LEFT_CENTER, name(judged.aspect), font(size::SMALL), cx.theme.text2);
    let color = if verdict == Verdict::Good { cx.theme.text1 } else { color };
    text_right(ui.painter(), pos2(rect.right(), y), quantity(cx.theme, &value, size::SMALL, color));
    let warn = text::length(judged.warn_m);
    let more = match judged.fail_m {
        Some(fail_m) => format!(", fails from {}.", text::length(fail_m)),
        None => ". Lost before compression: read the file again at another sample rate.".into(),
    };
    response.on_hover_text(format!("{place}. Warns from {warn}{more}"));
}

/// What was tried and helps: one click each.
fn proposals(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let trials = cx.workspace.proposals();
    for trial in trials.iter().take(PROPOSALS) {
        ui.add_space(4.0);
        proposal(ui, cx, trial);
    }
    if cx.workspace.is_trying() {
        label(ui, "Trying what would help\u{2026}", size::TICK, cx.theme.text3);
    }
}

fn proposal(ui: &mut Ui, cx: &mut PanelCx<'_>, trial: &Trial) {
    let theme = cx.theme;
    let margin = Margin { left: 8, right: 6, top: 4, bottom: 4 };
    Frame::new().fill(theme.warn_fill).corner_radius(4).inner_margin(margin).show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.horizontal(|ui| {
            let room = ui.available_width() - 60.0;
            ui.vertical(|ui| {
                ui.set_width(room);
                ui.spacing_mut().item_spacing.y = 0.0;
                label(ui, trial.remedy.title(), size::SMALL, theme.text1);
                label(ui, trial.words(), size::TICK, theme.text2);
            });
            let button = Button::new(RichText::new("Apply").size(size::SMALL)).min_size(Vec2::new(52.0, 24.0));
            let help = format!(
                "{} Tried on this clip: {}. One step, which undo takes back.",
                trial.remedy.help(),
                trial.words()
            );
            let response = ui.add(button).on_hover_text(help);
            let spoken = format!("Apply {}", trial.remedy.title());
            response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, &spoken));
            if response.clicked() {
                cx.push(Command::Accept(Box::new(trial.clone())));
            }
        });
    });
}
