//! Poses of a clip at its samples, in local and in object space.

use crate::codecs::encode::{play_own, unreadable};
use crate::codecs::{EncodeError, Encoder, Source};
use crate::math::{Transform, product};
use crate::metrics::shell_error_m;
use crate::model::{ClipSampler, Pose, Sampler, Skeleton};
use glam::{Affine3A, Quat};

/// Local transforms, matrices and object-space rotations of every joint at every sample: `samples x joints`.
#[derive(Debug)]
pub struct Motion {
    joints: usize,
    locals: Vec<Transform>,
    models: Vec<Affine3A>,
    /// Products of local rotations. Equal to the matrices' rotations where scales are uniform.
    rotations: Vec<Quat>,
}

impl Motion {
    /// Samples `sampler` at `steps` per sample of the source.
    fn sampled(source: &Source<'_>, sampler: &mut dyn Sampler, steps: usize) -> Self {
        let joints = source.clip.joints();
        let count = joints * source.clip.grid().steps(steps).len();
        let (locals, models, rotations) =
            (Vec::with_capacity(count), Vec::with_capacity(count), Vec::with_capacity(count));
        let mut out = Self { joints, locals, models, rotations };
        out.sample_again(source, sampler, steps);
        out
    }

    /// The same in the memory of this motion.
    fn sample_again(&mut self, source: &Source<'_>, sampler: &mut dyn Sampler, steps: usize) {
        self.locals.clear();
        self.models.clear();
        self.rotations.clear();
        let mut pose = Pose::with_size(self.joints, source.clip.float_tracks());
        for at_sample in source.clip.grid().steps(steps) {
            sampler.sample(at_sample, &mut pose);
            self.push(source.skeleton, &pose.joints);
        }
    }

    /// The motion of the source clip.
    pub fn raw(source: &Source<'_>, steps: usize) -> Self {
        Self::sampled(source, &mut ClipSampler::new(source.clip), steps)
    }

    /// The decoded motion of a codec's payload and of the correction stored with it.
    pub fn decoded(
        codec: &dyn Encoder,
        source: &Source<'_>,
        payload: &[u8],
        correction: Option<&[u8]>,
        steps: usize,
    ) -> Result<Self, EncodeError> {
        let mut sampler = play_own(codec.id(), source, payload, correction).map_err(|e| unreadable(codec, &e))?;
        Ok(Self::sampled(source, &mut sampler, steps))
    }

    /// Decodes another payload of the same source at its samples, in the memory of this motion.
    pub fn decode_again(
        &mut self,
        codec: &dyn Encoder,
        source: &Source<'_>,
        payload: &[u8],
    ) -> Result<(), EncodeError> {
        let mut sampler = play_own(codec.id(), source, payload, None).map_err(|e| unreadable(codec, &e))?;
        self.sample_again(source, &mut sampler, 1);
        Ok(())
    }

    fn push(&mut self, skeleton: &Skeleton, pose: &[Transform]) {
        let row = self.locals.len();
        self.locals.extend_from_slice(pose);
        for (joint, local) in pose.iter().enumerate() {
            let (model, rotation) = match skeleton.parent(joint) {
                Some(parent) => {
                    (self.models[row + parent] * local.to_affine(), self.rotations[row + parent] * local.rotation)
                }
                None => (local.to_affine(), local.rotation),
            };
            self.models.push(model);
            self.rotations.push(rotation);
        }
    }

    /// Number of joints.
    pub fn joints(&self) -> usize {
        self.joints
    }

    /// Number of samples, or of steps if there are several per sample.
    pub fn samples(&self) -> usize {
        self.locals.len() / self.joints
    }

    /// Local transform of a joint.
    pub fn local(&self, sample: usize, joint: usize) -> Transform {
        self.locals[sample * self.joints + joint]
    }

    /// `model_from_joint`.
    pub fn model(&self, sample: usize, joint: usize) -> Affine3A {
        self.models[sample * self.joints + joint]
    }

    /// Rotation of [`Motion::model`].
    pub fn rotation(&self, sample: usize, joint: usize) -> Quat {
        self.rotations[sample * self.joints + joint]
    }

    /// `model_from_parent` and its rotation; the identity above a root.
    pub fn parent(&self, skeleton: &Skeleton, sample: usize, joint: usize) -> (Affine3A, Quat) {
        match skeleton.parent(joint) {
            Some(parent) => (self.model(sample, parent), self.rotation(sample, parent)),
            None => (Affine3A::IDENTITY, Quat::IDENTITY),
        }
    }

    /// Moves a joint, but not its descendants.
    pub fn set(&mut self, skeleton: &Skeleton, sample: usize, joint: usize, local: Transform) {
        let (parent, rotation) = self.parent(skeleton, sample, joint);
        let at = sample * self.joints + joint;
        self.locals[at] = local;
        self.models[at] = parent * local.to_affine();
        self.rotations[at] = product(rotation, local.rotation);
    }

    /// Largest shell error of a joint against the source motion, metres. NaN counts as infinite.
    pub fn joint_error_m(&self, raw: &Self, joint: usize, shell_m: f32) -> f32 {
        let error = |step| shell_error_m(&raw.model(step, joint), &self.model(step, joint), shell_m);
        (0..self.samples()).map(error).fold(0.0, largest)
    }

    /// Largest weighted shell error of all joints, metres. The source must have the same samples. NaN counts as infinite.
    pub fn error_m(&self, raw: &Self, source: &Source<'_>) -> f32 {
        self.error_every_m(raw, source, 1)
    }

    /// Like [`Motion::error_m`], at every `stride`-th step.
    pub fn error_every_m(&self, raw: &Self, source: &Source<'_>, stride: usize) -> f32 {
        let error_sq = |step: usize| {
            let of = |joint| source.error_sq(step, joint, &raw.model(step, joint), &self.model(step, joint));
            (0..self.joints).map(of).fold(0.0, largest)
        };
        (0..self.samples()).step_by(stride).map(error_sq).fold(0.0, largest).sqrt()
    }
}

/// The larger value; infinity if `b` is NaN.
pub fn largest(a: f32, b: f32) -> f32 {
    if b.is_nan() { f32::INFINITY } else { a.max(b) }
}
