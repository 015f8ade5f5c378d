use crate::math::Transform;
use crate::metrics::ContactPlan;
use crate::model::{Clip, ModelPose, Rig, Skeleton};
use glam::{Mat3, Quat, Vec3};

/// A leg jolts if a joint turns from a sample to the next by more than this many times the largest turn of the clip, and
const JOLT_FACTOR: f32 = 2.0;
/// by this more, radians.
const JOLT_RAD: f32 = 0.2;
/// Most joints of a leg above its foot: thigh, knee, and those of a hock or of twisted bones.
const MOST_JOINTS: usize = 4;
/// A joint whose bend is less than this, on average over the clip, does not bend. Sine of the angle.
const LEAST_BEND: f32 = 0.01;
/// A leg is never stretched beyond this share of its length, so that its knee still bends.
const REACH_SHARE: f32 = 0.999;
const ROUNDS: usize = 40;
/// Largest turn of a joint in one round, radians.
const LARGEST_TURN: f32 = 0.2;
/// Damping, as a share of the squared length of the leg.
const DAMPING: f32 = 1e-6;
/// A foot is at its target from this distance, as a share of the length of the leg.
const CLOSE_SHARE: f32 = 1e-6;

/// A leg, for inverse kinematics.
#[derive(Debug, Clone)]
pub(super) struct Leg {
    /// Index of the foot in the plan.
    pub(super) foot: usize,
    /// Joint of the foot.
    pub(super) joint: usize,
    /// The joint that carries all legs.
    pub(super) hips: usize,
    /// Joints that turn, from the top down. The first turns freely.
    chain: Vec<Bend>,
}

/// A joint of a leg.
#[derive(Debug, Clone, Copy)]
struct Bend {
    joint: usize,
    /// The axis of a knee, in the space of the joint. `None` for a joint that turns freely or does not bend.
    axis: Option<Vec3>,
}

impl Leg {
    /// The legs of all feet that were found. Marked joints and feet without a joint between them and the hips are left out.
    pub(super) fn all(rig: &Rig, clip: &Clip, plan: &ContactPlan) -> Vec<Self> {
        let skeleton = &rig.skeleton;
        let feet: Vec<_> = plan.feet.iter().enumerate().filter(|(_, foot)| !foot.marked).collect();
        let above = |joint: usize, other: usize| skeleton.ancestors(other).any(|a| a == joint);
        let is_shared = |joint: usize| {
            skeleton.parent(joint).is_none()
                || feet.iter().filter(|(_, foot)| foot.joint == joint || above(joint, foot.joint)).count() > 1
        };
        let carries_all = |joint: &usize| feet.iter().all(|(_, foot)| above(*joint, foot.joint));
        let hips = feet.first().and_then(|(_, foot)| skeleton.ancestors(foot.joint).find(carries_all));
        let leg = |(foot, joint): (usize, usize)| {
            let mut joints: Vec<_> =
                skeleton.ancestors(joint).take_while(|a| !is_shared(*a)).take(MOST_JOINTS).collect();
            joints.reverse();
            (!joints.is_empty()).then_some((foot, joint, joints))
        };
        let legs = feet.iter().filter_map(|(index, foot)| leg((*index, foot.joint)));
        let Some(hips) = hips else { return Vec::new() };
        legs.map(|(foot, joint, joints)| Self { foot, joint, hips, chain: bends(skeleton, clip, &joints, joint) })
            .collect()
    }

    /// True if a joint of the leg turns far faster in the fixed clip than in the clip.
    pub(super) fn jolts(&self, clip: &Clip, fixed: &Clip) -> bool {
        let fastest = |clip: &Clip, joint: usize| {
            let turns = (1..clip.samples())
                .map(|at| clip.at(at, joint).rotation.angle_between(clip.at(at - 1, joint).rotation));
            turns.fold(0.0, f32::max)
        };
        let joints = self.chain.iter().map(|bend| bend.joint).chain([self.joint]);
        joints.into_iter().any(|joint| fastest(fixed, joint) > JOLT_FACTOR * fastest(clip, joint) + JOLT_RAD)
    }

    /// The first joint.
    pub(super) fn top(&self) -> usize {
        self.chain[0].joint
    }

    /// Longest distance of the foot from the first joint. A pose that is stretched farther keeps its own.
    pub(super) fn length_m(&self, model: &ModelPose) -> f32 {
        (self.bones_m(model) * REACH_SHARE).max(model.origin(self.top()).distance(model.origin(self.joint)))
    }

    /// Length of the straight leg.
    pub(super) fn bones_m(&self, model: &ModelPose) -> f32 {
        let joints = || self.chain.iter().map(|bend| bend.joint).chain([self.joint]).map(|joint| model.origin(joint));
        joints().zip(joints().skip(1)).map(|(a, b)| a.distance(b)).sum()
    }

    /// Turns the leg so that its foot is at the target, and gives the foot back its rotation. Returns the foot's new place.
    ///
    /// Damped least squares: of all small turns that move the foot as asked, the smallest. They do not turn the leg about its own length,
    /// so that the knee keeps its direction. `pose` is that of the clip, `model` that of `moved`.
    pub(super) fn reach(
        &self,
        skeleton: &Skeleton,
        pose: &[Transform],
        moved: &mut [Transform],
        model: &mut ModelPose,
        target: Vec3,
    ) -> Vec3 {
        let length_m = self.length_m(model);
        for _ in 0..ROUNDS {
            let error = target - model.origin(self.joint);
            if error.length() <= CLOSE_SHARE * length_m {
                break;
            }
            self.turn(skeleton, moved, model, error, DAMPING * length_m * length_m);
        }
        moved[self.joint].rotation = rotation(skeleton, moved, skeleton.parent(self.joint)).inverse()
            * rotation(skeleton, pose, Some(self.joint));
        model.origin(self.joint)
    }

    /// One round: turns that move the foot by about `error`.
    fn turn(&self, skeleton: &Skeleton, moved: &mut [Transform], model: &mut ModelPose, error: Vec3, damping: f32) {
        let foot = model.origin(self.joint);
        let arm = |bend: &Bend| foot - model.origin(bend.joint);
        let axis = |bend: &Bend| bend.axis.map(|axis| rotation(skeleton, moved, Some(bend.joint)) * axis);
        let is_free = |index: usize| index == 0;
        let mut square = Mat3::from_diagonal(Vec3::splat(damping));
        for (index, bend) in self.chain.iter().enumerate() {
            let arm = arm(bend);
            match axis(bend) {
                Some(axis) => square += outer(axis.cross(arm)),
                None if is_free(index) => square += Mat3::from_diagonal(Vec3::splat(arm.length_squared())) - outer(arm),
                None => {}
            }
        }
        let pull = square.inverse() * error;
        let turns = self.chain.iter().enumerate().map(|(index, bend)| match (axis(bend), bend.axis) {
            (Some(world), Some(local)) => Quat::from_scaled_axis(local * bounded(world.cross(arm(bend)).dot(pull))),
            _ if is_free(index) => {
                let parent = rotation(skeleton, moved, skeleton.parent(bend.joint));
                let turn = arm(bend).cross(pull).clamp_length_max(LARGEST_TURN);
                // The turn in the space of the parent, moved behind the joint's own rotation.
                let own = moved[bend.joint].rotation;
                own.inverse() * Quat::from_scaled_axis(parent.inverse() * turn) * own
            }
            _ => Quat::IDENTITY,
        });
        let turns: Vec<_> = turns.collect();
        for (bend, turn) in self.chain.iter().zip(turns) {
            moved[bend.joint].rotation = (moved[bend.joint].rotation * turn).normalize();
        }
        self.update(skeleton, moved, model);
    }

    /// The matrices of the leg and its foot.
    fn update(&self, skeleton: &Skeleton, moved: &[Transform], model: &mut ModelPose) {
        for joint in self.chain.iter().map(|bend| bend.joint).chain([self.joint]) {
            let own = moved[joint].to_affine();
            model.joints[joint] = skeleton.parent(joint).map_or(own, |parent| model.joints[parent] * own);
        }
    }
}

fn bounded(turn: f32) -> f32 {
    turn.clamp(-LARGEST_TURN, LARGEST_TURN)
}

/// v v^T.
pub(super) fn outer(v: Vec3) -> Mat3 {
    Mat3::from_cols(v * v.x, v * v.y, v * v.z)
}

/// Rotation of a joint in object space, without scale. The identity for no joint.
fn rotation(skeleton: &Skeleton, pose: &[Transform], joint: Option<usize>) -> Quat {
    let Some(joint) = joint else { return Quat::IDENTITY };
    skeleton.ancestors(joint).fold(pose[joint].rotation, |rotation, above| pose[above].rotation * rotation)
}

/// The joints of a leg with their axes: the mean normal of the plane of the bones above and below, in the space of the joint.
fn bends(skeleton: &Skeleton, clip: &Clip, joints: &[usize], foot: usize) -> Vec<Bend> {
    let mut sums = vec![Vec3::ZERO; joints.len()];
    let mut model = ModelPose::default();
    for sample in 0..clip.samples() {
        let pose = clip.pose(sample);
        model.update(skeleton, pose);
        for index in 1..joints.len() {
            let below = joints.get(index + 1).copied().unwrap_or(foot);
            let [a, b, c] = [joints[index - 1], joints[index], below].map(|joint| model.origin(joint));
            let normal = (b - a).normalize_or_zero().cross((c - b).normalize_or_zero());
            let own = rotation(skeleton, pose, Some(joints[index])).inverse() * normal;
            let is_opposite = own.dot(sums[index]) < 0.0;
            sums[index] += if is_opposite { -own } else { own };
        }
    }
    let axis = |sum: Vec3| (sum / clip.samples() as f32).length() >= LEAST_BEND;
    let bend = |(&joint, &sum): (&usize, &Vec3)| Bend { joint, axis: axis(sum).then(|| sum.normalize()) };
    joints.iter().zip(&sums).map(bend).collect()
}
