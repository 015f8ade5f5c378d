//! Navigation to errors and their causes.

use super::framing::{frame_selection, frame_vertex};
use super::play::seek;
use crate::commands::FindCommand;
use crate::state::{View, wanted_fit};
use posepress_core::metrics::{Complaint, ErrorReport, error_peaks};
use posepress_core::report::{worst_complaint, worst_contact, worst_moment};
use posepress_core::view::CameraPreset;
use posepress_core::workspace::Workspace;

/// Carries out commands about errors.
pub fn carry_out(workspace: &Workspace, view: &mut View, command: FindCommand) {
    match command {
        FindCommand::ShowPeak(time_secs) => show_peak(workspace, view, time_secs),
        FindCommand::GoToPeak(forward) => go_to_peak(workspace, view, forward),
        FindCommand::GoWorst => go_worst(workspace, view),
        FindCommand::ShowContact(contact) => show_contact_from_side(workspace, view, contact),
        FindCommand::ShowPin(pin) => show_pin(workspace, view, pin),
        FindCommand::GoToContact(forward) => go_to_contact(workspace, view, forward),
        FindCommand::GoWorstContact => go_worst_contact(workspace, view),
        FindCommand::Explain(complaint) => view.selection.complaint = Some(complaint),
    }
}

/// The report of the shown outcome.
fn report(workspace: &Workspace) -> Option<&ErrorReport> {
    workspace.shown().map(|s| &s.outcome.report)
}

/// Goes to the next error peak, or to the previous one.
fn go_to_peak(workspace: &Workspace, view: &mut View, forward: bool) {
    let Some(report) = report(workspace) else { return };
    let Some((_, clip)) = workspace.selected().and_then(|id| workspace.library().clip(id)) else {
        return;
    };
    let now = clip.grid().sample_at(view.transport.time_secs);
    let samples = error_peaks(report).into_iter().map(|p| p.sample);
    let target = if forward {
        samples.filter(|s| *s > now + 1e-3).reduce(f64::min)
    } else {
        samples.filter(|s| *s < now - 1e-3).reduce(f64::max)
    };
    if let Some(sample) = target {
        let time_secs = clip.grid().time_secs(sample);
        show_peak(workspace, view, time_secs);
    }
}

/// Goes to a time and requests the cause of the worst error there. This is the joint with the largest skinned error,
/// else the one with the largest shell error.
fn show_peak(workspace: &Workspace, view: &mut View, time_secs: f32) {
    seek(workspace, view, time_secs);
    let Some(shown) = workspace.shown() else { return };
    let raw = &shown.source.raw;
    let step = (raw.grid().sample_at(time_secs) * raw.sub_frames() as f64).round() as usize;
    let report = &shown.outcome.report;
    let of_skin = report.vertex.as_ref().filter(|v| step.is_multiple_of(v.stride));
    let of_skin = of_skin.and_then(|v| v.per_step_joint.get(step / v.stride).copied());
    let joint = of_skin.or_else(|| report.shell.worst_joint(step));
    view.selection.complaint = joint.map(|joint| Complaint::Moment { joint, step });
}

/// Goes to the largest error of the clip, and frames its vertex or joint.
pub fn go_worst(workspace: &Workspace, view: &mut View) {
    let Some(report) = report(workspace) else { return };
    let Some((complaint, (joint, step))) = worst_moment(report).and_then(|c| Some((c, c.moment()?))) else {
        return;
    };
    let vertex = match complaint {
        Complaint::Skin { mesh, vertex, .. } => Some((mesh, vertex)),
        _ => None,
    };
    if let Some(shown) = workspace.shown() {
        seek(workspace, view, shown.source.raw.time_secs(step));
    }
    view.selection.joint = Some(joint);
    view.selection.complaint = Some(complaint);
    view.selection.marked_vertex = vertex;
    match vertex {
        Some(vertex) => frame_vertex(workspace, view, vertex),
        None => frame_selection(workspace, view),
    }
}

/// Goes to the worst frame of a contact, and frames its joint from the side.
fn show_contact_from_side(workspace: &Workspace, view: &mut View, index: usize) {
    show_contact(workspace, view, index);
    view.cameras.look_from(CameraPreset::Side);
    frame_selection(workspace, view);
}

/// Goes to the largest drift of a pin, and frames its joint.
fn show_pin(workspace: &Workspace, view: &mut View, index: usize) {
    let Some(pin) = report(workspace).and_then(|r| r.pins.pins.get(index)) else { return };
    let (joint, time_secs) = (pin.joint, pin.worst_secs);
    seek(workspace, view, time_secs);
    view.selection.joint = Some(joint);
    frame_selection(workspace, view);
}

/// Goes to the contact that slides most.
pub fn go_worst_contact(workspace: &Workspace, view: &mut View) {
    if let Some(Complaint::Contact(index)) = report(workspace).and_then(worst_contact) {
        show_contact_from_side(workspace, view, index);
    }
}

/// Goes to the next contact, or to the previous one.
fn go_to_contact(workspace: &Workspace, view: &mut View, forward: bool) {
    let now = view.transport.time_secs;
    let Some(report) = report(workspace) else { return };
    let contacts = report.slide.contacts.iter().enumerate().map(|(i, p)| (p.worst_secs, i));
    let target = if forward {
        contacts.filter(|p| p.0 > now + 1e-4).min_by(|a, b| a.0.total_cmp(&b.0))
    } else {
        contacts.filter(|p| p.0 < now - 1e-4).max_by(|a, b| a.0.total_cmp(&b.0))
    };
    if let Some((_, index)) = target {
        show_contact_from_side(workspace, view, index);
    }
}

/// Requests what the view shows: the cause of an error, the replayed fit of the curve plot, and the results without
/// tiers.
pub fn explain(workspace: &mut Workspace, view: &View) {
    let asked = view.selection.complaint.or_else(|| report(workspace).and_then(worst_complaint));
    let fit = workspace.shown().and_then(|shown| wanted_fit(view, shown));
    workspace.explain(asked);
    workspace.replay(fit);
    let tiers = workspace.document().tiers;
    workspace.ask_tiers(tiers.on.then_some(tiers));
}

/// Goes to the worst frame of a contact, and requests its cause.
fn show_contact(workspace: &Workspace, view: &mut View, index: usize) {
    let Some(contact) = report(workspace).and_then(|r| r.slide.contacts.get(index)) else { return };
    let (joint, time_secs) = (contact.joint, contact.worst_secs);
    seek(workspace, view, time_secs);
    view.selection.joint = Some(joint);
    view.selection.complaint = Some(Complaint::Contact(index));
}

/// Goes to the worst frame of the contact that slides most, for the first start. Returns false until there is a report.
pub fn look_at_worst_contact(workspace: &Workspace, view: &mut View) -> bool {
    let Some(report) = report(workspace) else { return false };
    if let Some(Complaint::Contact(contact)) = worst_contact(report) {
        show_contact(workspace, view, contact);
    }
    true
}
