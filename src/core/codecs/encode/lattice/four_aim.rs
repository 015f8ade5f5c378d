//! The target poses of a joint at four samples, given the decoded poses of its parent. See [`super::aim`].

use super::aim::LARGEST_TURN;
use super::{JointPlan, Plan};
use crate::math::four::{
    Axes, LANES, Locals, Models, Rotations, Vectors, add, all, all_axes, clamped, conjugate, cross, dot, finite,
    inverse, less, opposite_where, rotations, three, transposed, turned, vectors,
};
use crate::math::{dot_lanes, product_lanes};
use glam::{Vec3A, Vec4};

/// The target of a joint at four samples. The last sample of a block is repeated.
#[derive(Debug)]
pub struct Target {
    /// The clip's local transforms.
    pub local: Locals,
    /// `model_from_joint` in the clip.
    pub raw: Models,
    /// Object-space rotations in the clip.
    turn: Rotations,
    /// Squared weights of the joint's own error.
    weight_sq: Vec4,
    /// The places of the points of the joint's plan in the clip.
    points: Vec<Vectors>,
}

/// The targets of all joints, `joints x ceil(samples / 4)`.
pub fn targets(plan: &Plan<'_>) -> Vec<Target> {
    let samples = plan.raw.samples();
    let fours = samples.clone().step_by(LANES);
    let of_joint = |joint: usize| fours.clone().map(move |first| (joint, first));
    let all = (0..plan.joints.len()).flat_map(of_joint);
    all.map(|(joint, first)| Target::new(plan, joint, |lane| (first + lane).min(samples.end - 1))).collect()
}

impl Target {
    fn new(plan: &Plan<'_>, joint: usize, sample: impl Fn(usize) -> usize) -> Self {
        let (source, raw) = (&plan.source, plan.raw);
        let weight = |lane: usize| source.weights.at(sample(lane), joint);
        let place = |owner: usize, in_owner| vectors(|lane| raw.at(sample(lane), owner).transform_point3a(in_owner));
        Self {
            local: Locals::new(|lane| source.clip.at(sample(lane), joint)),
            raw: Models::new(|lane| raw.at(sample(lane), joint)),
            turn: rotations(|lane| plan.turn(sample(lane), joint)),
            weight_sq: Vec4::from_array([0, 1, 2, 3].map(|lane| weight(lane) * weight(lane))),
            points: plan.joints[joint].points.iter().map(|point| place(point.owner, point.in_owner)).collect(),
        }
    }

    /// [`Plan::wanted_translation`] at four samples.
    pub fn wanted_translation(&self, above: &Models, is_rigid: bool) -> Vectors {
        let off = less(&self.raw.at, &above.transform(&self.local.translation));
        add(&self.local.translation, &finite(turned(&undone(&above.axes, is_rigid), &off)))
    }

    /// [`Plan::wanted_rotation`] at four samples.
    pub fn wanted_rotation(&self, above_turn: &Rotations) -> Rotations {
        let wanted = product_lanes(conjugate(above_turn), self.turn);
        let is_opposite = dot_lanes(&wanted, &self.local.rotation).cmplt(Vec4::ZERO);
        opposite_where(is_opposite, wanted)
    }

    /// [`Plan::errors`] at four samples.
    pub fn errors(&self, plan: &JointPlan, (axes, at): (&Axes, &Vectors), is_rigid: bool, out: &mut Vec<Vectors>) {
        let to_joint = undone(axes, is_rigid);
        out.clear();
        out.extend(plan.points.iter().zip(&self.points).map(|(point, raw)| {
            let found = add(&turned(axes, &all(point.in_joint)), at);
            finite(turned(&to_joint, &less(&found, raw)))
        }));
    }

    /// The squared weighted shell errors of decoded matrices.
    pub fn errors_sq(&self, models: &Models, shell_m: f32) -> Vec4 {
        shell_errors_sq(&self.raw, models, shell_m) * self.weight_sq
    }
}

impl JointPlan {
    /// [`JointPlan::fixing_turn`] at four samples.
    pub fn fixing_turns(&self, errors: &[Vectors]) -> Vectors {
        let points = self.points.iter().zip(errors);
        let pull =
            points.fold(all(Vec3A::ZERO), |pull, (point, error)| less(&pull, &cross(&all(point.in_joint), error)));
        clamped(finite(turned(&all_axes(&self.inverse_metric), &pull)), LARGEST_TURN)
    }
}

/// [`super::steps_of_turn`] at four samples.
pub fn steps_of_turns(turn: &Vectors, turns: &[Vectors; 3]) -> Vectors {
    finite(three(|i| dot(&turns[i], turn) / dot(&turns[i], &turns[i])))
}

/// [`crate::metrics::shell_error_sq`] of four pairs of matrices.
fn shell_errors_sq(a: &Models, b: &Models, shell_m: f32) -> Vec4 {
    let (shell, origin) = (Vec4::splat(shell_m), less(&a.at, &b.at));
    let [x, y, z] = three(|i| {
        let axis = less(&a.axes[i], &b.axes[i]);
        let point = three(|c| origin[c] + axis[c] * shell);
        dot(&point, &point)
    });
    Vec4::select((x + y + z).is_finite_mask(), x.max(y).max(z), Vec4::INFINITY)
}

fn undone(axes: &Axes, is_rigid: bool) -> Axes {
    if is_rigid { transposed(axes) } else { inverse(axes) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::tests::unit_quat;
    use crate::metrics::shell_error_sq;
    use glam::{Affine3A, Quat, Vec3};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn shell_errors_are_those_of_single_matrices(
            turns in prop::array::uniform8(unit_quat()), at in prop::array::uniform8(-2.0f32..2.0), shell_m in 0.01f32..1.0,
        ) {
            let model = |turn: Quat, x: f32| Affine3A::from_rotation_translation(turn, Vec3::new(x, 1.0, -x));
            let of = |first: usize, lane: usize| model(turns[first + lane], at[first + lane]);
            let found = shell_errors_sq(&Models::new(|lane| of(0, lane)), &Models::new(|lane| of(4, lane)), shell_m);
            for lane in 0..LANES {
                let single = shell_error_sq(&of(0, lane), &of(4, lane), shell_m);
                prop_assert_eq!(found[lane].to_bits(), single.to_bits());
            }
        }
    }

    #[test]
    fn errors_that_are_not_finite_are_infinite() {
        let (near, mut far) = (Models::IDENTITY, Models::IDENTITY);
        (far.at[0].y, far.axes[1][2].z) = (f32::NAN, f32::INFINITY);
        assert_eq!(shell_errors_sq(&near, &far, 1.0).to_array(), [0.0, f32::INFINITY, f32::INFINITY, 0.0]);
    }
}
