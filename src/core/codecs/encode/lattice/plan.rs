//! The points that a rotation moves, by which its choice is measured.

use super::LatticeTrack;
use crate::codecs::Source;
use crate::codecs::encode::{RawModel, reaches_m};
use crate::codecs::runtime::{TrackKind, TrackTable};
use crate::math::{Transform, product, unit};
use crate::model::Channel;
use glam::{Affine3A, Mat3A, Quat, Vec3, Vec3A};
use std::ops::Range;

/// The reach of a rotation counts like points with an error of this many tolerances, because descendants correct it.
const REACH_TOLERANCES: f32 = 8.0;

/// A point that moves rigidly with a joint.
#[derive(Debug, Clone, Copy)]
pub struct Point {
    /// The joint that it belongs to, and its place there in metres.
    pub owner: usize,
    pub in_owner: Vec3A,
    pub in_joint: Vec3A,
}

/// The inputs for encoding one joint.
#[derive(Debug, Clone)]
pub struct JointPlan {
    pub parent: Option<usize>,
    /// The animated tracks.
    pub tracks: [Option<usize>; 3],
    /// The values of the channels that are not animated.
    pub still: Transform,
    /// The points that the joint's rotation moves, if it is animated. The joint's own shell comes first.
    pub points: Vec<Point>,
    /// Turns the sum of weighted moments into the least-squares rotation.
    pub inverse_metric: Mat3A,
    /// Per channel, the steps at which the points have an error of about half a tolerance.
    pub fair_steps: [Vec3A; 3],
}

/// The data that stays constant during the search for steps.
#[derive(Debug)]
pub struct Plan<'a> {
    pub source: Source<'a>,
    pub raw: &'a RawModel,
    pub joints: &'a [JointPlan],
    /// Object-space rotations of the clip at the samples of `raw`, `samples x joints`: products of the local ones.
    turns: Vec<Quat>,
    /// True if no joint is ever scaled.
    pub is_rigid: bool,
}

impl<'a> Plan<'a> {
    pub fn new(source: &Source<'a>, raw: &'a RawModel, joints: &'a [JointPlan]) -> Self {
        let is_rigid = joints.iter().all(|j| j.tracks[Channel::Scale as usize].is_none() && j.still.scale == Vec3::ONE);
        Self { source: *source, raw, joints, turns: object_turns(source, raw.samples()), is_rigid }
    }

    /// Object-space rotation of a joint of the clip.
    pub fn turn(&self, sample: usize, joint: usize) -> Quat {
        self.turns[(sample - self.raw.samples().start) * self.joints.len() + joint]
    }
}

/// The plan of each joint.
pub fn joint_plans(source: &Source<'_>, table: &TrackTable, tracks: &[LatticeTrack]) -> Vec<JointPlan> {
    let mut of_joint = vec![[None; 3]; source.skeleton.len()];
    tracks.iter().enumerate().for_each(|(i, track)| of_joint[track.joint][track.channel as usize] = Some(i));
    let reach_m = reaches_m(source);
    let counts = largest_weights(source);
    let joint = |joint: usize| {
        let plan = JointPlan::new(source, table, joint, of_joint[joint], reach_m[joint]);
        JointPlan { fair_steps: plan.fair_steps.map(|steps| steps / counts[joint]), ..plan }
    };
    (0..source.skeleton.len()).map(joint).collect()
}

/// The largest weight of each joint or of its descendants, at least 1. Only the steps of these joints start finer, so that one joint's
/// weight does not make all others larger.
fn largest_weights(source: &Source<'_>) -> Vec<f32> {
    let joints = source.skeleton.len();
    let mut counts = vec![1.0f32; joints];
    for joint in (0..joints).rev() {
        if !source.weights.is_even_on(joint) {
            let own = (0..source.clip.samples()).map(|sample| source.weights.at(sample, joint));
            counts[joint] = own.fold(counts[joint], f32::max);
        }
        if let Some(parent) = source.skeleton.parent(joint) {
            counts[parent] = counts[parent].max(counts[joint]);
        }
    }
    counts
}

impl JointPlan {
    fn new(source: &Source<'_>, table: &TrackTable, joint: usize, tracks: [Option<usize>; 3], reach_m: f32) -> Self {
        let still = table.still[joint];
        let points = points_of(source, table, joint);
        let half_m = 0.5 * source.tolerance_m;
        let mut metric = Mat3A::from_diagonal(Vec3::splat((reach_m / (REACH_TOLERANCES * source.tolerance_m)).powi(2)));
        let mut spread = Vec3A::ZERO;
        for point in &points {
            let p = point.in_joint / half_m;
            metric += Mat3A::from_diagonal(Vec3::splat(p.length_squared())) - outer(p);
            spread += p * p;
        }
        let fair = 2.0 / 3.0f32.sqrt();
        let rotation = Vec3A::new(metric.x_axis.x, metric.y_axis.y, metric.z_axis.z);
        let steps = |m: Vec3A| Vec3A::splat(fair) / m.max(Vec3A::splat(f32::MIN_POSITIVE)).map(f32::sqrt);
        let fair_steps = [steps(rotation), Vec3A::splat(fair * half_m / (points.len() as f32).sqrt()), steps(spread)];
        Self {
            parent: source.skeleton.parent(joint),
            tracks,
            still,
            points,
            inverse_metric: metric.inverse() * half_m.powi(-2),
            fair_steps,
        }
    }
}

fn outer(v: Vec3A) -> Mat3A {
    Mat3A::from_cols(v * v.x, v * v.y, v * v.z)
}

/// The shell of a joint and the points that move rigidly with it: the origins of children that rotate, all points of other children.
fn points_of(source: &Source<'_>, table: &TrackTable, joint: usize) -> Vec<Point> {
    let mut out = Vec::new();
    let mut rigid = vec![(joint, Affine3A::from_scale(table.still[joint].scale))];
    while let Some((owner, joint_from_owner)) = rigid.pop() {
        let point = |owner, joint_from_owner: &Affine3A, in_owner| Point {
            owner,
            in_owner,
            in_joint: joint_from_owner.transform_point3a(in_owner),
        };
        let shell = Vec3A::AXES.map(|axis| axis * source.shells_m[owner]);
        out.extend(shell.map(|in_owner| point(owner, &joint_from_owner, in_owner)));
        for &child in source.skeleton.children(owner) {
            let is_animated = |channel| table.kinds[child][channel as usize] == TrackKind::Animated;
            let at = joint_from_owner * table.still[child].to_affine();
            match (is_animated(Channel::Translation), is_animated(Channel::Rotation)) {
                (true, _) => {} // has its own target
                (false, true) => out.push(point(child, &at, Vec3A::ZERO)),
                (false, false) => rigid.push((child, at)),
            }
        }
    }
    out
}

/// Object-space rotations of some samples, `samples x joints`.
fn object_turns(source: &Source<'_>, samples: Range<usize>) -> Vec<Quat> {
    let (clip, skeleton) = (source.clip, source.skeleton);
    let mut out: Vec<Quat> = Vec::with_capacity(samples.len() * clip.joints());
    for sample in samples {
        let first = out.len();
        for (joint, local) in clip.pose(sample).iter().enumerate() {
            let turn = skeleton
                .parent(joint)
                .map_or(local.rotation, |parent| unit(product(out[first + parent], local.rotation)));
            out.push(turn);
        }
    }
    out
}
