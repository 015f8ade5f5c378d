use crate::metrics::{Complaint, ErrorReport, Verdict};

/// What is worth explaining when nobody has asked yet: the plant that slides most if it does not hold, else the worst
/// moment.
pub fn worst_complaint(report: &ErrorReport) -> Option<Complaint> {
    let slides = report.contacts.verdict() > Verdict::Good;
    worst_plant(report).filter(|_| slides).or_else(|| worst_moment(report))
}

/// The plant that slides most, the first of equals; `None` without plants.
pub fn worst_plant(report: &ErrorReport) -> Option<Complaint> {
    let plants = &report.contacts.plants;
    let slide_m = |i: &usize| plants[*i].slide_m;
    (0..plants.len()).rev().max_by(|a, b| slide_m(a).total_cmp(&slide_m(b))).map(Complaint::Plant)
}

/// The worst moment of a clip, wherever it is spoken of: the vertex that is furthest off, which is what people see; where
/// there is no skin, or it is not measured yet, the joint of the largest shell error. `None` when there is no error.
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
