use super::PanelCx;
use crate::commands::ImportCommand;
use crate::theme::size;
use crate::widgets::tool_button;
use egui::{RichText, Ui};
use posepress_core::import::{Fix, HELD_UP_TO_M};
use posepress_core::metrics::{ContactSlide, SlideReport};
use posepress_core::model::ClipId;
use posepress_core::text;

/// The slide of the file's own feet, with the fix that removes it, or the effect of that fix.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>, report: &SlideReport) {
    let Some(id) = cx.workspace.selected() else { return };
    let held = held(cx, id);
    let Some((rig, _)) = cx.workspace.library().clip(id) else { return };
    let drawn = cx.workspace.drawn_contacts(id);
    let can_be_held = |contact: &&ContactSlide| {
        let is_drawn = drawn.iter().any(|drawn| drawn.joint == rig.skeleton.name(contact.joint));
        is_drawn || contact.source_m <= HELD_UP_TO_M * report.plan.scale
    };
    let largest_m = report.contacts.iter().filter(can_be_held).map(|contact| contact.source_m).fold(0.0, f32::max);
    if held.is_none() && largest_m < report.limits.warn_slide_m {
        return;
    }
    let (words, help, button) = match &held {
        Some(words) => (words.clone(), "Brings back the feet of the file.", "As in file"),
        None => (
            format!("In the file, feet slide up to {}.", text::length(largest_m)),
            "Makes feet stand still during their contacts, also during those that you drew, with inverse kinematics of the legs. Errors are then measured against the held feet.",
            Fix::Feet.option().label,
        ),
    };
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(words).size(size::SMALL).color(cx.theme.text2));
        if tool_button(ui, cx.theme, button, "", help).clicked() {
            cx.push(ImportCommand::Fix(id, Fix::Feet, held.is_none()));
        }
    });
}

/// The state of the fix on a clip, in words. `None` if it is off.
fn held(cx: &PanelCx<'_>, id: ClipId) -> Option<String> {
    let source = cx.workspace.library().source(id.source)?;
    source.fixes(id.clip as usize)?.contains(&Fix::Feet).then_some(())?;
    let clip = source.clips.get(id.clip as usize)?;
    if cx.workspace.library().is_unfixed(id) {
        return Some("Holding feet\u{2026}".to_owned());
    }
    let said = source.findings.iter().find(|finding| finding.fix == Some(Fix::Feet) && finding.subject == clip.name());
    let effect = said.map_or("No contact slides.", |finding| &finding.meaning);
    Some(format!("Feet held. {effect}"))
}
