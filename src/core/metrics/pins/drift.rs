use super::{Pin, PinDrift, PinPlan, PinReport};
use crate::metrics::contacts::bounded;
use crate::metrics::track::assert_same_shape;
use crate::metrics::{ModelTrack, SlideLimit, SlideLimits, Verdict};
use rayon::prelude::*;
use std::sync::Arc;

/// Measures how far compression moves every pin of a plan.
///
/// For a pinned point, d(t) = its lossy place in the lossy space - its raw place in the raw space, at every step of the pin. The drift is
/// the largest length of d(t) - d(start).
///
/// # Panics
/// Panics if the tracks differ in joints or steps.
pub fn measure_pins(raw: &ModelTrack, lossy: &ModelTrack, plan: &Arc<PinPlan>, limits: SlideLimits) -> PinReport {
    assert_same_shape(raw, lossy);
    let pins = plan.pins.par_iter().map(|pin| judge(pin, raw, lossy, &limits)).collect();
    PinReport { plan: plan.clone(), pins, limits }
}

fn judge(pin: &Pin, raw: &ModelTrack, lossy: &ModelTrack, limits: &SlideLimits) -> PinDrift {
    let (drift_m, worst_step) = largest_drift(pin, raw, lossy);
    let over = limits.over(drift_m, 0.0).filter(|_| pin.marked);
    PinDrift {
        joint: pin.joint,
        on: pin.on,
        start_secs: pin.start_secs,
        end_secs: pin.end_secs,
        drift_m,
        source_m: pin.source_m,
        worst_secs: raw.time_secs(worst_step),
        marked: pin.marked,
        verdict: over.map_or(Verdict::Good, SlideLimit::verdict),
        over,
    }
}

/// The largest drift, metres, and the step at which it occurs.
fn largest_drift(pin: &Pin, raw: &ModelTrack, lossy: &ModelTrack) -> (f32, usize) {
    let error = |step: usize| bounded(pin.place(lossy, step) - pin.place(raw, step));
    let mut steps = pin.steps(raw);
    let Some(first) = steps.next() else { return (0.0, 0) };
    let start = error(first);
    let drifts = steps.map(|step| ((error(step) - start).length(), step));
    drifts.fold((0.0, first), |worst, one| if one.0 > worst.0 { one } else { worst })
}
