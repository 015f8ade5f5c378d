use crate::metrics::{Complaint, ErrorReport, Verdict};

/// The error to explain by default: the contact that slides most if a contact is not good, else the worst moment.
pub fn worst_complaint(report: &ErrorReport) -> Option<Complaint> {
    let slides = report.slide.verdict() > Verdict::Good;
    worst_contact(report).filter(|_| slides).or_else(|| worst_moment(report))
}

/// The contact that slides most. Ties go to the first. `None` without contacts.
pub fn worst_contact(report: &ErrorReport) -> Option<Complaint> {
    let contacts = &report.slide.contacts;
    let slide_m = |i: &usize| contacts[*i].slide_m;
    (0..contacts.len()).rev().max_by(|a, b| slide_m(a).total_cmp(&slide_m(b))).map(Complaint::Contact)
}

/// The largest error of a clip: the vertex with the largest error, because it is visible. Without an error on the skin, the joint with the
/// largest shell error. `None` if there is no error.
pub fn worst_moment(report: &ErrorReport) -> Option<Complaint> {
    worst_of_skin(report).or_else(|| worst_of_shell(report))
}

fn worst_of_skin(report: &ErrorReport) -> Option<Complaint> {
    let skin = report.vertex.as_ref().filter(|skin| skin.worst.error_m > 0.0)?;
    let time = skin.per_step.iter().position(|e| *e == skin.worst.error_m)?;
    let (mesh, vertex, joint) = (skin.worst.mesh, skin.worst.vertex, skin.worst.joint);
    Some(Complaint::Skin { mesh, vertex, joint, step: time * skin.stride })
}

fn worst_of_shell(report: &ErrorReport) -> Option<Complaint> {
    let (samples, between) = (report.samples.worst, report.between.worst);
    let worst = if samples.error_m >= between.error_m { samples } else { between };
    let step = report.per_step.iter().position(|e| *e == worst.error_m)?;
    (worst.error_m > 0.0).then_some(Complaint::Moment { joint: worst.joint, step })
}
