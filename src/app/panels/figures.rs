//! Size, worst errors and proposals, always visible at the bottom of the right column.

use super::PanelCx;
use super::drawings::explained;
use super::sides::compare_to;
use crate::commands::{ImportCommand, RecipeCommand};
use crate::theme::{font, size};
use crate::widgets::{label, paint_icon, quantity, text_right, tool_button, verdict_icon};
use egui::containers::menu::MenuButton;
use egui::{Align2, Button, Frame, Margin, Rect, RichText, Sense, Ui, Vec2, WidgetInfo, pos2};
use posepress_core::import::{Reading, ReadingPart};
use posepress_core::metrics::{Aspect, ErrorReport, Judged, Verdict};
use posepress_core::model::{Clip, Rig};
use posepress_core::report::{Reason, Sides, Trial, finer_rate_hz};
use posepress_core::text;
use posepress_core::workspace::Reference;

/// Largest number of shown proposals.
const PROPOSALS: usize = 3;

/// Size and worst errors, then proposals.
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
        errors(ui, cx, (rig, clip), shown);
        // A clip stored as float32 has no error, which looks like a success.
        if let Some(words) = shown.report.stored_exactly_words() {
            let short = match shown.report.exact_time() {
                Some([exact, _]) => format!("{exact} lossless: stored as float32"),
                None => "Lossless, little saved: stored as float32".to_owned(),
            };
            label(ui, short, size::SMALL, cx.theme.warn).on_hover_text(words);
        }
    });
    match cx.is_paired() {
        true => back(ui, cx),
        false => proposals(ui, cx),
    }
}

/// The errors that matter, each with its place and the reason if it is not good.
fn errors(ui: &mut Ui, cx: &mut PanelCx<'_>, (rig, clip): (&Rig, &Clip), shown: &Sides) {
    let report = &shown.outcome.report;
    let place = |cx: &PanelCx<'_>, joint: usize, time_secs: f32| {
        let at = cx.frame_numbers().frame(clip.grid().sample_at(time_secs));
        format!("{} at {at}", rig.skeleton.name(joint))
    };
    for judged in shown_errors(cx, report) {
        let largest = Largest::of(report, &judged);
        let mut words = place(cx, largest.joint, largest.time_secs);
        if (largest.joint, largest.time_secs) != (judged.joint, judged.time_secs) {
            words += &format!(
                ". The verdict is that of {}, {}",
                judged.measured(),
                place(cx, judged.joint, judged.time_secs)
            );
        }
        if cx.is_paired() {
            difference(ui, cx, &judged, &largest.measured, &words);
            continue;
        }
        let reason = Reason::of(&judged, &shown.outcome.recipe, clip.grid().rate_hz());
        figure(ui, cx, &judged, (&largest.measured, reason.as_ref()), &words);
        if let Some(reason) = reason {
            because(ui, cx, &judged, &reason);
        }
    }
    if let Some(reason) = Reason::of_weights(&report.floats, &rig.float_names) {
        weights(ui, cx, &reason);
    }
}

/// The largest difference between two sides.
fn difference(ui: &mut Ui, cx: &PanelCx<'_>, judged: &Judged, value: &str, place: &str) {
    let (rect, response) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 18.0), Sense::hover());
    let words = format!("Difference: {}", name(judged.aspect));
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, format!("{words} {value}")));
    let y = rect.center().y;
    ui.painter().text(pos2(rect.left(), y), Align2::LEFT_CENTER, words, font(size::SMALL), cx.theme.text2);
    text_right(ui.painter(), pos2(rect.right(), y), quantity(cx.theme, value, size::SMALL, cx.theme.text1));
    explained(response, cx.theme, place, judged.aspect);
}

/// A button that compares with the original again.
fn back(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    ui.add_space(4.0);
    if let Some(action) = compare_to(Reference::Original) {
        cx.control(ui, action, |ui, theme, help| tool_button(ui, theme, "Compare with the original", "", help));
    }
}

/// All errors that matter. Without all settings only the one that decides.
fn shown_errors(cx: &PanelCx<'_>, report: &ErrorReport) -> Vec<Judged> {
    let all: Vec<Judged> = report.judged().into_iter().filter(is_shown).collect();
    if cx.shows_all() { all } else { headline(all).into_iter().collect() }
}

/// The error that decides the verdict: the first of the worst. Without a problem, the one that can be seen.
fn headline(all: Vec<Judged>) -> Option<Judged> {
    let worst = all.iter().map(|judged| judged.verdict).max()?;
    let seen = |judged: &Judged| worst > Verdict::Good || judged.aspect == Aspect::Skin;
    let decides = all.iter().position(|judged| judged.verdict == worst && seen(judged)).unwrap_or(0);
    all.into_iter().nth(decides)
}

/// Jitter, the seam, drift of the root and losses of the import are shown only if they are large.
fn is_shown(judged: &Judged) -> bool {
    let is_quiet =
        judged.aspect.is_of_source() || matches!(judged.aspect, Aspect::Jitter | Aspect::Seam | Aspect::Root);
    !is_quiet || judged.verdict > Verdict::Good
}

fn name(aspect: Aspect) -> &'static str {
    match aspect {
        Aspect::Shell => "joints (shell)",
        Aspect::Between => "between samples",
        Aspect::Skin => "skin",
        Aspect::Slide => "foot slide",
        Aspect::Pin => "pin drift",
        Aspect::Jitter => "jitter",
        Aspect::Seam => "seam jump",
        Aspect::Root => "root drift",
        Aspect::Precision => "far from the origin",
        Aspect::Sampling => "source: sampling",
    }
}

/// The verdict and what decides it. Problems of the source do not change the verdict on a recipe.
fn verdict_words(judged: &Judged) -> String {
    let name = name(judged.aspect);
    match judged.verdict {
        Verdict::Good => format!("Passes: {name}"),
        _ if judged.aspect.is_of_source() => "Passes. Look at the source".to_owned(),
        Verdict::Warn => format!("Needs a look: {name}"),
        Verdict::Fail => format!("Fails: {name}"),
    }
}

/// The largest error of an aspect. If joints have own tolerances, a smaller error may have the worse verdict.
struct Largest {
    measured: String,
    joint: usize,
    time_secs: f32,
}

impl Largest {
    fn of(report: &ErrorReport, judged: &Judged) -> Self {
        let worst = match judged.aspect {
            Aspect::Shell => Some(&report.samples.worst),
            Aspect::Between => Some(&report.between.worst),
            _ => None,
        };
        match worst {
            Some(worst) => {
                Self { measured: text::length(worst.error_m), joint: worst.joint, time_secs: worst.time_secs }
            }
            None => Self { measured: judged.measured(), joint: judged.joint, time_secs: judged.time_secs },
        }
    }
}

fn figure(ui: &mut Ui, cx: &PanelCx<'_>, judged: &Judged, (value, reason): (&str, Option<&Reason>), place: &str) {
    let verdict = judged.verdict;
    let (rect, response) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 18.0), Sense::hover());
    let why = reason.map_or(String::new(), |reason| format!(", {}", reason.words()));
    let words = if cx.shows_all() { name(judged.aspect).to_owned() } else { verdict_words(judged) };
    let spoken = format!("{words} {value}, {}{why}", verdict.key());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, &spoken));
    let y = rect.center().y;
    let icon = Rect::from_center_size(pos2(rect.left() + 6.0, y), Vec2::splat(12.0));
    let color = cx.theme.verdict(verdict);
    paint_icon(ui.painter(), icon, 11.0, verdict_icon(verdict), color);
    let at = pos2(rect.left() + 18.0, y);
    ui.painter().text(at, Align2::LEFT_CENTER, words, font(size::SMALL), cx.theme.text2);
    let color = if verdict == Verdict::Good { cx.theme.text1 } else { color };
    text_right(ui.painter(), pos2(rect.right(), y), quantity(cx.theme, value, size::SMALL, color));
    let warn = text::length(judged.warn_m);
    let fail = judged.fail_m.map_or(String::new(), |fail_m| format!(", fails from {}", text::length(fail_m)));
    explained(response, cx.theme, &format!("{place}. Warns from {warn}{fail}."), judged.aspect);
}

/// Why a figure is not good: its limit and advice. For losses of sampling, a button reads the file again.
fn because(ui: &mut Ui, cx: &mut PanelCx<'_>, judged: &Judged, reason: &Reason) {
    let theme = cx.theme;
    let mut words = format!("{}: limit {}.", reason.complaint, reason.limit);
    // A recipe cannot improve an external file.
    let can_help = judged.aspect.is_of_source() || !cx.workspace.is_external_active();
    if can_help {
        words += &format!(" {}", reason.advice);
    }
    let response = ui.add(egui::Label::new(RichText::new(words).size(size::TICK).color(theme.text2)).wrap());
    if can_help {
        response.on_hover_text(reason.advice_words());
    }
    let source = cx.workspace.selected().map(|clip| clip.source);
    let has_file = |id: &u32| cx.workspace.library().source(*id).is_some_and(|source| source.path.is_some());
    let Some(source) = source.filter(has_file).filter(|_| judged.aspect == Aspect::Sampling) else { return };
    let Some((_, clip)) = cx.selected() else { return };
    let rate_hz = finer_rate_hz(judged.error_m, judged.warn_m, clip.grid().rate_hz());
    let label = format!("Read again at {}", text::rate(rate_hz));
    if ui
        .button(RichText::new(&label).size(size::SMALL))
        .on_hover_text("Reads the file again. Undo takes it back.")
        .clicked()
    {
        let part = ReadingPart::Rate { millihertz: (rate_hz * 1000.0).round() as u32 };
        cx.push(ImportCommand::ReadPart(source, Reading { label: text::rate(rate_hz), part }));
    }
}

/// A warning that morph weights differ from the source.
fn weights(ui: &mut Ui, cx: &PanelCx<'_>, reason: &Reason) {
    for (words, color) in [(reason.words(), cx.theme.fail), (reason.advice.clone(), cx.theme.text2)] {
        ui.add(egui::Label::new(RichText::new(words).size(size::TICK).color(color)).wrap());
    }
}

/// Tested fixes that help, one click each.
fn proposals(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let trials = cx.workspace.proposals();
    for trial in trials.iter().take(if cx.shows_all() { PROPOSALS } else { 1 }) {
        ui.add_space(4.0);
        proposal(ui, cx, trial);
    }
    if cx.workspace.is_trying() {
        label(ui, "Trying fixes\u{2026}", size::TICK, cx.theme.text3);
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
            apply(ui, cx, trial);
        });
    });
}

/// A button that applies a proposal. If it would change more clips than the selected one, a menu asks which.
fn apply(ui: &mut Ui, cx: &mut PanelCx<'_>, trial: &Trial) {
    let button = Button::new(RichText::new("Apply").size(size::SMALL)).min_size(Vec2::new(52.0, 24.0));
    let (clips, remedy) = (cx.workspace.reach_of(&trial.remedy), || Box::new(trial.remedy.clone()));
    let response = if clips > 1 {
        let menu = |ui: &mut Ui| {
            let recipe = cx.workspace.place_name(&cx.workspace.active_place());
            if ui.button("This clip").on_hover_text("Other clips stay as they are.").clicked() {
                cx.push(RecipeCommand::AcceptForClip(remedy()));
            }
            let all = ui.button(format!("All {clips} clips")).on_hover_text(format!("Changes recipe {recipe}."));
            if all.clicked() {
                cx.push(RecipeCommand::Accept(remedy()));
            }
        };
        MenuButton::from_button(button).ui(ui, menu).0
    } else {
        let response = ui.add(button);
        if response.clicked() {
            cx.push(RecipeCommand::Accept(remedy()));
        }
        response
    };
    let help = format!("{} Result for this clip: {}. Undo takes it back.", trial.remedy.help(), trial.words());
    let response = response.on_hover_text(help);
    let spoken = format!("Apply {}", trial.remedy.title());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, &spoken));
}
