//! The virtual vertices of a joint: the points that it moves, by which its error is measured.

use super::point_motion::PointMotion;
use crate::codecs::Source;
use crate::math::LANES;
use crate::model::{Channel, Clip, ModelPose};
use glam::{Affine3A, Vec3, Vec3A, Vec4};
use rayon::prelude::*;
use std::ops::Range;

/// Object-space matrices of the raw clip over some of its samples. Those of a whole clip are not kept: for a long take they are larger than
/// the clip.
#[derive(Debug, Clone)]
pub struct RawModel {
    samples: Range<usize>,
    joints: usize,
    model_from_joint: Vec<Affine3A>,
}

impl RawModel {
    /// Computes the matrices at those samples.
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

    /// The range of samples.
    pub fn samples(&self) -> Range<usize> {
        self.samples.clone()
    }

    /// `model_from_joint` of a joint at a sample of the clip.
    pub fn at(&self, sample: usize, joint: usize) -> Affine3A {
        self.model_from_joint[(sample - self.samples.start) * self.joints + joint]
    }
}

/// The largest distance per joint to a shell of its descendants, metres.
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

/// `model_from_joint` of a joint at some samples, equal to [`RawModel`] bit for bit.
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

/// The local matrices of a clip. Every joint needs those of all its ancestors.
#[derive(Debug)]
pub struct RawLocals {
    samples: usize,
    /// `parent_from_joint`, `joints x samples`.
    matrices: Vec<Affine3A>,
}

impl RawLocals {
    /// The matrices of all joints at all samples.
    pub fn new(clip: &Clip) -> Self {
        let samples = clip.samples();
        let mut matrices = vec![Affine3A::IDENTITY; clip.joints() * samples];
        matrices.par_chunks_mut(samples).enumerate().for_each(|(joint, matrices)| {
            matrices.iter_mut().zip(clip.track(joint)).for_each(|(matrix, local)| *matrix = local.to_affine());
        });
        Self { samples, matrices }
    }

    /// The matrices of one joint, one per sample.
    pub fn of(&self, joint: usize) -> &[Affine3A] {
        &self.matrices[joint * self.samples..][..self.samples]
    }
}

/// The virtual vertices of a joint at some samples: its own shell, the origins of its descendants, and those of their shells that reach
/// furthest.
///
/// An error of the joint's matrix moves points by an affine map, so it is largest on the convex hull of everything that moves with the
/// joint. If these points stay in place, everything between them does too.
#[derive(Debug)]
pub struct VirtualVertices {
    first: usize,
    /// Groups of four points per sample. The last point may be repeated.
    groups: usize,
    /// `samples x groups`: x, y and z of four points, metres in the joint's space. Joints furthest from the root come first, because they
    /// are likely to move most.
    in_joint: Vec<[Vec4; 3]>,
    /// Squared weights of the points. Empty if all are 1.
    weights_sq: Vec<Vec4>,
    /// One per sample.
    reaches: Vec<Reach>,
}

/// The size of a joint's set of points at a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reach {
    /// The largest weighted distance of a point from the joint, metres in its space.
    pub radius_m: f32,
    /// The largest weight of a point.
    pub weight: f32,
}

impl Reach {
    /// Upper bound of the error growth per unit of distance from another value, in the space of the joint's parent.
    ///
    /// Two unit quaternions at distance `c` move points apart by at most `2 c` times their distance from the joint. Two scales do so by
    /// their difference times that distance, two translations by their difference. `scale`: the joint's scale.
    pub fn slope(self, channel: Channel, scale: Vec3) -> f32 {
        match channel {
            Channel::Rotation => 2.0 * self.radius_m * scale.abs().max_element(),
            Channel::Translation => self.weight,
            Channel::Scale => self.radius_m,
        }
    }
}

/// The set of points by which a joint is measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum VertexSet<'a> {
    /// The joint's own shell, the origins of its descendants, and those of their shells that reach furthest.
    All,
    /// One vertex at the shell of each joint with a number, which is the weight of its error. One entry per joint of the rig.
    Vertices(&'a [Option<f32>]),
}

impl VertexSet<'_> {
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

/// True for the descendants whose own shell must be measured: leaves, joints whose shell reaches beyond all their descendants, and joints
/// with a weight of their own. `parents`: indices in `below`.
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

impl VirtualVertices {
    /// Collects the points of a joint at those samples. There is at least one point, so vertices must include those of every leaf.
    /// `parent_from_joint` returns the local matrix of a descendant at a sample.
    pub fn new(
        source: &Source<'_>,
        joint: usize,
        points: VertexSet<'_>,
        samples: Range<usize>,
        parent_from_joint: impl Fn(usize, usize) -> Affine3A,
    ) -> Self {
        let skeleton = source.skeleton;
        let below = &skeleton.subtree(joint)[1..];
        // The index of each descendant's parent. `None` for children of the joint itself.
        let parents: Vec<Option<usize>> =
            below.iter().map(|&d| skeleton.parent(d).and_then(|p| below.binary_search(&p).ok())).collect();
        let sticks_out = sticking_out(source, below, &parents);
        let is_even = |joint: usize| source.weights.is_even_on(joint) && points.counts(joint) == 1.0;
        let is_weighted = std::iter::once(&joint).chain(below).any(|&joint| !is_even(joint));
        let (first, groups) = (samples.start, 0);
        let mut out = Self { first, groups, in_joint: Vec::new(), weights_sq: Vec::new(), reaches: Vec::new() };
        let mut joint_from_below = vec![Affine3A::IDENTITY; below.len()];
        let (mut found, mut weights) = (Vec::new(), Vec::new());
        for sample in samples.clone() {
            found.clear();
            weights.clear();
            let mut weigh = |count: usize, owner: usize| {
                if is_weighted {
                    weights.resize(count, source.weights.at(sample, owner) * points.counts(owner));
                }
            };
            points.push(&Affine3A::IDENTITY, source.shells_m[joint], joint, true, &mut found);
            weigh(found.len(), joint);
            for (i, &d) in below.iter().enumerate() {
                joint_from_below[i] = match parents[i] {
                    Some(parent) => joint_from_below[parent] * parent_from_joint(sample, d),
                    None => parent_from_joint(sample, d),
                };
                points.push(&joint_from_below[i], source.shells_m[d], d, sticks_out[i], &mut found);
                weigh(found.len(), d);
            }
            if out.groups == 0 {
                out.make_room(samples.len(), found.len(), !weights.is_empty());
            }
            out.push(&found, &weights);
        }
        out
    }

    /// Reserves memory for the points of all samples.
    fn make_room(&mut self, samples: usize, points: usize, is_weighted: bool) {
        self.groups = points.div_ceil(LANES);
        self.in_joint.reserve_exact(samples * self.groups);
        self.weights_sq.reserve_exact(if is_weighted { samples * self.groups } else { 0 });
        self.reaches.reserve_exact(samples);
    }

    /// Adds the points of a sample. No weights if all are 1.
    fn push(&mut self, points: &[Vec3A], weights: &[f32]) {
        for four in points.rchunks(LANES) {
            let at = |i: usize| four[four.len().saturating_sub(1 + i)];
            let (a, b, c, d) = (at(0), at(1), at(2), at(3));
            let (x, y) = (Vec4::new(a.x, b.x, c.x, d.x), Vec4::new(a.y, b.y, c.y, d.y));
            self.in_joint.push([x, y, Vec4::new(a.z, b.z, c.z, d.z)]);
        }
        for four in weights.rchunks(LANES) {
            let at = |i: usize| four[four.len().saturating_sub(1 + i)];
            let weights = Vec4::new(at(0), at(1), at(2), at(3));
            self.weights_sq.push(weights * weights);
        }
        let farthest = |farthest: f32, x: &Vec3A| farthest.max(x.length_squared());
        let weighed = |farthest: f32, (x, weight): (&Vec3A, &f32)| farthest.max(x.length_squared() * weight * weight);
        self.reaches.push(match weights.is_empty() {
            true => Reach { radius_m: points.iter().fold(0.0, farthest).sqrt(), weight: 1.0 },
            false => Reach {
                radius_m: points.iter().zip(weights).fold(0.0, weighed).sqrt(),
                weight: weights.iter().copied().fold(0.0, f32::max),
            },
        });
    }

    /// Memory in use.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.in_joint) + size_of_val(&*self.weights_sq) + size_of_val(&*self.reaches)
    }

    /// The reach of the points at a sample.
    pub fn reach(&self, sample: usize) -> Reach {
        self.reaches[sample - self.first]
    }

    /// The square of the largest weighted error of the points, for a joint with the matrix `model` in place of `raw`. May stop at the first
    /// points beyond `limit_sq`. Never NaN.
    #[inline]
    pub fn error_sq(&self, sample: usize, (raw, model): (&Affine3A, &Affine3A), limit_sq: f32) -> f32 {
        let (motion, limit) = (PointMotion::between(raw, model), Vec4::splat(limit_sq));
        let mut worst = Vec4::ZERO;
        for group in 0..self.groups {
            let errors_sq = self.errors_sq(sample, group, &motion);
            // Also stops at NaN.
            if !errors_sq.cmple(limit).all() {
                return if errors_sq.is_nan() { f32::INFINITY } else { errors_sq.max_element() };
            }
            worst = worst.max(errors_sq);
        }
        worst.max_element()
    }

    /// True if no squared weighted error of the points exceeds the limit.
    #[inline]
    pub fn moves_within(&self, sample: usize, motion: &PointMotion, limit_sq: f32) -> bool {
        let limit = Vec4::splat(limit_sq);
        (0..self.groups).all(|group| self.errors_sq(sample, group, motion).cmple(limit).all())
    }

    /// The point with the largest weighted error, in the joint's space, and its weight.
    pub fn worst_point(&self, sample: usize, (raw, model): (&Affine3A, &Affine3A)) -> (Vec3A, f32) {
        let motion = PointMotion::between(raw, model);
        let (mut worst, mut worst_sq) = ((0, 0), -1.0);
        for group in 0..self.groups {
            for (lane, error_sq) in self.errors_sq(sample, group, &motion).to_array().into_iter().enumerate() {
                if error_sq > worst_sq {
                    (worst, worst_sq) = ((group, lane), error_sq);
                }
            }
        }
        let (at, lane) = ((sample - self.first) * self.groups + worst.0, worst.1);
        let point = self.in_joint[at].map(|four| four[lane]);
        (Vec3A::from_array(point), self.weights_sq.get(at).map_or(1.0, |weights_sq| weights_sq[lane].sqrt()))
    }

    /// The squared weighted errors of four points.
    #[inline]
    fn errors_sq(&self, sample: usize, group: usize, motion: &PointMotion) -> Vec4 {
        let at = (sample - self.first) * self.groups + group;
        let errors_sq = motion.distances_sq(&self.in_joint[at]);
        self.weights_sq.get(at).map_or(errors_sq, |weight_sq| errors_sq * *weight_sq)
    }
}

fn push_shell(joint_from_owner: &Affine3A, shell_m: f32, out: &mut Vec<Vec3A>) {
    let (m, origin) = (&joint_from_owner.matrix3, joint_from_owner.translation);
    out.extend_from_slice(&[origin + m.x_axis * shell_m, origin + m.y_axis * shell_m, origin + m.z_axis * shell_m]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Transform, tests::unit_quat};
    use crate::model::{ClipData, Joint, Skeleton};
    use glam::Quat;
    use proptest::prelude::*;

    const SHELL_M: f32 = 0.1;

    fn vector(range: std::ops::Range<f32>) -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(range).prop_map(Vec3::from_array)
    }

    fn transform() -> impl Strategy<Value = Transform> {
        let parts = (vector(-1.0..1.0), unit_quat(), vector(0.5..2.0));
        parts.prop_map(|(translation, rotation, scale)| Transform { translation, rotation, scale })
    }

    /// A rig with one pose. Each number in `parents` gives the parent of a joint, modulo the joint's index.
    fn rig(parents: &[usize], pose: &[Transform]) -> (Skeleton, Clip) {
        let joint = |(i, local): (usize, &Transform)| Joint {
            name: i.to_string(),
            parent: (i > 0).then(|| parents[i] % i),
            bind: *local,
        };
        let skeleton = Skeleton::new(pose.iter().enumerate().map(joint).collect()).unwrap();
        let data = ClipData {
            name: "pose".into(),
            joints: pose.len(),
            duration_secs: 0.0,
            transforms: pose.to_vec(),
            float_tracks: 0,
            floats: Vec::new(),
            holds: Vec::new(),
            looping: None,
        };
        (skeleton, Clip::new(data).unwrap())
    }

    fn vertices(source: &Source<'_>) -> VirtualVertices {
        VirtualVertices::new(source, 0, VertexSet::All, 0..1, |sample, joint| source.clip.at(sample, joint).to_affine())
    }

    /// The largest error of the points if the pose gets another root. Every point is measured by itself: shells of joints that stick out,
    /// origins of the others.
    fn worst_m(source: &Source<'_>, pose: &[Transform], root: Transform) -> f32 {
        let skeleton = source.skeleton;
        let below = &skeleton.subtree(0)[1..];
        let parents: Vec<Option<usize>> =
            below.iter().map(|&d| skeleton.parent(d).and_then(|p| below.binary_search(&p).ok())).collect();
        let sticks_out: Vec<bool> = std::iter::once(true).chain(sticking_out(source, below, &parents)).collect();
        let raw = ModelPose::new(skeleton, pose);
        let mut pose = pose.to_vec();
        pose[0] = root;
        let model = ModelPose::new(skeleton, &pose);
        let mut worst_m = 0.0f32;
        for (joint, sticks_out) in sticks_out.into_iter().enumerate() {
            let shell = [Vec3A::X * SHELL_M, Vec3A::Y * SHELL_M, Vec3A::Z * SHELL_M];
            for x in if sticks_out { shell } else { [Vec3A::ZERO; 3] } {
                let at = |model: &ModelPose| model.joints[joint].transform_point3a(x);
                worst_m = worst_m.max(at(&raw).distance(at(&model)));
            }
        }
        worst_m
    }

    fn check_worst(pose: &[Transform], parents: &[usize], turned: Quat, moved: Vec3) -> Result<(), TestCaseError> {
        let (skeleton, clip) = rig(parents, pose);
        let shells_m = vec![SHELL_M; pose.len()];
        let source = Source::new(&skeleton, &clip, 0.001, &shells_m);
        let root = Transform {
            rotation: pose[0].rotation.lerp(turned, 0.01),
            translation: pose[0].translation + moved,
            ..pose[0]
        };
        let (raw, model) = (pose[0].to_affine(), root.to_affine());
        let found = vertices(&source).error_sq(0, (&raw, &model), f32::INFINITY).sqrt();
        let worst_m = worst_m(&source, pose, root);
        let rounding = 1e-5 * (1.0 + vertices(&source).reach(0).radius_m);
        prop_assert!((found - worst_m).abs() < rounding, "{found} instead of {worst_m}");
        Ok(())
    }

    /// All joints but the last coincide with their parents.
    #[test]
    fn the_worst_of_four_points_is_found_where_joints_lie_at_their_parents() {
        let at = |[x, y, z, w]: [f32; 4], translation: Vec3, scale: Vec3| {
            let rotation = Quat::from_xyzw(x, y, z, w).normalize();
            Transform { translation, rotation, scale }
        };
        let (zero, half) = (Vec3::ZERO, Vec3::splat(0.5));
        let pose = [
            at([-1.0, 0.0, 0.0, 0.0], zero, Vec3::new(0.5, 0.5, 1.742_964_7)),
            at([0.0, -0.783_098, 0.621_898_35, 0.0], zero, half),
            at([0.0, 0.0, 0.0, 1.0], zero, half),
            at([0.0, 0.0, 0.0, -1.0], zero, half),
            at([-0.667_868_6, 0.0, -0.416_637_87, -0.616_736_9], Vec3::new(-0.234_150_25, -0.856_736_66, 0.0), half),
        ];
        let turned = Quat::from_xyzw(0.0, -0.825_471_94, -0.442_004_23, -0.351_038_93).normalize();
        let moved = Vec3::new(-0.051_793_404, -0.045_949_288, 0.0);
        check_worst(&pose, &[0, 0, 5, 0, 1], turned, moved).unwrap();
    }

    proptest! {
        #[test]
        fn the_worst_of_four_points_at_a_time_is_the_worst_of_all(
            pose in prop::collection::vec(transform(), 1..12),
            parents in prop::array::uniform12(0usize..12),
            turned in unit_quat(),
            moved in vector(-0.1..0.1),
        ) {
            check_worst(&pose, &parents, turned, moved)?;
        }

        /// The error of a value is at most its distance from the original times the slope.
        #[test]
        fn slopes_bound_what_values_err(
            pose in prop::collection::vec(transform(), 1..12),
            parents in prop::array::uniform12(0usize..12),
            other in transform(),
            part in 0.0f32..0.2,
        ) {
            let (skeleton, clip) = rig(&parents, &pose);
            let shells_m = vec![SHELL_M; pose.len()];
            let source = Source::new(&skeleton, &clip, 0.001, &shells_m);
            let (vertices, raw) = (vertices(&source), pose[0].to_affine());
            let near = pose[0].lerp(other, part);
            for channel in Channel::ALL {
                let (mut local, chord) = (pose[0], |a: Quat, b: Quat| (a - b).length().min((a + b).length()));
                let apart = match channel {
                    Channel::Rotation => { local.rotation = near.rotation; chord(near.rotation, pose[0].rotation) }
                    Channel::Translation => { local.translation = near.translation; near.translation.distance(pose[0].translation) }
                    Channel::Scale => { local.scale = near.scale; near.scale.distance(pose[0].scale) }
                };
                let found = vertices.error_sq(0, (&raw, &local.to_affine()), f32::INFINITY).sqrt();
                let most = vertices.reach(0).slope(channel, pose[0].scale) * apart;
                let rounding = 1e-5 * (1.0 + vertices.reach(0).radius_m);
                prop_assert!(found <= 1.0001 * most + rounding, "{channel:?}: {found} beyond {most}");
            }
        }
    }

    #[test]
    fn what_is_not_finite_is_beyond_every_limit() {
        let pose = [Transform::IDENTITY; 3];
        let (skeleton, clip) = rig(&[0, 0, 1], &pose);
        let source = Source::new(&skeleton, &clip, 0.001, &[SHELL_M; 3]);
        let vertices = vertices(&source);
        let nan = Affine3A::from_translation(Vec3::NAN);
        assert_eq!(vertices.error_sq(0, (&Affine3A::IDENTITY, &nan), f32::INFINITY), f32::INFINITY);
        let infinite = Affine3A::from_translation(Vec3::INFINITY);
        assert_eq!(vertices.error_sq(0, (&Affine3A::IDENTITY, &infinite), 1.0), f32::INFINITY);
    }
}
