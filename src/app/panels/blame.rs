use super::PanelCx;
use crate::commands::{FindCommand, JointCommand};
use crate::theme::{font, size};
use crate::widgets::{label, section, text_elided, text_right};
use egui::text::LayoutJob;
use egui::{Align2, Rect, Sense, Ui, Vec2, WidgetInfo, pos2};
use posepress_core::metrics::{Blame, Complaint, Gain};
use posepress_core::model::Skeleton;
use posepress_core::report::{Why, WhySlide, worst_contact, worst_moment};
use posepress_core::text;

/// Height of a row.
const ROW: f32 = 20.0;
/// Largest number of listed joints.
const LISTED: usize = 8;

/// The joint that causes the slide or peak at the playhead.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let Some((rig, clip)) = cx.selected() else { return };
    let skeleton = &rig.skeleton;
    section(ui, cx.theme, "Blame", LayoutJob::default(), |ui| {
        questions(ui, cx);
        let Some(blame) = cx.workspace.blame() else {
            let waiting = cx.report().is_none_or(|r| worst_moment(r).is_some());
            let text = if waiting { "Measuring\u{2026}" } else { "No error: nothing to explain." };
            label(ui, text, size::SMALL, cx.theme.text3);
            return;
        };
        if cx.is_stale() {
            ui.set_opacity(0.5);
        }
        let rate_hz = clip.grid().rate_hz();
        let lines = [Some(complaint(cx, skeleton, blame, rate_hz)), Some(verdict(skeleton, blame)), why(cx, blame)];
        for (index, line) in lines.into_iter().flatten().enumerate() {
            let color = if index == 0 { cx.theme.text1 } else { cx.theme.text2 };
            ui.add(egui::Label::new(egui::RichText::new(line).size(size::SMALL).color(color)).wrap());
        }
        for gain in blame.gains.iter().take(LISTED) {
            row(ui, cx, skeleton, blame, gain);
        }
        let note = "Error that remains if only this joint is exact.";
        label(ui, note, size::TICK, cx.theme.text3);
        ui.set_opacity(1.0);
    });
}

/// Buttons that choose the error to explain.
fn questions(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let report = cx.report();
    let contact = report.and_then(worst_contact);
    let moment = report.and_then(worst_moment);
    let here = here(cx);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = Vec2::new(4.0, 4.0);
        for (name, help, asked) in [
            ("Worst contact", "Cause of the largest slide.", contact),
            ("Worst frame", "Cause of the largest error.", moment),
            ("Here", "Cause of the selected joint's error at the playhead. Select a joint first.", here),
        ] {
            let on = asked.is_some() && cx.workspace.blame().map(|b| b.complaint) == asked;
            ui.add_enabled_ui(asked.is_some(), |ui| {
                let button = egui::Button::new(egui::RichText::new(name).size(size::SMALL)).selected(on);
                let response = ui.add(button).on_hover_text(help).on_disabled_hover_text(help);
                response.widget_info(|| WidgetInfo::selected(egui::Role::Button, asked.is_some(), on, name));
                if let Some(asked) = asked.filter(|_| response.clicked()) {
                    cx.push(FindCommand::Explain(asked));
                }
            });
        }
    });
}

/// The error of the selected joint at the step nearest to the playhead.
fn here(cx: &PanelCx<'_>) -> Option<Complaint> {
    let (joint, raw) = (cx.view.selection.joint?, &cx.shown()?.source.raw);
    let sample = raw.grid().sample_at(cx.view.transport.time_secs);
    let step = (sample * raw.sub_frames() as f64).round() as usize;
    Some(Complaint::Moment { joint, step: step.min(raw.steps() - 1) })
}

fn complaint(cx: &PanelCx<'_>, skeleton: &Skeleton, blame: &Blame, rate_hz: f64) -> String {
    let error = text::length(blame.error_m);
    let frames = |secs: f32| (f64::from(secs) * rate_hz).round() as usize;
    let contact = |index: usize| cx.report()?.slide.contacts.get(index);
    match blame.complaint {
        Complaint::Contact(index) => contact(index).map_or(String::new(), |p| {
            let end = cx.selected().map_or(0, |(_, clip)| clip.samples() - 1);
            let range = cx.frame_numbers().frames_round(frames(p.start_secs), frames(p.end_secs), end);
            format!("{} is in contact {range} and slides {error}", skeleton.name(p.joint))
        }),
        Complaint::Moment { joint, step } | Complaint::Skin { joint, step, .. } => {
            let steps = cx.report().map_or(1, |r| r.sub_frames.max(1)) as f64;
            let skin = if matches!(blame.complaint, Complaint::Skin { .. }) { "The skin of " } else { "" };
            format!(
                "{skin}{} has an error of {error} at {}",
                skeleton.name(joint),
                cx.frame_numbers().frame(step as f64 / steps)
            )
        }
    }
}

/// Error and stored data of the joint at that time. For a contact, the tolerance that it would need.
fn why(cx: &PanelCx<'_>, blame: &Blame) -> Option<String> {
    let shown = cx.shown()?;
    let Some((joint, step)) = blame.complaint.moment() else {
        return WhySlide::of(&shown.source, &shown.outcome, blame).map(|why| why.to_string());
    };
    Why::find(&shown.source, &shown.outcome, joint, step).map(|why| why.to_string())
}

fn verdict(skeleton: &Skeleton, blame: &Blame) -> String {
    match blame.joint() {
        Some(joint) => {
            let share = blame.share(joint).unwrap_or(0.0);
            format!("Cause: {}, {} of the error", skeleton.name(joint), text::percent(share))
        }
        None => "No single joint: errors along the chain add up.".to_owned(),
    }
}

fn row(ui: &mut Ui, cx: &mut PanelCx<'_>, skeleton: &Skeleton, blame: &Blame, gain: &Gain) {
    let theme = cx.theme;
    let (rect, response) = ui.allocate_exact_size(Vec2::new(ui.available_width(), ROW), Sense::click());
    let name = skeleton.name(gain.joint);
    let blamed = blame.joint() == Some(gain.joint);
    let left = text::length(gain.left_m);
    response.widget_info(|| {
        let selected = cx.view.selection.joint == Some(gain.joint);
        WidgetInfo::selected(egui::Role::ListItem, true, selected, format!("Restoring {name} leaves {left}"))
    });
    let painter = ui.painter();
    if response.hovered() {
        painter.rect_filled(rect, 0.0, theme.hover);
    }
    let y = rect.center().y;
    let bar = Rect::from_min_max(pos2(rect.right() - 138.0, y - 4.0), pos2(rect.right() - 64.0, y + 4.0));
    let color = if blamed { theme.text1 } else { theme.text2 };
    text_elided(painter, pos2(rect.left() + 2.0, y), bar.left() - 6.0, name, size::SMALL, color);
    // The whole bar is the current error. The filled part is what is left without this joint's error.
    painter.rect_filled(bar, 2.0, theme.track);
    let share = if blame.error_m > 0.0 { gain.left_m / blame.error_m } else { 0.0 };
    let mut filled = bar;
    filled.set_width(bar.width() * share.clamp(0.0, 1.0));
    painter.rect_filled(filled, 2.0, if share > 1.0 { theme.fail } else { theme.shell });
    let job = LayoutJob::simple_singleline(left.clone(), font(size::SMALL), color);
    text_right(painter, pos2(rect.right() - 2.0, y), job);
    if blamed {
        painter.text(pos2(bar.left() - 4.0, y), Align2::RIGHT_CENTER, "\u{25C0}", font(size::TICK), theme.accent);
    }
    let error = text::length(blame.error_m);
    let response = response.on_hover_text(format!(
        "With {name} exact, {error} becomes {left}. Click to select it. An override or a finer format makes it more exact."
    ));
    if response.clicked() {
        cx.push(JointCommand::SelectJoint(Some(gain.joint)));
    }
}
