//! How far a joint's error reaches: the points that it moves, and where they ought to be.

use crate::codecs::Source;
use crate::model::ModelPose;
use glam::{Affine3A, Vec3A};
use std::ops::Range;

/// Object-space matrices of the raw clip over some of its samples. Nobody keeps those of a whole clip: of a long take they
/// are larger than the clip.
#[derive(Debug, Clone)]
pub struct RawModel {
    samples: Range<usize>,
    joints: usize,
    model_from_joint: Vec<Affine3A>,
}

impl RawModel {
    /// Walks the hierarchy at those samples.
    pub fn new(source: &Source<'_>, samples: Range<usize>) -> Self {
        let clip = source.clip;
        let mut pose = ModelPose::default();
        let mut model_from_joint = Vec::with_capacity(samples.len() * clip.joints());
        for sample in samples.clone() {
            pose.update(source.skeleton, clip.pose(sample));
            model_from_joint.extend_from_slice(&pose.joints);
        }
        Self { samples, joints: clip.joints(), model_from_joint }
    }

    /// The samples that it has.
    pub fn samples(&self) -> Range<usize> {
        self.samples.clone()
    }

    /// `model_from_joint` of one joint at one of the samples, counted as in the clip.
    pub fn at(&self, sample: usize, joint: usize) -> Affine3A {
        self.model_from_joint[(sample - self.samples.start) * self.joints + joint]
    }
}

/// How far from each joint the farthest shell of the joints below it ever is, metres.
pub fn reaches_m(source: &Source<'_>) -> Vec<f32> {
    let skeleton = source.skeleton;
    let mut reach_m = source.shells_m.to_vec();
    let mut raw = ModelPose::default();
    for sample in 0..source.clip.samples() {
        raw.update(skeleton, source.clip.pose(sample));
        for below in 0..skeleton.len() {
            let end = raw.joints[below].translation;
            for joint in skeleton.ancestors(below) {
                let distance_m = (end - raw.joints[joint].translation).length() + source.shells_m[below];
                reach_m[joint] = reach_m[joint].max(distance_m);
            }
        }
    }
    reach_m
}

/// `model_from_joint` of one joint at some samples, to the bit as [`RawModel`] has it.
pub fn raw_track<'a>(
    source: &Source<'a>,
    joint: usize,
    samples: Range<usize>,
) -> impl Iterator<Item = Affine3A> + use<'a> {
    let clip = source.clip;
    let mut chain: Vec<usize> = std::iter::once(joint).chain(source.skeleton.ancestors(joint)).collect();
    chain.reverse();
    samples.map(move |sample| {
        let locals = chain.iter().map(|&joint| clip.at(sample, joint).to_affine());
        locals.reduce(|above, local| above * local).unwrap_or_default()
    })
}

/// The points by which a joint's error is judged, at some samples: its own shell, the origins of the joints below it and
/// the shells of those among them that no other reaches beyond.
///
/// An error of the joint's matrix moves a point by an affine map, so it is largest at the hull of what hangs on the
/// joint: keeping these points in place keeps everything between them in place.
#[derive(Debug)]
pub struct Levers {
    first: usize,
    count: usize,
    /// `samples x count`, metres in the joint's space.
    in_joint: Vec<Vec3A>,
    /// The same points of the raw clip, metres in object space.
    in_model: Vec<Vec3A>,
    /// Squares of what each of them counts; empty where all count once.
    weights_sq: Vec<f32>,
}

/// Which points a joint is judged by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LeverPoints<'a> {
    /// Its own shell, the origins of the joints below it and the shells of those among them that stick out.
    All,
    /// One vertex at the shell of each joint for which there is a number, which says how many times its error counts; one a
    /// joint of the rig.
    Vertices(&'a [Option<f32>]),
}

impl LeverPoints<'_> {
    fn push(self, joint_from_owner: &Affine3A, shell_m: f32, owner: usize, sticks_out: bool, out: &mut Vec<Vec3A>) {
        match self {
            Self::All if sticks_out => push_shell(joint_from_owner, shell_m, out),
            Self::All => out.push(joint_from_owner.translation),
            Self::Vertices(counts) if counts[owner].is_some() => {
                out.push(joint_from_owner.translation + joint_from_owner.matrix3.x_axis * shell_m);
            }
            Self::Vertices(_) => {}
        }
    }

    fn counts(self, owner: usize) -> f32 {
        match self {
            Self::All => 1.0,
            Self::Vertices(counts) => counts[owner].unwrap_or(1.0),
        }
    }
}

/// Of the joints below one, those whose own shell is judged with all that they hang on: leaves, those whose shell reaches
/// beyond all that hangs on them in turn, and those whose error does not count as that of others does. `parents`: places in
/// `below`.
fn sticking_out(source: &Source<'_>, below: &[usize], parents: &[Option<usize>]) -> Vec<bool> {
    let mut beyond_m = vec![0.0f32; below.len()];
    for (place, &joint) in below.iter().enumerate().rev() {
        let reach_m = source.shells_m[joint].max(beyond_m[place]);
        if let Some(parent) = parents[place] {
            let length_m = source.skeleton.bind(joint).translation.length();
            beyond_m[parent] = beyond_m[parent].max(length_m + reach_m);
        }
    }
    let sticks_out =
        |(&joint, beyond_m): (&usize, &f32)| source.shells_m[joint] > *beyond_m || !source.weights.is_even_on(joint);
    below.iter().zip(&beyond_m).map(sticks_out).collect()
}

impl Levers {
    /// Collects points of one joint at those samples; there is at least one, so vertices are to be those of every leaf.
    pub fn new(source: &Source<'_>, joint: usize, points: LeverPoints<'_>, samples: Range<usize>) -> Self {
        let (skeleton, clip) = (source.skeleton, source.clip);
        let below = &skeleton.subtree(joint)[1..];
        // Where each joint below finds its parent's matrix; `None` hangs on the joint itself.
        let parents: Vec<Option<usize>> =
            below.iter().map(|&d| skeleton.parent(d).and_then(|p| below.binary_search(&p).ok())).collect();
        let sticks_out = sticking_out(source, below, &parents);
        let is_even = |joint: usize| source.weights.is_even_on(joint) && points.counts(joint) == 1.0;
        let is_weighted = std::iter::once(&joint).chain(below).any(|&joint| !is_even(joint));
        let (mut in_joint, mut weights_sq) = (Vec::new(), Vec::new());
        let mut joint_from_below = vec![Affine3A::IDENTITY; below.len()];
        for sample in samples.clone() {
            let mut weigh = |count: usize, owner: usize| {
                let weight = if is_weighted { source.weights.at(sample, owner) * points.counts(owner) } else { 1.0 };
                weights_sq.resize(if is_weighted { count } else { 0 }, weight * weight);
            };
            points.push(&Affine3A::IDENTITY, source.shells_m[joint], joint, true, &mut in_joint);
            weigh(in_joint.len(), joint);
            for (i, &d) in below.iter().enumerate() {
                let parent_from_below = clip.at(sample, d).to_affine();
                joint_from_below[i] = match parents[i] {
                    Some(parent) => joint_from_below[parent] * parent_from_below,
                    None => parent_from_below,
                };
                points.push(&joint_from_below[i], source.shells_m[d], d, sticks_out[i], &mut in_joint);
                weigh(in_joint.len(), d);
            }
        }
        let count = in_joint.len() / samples.len();
        let first = samples.start;
        let mut in_model = Vec::with_capacity(in_joint.len());
        for (model, points) in raw_track(source, joint, samples).zip(in_joint.chunks_exact(count)) {
            in_model.extend(points.iter().map(|x| model.transform_point3a(*x)));
        }
        Self { first, count, in_joint, in_model, weights_sq }
    }

    /// Square of the largest distance of the points from where they ought to be, as far as it counts, if the joint had that
    /// matrix; may stop at the first point beyond `limit_sq`.
    #[inline]
    pub fn error_sq(&self, sample: usize, model_from_joint: &Affine3A, limit_sq: f32) -> f32 {
        let at = (sample - self.first) * self.count;
        let points = self.in_joint[at..at + self.count].iter().zip(&self.in_model[at..at + self.count]);
        let mut worst = 0.0f32;
        for (i, (x, wanted)) in points.enumerate() {
            let weight_sq = self.weights_sq.get(at + i).copied().unwrap_or(1.0);
            let distance = (model_from_joint.transform_point3a(*x) - *wanted).length_squared() * weight_sq;
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
