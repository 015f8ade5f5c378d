//! Constraints between joints, evaluated on a pose, as VRMC_node_constraint 1.0 defines them
//! (<https://github.com/vrm-c/vrm-specification>). They replace the rotation of a joint.

use crate::math::Transform;
use glam::{Affine3A, DQuat, DVec3, Quat};
use serde::{Deserialize, Serialize};

/// The way in which a joint follows its source.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Following {
    /// Copies the rotation of the source about this local axis.
    Roll(DVec3),
    /// Points this local axis at the source.
    Aim(DVec3),
    /// Copies the rotation of the source.
    Rotation,
}

/// A joint that follows another joint.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct JointConstraint {
    /// The joint that follows.
    pub joint: usize,
    /// The joint that it follows.
    pub source: usize,
    /// The kind of constraint.
    pub following: Following,
    /// Weight: 0 keeps the rest rotation, 1 follows fully.
    pub weight: f32,
    /// Rest rotation of the joint.
    pub rest: Quat,
    /// Rest rotation of the source.
    pub source_rest: Quat,
}

/// The constraints of a rig, sorted so that each comes after those that it depends on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct JointConstraints {
    all: Vec<JointConstraint>,
    parents: Vec<Option<usize>>,
}

impl JointConstraints {
    /// Takes constraints in the order of evaluation, and the parent of each joint.
    pub fn new(all: Vec<JointConstraint>, parents: Vec<Option<usize>>) -> Self {
        Self { all, parents }
    }

    /// True if there are no constraints.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The constraints in the order of evaluation.
    pub fn iter(&self) -> impl Iterator<Item = &JointConstraint> {
        self.all.iter()
    }

    /// The constraints of the joints that `is_meant` accepts.
    pub fn only(&self, is_meant: impl Fn(usize) -> bool) -> Self {
        Self {
            all: self.all.iter().filter(|one| is_meant(one.joint)).copied().collect(),
            parents: self.parents.clone(),
        }
    }

    /// Cost of a pose: 1, plus the steps per joint of the rig, rounded up. An aim walks up to the root twice.
    pub fn work(&self) -> u64 {
        let depth = |joint: usize| self.above(joint).count();
        let steps = |one: &JointConstraint| match one.following {
            Following::Aim(_) => 1 + depth(one.joint) + depth(one.source),
            Following::Roll(_) | Following::Rotation => 1,
        };
        1 + self.all.iter().map(steps).sum::<usize>().div_ceil(self.parents.len().max(1)) as u64
    }

    /// Applies the constraints to a pose.
    pub fn apply(&self, joints: &mut [Transform]) {
        for one in &self.all {
            if let Some(wanted) = self.wanted(one, joints) {
                let turned = one.rest.as_dquat().slerp(wanted, f64::from(one.weight));
                joints[one.joint].rotation = turned.normalize().as_quat();
            }
        }
    }

    /// The rotation of a constraint at full weight; `None` for an aim at the joint's own position.
    fn wanted(&self, one: &JointConstraint, joints: &[Transform]) -> Option<DQuat> {
        let (rest, source_rest) = (one.rest.as_dquat(), one.source_rest.as_dquat());
        let source = joints[one.source].rotation.as_dquat();
        match one.following {
            Following::Rotation => Some(rest * (source_rest.inverse() * source)),
            Following::Roll(axis) => {
                let turned = rest.inverse() * (source * source_rest.inverse()) * rest;
                let swing = DQuat::from_rotation_arc(axis, (turned * axis).normalize());
                Some(rest * (swing.inverse() * turned))
            }
            Following::Aim(axis) => {
                let (model_from_parent, parent) = self.space(self.parents[one.joint], joints);
                let place = model_from_parent.transform_point3(joints[one.joint].translation);
                let (model_from_above, _) = self.space(self.parents[one.source], joints);
                let target = model_from_above.transform_point3(joints[one.source].translation);
                let to = (target - place).as_dvec3().try_normalize()?;
                let from = ((parent * rest) * axis).normalize();
                Some(parent.inverse() * DQuat::from_rotation_arc(from, to) * parent * rest)
            }
        }
    }

    /// Model transform and model rotation of a joint.
    fn space(&self, joint: Option<usize>, joints: &[Transform]) -> (Affine3A, DQuat) {
        let mut space = (Affine3A::IDENTITY, DQuat::IDENTITY);
        let Some(joint) = joint else { return space };
        for above in std::iter::once(joint).chain(self.above(joint)) {
            let local = &joints[above];
            space = (local.to_affine() * space.0, local.rotation.as_dquat() * space.1);
        }
        space
    }

    fn above(&self, joint: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.parents[joint], |&above| self.parents[above])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    /// A joint and its source side by side under a turned parent, after one constraint.
    fn followed(following: Following, weight: f32, rest: [Quat; 2], source: Transform) -> Quat {
        let one = JointConstraint { joint: 1, source: 2, following, weight, rest: rest[0], source_rest: rest[1] };
        let all = JointConstraints::new(vec![one], vec![None, Some(0), Some(0)]);
        let parent = Transform { rotation: Quat::from_rotation_y(0.5), ..Transform::from_translation(Vec3::X) };
        let joint = Transform { rotation: Quat::from_rotation_z(2.0), ..Transform::IDENTITY };
        let mut pose = [parent, joint, source];
        all.apply(&mut pose);
        pose[1].rotation
    }

    fn turned(rotation: Quat) -> Transform {
        Transform { rotation, ..Transform::from_translation(Vec3::new(0.0, 2.0, 1.0)) }
    }

    fn is_near(a: Quat, b: Quat) -> bool {
        a.dot(b).abs() > 1.0 - 1e-6
    }

    #[test]
    fn a_roll_takes_the_turn_about_its_axis_alone() {
        let swing = Quat::from_rotation_z(0.4);
        let still = [Quat::IDENTITY; 2];
        let roll = |weight| followed(Following::Roll(DVec3::X), weight, still, turned(Quat::from_rotation_x(0.8)));
        assert!(is_near(roll(1.0), Quat::from_rotation_x(0.8)) && is_near(roll(0.5), Quat::from_rotation_x(0.4)));
        assert!(is_near(roll(0.0), Quat::IDENTITY), "the rest pose, not the joint's keys");
        let swung = followed(Following::Roll(DVec3::X), 1.0, still, turned(swing));
        assert!(is_near(swung, Quat::IDENTITY), "a swing is no roll");
        // With a turned rest pose, the source turns about the joint's local X axis.
        let rest = [Quat::from_rotation_y(1.0), Quat::from_rotation_z(0.3)];
        let about_own = rest[0] * Quat::from_rotation_x(0.8) * rest[0].inverse();
        let found = followed(Following::Roll(DVec3::X), 1.0, rest, turned(about_own * rest[1]));
        assert!(is_near(found, rest[0] * Quat::from_rotation_x(0.8)));
    }

    #[test]
    fn a_rotation_is_copied_from_rest_to_rest() {
        let rest = [Quat::from_rotation_y(1.0), Quat::from_rotation_z(0.3)];
        let found = followed(Following::Rotation, 1.0, rest, turned(rest[1] * Quat::from_rotation_x(0.7)));
        assert!(is_near(found, rest[0] * Quat::from_rotation_x(0.7)));
    }

    #[test]
    fn an_aim_points_its_axis_at_the_source_wherever_the_parent_is_turned() {
        let rest = [Quat::from_rotation_z(0.2), Quat::IDENTITY];
        let found = followed(Following::Aim(DVec3::NEG_Z), 1.0, rest, turned(Quat::IDENTITY));
        let pointed = found * Vec3::NEG_Z;
        assert!(
            pointed.distance(Vec3::new(0.0, 2.0, 1.0).normalize()) < 1e-6,
            "in the space of their parent: {pointed}"
        );
        let at_itself = followed(Following::Aim(DVec3::X), 1.0, rest, Transform::IDENTITY);
        assert!(is_near(at_itself, Quat::from_rotation_z(2.0)), "nothing to aim at: left as it is");
    }
}
