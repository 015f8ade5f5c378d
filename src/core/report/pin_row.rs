use crate::metrics::{PinDrift, Verdict};
use crate::model::Rig;
use crate::text::{self, millimetres};
use serde::Serialize;

/// One pin.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs)] // named by its keys
pub struct PinRow {
    pub joint: String,
    /// Name of the joint on which it keeps still, or `world`.
    pub on: String,
    pub start_secs: f32,
    pub end_secs: f32,
    pub drift_mm: f64,
    pub source_drift_mm: f64,
    pub worst_secs: f32,
    /// True if it is judged.
    pub marked: bool,
    /// `None` for a pin that is only offered.
    pub verdict: Option<Verdict>,
}

impl PinRow {
    pub(super) fn new(rig: &Rig, pin: &PinDrift) -> Self {
        Self {
            joint: rig.skeleton.name(pin.joint).into(),
            on: pin.on.name(&rig.skeleton).into(),
            start_secs: pin.start_secs,
            end_secs: pin.end_secs,
            drift_mm: millimetres(pin.drift_m),
            source_drift_mm: millimetres(pin.source_m),
            worst_secs: pin.worst_secs,
            marked: pin.marked,
            verdict: pin.marked.then_some(pin.verdict),
        }
    }

    /// The drift in words: `hand.l drifts 2.1 mm on sword at 0.43 s`.
    pub fn words(&self) -> String {
        let drift = text::length((self.drift_mm / 1000.0) as f32);
        format!("{} drifts {drift} on {} at {:.2} s", self.joint, self.on, self.worst_secs)
    }
}
