use super::{PinPlan, PinSpace};
use crate::metrics::{SlideLimit, SlideLimits, Verdict};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The measured drift of one pin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PinDrift {
    /// The joint.
    pub joint: usize,
    /// The space in which it keeps still.
    pub on: PinSpace,
    /// First moment.
    pub start_secs: f32,
    /// Last moment. Beyond the clip's end if the pin continues across a loop's seam.
    pub end_secs: f32,
    /// The largest drift since the start of the pin in any direction, minus the motion of the raw clip.
    pub drift_m: f32,
    /// The largest distance of the raw point from where it is at the start. It is not judged.
    pub source_m: f32,
    /// Time of the largest drift.
    pub worst_secs: f32,
    /// True if it is judged. Other pins are only offered.
    pub marked: bool,
    /// The verdict by the limits of slides. Good for a pin that is not marked.
    pub verdict: Verdict,
    /// The limit that the pin reaches. `None` if it is good.
    pub over: Option<SlideLimit>,
}

/// The measured pins of a clip.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PinReport {
    /// Pins of the raw clip.
    #[serde(skip)]
    pub plan: Arc<PinPlan>,
    /// One per pin, in the order of the plan.
    pub pins: Vec<PinDrift>,
    /// The limits that they were judged by. The rate does not count.
    pub limits: SlideLimits,
}

impl PinReport {
    /// The pins that are judged, each with its index.
    pub fn marked(&self) -> impl Iterator<Item = (usize, &PinDrift)> {
        self.pins.iter().enumerate().filter(|(_, pin)| pin.marked)
    }

    /// The marked pin that drifts most. Ties go to the first. `None` if no pin is marked.
    pub fn worst(&self) -> Option<&PinDrift> {
        let marked: Vec<_> = self.marked().map(|(_, pin)| pin).collect();
        marked.into_iter().rev().max_by(|a, b| a.drift_m.total_cmp(&b.drift_m))
    }

    /// The worst verdict of the marked pins.
    pub fn verdict(&self) -> Verdict {
        self.marked().map(|(_, pin)| pin.verdict).max().unwrap_or_default()
    }
}
