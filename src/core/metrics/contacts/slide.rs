use super::{Contact, ContactPlan, Foot, PointSpan, SolePlace, SolePoint};
use crate::metrics::track::difference;
use crate::metrics::vertex::{Moment, contributions};
use crate::metrics::{ContactSlide, ModelTrack, RATE_SECS, SlideLimit, SlideLimits, Verdict};
use crate::model::{Clip, Rig};
use glam::{Vec3, Vec3A};
use rayon::prelude::*;

/// A contact that ends at a sample, but for rounding, does not touch the interval behind it. In samples.
const ROUNDING: f64 = 1e-3;

/// Measures how compression moves the sole during every contact of the plan.
///
/// For a point of the sole, d(t) = p_lossy - p_raw at every step at which that point stands. Each result is the one of the worst point,
/// because a foot that twists in place slides at its ends.
pub(crate) fn measure_slide(
    rig: &Rig,
    clip: &Clip,
    raw: &ModelTrack,
    lossy: &ModelTrack,
    plan: &ContactPlan,
    limits: &SlideLimits,
) -> Vec<ContactSlide> {
    let looping = clip.is_looping();
    let report = |contact: &Contact| {
        let foot = &plan.feet[contact.foot];
        let slide = judge(contact, foot.joint, &Drift::measure(rig, looping, foot, contact, raw, lossy), raw, limits);
        ContactSlide { sampling_m: sampling_m(clip, foot, contact), ..slide }
    };
    plan.contacts.par_iter().map(report).collect()
}

/// The drift over the ground of the sole point that slides most while it stands: d(t) - d(start) without its height, metres.
///
/// One vector per step, in the order of [`Contact::steps`]. It is zero before the point stands, and keeps its last value afterwards.
pub fn drift_path(rig: &Rig, plan: &ContactPlan, contact: &Contact, raw: &ModelTrack, lossy: &ModelTrack) -> Vec<Vec3> {
    let drift = Drift::measure(rig, false, &plan.feet[contact.foot], contact, raw, lossy);
    let farthest = |stand: &Stand| stand.rows().map(|row| drift.slide(stand, row).length()).fold(0.0, f32::max);
    let Some(worst) = drift.stands.iter().rev().max_by(|a, b| farthest(a).total_cmp(&farthest(b))) else {
        return vec![Vec3::ZERO; drift.steps.len()];
    };
    (0..drift.steps.len()).map(|row| drift.slide(worst, row.clamp(worst.first, worst.last)).into()).collect()
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

/// The largest error of a foot against the curves of the file, in the intervals that a contact touches.
fn sampling_m(clip: &Clip, foot: &Foot, contact: &Contact) -> Option<f32> {
    let interval = |secs: f32| f64::from(secs) * clip.grid().rate_hz();
    let first = (interval(contact.start_secs) + ROUNDING).floor() as usize;
    let last = (interval(contact.end_secs) - ROUNDING).floor() as usize;
    let mut joints = foot.sole_joints();
    joints.push(foot.joint);
    clip.sampling()?.feet.largest_m(&joints, first..=last.max(first))
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
        source_m: contact.source.slide_m,
        sampling_m: None,
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
    stands: Vec<Stand>,
}

/// The rows in which a point stands.
struct Stand {
    point: usize,
    first: usize,
    last: usize,
}

impl Stand {
    fn rows(&self) -> std::ops::RangeInclusive<usize> {
        self.first..=self.last
    }
}

impl Drift {
    fn measure(rig: &Rig, looping: bool, foot: &Foot, contact: &Contact, raw: &ModelTrack, lossy: &ModelTrack) -> Self {
        let mut steps: Vec<_> = contact.steps(raw).collect();
        let across_seam = looping && steps.len() == raw.steps();
        if across_seam {
            steps.push(0); // contact throughout the loop
        }
        let mut errors = Vec::with_capacity(steps.len() * foot.sole.len());
        for &step in &steps {
            let (a, b) = (Moment::of(raw, step), Moment::of(lossy, step));
            errors.extend(foot.sole.iter().map(|point| bounded(error(rig, point, &a, &b))));
        }
        let steps_hz = raw.grid().rate_hz() * raw.sub_frames() as f64;
        let (end, seam) = (steps.len().saturating_sub(1), steps.windows(2).position(|w| w[1] < w[0]));
        let row = |secs: f32| {
            let row = (f64::from(secs - contact.start_secs) * steps_hz).round() as usize;
            // At the seam of a loop, the last step and the first are two rows of one time.
            (row + usize::from(seam.is_some_and(|seam| row > seam))).min(end)
        };
        let stand = |s: &PointSpan| {
            let last = row(s.end_secs);
            let last = if across_seam && last + 1 == end { end } else { last };
            Stand { point: s.point, first: row(s.start_secs), last }
        };
        let stands = contact.stands.iter().map(stand).collect();
        Self { steps, points: foot.sole.len(), errors, stands }
    }

    fn error(&self, row: usize, point: usize) -> Vec3A {
        self.errors[row * self.points + point]
    }

    /// Horizontal part of d(t) - d(start).
    fn slide(&self, stand: &Stand, row: usize) -> Vec3A {
        horizontal(self.error(row, stand.point) - self.error(stand.first, stand.point))
    }

    /// Largest slide, and the step at which it occurs.
    fn largest_slide(&self) -> (f32, usize) {
        let mut largest = (0.0, self.steps.first().copied().unwrap_or(0));
        for stand in &self.stands {
            for row in stand.rows() {
                let slide_m = self.slide(stand, row).length();
                if slide_m > largest.0 {
                    largest = (slide_m, self.steps[row]);
                }
            }
        }
        largest
    }

    /// Largest speed of d over [`RATE_SECS`], or over one step if that is longer. Shorter spans, at the end of a stand, count as if they
    /// took as long. The step across the seam of a loop takes no time. It counts as if it took one step.
    fn largest_rate(&self, raw: &ModelTrack) -> f32 {
        let step_secs = f64::from(raw.time_secs(1.min(raw.steps() - 1)));
        if step_secs <= 0.0 {
            return 0.0;
        }
        let steps = ((RATE_SECS / step_secs).round() as usize).max(1);
        let change = |stand: &Stand, row: usize| {
            let after = self.error((row + steps).min(stand.last), stand.point);
            horizontal(after - self.error(row, stand.point)).length()
        };
        let all = self.stands.iter().flat_map(|stand| stand.rows().map(move |row| change(stand, row)));
        all.fold(0.0, f32::max) / (steps as f64 * step_secs) as f32
    }

    /// Largest height of d while a point stands, upwards (1) or downwards (-1).
    fn largest_rise(&self, sign: f32) -> f32 {
        let heights =
            self.stands.iter().flat_map(|stand| stand.rows().map(|row| self.error(row, stand.point).y * sign));
        heights.fold(0.0, f32::max)
    }

    /// Largest path length of d over the ground.
    fn largest_shimmer(&self) -> f32 {
        let step_m = |stand: &Stand, row: usize| {
            f64::from(horizontal(self.error(row + 1, stand.point) - self.error(row, stand.point)).length())
        };
        let length = |stand: &Stand| (stand.first..stand.last).map(|row| step_m(stand, row)).sum::<f64>();
        self.stands.iter().map(length).fold(0.0, f64::max) as f32
    }
}

/// p_lossy - p_raw of a point of the sole.
fn error(rig: &Rig, point: &SolePoint, raw: &Moment<'_>, lossy: &Moment<'_>) -> Vec3A {
    match point.place {
        SolePlace::Vertex { mesh, vertex } => {
            -contributions(&rig.meshes[mesh], vertex, raw, lossy).map(|(_, part)| part).sum::<Vec3A>()
        }
        SolePlace::Offset(offset) => {
            difference(lossy.joint(point.joint), raw.joint(point.joint)).transform_point3a(offset.into())
        }
    }
}

/// Replaces a value that is not finite by a large one. A NaN would go unnoticed in every comparison.
pub(in crate::metrics) fn bounded(error: Vec3A) -> Vec3A {
    const FAR_M: f32 = 1e9;
    if error.is_finite() { error } else { Vec3A::splat(FAR_M) }
}

fn horizontal(v: Vec3A) -> Vec3A {
    v.with_y(0.0)
}
