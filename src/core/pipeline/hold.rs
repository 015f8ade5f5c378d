//! Contact locking: a clip is encoded again, with more weight on feet that slide and pins that drift, until all are within their limits.

use crate::codecs::Progress;
use crate::metrics::{ContactSlide, ErrorReport, SlideLimits};
use crate::pipeline::compress::attempt;
use crate::pipeline::encoder_limits::limits;
use crate::pipeline::{CompressError, ContactLock, MeasuredClip, Outcome};
use crate::recipe::Recipe;

/// Largest number of times that a clip is encoded. Two or three are usual.
const ROUNDS: usize = 10;
/// The share of a contact's limit that the next round aims at.
const AIM: f32 = 0.85;
/// Smallest and largest factor by which a contact's weight grows per round.
const STEPS: (f32, f32) = (1.5, 100.0);

/// Encodes a clip again until every contact and every marked pin is within the recipe's limits. If that fails, returns the best result. `alone` is the clip
/// without locking.
pub(super) fn hold(
    source: &MeasuredClip,
    recipe: &Recipe,
    alone: Outcome,
    progress: &Progress,
) -> Result<Outcome, CompressError> {
    let allowed = Allowed::of(source, recipe);
    let (bytes_alone, parts) = (alone.bytes() as i64, allowed.parts(&alone));
    let over = |parts: &[f32]| parts.iter().filter(|part| **part > 1.0).count();
    let lock = ContactLock {
        contacts: alone.report.slide.contacts.len(),
        pins: source.pins.marked().count(),
        tightened: over(&parts),
        left: over(&parts),
        limit_m: allowed.slide_m,
        before_m: worst_m(&alone.report),
        worst_m: 0.0,
        extra_bytes: 0,
    };
    let worst = |parts: &[f32]| parts.iter().copied().fold(0.0, f32::max);
    let mut weights = vec![1.0f32; parts.len()];
    let (mut best, mut best_parts, mut parts) = (alone, parts.clone(), parts);
    for round in 1..ROUNDS {
        if over(&parts) == 0 {
            break;
        }
        for (weight, part) in weights.iter_mut().zip(&parts).filter(|(_, part)| **part > 1.0) {
            *weight *= more(*part);
        }
        progress.set_fraction(round as f32 / ROUNDS as f32);
        let outcome = attempt(source, recipe, &limits(source, recipe, &weights), &progress.part())?;
        parts = allowed.parts(&outcome);
        if (over(&parts), worst(&parts)) < (over(&best_parts), worst(&best_parts)) {
            (best, best_parts) = (outcome, parts.clone());
        }
    }
    let worst_m = worst_m(&best.report);
    let extra_bytes = best.bytes() as i64 - bytes_alone;
    best.set_lock(ContactLock { left: over(&best_parts), worst_m, extra_bytes, ..lock });
    Ok(best)
}

/// The largest slide of a contact or drift of a marked pin, metres.
fn worst_m(report: &ErrorReport) -> f32 {
    let drift_m = report.pins.worst().map(|pin| pin.drift_m);
    report.slide.worst_slide_m().into_iter().chain(drift_m).fold(0.0, f32::max)
}

/// The factor for the weight of a contact, from its slide as a share of the limit.
pub(super) fn more(part: f32) -> f32 {
    (part / AIM).clamp(STEPS.0, STEPS.1)
}

/// The limits of a contact.
pub(super) struct Allowed {
    pub slide_m: f32,
    limits: SlideLimits,
}

impl Allowed {
    pub fn of(source: &MeasuredClip, recipe: &Recipe) -> Self {
        let settings = &recipe.contacts;
        let scale = source.plan.scale;
        Self { slide_m: settings.scaled(scale).lock_slide_m, limits: settings.slide_limits(scale) }
    }

    /// The slide or slide rate of each contact as a share of its limit, the larger of both, then the drift of each marked pin. Above 1 a limit
    /// is exceeded.
    pub fn parts(&self, outcome: &Outcome) -> Vec<f32> {
        // A rate equal to its limit already warns, so it must count as above the limit.
        let rate = |p: &ContactSlide| self.limits.rate_part(p.slide_m, p.rate_m_s) * (1.0 + 1e-6);
        let part = |slide_m: f32| slide_m / self.slide_m.max(f32::MIN_POSITIVE);
        let contacts = outcome.report.slide.contacts.iter().map(|p| part(p.slide_m).max(rate(p)));
        contacts.chain(outcome.report.pins.marked().map(|(_, pin)| part(pin.drift_m))).collect()
    }
}
