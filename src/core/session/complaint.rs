use crate::metrics::{Complaint, ErrorReport, Verdict};

/// What is worth explaining when nobody has asked yet: the plant that slides most if it does not hold, else the joint
/// and moment of the largest shell error.
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

/// The joint and step of the largest shell error; `None` when there is no error.
pub fn worst_moment(report: &ErrorReport) -> Option<Complaint> {
    let worst = if report.samples.worst.error_m >= report.between.worst.error_m {
        report.samples.worst
    } else {
        report.between.worst
    };
    let step = report.per_step.iter().position(|e| *e == worst.error_m)?;
    (worst.error_m > 0.0).then_some(Complaint::Moment { joint: worst.joint, step })
}
