use posepress_core::model::{Pose, Rig};
use posepress_core::pipeline::{MeasuredClip, Outcome};
use posepress_core::report::worst_moment;
use std::sync::Arc;

/// What a page shows of a clip besides its figures.
pub struct Evidence {
    /// Largest shell error over all joints at every step, metres.
    pub error_m: Vec<f32>,
    /// Time of the last step.
    pub duration_secs: f32,
    /// What was asked for.
    pub tolerance_m: f32,
    /// The worst moment; `None` without error.
    pub moment: Option<Moment>,
}

/// A moment of a clip on both sides: all that is needed to draw it.
#[cfg_attr(not(feature = "gui"), expect(dead_code, reason = "this build does not draw"))]
pub struct Moment {
    /// Joints and meshes.
    pub rig: Arc<Rig>,
    /// As the source has it.
    pub raw: Pose,
    /// As it is decoded.
    pub lossy: Pose,
    /// The joint that is furthest off.
    pub joint: usize,
    /// When.
    pub time_secs: f32,
    /// Height of the ground, metres.
    pub ground_m: f32,
    /// What was asked for: the palest colour of the heat.
    pub tolerance_m: f32,
}

/// A picture of a moment.
pub struct Thumbnail {
    /// What it shows.
    pub name: &'static str,
    /// The bytes of a PNG.
    pub png: Vec<u8>,
}

/// Who draws moments, in builds that can.
pub trait Painter {
    /// The moment as it was, as it is, and how far it is off.
    ///
    /// # Errors
    /// The words of the graphics driver.
    fn paint(&mut self, moment: &Moment) -> Result<Vec<Thumbnail>, String>;
}

impl Evidence {
    /// Of a clip that was measured.
    pub fn of(source: &MeasuredClip, outcome: &Outcome) -> Self {
        let report = &outcome.report;
        let moment = worst_moment(report).and_then(|worst| worst.moment());
        Self {
            error_m: report.per_step.clone(),
            duration_secs: source.clip.duration_secs(),
            tolerance_m: report.tolerance_m,
            moment: moment.map(|(joint, step)| Moment::of(source, outcome, joint, source.raw.time_secs(step))),
        }
    }
}

impl Moment {
    /// A moment of a clip; `joint` is what is looked at.
    fn of(source: &MeasuredClip, outcome: &Outcome, joint: usize, time_secs: f32) -> Self {
        let clip = &source.clip;
        let mut raw = Pose::with_size(clip.joints(), clip.float_tracks());
        let mut lossy = raw.clone();
        let at_sample = clip.grid().sample_at(time_secs);
        clip.sample(at_sample, &mut raw);
        outcome.sampler().sample(at_sample, &mut lossy);
        let (rig, ground_m, tolerance_m) = (source.rig.clone(), source.plan.ground_m, outcome.report.tolerance_m);
        Self { rig, raw, lossy, joint, time_secs, ground_m, tolerance_m }
    }
}
