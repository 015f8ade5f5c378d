use super::contacts::ContactPlan;
use super::exact::ExactTracks;
use super::late::Late;
use super::shell::ShellErrors;
use super::weights::FloatError;
use super::{
    ContactSlide, ErrorLimits, ErrorWeights, Farthest, MOST_TIMES_MEAN, PinReport, Promise, RootDrift, ShellReport,
    SlideLimits, Stats, StepTimes, Verdict, WeighedWorst, Weights, Worst,
};
use crate::model::SamplingError;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The largest weighed errors of a clip in which some joints count more or less than others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Weighed {
    /// The weights.
    pub weights: Arc<ErrorWeights>,
    /// The largest weighed error at the samples.
    pub samples: WeighedWorst,
    /// The largest weighed error between samples.
    pub between: WeighedWorst,
    /// Time from one step to the next.
    pub step_secs: f32,
}

/// The largest mean error of a joint.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WorstMean {
    /// The joint.
    pub joint: usize,
    /// Its mean weighed error over all samples, metres.
    pub mean_m: f32,
}

/// The vertex with the largest error.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct VertexWorst {
    /// Index of the mesh in the rig.
    pub mesh: usize,
    /// Index of the vertex in the mesh.
    pub vertex: usize,
    /// The joint that contributes most to the error.
    pub joint: usize,
    /// The time of the error.
    pub time_secs: f32,
    /// The error, metres.
    pub error_m: f32,
}

/// The error on the skin, which is what a viewer sees.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct VertexReport {
    /// Over all vertices and measured times.
    pub stats: Stats,
    /// The largest error.
    pub worst: VertexWorst,
    /// The largest error over all vertices, per measured time.
    pub per_step: Vec<f32>,
    /// The joint that contributes most to each of those, as in [`VertexWorst::joint`].
    pub per_step_joint: Vec<usize>,
    /// Steps of the track per measured time: 1 = every step, `sub_frames` = samples only.
    pub stride: usize,
}

/// The measured contacts of a clip.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SlideReport {
    /// Feet, ground and contacts, found in the raw clip.
    #[serde(skip)]
    pub plan: Arc<ContactPlan>,
    /// One report per contact, in the order of the plan.
    pub contacts: Vec<ContactSlide>,
    /// The limits that they were judged by.
    pub limits: SlideLimits,
}

impl SlideReport {
    /// The contact that slides most.
    pub fn worst(&self) -> Option<&ContactSlide> {
        self.contacts.iter().max_by(|a, b| a.slide_m.total_cmp(&b.slide_m))
    }

    /// The largest slide. `None` without contacts.
    pub fn worst_slide_m(&self) -> Option<f32> {
        self.worst().map(|p| p.slide_m)
    }

    /// The worst verdict of all contacts.
    pub fn verdict(&self) -> Verdict {
        self.contacts.iter().map(|p| p.verdict).max().unwrap_or_default()
    }
}

/// Motion across a loop's seam, and bone lengths. Both count only what compression adds to the raw clip.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct LoopReport {
    /// True if the clip loops.
    pub looping: bool,
    /// The largest jump of a joint's origin from the last sample to the first, minus the raw jump (as vectors).
    pub seam_pop_m: f32,
    /// The largest jump of a joint's velocity between the steps into and out of the seam, minus the raw jump.
    pub seam_velocity_m_s: f32,
    /// Joint and size of the larger one: the jump, or the change of velocity per sample.
    pub seam_worst: Worst,
    /// The largest change of a joint's distance from its parent.
    pub bone_length_m: f32,
}

impl LoopReport {
    /// The larger of the jump at the seam and of the change of speed there per sample, which looks like a jump. `None` without a loop.
    pub fn seam(&self) -> Option<Worst> {
        self.looping.then_some(self.seam_worst)
    }
}

/// All errors measured for one clip and recipe.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ErrorReport {
    /// The tolerance that was asked for.
    pub tolerance_m: f32,
    /// Limits for the errors that the tolerance does not bound.
    pub limits: ErrorLimits,
    /// Steps per sample.
    pub sub_frames: usize,
    /// Shell error at the samples.
    pub samples: ShellReport,
    /// Shell error at the steps between samples only, where a curve can overshoot. All zero with one step per sample.
    pub between: ShellReport,
    /// The joint origin where float32 is least exact.
    pub farthest: Farthest,
    /// The errors that are judged in place of the largest ones. `None` if all joints have the same weight.
    pub weighed: Option<Weighed>,
    /// The mean error that is judged. `None` for codecs that bound the largest error, as most do.
    pub mean: Option<WorstMean>,
    /// Largest shell error over all joints, per step.
    pub per_step: Vec<f32>,
    /// Shell error that 99 % of the joints do not exceed, per step.
    pub per_step_p99: Vec<f32>,
    /// Shell error of every joint at every step.
    pub shell: Late<ShellErrors>,
    /// Error on the skin. `None` before it is measured, and for rigs without a mesh.
    pub vertex: Option<VertexReport>,
    /// Contacts of feet.
    pub slide: SlideReport,
    /// Pins: joints that keep still on other joints or in the world.
    pub pins: PinReport,
    /// Seam and roughness.
    pub motion: LoopReport,
    /// The largest jitter: the error above 4 Hz, averaged over a joint's shell and half a second. `None` if the sample rate is too low for it.
    pub jitter: Option<Worst>,
    /// Drift of the root over many rounds. `None` for clips that are no loops with root motion.
    pub root: Option<RootDrift>,
    /// Tracks without loss.
    pub exact: ExactTracks,
    /// Error of morph weights and other float tracks.
    pub floats: FloatError,
    /// Error from sampling the file's curves. `None` if the clip comes from no file.
    pub sampling: Option<SamplingError>,
}

impl ErrorReport {
    /// The same report with weights applied to the errors and the verdict. `times` are the steps at which it was measured.
    pub fn weighed(self, weights: Arc<ErrorWeights>, times: StepTimes) -> Self {
        if weights.is_even() {
            return self;
        }
        let weights_at_steps = weights.at_steps(self.sub_frames);
        let (samples, between) = self.shell.weighed_worst(times, weights_at_steps, &self.limits);
        Self { weighed: Some(Weighed { weights, samples, between, step_secs: times.time_secs(1) }), ..self }
    }

    /// The same report, judged by the error that the codec bounds.
    pub fn promising(self, promise: Promise) -> Self {
        let weights = self.weighed.as_ref().map_or(Weights::EVEN, |weighed| weighed.weights.at_steps(self.sub_frames));
        let mean = self.shell.worst_mean(promise, weights).map(|(joint, mean_m)| WorstMean { joint, mean_m });
        Self { mean, ..self }
    }

    /// The error that the codec bounds, without weights, metres.
    pub fn bounded_m(&self) -> f32 {
        let largest_m = self.samples.stats.max_m;
        self.mean.map_or(largest_m, |mean| mean.mean_m.max(largest_m / MOST_TIMES_MEAN))
    }

    /// The largest error that a joint with weight 1 may have, metres.
    pub fn most_m(&self) -> f32 {
        if self.mean.is_some() { self.tolerance_m * MOST_TIMES_MEAN } else { self.tolerance_m }
    }
}
