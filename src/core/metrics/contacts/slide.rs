use super::{Contact, ContactPlan, Foot, SolePoint};
use crate::metrics::track::difference;
use crate::metrics::vertex::{Moment, contributions};
use crate::metrics::{ContactSlide, ModelTrack, RATE_SECS, SlideLimit, SlideLimits, Verdict};
use crate::model::Rig;
use glam::{Vec3, Vec3A};
use rayon::prelude::*;

/// Measures how compression moves the sole during every contact of the plan.
///
/// For a point of the sole, d(t) = p_lossy - p_raw at every step of the tracks. Each result is the one of the worst point of the sole,
/// because a foot that twists in place slides at its ends.
pub(crate) fn measure_slide(
    rig: &Rig,
    looping: bool,
    raw: &ModelTrack,
    lossy: &ModelTrack,
    plan: &ContactPlan,
    limits: &SlideLimits,
) -> Vec<ContactSlide> {
    let report = |contact: &Contact| {
        let foot = &plan.feet[contact.foot];
        judge(contact, foot.joint, &Drift::measure(rig, looping, foot, contact, raw, lossy), raw, limits)
    };
    plan.contacts.par_iter().map(report).collect()
}

/// The drift over the ground of the sole point that slides most: d(t) - d(start) without its height, metres.
///
/// One vector per step, in the order of [`Contact::steps`]. It starts at zero.
pub fn drift_path(rig: &Rig, plan: &ContactPlan, contact: &Contact, raw: &ModelTrack, lossy: &ModelTrack) -> Vec<Vec3> {
    let drift = Drift::measure(rig, false, &plan.feet[contact.foot], contact, raw, lossy);
    let path = |point: usize| (0..drift.steps.len()).map(move |i| (i, point));
    let worst = (0..drift.points).rev().max_by(|&a, &b| {
        let farthest = |point| path(point).map(|(i, p)| drift.slide(i, p).length()).fold(0.0, f32::max);
        farthest(a).total_cmp(&farthest(b))
    });
    worst.map(|point| path(point).map(|(i, p)| drift.slide(i, p).into()).collect()).unwrap_or_default()
}

/// Largest slide of one contact, metres.
pub(crate) fn slide_of(
    rig: &Rig,
    looping: bool,
    plan: &ContactPlan,
    contact: &Contact,
    raw: &ModelTrack,
    lossy: &ModelTrack,
) -> f32 {
    Drift::measure(rig, looping, &plan.feet[contact.foot], contact, raw, lossy).largest_slide().0
}

fn judge(contact: &Contact, joint: usize, drift: &Drift, raw: &ModelTrack, limits: &SlideLimits) -> ContactSlide {
    let (slide_m, worst_step) = drift.largest_slide();
    let rate_m_s = drift.largest_rate(raw);
    let over = limits.over(slide_m, rate_m_s);
    ContactSlide {
        foot: contact.foot,
        joint,
        start_secs: contact.start_secs,
        end_secs: contact.end_secs,
        slide_m,
        source_m: contact.source_m,
        rate_m_s,
        shimmer_m: drift.largest_shimmer(),
        float_m: drift.largest_rise(1.0),
        sink_m: drift.largest_rise(-1.0),
        worst_secs: raw.time_secs(worst_step),
        verdict: over.map_or(Verdict::Good, SlideLimit::verdict),
        over,
    }
}

/// d of every point of a sole at every step of a contact.
struct Drift {
    steps: Vec<usize>,
    points: usize,
    /// One row per step, with the points in the order of the sole.
    errors: Vec<Vec3A>,
}

impl Drift {
    fn measure(rig: &Rig, looping: bool, foot: &Foot, contact: &Contact, raw: &ModelTrack, lossy: &ModelTrack) -> Self {
        let mut steps: Vec<_> = contact.steps(raw).collect();
        if looping && steps.len() == raw.steps() {
            steps.push(0); // contact throughout the loop, and so across its seam
        }
        let mut errors = Vec::with_capacity(steps.len() * foot.sole.len());
        for &step in &steps {
            let (a, b) = (Moment::of(raw, step), Moment::of(lossy, step));
            errors.extend(foot.sole.iter().map(|&point| bounded(error(rig, foot.joint, point, &a, &b))));
        }
        Self { steps, points: foot.sole.len(), errors }
    }

    /// Horizontal part of d(t) - d(start).
    fn slide(&self, index: usize, point: usize) -> Vec3A {
        horizontal(self.errors[index * self.points + point] - self.errors[point])
    }

    /// Largest slide, and the step at which it occurs.
    fn largest_slide(&self) -> (f32, usize) {
        let mut largest = (0.0, self.steps.first().copied().unwrap_or(0));
        for (index, &step) in self.steps.iter().enumerate() {
            for point in 0..self.points {
                let slide_m = self.slide(index, point).length();
                if slide_m > largest.0 {
                    largest = (slide_m, step);
                }
            }
        }
        largest
    }

    /// Largest speed of d over [`RATE_SECS`], or over one step if that is longer. Shorter spans, at the end of the contact, count as if they
    /// took as long. The step across the seam of a loop takes no time. It counts as if it took one step.
    fn largest_rate(&self, raw: &ModelTrack) -> f32 {
        let step_secs = f64::from(raw.time_secs(1.min(raw.steps() - 1)));
        if step_secs <= 0.0 {
            return 0.0;
        }
        let steps = ((RATE_SECS / step_secs).round() as usize).max(1);
        let last = self.steps.len().saturating_sub(1);
        let change = |(index, point): (usize, usize)| {
            let after = self.errors[(index + steps).min(last) * self.points + point];
            horizontal(after - self.errors[index * self.points + point]).length()
        };
        let all = (0..self.steps.len()).flat_map(|index| (0..self.points).map(move |point| (index, point)));
        all.map(change).fold(0.0, f32::max) / (steps as f64 * step_secs) as f32
    }

    /// Largest height of d, upwards (1) or downwards (-1).
    fn largest_rise(&self, sign: f32) -> f32 {
        self.errors.iter().map(|d| d.y * sign).fold(0.0, f32::max)
    }

    /// Largest path length of d over the ground.
    fn largest_shimmer(&self) -> f32 {
        let mut lengths = vec![0.0_f64; self.points];
        let next = self.errors.iter().skip(self.points);
        for (index, (a, b)) in self.errors.iter().zip(next).enumerate() {
            lengths[index % self.points] += f64::from(horizontal(b - a).length());
        }
        lengths.into_iter().fold(0.0, f64::max) as f32
    }
}

/// p_lossy - p_raw of a point of the sole.
fn error(rig: &Rig, joint: usize, point: SolePoint, raw: &Moment<'_>, lossy: &Moment<'_>) -> Vec3A {
    match point {
        SolePoint::Vertex { mesh, vertex } => {
            -contributions(&rig.meshes[mesh], vertex, raw, lossy).map(|(_, part)| part).sum::<Vec3A>()
        }
        SolePoint::Offset(offset) => difference(lossy.joint(joint), raw.joint(joint)).transform_point3a(offset.into()),
    }
}

/// Replaces a value that is not finite by a large one. A NaN would go unnoticed in every comparison.
fn bounded(error: Vec3A) -> Vec3A {
    const FAR_M: f32 = 1e9;
    if error.is_finite() { error } else { Vec3A::splat(FAR_M) }
}

fn horizontal(v: Vec3A) -> Vec3A {
    v.with_y(0.0)
}
