use crate::math::Transform;
use crate::model::{ModelPose, Pose, Sampler, Skeleton, TimeGrid};
use glam::{Affine3A, Vec3};

/// Object-space matrices of every joint at every sample and at steps between them: what every metric reads.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelTrack {
    grid: TimeGrid,
    sub_frames: usize,
    joints: usize,
    model_from_joint: Vec<Affine3A>,
    local: Vec<Transform>,
    float_tracks: usize,
    floats: Vec<f32>,
}

impl ModelTrack {
    /// Samples an animation at every sample of `grid` with `sub_frames` (at least 1) steps a sample.
    pub fn sample(
        skeleton: &Skeleton,
        sampler: &mut dyn Sampler,
        grid: TimeGrid,
        sub_frames: usize,
        float_tracks: usize,
    ) -> Self {
        let sub_frames = sub_frames.max(1);
        let joints = skeleton.len();
        let mut pose = Pose::with_size(joints, float_tracks);
        let mut model = ModelPose::default();
        let steps = (grid.samples() - 1) * sub_frames + 1;
        let mut model_from_joint = Vec::with_capacity(steps * joints);
        let mut local = Vec::with_capacity(steps * joints);
        let mut floats = Vec::with_capacity(steps * float_tracks);
        for at_sample in grid.steps(sub_frames) {
            sampler.sample(at_sample, &mut pose);
            model.update(skeleton, &pose.joints);
            model_from_joint.extend_from_slice(&model.joints);
            local.extend_from_slice(&pose.joints);
            floats.extend_from_slice(&pose.floats);
        }
        Self { grid, sub_frames, joints, model_from_joint, local, float_tracks, floats }
    }

    /// The same, with the local transforms of one joint taken from a track of the same shape.
    pub fn with_joint_of(&self, skeleton: &Skeleton, other: &Self, joint: usize) -> Self {
        let mut out = self.clone();
        let mut model = ModelPose::default();
        for step in 0..self.steps() {
            let row = step * self.joints..(step + 1) * self.joints;
            out.local[row.start + joint] = other.local[row.start + joint];
            model.update(skeleton, &out.local[row.clone()]);
            out.model_from_joint[row].copy_from_slice(&model.joints);
        }
        out
    }

    /// The sample times.
    pub fn grid(&self) -> TimeGrid {
        self.grid
    }

    /// Steps a sample.
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

    /// True when the step lies on a sample.
    pub fn is_sample(&self, step: usize) -> bool {
        step.is_multiple_of(self.sub_frames)
    }

    /// Time of a step.
    pub fn time_secs(&self, step: usize) -> f32 {
        self.grid.time_secs(step as f64 / self.sub_frames as f64)
    }

    /// `model_from_joint` of every joint at a step.
    pub fn pose(&self, step: usize) -> &[Affine3A] {
        &self.model_from_joint[step * self.joints..][..self.joints]
    }

    /// Local transform of one joint at a step, as it was sampled.
    pub fn local(&self, step: usize, joint: usize) -> Transform {
        self.local[step * self.joints + joint]
    }

    /// Float values at a step.
    pub fn floats(&self, step: usize) -> &[f32] {
        &self.floats[step * self.float_tracks..][..self.float_tracks]
    }

    /// Origin of a joint at a step, metres in object space.
    pub fn origin(&self, step: usize, joint: usize) -> Vec3 {
        self.pose(step)[joint].translation.into()
    }
}
