use super::contacts::ContactPlan;
use super::exact::ExactTracks;
use super::shell::ShellErrors;
use super::weights::FloatError;
use super::{
    ErrorLimits, ErrorWeights, Farthest, PlantReport, ShellReport, SlideLimits, Stats, StepTimes, Verdict, WeighedWorst,
};
use crate::model::SamplingError;
use std::sync::Arc;

/// The errors that count most, of a clip some of whose joints count more, or less, than others.
#[derive(Debug, Clone, PartialEq)]
pub struct Weighed {
    /// What counts how much.
    pub weights: Arc<ErrorWeights>,
    /// At the samples.
    pub samples: WeighedWorst,
    /// Between them.
    pub between: WeighedWorst,
    /// Time from one step to the next.
    pub step_secs: f32,
}

/// The vertex of the largest error.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct VertexWorst {
    /// Mesh of the rig.
    pub mesh: usize,
    /// Vertex of the mesh.
    pub vertex: usize,
    /// Joint that contributes most to it.
    pub joint: usize,
    /// Time.
    pub time_secs: f32,
    /// How large.
    pub error_m: f32,
}

/// Error on the skin: what a person sees.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VertexReport {
    /// Over all vertices and measured times.
    pub stats: Stats,
    /// The largest.
    pub worst: VertexWorst,
    /// Largest over all vertices at each measured time.
    pub per_step: Vec<f32>,
    /// The joint to blame for each of those, as [`VertexWorst::joint`].
    pub per_step_joint: Vec<usize>,
    /// Steps of the track a measured time: 1 = every step, `sub_frames` = samples only.
    pub stride: usize,
}

/// All plants of a clip, measured.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContactReport {
    /// Feet, ground and plants, from the raw clip only.
    pub plan: Arc<ContactPlan>,
    /// In the order of the plan's plants.
    pub plants: Vec<PlantReport>,
    /// What they were judged by.
    pub limits: SlideLimits,
}

impl ContactReport {
    /// The plant that slides most.
    pub fn worst(&self) -> Option<&PlantReport> {
        self.plants.iter().max_by(|a, b| a.slide_m.total_cmp(&b.slide_m))
    }

    /// Largest slide, `None` without plants.
    pub fn worst_slide_m(&self) -> Option<f32> {
        self.worst().map(|p| p.slide_m)
    }

    /// The worst verdict of all plants.
    pub fn verdict(&self) -> Verdict {
        self.plants.iter().map(|p| p.verdict).max().unwrap_or_default()
    }
}

/// Motion across a loop's seam and roughness, each beyond what the raw clip has.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LoopReport {
    /// The clip wraps.
    pub looping: bool,
    /// Largest jump of a joint's origin from the last sample to the first, after taking off raw's jump (as vectors).
    pub seam_pop_m: f32,
    /// Largest jump of a joint's velocity between the steps into and out of the seam, after taking off raw's.
    pub seam_velocity_m_s: f32,
    /// Largest mean third difference of a joint's path over the samples divided by raw's; 1 = as smooth as raw. 0.1 mm is
    /// added to both, so that joints at rest do not decide.
    pub jitter_ratio: f32,
    /// Largest change of a joint's distance from its parent.
    pub bone_length_m: f32,
}

impl LoopReport {
    /// What part of what warns the seam has, the larger of its jump and of its change of speed.
    pub fn seam_part(&self, limits: &ErrorLimits, sample_secs: f32) -> f32 {
        limits.part_between(self.seam_pop_m.max(self.seam_velocity_m_s * sample_secs), 1.0)
    }

    /// How the jump at the seam fares: it warns where a joint jumps by more than errors between samples may be.
    pub fn pop_verdict(&self, limits: &ErrorLimits) -> Verdict {
        if limits.part_between(self.seam_pop_m, 1.0) > 1.0 { Verdict::Warn } else { Verdict::Good }
    }

    /// How the change of speed at the seam fares: it warns where it is more than that length per sample, which looks like a jump.
    pub fn speed_verdict(&self, limits: &ErrorLimits, sample_secs: f32) -> Verdict {
        if limits.part_between(self.seam_velocity_m_s * sample_secs, 1.0) > 1.0 { Verdict::Warn } else { Verdict::Good }
    }
}

/// Everything measured of one clip and recipe.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ErrorReport {
    /// What was asked for.
    pub tolerance_m: f32,
    /// From where on errors are judged that the tolerance does not bound.
    pub limits: ErrorLimits,
    /// Steps a sample between samples.
    pub sub_frames: usize,
    /// At the samples.
    pub samples: ShellReport,
    /// At the steps between samples only, where a curve can ring: all zero with one step a sample.
    pub between: ShellReport,
    /// Where float32 is least exact.
    pub farthest: Farthest,
    /// What is judged of both in place of the largest errors; `None` where all count alike.
    pub weighed: Option<Weighed>,
    /// Largest shell error over joints at every step (samples and between).
    pub per_step: Vec<f32>,
    /// Shell error that 99 % of the joints do not exceed, at every step.
    pub per_step_p99: Vec<f32>,
    /// Shell error of every joint at every step.
    pub shell: Arc<ShellErrors>,
    /// On the skin, once it has been measured; `None` without a mesh.
    pub vertex: Option<VertexReport>,
    /// Feet.
    pub contacts: ContactReport,
    /// Seam and roughness.
    pub motion: LoopReport,
    /// Tracks that lose nothing.
    pub exact: ExactTracks,
    /// Morph weights and other scalars.
    pub floats: FloatError,
    /// What the samples lost against the curves of the file; `None` where the clip comes from no file.
    pub sampling: Option<SamplingError>,
}

impl ErrorReport {
    /// The same, judged by its limits with some joints that count more, or less, than others. `times`: the steps that it was
    /// measured at.
    pub fn weighed(self, weights: Arc<ErrorWeights>, times: StepTimes) -> Self {
        if weights.is_even() {
            return self;
        }
        let weights_at_steps = weights.at_steps(self.sub_frames);
        let (samples, between) = self.shell.weighed_worst(times, weights_at_steps, &self.limits);
        Self { weighed: Some(Weighed { weights, samples, between, step_secs: times.time_secs(1) }), ..self }
    }
}
