//! Where a joint should lie, given what it hangs on as that decodes.

use super::{JointPlan, Plan};
use glam::{Affine3A, Mat3A, Quat, Vec3A};

/// A rotation that compensates more than this has nothing to compensate: its points lie on one line.
const LARGEST_TURN: f32 = 0.1;

impl Plan<'_> {
    /// The translation that puts a joint's origin where it is in the clip.
    pub fn wanted_translation(&self, sample: usize, joint: usize, above: &Affine3A) -> Vec3A {
        let raw = self.source.clip.at(sample, joint).translation;
        let off = self.raw.at(sample, joint).translation - above.transform_point3a(raw.into());
        Vec3A::from(raw) + finite(self.inverse(&above.matrix3) * off)
    }

    /// The rotation that turns a joint as it is turned in the clip, of the sign that it has there. `above_turn`: the parent's
    /// rotation in object space, as it decodes.
    pub fn wanted_rotation(&self, sample: usize, joint: usize, above_turn: Quat) -> Quat {
        let wanted = above_turn.conjugate() * self.turn(sample, joint);
        if wanted.dot(self.source.clip.at(sample, joint).rotation) < 0.0 { -wanted } else { wanted }
    }

    /// How far each point of a joint would be off if it had that matrix, in its own space.
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
    /// The turn, about the joint's own axes, that takes its points nearest to where they belong; `errors`: how far they are off.
    pub fn mending_turn(&self, errors: &[Vec3A]) -> Vec3A {
        let points = self.points.iter().zip(errors);
        let pull = points.fold(Vec3A::ZERO, |pull, (point, error)| pull - point.in_joint.cross(*error));
        finite(self.inverse_metric * pull).clamp_length_max(LARGEST_TURN)
    }
}

/// How many steps along each axis of a lattice a turn is, where one is the turn of [`super::LatticeTrack::turns`].
pub fn steps_of_turn(turn: Vec3A, turns: &[Vec3A; 3]) -> Vec3A {
    finite(Vec3A::from(turns.map(|axis| axis.dot(turn) / axis.length_squared())))
}

/// Zero in place of what flat matrices give.
fn finite(v: Vec3A) -> Vec3A {
    if v.is_finite() { v } else { Vec3A::ZERO }
}
