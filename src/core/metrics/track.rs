use super::spans::{Open, SampledSpan, SampledSpans, WholeSpans};
use crate::math::Transform;
use crate::model::{Rig, Sampler, Skeleton, TimeGrid};
use glam::{Affine3A, Vec3};
use std::borrow::Cow;
use std::sync::Arc;

/// Largest track that is sampled as a whole. Larger ones are sampled span by span on demand, since all matrices of a ten-minute take would
/// need gigabytes.
const MAX_WHOLE_BYTES: usize = 128 << 20;

/// Times of the steps of a comparison: every sample of a clip, and steps between samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepTimes {
    /// The sample times.
    pub grid: TimeGrid,
    /// Steps per sample.
    pub sub_frames: usize,
}

impl StepTimes {
    /// Time of a step.
    pub fn time_secs(self, step: usize) -> f32 {
        self.grid.time_secs(step as f64 / self.sub_frames as f64)
    }
}

/// Object-space matrices, local transforms and float values of an animation, at every sample and at steps between them.
#[derive(Debug, Clone)]
pub struct ModelTrack {
    grid: TimeGrid,
    sub_frames: usize,
    joints: usize,
    steps: Steps,
}

#[derive(Debug, Clone)]
enum Steps {
    /// All steps.
    Whole(WholeSpans),
    /// The steps that were used recently.
    Asked(Arc<SampledSpans>),
}

impl ModelTrack {
    /// Samples an animation at every sample of `grid`, with `sub_frames` steps per sample (at least 1).
    pub fn sample(
        skeleton: &Skeleton,
        sampler: &mut dyn Sampler,
        grid: TimeGrid,
        sub_frames: usize,
        float_tracks: usize,
    ) -> Self {
        let sub_frames = sub_frames.max(1);
        let places = grid.steps(sub_frames);
        let span = SampledSpan::sample(skeleton, sampler, places, float_tracks);
        Self { grid, sub_frames, joints: skeleton.len(), steps: Steps::Whole(WholeSpans::of(span)) }
    }

    /// Like [`ModelTrack::sample`], but a long animation is sampled on demand and only some of it is kept. `open` creates a sampler
    /// whenever one is needed.
    pub fn sampled_by(rig: Arc<Rig>, open: Open, grid: TimeGrid, sub_frames: usize, float_tracks: usize) -> Self {
        let (joints, sub_frames) = (rig.skeleton.len(), sub_frames.max(1));
        if grid.steps(sub_frames).len() * SampledSpan::step_bytes(joints, float_tracks) <= MAX_WHOLE_BYTES {
            let spans = WholeSpans::sample(&rig.skeleton, &open, grid, sub_frames, float_tracks);
            return Self { grid, sub_frames, joints, steps: Steps::Whole(spans) };
        }
        Self::asked(rig, open, grid, sub_frames, float_tracks)
    }

    /// Like [`ModelTrack::sampled_by`], and every animation is sampled on demand.
    pub fn asked(rig: Arc<Rig>, open: Open, grid: TimeGrid, sub_frames: usize, float_tracks: usize) -> Self {
        let (joints, sub_frames) = (rig.skeleton.len(), sub_frames.max(1));
        let spans = SampledSpans::new(rig, open, grid, sub_frames, float_tracks);
        Self { grid, sub_frames, joints, steps: Steps::Asked(Arc::new(spans)) }
    }

    /// The same track, with the local transforms of one joint taken from a track of the same shape.
    pub fn with_joint_of(&self, skeleton: &Skeleton, other: &Self, joint: usize) -> Self {
        let steps = match &self.steps {
            Steps::Whole(spans) => Steps::Whole(spans.with_joint(skeleton, joint, |step| other.local(step, joint))),
            Steps::Asked(spans) => {
                let other = other.clone();
                Steps::Asked(Arc::new(spans.with_joint(joint, move |step| other.local(step, joint))))
            }
        };
        Self { steps, ..*self }
    }

    /// The sample times.
    pub fn grid(&self) -> TimeGrid {
        self.grid
    }

    /// Steps per sample.
    pub fn sub_frames(&self) -> usize {
        self.sub_frames
    }

    /// Joints of the rig.
    pub fn joints(&self) -> usize {
        self.joints
    }

    /// Number of steps: `(samples - 1) * sub_frames + 1`.
    pub fn steps(&self) -> usize {
        (self.grid.samples() - 1) * self.sub_frames + 1
    }

    /// True if the step is a sample.
    pub fn is_sample(&self, step: usize) -> bool {
        step.is_multiple_of(self.sub_frames)
    }

    /// The times of its steps.
    pub fn times(&self) -> StepTimes {
        StepTimes { grid: self.grid, sub_frames: self.sub_frames }
    }

    /// Time of a step.
    pub fn time_secs(&self, step: usize) -> f32 {
        self.times().time_secs(step)
    }

    /// `model_from_joint` of every joint at a step.
    pub fn pose(&self, step: usize) -> Cow<'_, [Affine3A]> {
        match &self.steps {
            Steps::Whole(spans) => spans.at(step, |span, row| span.pose(row).into()),
            Steps::Asked(spans) => spans.at(step, |span, row| span.pose(row).to_vec()).into(),
        }
    }

    /// Local transform of one joint at a step, as sampled.
    pub fn local(&self, step: usize, joint: usize) -> Transform {
        match &self.steps {
            Steps::Whole(spans) => spans.at(step, |span, row| span.local(row)[joint]),
            Steps::Asked(spans) => spans.at(step, |span, row| span.local(row)[joint]),
        }
    }

    /// Local transforms of every joint at a step, as sampled.
    pub fn locals(&self, step: usize) -> Cow<'_, [Transform]> {
        match &self.steps {
            Steps::Whole(spans) => spans.at(step, |span, row| span.local(row).into()),
            Steps::Asked(spans) => spans.at(step, |span, row| span.local(row).to_vec()).into(),
        }
    }

    /// Float values at a step.
    pub fn floats(&self, step: usize) -> Cow<'_, [f32]> {
        match &self.steps {
            Steps::Whole(spans) => spans.at(step, |span, row| span.floats(row).into()),
            Steps::Asked(spans) => spans.at(step, |span, row| span.floats(row).to_vec()).into(),
        }
    }

    /// Origin of a joint at a step, metres in object space.
    pub fn origin(&self, step: usize, joint: usize) -> Vec3 {
        match &self.steps {
            Steps::Whole(spans) => spans.at(step, |span, row| span.pose(row)[joint].translation.into()),
            Steps::Asked(spans) => spans.at(step, |span, row| span.pose(row)[joint].translation.into()),
        }
    }
}

/// a - b, as a map of points.
pub(super) fn difference(a: &Affine3A, b: &Affine3A) -> Affine3A {
    Affine3A { matrix3: a.matrix3 - b.matrix3, translation: a.translation - b.translation }
}

/// Panics if two tracks cannot be compared.
pub(super) fn assert_same_shape(raw: &ModelTrack, lossy: &ModelTrack) {
    assert_eq!(
        (raw.joints(), raw.steps(), raw.sub_frames()),
        (lossy.joints(), lossy.steps(), lossy.sub_frames()),
        "raw and decoded tracks must have the same joints, steps and steps per sample"
    );
}
