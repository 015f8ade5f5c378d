//! Parts of an animation that are sampled on demand.

use crate::math::Transform;
use crate::model::{ModelPose, Pose, Rig, Sampler, Skeleton, TimeGrid};
use glam::Affine3A;
use rayon::prelude::*;
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Opens a sampler of an animation.
pub type Open = Box<dyn Fn() -> Box<dyn Sampler> + Send + Sync>;

/// Steps per span. It is large enough that a sampler that seeks from the start of a block rarely does so.
const SPAN_STEPS: usize = 256;
/// Memory limit of the kept spans together.
const KEPT_BYTES: usize = 8 << 20;
/// Fewest spans that are kept: enough for this many threads.
const MIN_KEPT: usize = 8;

/// A run of sampled steps.
#[derive(Debug, Clone)]
pub(super) struct SampledSpan {
    joints: usize,
    float_tracks: usize,
    model_from_joint: Vec<Affine3A>,
    local: Vec<Transform>,
    floats: Vec<f32>,
}

impl SampledSpan {
    /// Bytes per step.
    pub(super) fn step_bytes(joints: usize, float_tracks: usize) -> usize {
        joints * (size_of::<Affine3A>() + size_of::<Transform>()) + float_tracks * size_of::<f32>()
    }

    /// Samples an animation. Places are in samples from its start.
    pub(super) fn sample(
        skeleton: &Skeleton,
        sampler: &mut dyn Sampler,
        places: impl ExactSizeIterator<Item = f64>,
        float_tracks: usize,
    ) -> Self {
        Self::empty(skeleton.len(), float_tracks).refilled(skeleton, sampler, places)
    }

    fn empty(joints: usize, float_tracks: usize) -> Self {
        Self { joints, float_tracks, model_from_joint: Vec::new(), local: Vec::new(), floats: Vec::new() }
    }

    /// Samples at other places, in the same memory.
    fn refilled(
        mut self,
        skeleton: &Skeleton,
        sampler: &mut dyn Sampler,
        places: impl ExactSizeIterator<Item = f64>,
    ) -> Self {
        let steps = places.len();
        let mut pose = Pose::with_size(self.joints, self.float_tracks);
        let mut model = ModelPose::default();
        self.model_from_joint.clear();
        self.model_from_joint.reserve_exact(steps * self.joints);
        self.local.clear();
        self.local.reserve_exact(steps * self.joints);
        self.floats.clear();
        self.floats.reserve_exact(steps * self.float_tracks);
        for at_sample in places {
            sampler.sample(at_sample, &mut pose);
            model.update(skeleton, &pose.joints);
            self.model_from_joint.extend_from_slice(&model.joints);
            self.local.extend_from_slice(&pose.joints);
            self.floats.extend_from_slice(&pose.floats);
        }
        self
    }

    /// The same span with other local transforms for one joint.
    pub(super) fn with_joint(&self, skeleton: &Skeleton, joint: usize, local: impl Fn(usize) -> Transform) -> Self {
        let mut out = self.clone();
        let mut model = ModelPose::default();
        for step in 0..self.local.len() / self.joints {
            let row = step * self.joints..(step + 1) * self.joints;
            out.local[row.start + joint] = local(step);
            model.update(skeleton, &out.local[row.clone()]);
            out.model_from_joint[row].copy_from_slice(&model.joints);
        }
        out
    }

    pub(super) fn pose(&self, row: usize) -> &[Affine3A] {
        &self.model_from_joint[row * self.joints..][..self.joints]
    }

    pub(super) fn local(&self, row: usize) -> &[Transform] {
        &self.local[row * self.joints..][..self.joints]
    }

    pub(super) fn floats(&self, row: usize) -> &[f32] {
        &self.floats[row * self.float_tracks..][..self.float_tracks]
    }
}

/// All steps of an animation, as spans that were sampled in parallel.
#[derive(Debug, Clone)]
pub(super) struct WholeSpans {
    /// Steps of each span except the last.
    rows: usize,
    spans: Vec<SampledSpan>,
}

impl WholeSpans {
    /// A single span with all steps.
    pub(super) fn of(span: SampledSpan) -> Self {
        Self { rows: usize::MAX, spans: vec![span] }
    }

    /// Samples every step of an animation, with one sampler per span.
    pub(super) fn sample(skeleton: &Skeleton, open: &Open, grid: TimeGrid, sub_frames: usize, floats: usize) -> Self {
        let steps = grid.steps(sub_frames).len();
        let rows = steps.div_ceil(rayon::current_num_threads()).max(SPAN_STEPS);
        let span = |number: usize| {
            let places = grid.some_steps(sub_frames, number * rows..(number + 1) * rows);
            SampledSpan::sample(skeleton, &mut *open(), places, floats)
        };
        Self { rows, spans: (0..steps.div_ceil(rows)).into_par_iter().map(span).collect() }
    }

    /// Reads a step.
    ///
    /// # Panics
    /// Panics if the step does not exist.
    pub(super) fn at<'a, T>(&'a self, step: usize, read: impl FnOnce(&'a SampledSpan, usize) -> T) -> T {
        read(&self.spans[step / self.rows], step % self.rows)
    }

    /// The same steps with other local transforms for one joint.
    pub(super) fn with_joint(&self, skeleton: &Skeleton, joint: usize, local: impl Fn(usize) -> Transform) -> Self {
        let changed = |(number, span): (usize, &SampledSpan)| {
            span.with_joint(skeleton, joint, |row| local(number * self.rows + row))
        };
        Self { spans: self.spans.iter().enumerate().map(changed).collect(), ..*self }
    }
}

/// An animation whose recently used spans are kept.
pub(super) struct SampledSpans {
    rig: Arc<Rig>,
    open: Arc<Open>,
    grid: TimeGrid,
    sub_frames: usize,
    float_tracks: usize,
    /// Number and steps of each span. The one used last is at the end.
    kept: Mutex<VecDeque<(usize, Arc<SampledSpan>)>>,
}

impl SampledSpans {
    pub(super) fn new(rig: Arc<Rig>, open: Open, grid: TimeGrid, sub_frames: usize, float_tracks: usize) -> Self {
        Self { rig, open: Arc::new(open), grid, sub_frames, float_tracks, kept: Mutex::default() }
    }

    /// Reads a step.
    ///
    /// # Panics
    /// Panics if the step does not exist.
    pub(super) fn at<T>(&self, step: usize, read: impl FnOnce(&SampledSpan, usize) -> T) -> T {
        read(&self.span(step / SPAN_STEPS), step % SPAN_STEPS)
    }

    /// The same animation with other local transforms for one joint, by step.
    pub(super) fn with_joint(&self, joint: usize, local: impl Fn(usize) -> Transform + Send + Sync + 'static) -> Self {
        let (inner, local, sub_frames) = (self.open.clone(), Arc::new(local), self.sub_frames as f64);
        let open: Open = Box::new(move || {
            let (sampler, local) = (inner(), local.clone());
            let local = move |at_sample: f64| local((at_sample * sub_frames).round() as usize);
            Box::new(WithJoint { sampler, joint, local })
        });
        Self::new(self.rig.clone(), open, self.grid, self.sub_frames, self.float_tracks)
    }

    fn span(&self, number: usize) -> Arc<SampledSpan> {
        if let Some(found) = self.take(number) {
            return found;
        }
        let first = number * SPAN_STEPS;
        let places = self.grid.some_steps(self.sub_frames, first..first + SPAN_STEPS);
        let spare = self.spare().unwrap_or_else(|| SampledSpan::empty(self.rig.skeleton.len(), self.float_tracks));
        let span = Arc::new(spare.refilled(&self.rig.skeleton, &mut *(self.open)(), places));
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_back((number, span.clone()));
        span
    }

    /// Makes room for a span. Returns the memory of the oldest span, unless it is still being read. A long take is read many times, and
    /// memory that is freed and allocated again makes the system reserve more than is in use.
    fn spare(&self) -> Option<SampledSpan> {
        let step_bytes = SampledSpan::step_bytes(self.rig.skeleton.len(), self.float_tracks);
        let most = MIN_KEPT.max(KEPT_BYTES / (SPAN_STEPS * step_bytes));
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let mut spare = None;
        while kept.len() >= most {
            spare = kept.pop_front().and_then(|(_, span)| Arc::try_unwrap(span).ok());
        }
        spare
    }

    /// Returns a kept span and makes it the newest.
    fn take(&self, number: usize) -> Option<Arc<SampledSpan>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.iter().rposition(|(n, _)| *n == number)?;
        if place + 1 < kept.len() {
            let found = kept.remove(place)?;
            kept.push_back(found);
        }
        kept.back().map(|(_, span)| span.clone())
    }
}

impl fmt::Debug for SampledSpans {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spans").field("grid", &self.grid).field("sub_frames", &self.sub_frames).finish_non_exhaustive()
    }
}

/// An animation in which one joint has other transforms.
struct WithJoint<L> {
    sampler: Box<dyn Sampler>,
    joint: usize,
    local: L,
}

impl<L: Fn(f64) -> Transform> Sampler for WithJoint<L> {
    fn sample(&mut self, at_sample: f64, out: &mut Pose) {
        self.sampler.sample(at_sample, out);
        out.joints[self.joint] = (self.local)(at_sample);
    }
}

#[cfg(test)]
mod tests {
    use super::super::ModelTrack;
    use super::*;
    use crate::model::{Clip, ClipData, ClipSampler, Joint};
    use glam::{Quat, Vec3};
    use std::borrow::Cow;

    /// Two joints over a number of samples. The second one swings.
    fn swing(samples: usize) -> (Arc<Rig>, Arc<Clip>) {
        let joint = |i: usize| Joint {
            name: format!("joint{i}"),
            parent: i.checked_sub(1),
            bind: Transform::from_translation(Vec3::Y * 0.3),
        };
        let skeleton = Skeleton::new((0..2).map(joint).collect()).unwrap();
        let at = |i: usize| Transform {
            rotation: Quat::from_rotation_z((i as f32 * 0.01).sin() * (i % 2) as f32),
            ..skeleton.bind(i % 2)
        };
        let data = ClipData {
            name: "swing".into(),
            joints: 2,
            duration_secs: (samples - 1) as f32 / 120.0,
            transforms: (0..2 * samples).map(at).collect(),
            float_tracks: 1,
            floats: (0..samples).map(|s| s as f32).collect(),
            holds: Vec::new(),
            looping: None,
        };
        (Arc::new(Rig::from_skeleton("rig", skeleton.clone())), Arc::new(Clip::new(data).unwrap()))
    }

    fn spans(rig: &Arc<Rig>, clip: &Arc<Clip>) -> SampledSpans {
        let shared = clip.clone();
        let open: Open = Box::new(move || Box::new(ClipSampler::new(shared.clone())));
        SampledSpans::new(rig.clone(), open, clip.grid(), 4, 1)
    }

    #[test]
    fn spans_read_as_if_they_were_one() {
        let (rig, clip) = swing(1000);
        let whole = SampledSpan::sample(&rig.skeleton, &mut ClipSampler::new(&*clip), clip.grid().steps(4), 1);
        let parts = spans(&rig, &clip);
        let still = |_: usize| Transform::IDENTITY;
        let (whole_still, parts_still) = (whole.with_joint(&rig.skeleton, 1, still), parts.with_joint(1, still));
        for step in (0..3997).rev().step_by(101).chain([255, 256, 0, 3996]) {
            for (parts, whole) in [(&parts, &whole), (&parts_still, &whole_still)] {
                parts.at(step, |span, row| {
                    assert_eq!(span.pose(row), whole.pose(step), "step {step}");
                    assert_eq!(span.local(row), whole.local(step), "step {step}");
                    assert_eq!(span.floats(row), whole.floats(step), "step {step}");
                });
            }
        }
        assert_ne!(whole.pose(3000), whole_still.pose(3000));
    }

    #[test]
    fn long_tracks_are_sampled_when_they_are_asked_for() {
        for (samples, is_whole) in [(1000, true), (150_000, false)] {
            let (rig, clip) = swing(samples);
            let shared = clip.clone();
            let open: Open = Box::new(move || Box::new(ClipSampler::new(shared.clone())));
            let track = ModelTrack::sampled_by(rig, open, clip.grid(), 4, 1);
            assert_eq!(matches!(track.pose(0), Cow::Borrowed(_)), is_whole, "{samples} samples");
            assert_eq!(track.floats(4 * (samples - 1))[0], (samples - 1) as f32);
        }
    }

    #[test]
    fn only_the_spans_that_were_asked_for_last_are_kept() {
        let (rig, clip) = swing(45_000);
        let spans = spans(&rig, &clip);
        let most = KEPT_BYTES / (SPAN_STEPS * SampledSpan::step_bytes(2, 1));
        for step in (0..clip.samples() * 4 - 3).step_by(SPAN_STEPS) {
            spans.at(step, |span, row| assert_eq!((row, span.joints), (0, 2)));
            spans.at(0, |_, _| ());
        }
        let kept = spans.kept.lock().unwrap();
        assert!(most < clip.samples() * 4 / SPAN_STEPS);
        assert_eq!(kept.len(), most);
        assert_eq!(kept.back().unwrap().0, 0, "what was asked for last");
    }
}
