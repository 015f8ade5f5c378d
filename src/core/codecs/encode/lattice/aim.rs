//! The target pose of a joint, given the decoded pose of its parent.

use super::{JointPlan, Plan};
use crate::math::{dot4, product};
use glam::{Affine3A, Mat3A, Quat, Vec3A};

/// A larger correction than this is not applied: the joint's points lie on one line.
pub(super) const LARGEST_TURN: f32 = 0.1;

impl Plan<'_> {
    /// The translation that puts a joint's origin at its place in the clip.
    pub fn wanted_translation(&self, sample: usize, joint: usize, above: &Affine3A) -> Vec3A {
        let raw = self.source.clip.at(sample, joint).translation;
        let off = self.raw.at(sample, joint).translation - above.transform_point3a(raw.into());
        Vec3A::from(raw) + finite(self.inverse(&above.matrix3) * off)
    }

    /// The rotation that gives a joint its object-space rotation in the clip, with the clip's sign. `above_turn`: the parent's decoded
    /// rotation in object space.
    pub fn wanted_rotation(&self, sample: usize, joint: usize, above_turn: Quat) -> Quat {
        let wanted = product(above_turn.conjugate(), self.turn(sample, joint));
        if dot4(wanted.into(), self.source.clip.at(sample, joint).rotation.into()) < 0.0 { -wanted } else { wanted }
    }

    /// The error of each point of a joint with that matrix, in the joint's space.
    pub fn errors(&self, sample: usize, plan: &JointPlan, axes: &Mat3A, at: Vec3A, out: &mut Vec<Vec3A>) {
        let to_joint = self.inverse(axes);
        out.clear();
        out.extend(plan.points.iter().map(|point| {
            let raw = self.raw.at(sample, point.owner).transform_point3a(point.in_owner);
            finite(to_joint * (*axes * point.in_joint + at - raw))
        }));
    }

    fn inverse(&self, axes: &Mat3A) -> Mat3A {
        if self.is_rigid { axes.transpose() } else { axes.inverse() }
    }
}

impl JointPlan {
    /// The rotation about the joint's own axes that brings its points closest to their places. `errors`: the errors without it.
    pub fn fixing_turn(&self, errors: &[Vec3A]) -> Vec3A {
        let points = self.points.iter().zip(errors);
        let pull = points.fold(Vec3A::ZERO, |pull, (point, error)| pull - point.in_joint.cross(*error));
        finite(self.inverse_metric * pull).clamp_length_max(LARGEST_TURN)
    }
}

/// A rotation in steps along each axis of a lattice. One step is the rotation of [`super::LatticeTrack::turns`].
pub fn steps_of_turn(turn: Vec3A, turns: &[Vec3A; 3]) -> Vec3A {
    finite(Vec3A::from(turns.map(|axis| axis.dot(turn) / axis.length_squared())))
}

/// Zero in place of the infinite or undefined results of flat matrices.
fn finite(v: Vec3A) -> Vec3A {
    if v.is_finite() { v } else { Vec3A::ZERO }
}
