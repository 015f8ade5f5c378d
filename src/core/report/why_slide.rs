//! The causes of a foot's slide: the joints that cause it, and the tolerance that would avoid it.

use crate::metrics::{Blame, Complaint, Verdict};
use crate::pipeline::{MeasuredClip, Outcome};
use crate::report::AncestorShare;
use crate::text;
use serde::Serialize;
use std::fmt;

/// The causes of a contact's slide. One joint at a time is made exact, and the remaining slide is measured. The tolerance is an estimate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WhySlide {
    /// Name of the foot's joint.
    pub joint: String,
    /// Touch-down, seconds.
    pub start_secs: f32,
    /// Lift-off, seconds.
    pub end_secs: f32,
    /// The slide, millimetres.
    pub slide_mm: f64,
    /// The slide that would remain if the foot's own transform were exact, millimetres.
    pub inherited_mm: f64,
    /// The joint whose exact transform would leave the least slide. `None` if no single joint helps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brought_by: Option<AncestorShare>,
    /// Estimate of the tolerance at which slide and rate are good, millimetres. It assumes that both are in proportion to the tolerance.
    /// `None` for a contact that is good, and for codecs that do not search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance_mm: Option<f64>,
}

impl WhySlide {
    /// The causes of the contact that a blame explains. `None` if the blame explains something else.
    pub fn of(measured: &MeasuredClip, outcome: &Outcome, blame: &Blame) -> Option<Self> {
        let Complaint::Contact(index) = blame.complaint else { return None };
        let skeleton = &measured.rig.skeleton;
        let contact = outcome.report.slide.contacts.get(index)?;
        let own = blame.gains.iter().find(|gain| gain.joint == contact.joint)?;
        let first = blame.joint().and_then(|joint| blame.gains.iter().find(|gain| gain.joint == joint));
        let (recipe, limits) = (&outcome.recipe, outcome.report.slide.limits);
        let times = limits.part(contact);
        let searches = outcome.encoding().is_some() && recipe.codec.promises_with(&recipe.values);
        Some(Self {
            joint: skeleton.name(contact.joint).into(),
            start_secs: contact.start_secs,
            end_secs: contact.end_secs,
            slide_mm: text::millimetres(blame.error_m),
            inherited_mm: text::millimetres(own.left_m),
            brought_by: first.map(|gain| AncestorShare {
                joint: skeleton.name(gain.joint).into(),
                left_mm: text::millimetres(gain.left_m),
            }),
            tolerance_mm: (searches && times > 1.0).then(|| text::millimetres(recipe.tolerance_m / times)),
        })
    }

    /// The causes of the contact that slides most. `None` if it is good.
    pub fn worst(measured: &MeasuredClip, outcome: &Outcome) -> Option<Self> {
        let report = &outcome.report;
        let worst = super::worst_contact(report).filter(|_| report.slide.verdict() > Verdict::Good)?;
        let MeasuredClip { rig, clip, raw, plan, .. } = measured;
        let blame = Blame::find(rig, clip, plan, raw, &outcome.decoded, &outcome.shells_m, worst)?;
        Self::of(measured, outcome, &blame)
    }
}

/// The causes in words.
impl fmt::Display for WhySlide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = |mm: f64| text::length((mm / 1000.0) as f32);
        write!(f, "An exact {} would leave {}", self.joint, length(self.inherited_mm))?;
        match self.brought_by.as_ref().filter(|by| by.joint != self.joint) {
            Some(AncestorShare { joint, left_mm }) => {
                write!(f, "; an exact {joint} would leave {}.", length(*left_mm))?
            }
            None => write!(f, ".")?,
        }
        match self.tolerance_mm {
            Some(mm) => write!(
                f,
                " A tolerance of about {} would fix it. Locking contacts spends bits on this contact only.",
                length(mm)
            ),
            None => Ok(()),
        }
    }
}
