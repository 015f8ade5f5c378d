//! How far a joint's error reaches: the points that it moves, and where they ought to be.

use crate::codecs::Source;
use crate::model::ModelPose;
use glam::{Affine3A, Vec3A};

/// Object-space matrices of the raw clip at every sample.
#[derive(Debug, Clone)]
pub struct RawModel {
    joints: usize,
    model_from_joint: Vec<Affine3A>,
}

impl RawModel {
    /// Walks the hierarchy at every sample.
    pub fn new(source: &Source<'_>) -> Self {
        let clip = source.clip;
        let mut pose = ModelPose::default();
        let mut model_from_joint = Vec::with_capacity(clip.samples() * clip.joints());
        for sample in 0..clip.samples() {
            pose.update(source.skeleton, clip.pose(sample));
            model_from_joint.extend_from_slice(&pose.joints);
        }
        Self { joints: clip.joints(), model_from_joint }
    }

    /// `model_from_joint` of one joint at one sample.
    pub fn at(&self, sample: usize, joint: usize) -> Affine3A {
        self.model_from_joint[sample * self.joints + joint]
    }

    /// `model_from_parent` of one joint at one sample; the identity above a root.
    pub fn parent_at(&self, source: &Source<'_>, sample: usize, joint: usize) -> Affine3A {
        source.skeleton.parent(joint).map_or(Affine3A::IDENTITY, |parent| self.at(sample, parent))
    }
}

/// How far from each joint the farthest shell of the joints below it ever is, metres.
pub fn reaches_m(source: &Source<'_>, raw: &RawModel) -> Vec<f32> {
    let skeleton = source.skeleton;
    let mut reach_m = source.shells_m.to_vec();
    for sample in 0..source.clip.samples() {
        for below in 0..skeleton.len() {
            let end = raw.at(sample, below).translation;
            for joint in skeleton.ancestors(below) {
                let distance_m = (end - raw.at(sample, joint).translation).length() + source.shells_m[below];
                reach_m[joint] = reach_m[joint].max(distance_m);
            }
        }
    }
    reach_m
}

/// The points by which a joint's error is judged, at every sample: its own shell, the origins of the joints below it and
/// the shells of the leaves among them.
///
/// An error of the joint's matrix moves a point by an affine map, so it is largest at the hull of what hangs on the
/// joint: keeping these points in place keeps everything between them in place.
#[derive(Debug)]
pub struct Levers {
    count: usize,
    /// `samples x count`, metres in the joint's space.
    in_joint: Vec<Vec3A>,
    /// The same points of the raw clip, metres in object space.
    in_model: Vec<Vec3A>,
}

/// Which points a joint is judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeverPoints {
    /// Its own shell, the origins of the joints below it and the shells of the leaves among them.
    All,
    /// One vertex at the shell of each leaf below it, or its own where it is one: what Unreal looks at.
    LeafVertices,
}

impl LeverPoints {
    fn push(self, joint_from_owner: &Affine3A, shell_m: f32, is_own: bool, is_leaf: bool, out: &mut Vec<Vec3A>) {
        match self {
            Self::All if is_own || is_leaf => push_shell(joint_from_owner, shell_m, out),
            Self::All => out.push(joint_from_owner.translation),
            Self::LeafVertices if is_leaf => {
                out.push(joint_from_owner.translation + joint_from_owner.matrix3.x_axis * shell_m);
            }
            Self::LeafVertices => {}
        }
    }
}

impl Levers {
    /// Collects all points of one joint.
    pub fn new(source: &Source<'_>, raw: &RawModel, joint: usize) -> Self {
        Self::with_points(source, raw, joint, LeverPoints::All)
    }

    /// Collects some points of one joint; there is at least one.
    pub fn with_points(source: &Source<'_>, raw: &RawModel, joint: usize, points: LeverPoints) -> Self {
        let (skeleton, clip) = (source.skeleton, source.clip);
        let below = &skeleton.subtree(joint)[1..];
        // Where each joint below finds its parent's matrix; `None` hangs on the joint itself.
        let parents: Vec<Option<usize>> =
            below.iter().map(|&d| skeleton.parent(d).and_then(|p| below.binary_search(&p).ok())).collect();
        let mut in_joint = Vec::new();
        let mut joint_from_below = vec![Affine3A::IDENTITY; below.len()];
        for sample in 0..clip.samples() {
            let is_leaf = below.is_empty();
            points.push(&Affine3A::IDENTITY, source.shells_m[joint], true, is_leaf, &mut in_joint);
            for (i, &d) in below.iter().enumerate() {
                let parent_from_below = clip.at(sample, d).to_affine();
                joint_from_below[i] = match parents[i] {
                    Some(parent) => joint_from_below[parent] * parent_from_below,
                    None => parent_from_below,
                };
                let is_leaf = skeleton.children(d).is_empty();
                points.push(&joint_from_below[i], source.shells_m[d], false, is_leaf, &mut in_joint);
            }
        }
        let count = in_joint.len() / clip.samples();
        let in_model =
            in_joint.iter().enumerate().map(|(i, x)| raw.at(i / count, joint).transform_point3a(*x)).collect();
        Self { count, in_joint, in_model }
    }

    /// Square of the largest distance of the points from where they ought to be, if the joint had that matrix; may stop
    /// at the first point beyond `limit_sq`.
    #[inline]
    pub fn error_sq(&self, sample: usize, model_from_joint: &Affine3A, limit_sq: f32) -> f32 {
        let at = sample * self.count;
        let points = self.in_joint[at..at + self.count].iter().zip(&self.in_model[at..at + self.count]);
        let mut worst = 0.0f32;
        for (x, wanted) in points {
            let distance = (model_from_joint.transform_point3a(*x) - *wanted).length_squared();
            if distance.is_nan() {
                return f32::INFINITY;
            }
            if distance > limit_sq {
                return distance;
            }
            worst = worst.max(distance);
        }
        worst
    }
}

fn push_shell(joint_from_owner: &Affine3A, shell_m: f32, out: &mut Vec<Vec3A>) {
    let m = &joint_from_owner.matrix3;
    out.extend([m.x_axis, m.y_axis, m.z_axis].map(|axis| joint_from_owner.translation + axis * shell_m));
}
