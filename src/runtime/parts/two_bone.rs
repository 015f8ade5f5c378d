use crate::math::{product, rotation_arc, sqrt, turned, unit};
use glam::{Quat, Vec3};

/// Shorter bones count as missing.
const SHORTEST_BONE_M: f32 = 5e-7;

/// The result of [`solve_two_bone`]: rotations in object space. `upper` rotates the upper bone about its start. `lower` rotates the
/// lower bone about the bend, and includes `upper`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TwoBoneTurns {
    pub upper: Quat,
    pub lower: Quat,
}

/// Rotates a limb of two bones so that its end lies at `target`, or as near as the bones reach. Points are metres in object space.
///
/// The bones keep their lengths. The plane of the bend rotates with the limb. `None` if a bone or the distance to the target is too
/// short, or if a number is not finite.
pub fn solve_two_bone(start: Vec3, bend: Vec3, end: Vec3, target: Vec3) -> Option<TwoBoneTurns> {
    let (upper, lower, reach) = (bend - start, end - bend, target - start);
    let (upper_m, lower_m) = (upper.length(), lower.length());
    let has_bones = upper_m > SHORTEST_BONE_M && lower_m > SHORTEST_BONE_M && reach.length() > SHORTEST_BONE_M;
    if !has_bones || !(upper_m + lower_m + reach.length()).is_finite() {
        return None;
    }
    let along = reach.normalize();
    let swing = rotation_arc(end - start, reach);
    let swung = turned(swing, upper);
    let pole = pole_across(swung, along);
    let reach_m = reach.length().clamp((upper_m - lower_m).abs(), upper_m + lower_m).max(SHORTEST_BONE_M);
    // The law of cosines in coordinates. Angles would lose half of their digits if the limb is straight.
    let bend_along_m = (upper_m * upper_m - lower_m * lower_m + reach_m * reach_m) / (2.0 * reach_m);
    let bend_across_m = sqrt((upper_m * upper_m - bend_along_m * bend_along_m).max(0.0));
    let new_upper = along * bend_along_m + pole * bend_across_m;
    let upper_turn = unit(product(rotation_arc(swung, new_upper), swing));
    let lower_arc = rotation_arc(turned(upper_turn, lower), along * reach_m - new_upper);
    let lower_turn = unit(product(lower_arc, upper_turn));
    let turns = TwoBoneTurns { upper: upper_turn, lower: lower_turn };
    (turns.upper.is_finite() && turns.lower.is_finite()).then_some(turns)
}

/// The direction in which the limb bends, perpendicular to the line to the target. Any perpendicular direction for a straight limb.
fn pole_across(upper: Vec3, along: Vec3) -> Vec3 {
    (upper - along * upper.dot(along)).try_normalize().unwrap_or_else(|| along.any_orthonormal_vector())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn end_after(start: Vec3, bend: Vec3, end: Vec3, turns: &TwoBoneTurns) -> (Vec3, Vec3) {
        let new_bend = start + turns.upper * (bend - start);
        (new_bend, new_bend + turns.lower * (end - bend))
    }

    fn point(limit: f32) -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-limit..limit).prop_map(Vec3::from_array)
    }

    proptest! {
        #[test]
        fn the_end_gets_where_the_bones_reach(start in point(2.0), upper in point(0.5), lower in point(0.5), to in point(1.0)) {
            prop_assume!(upper.length() > 0.05 && lower.length() > 0.05 && to.length() > 0.05);
            prop_assume!((upper + lower).length() > 0.02);
            let (bend, end, target) = (start + upper, start + upper + lower, start + to);
            let turns = solve_two_bone(start, bend, end, target).unwrap();
            let (new_bend, new_end) = end_after(start, bend, end, &turns);
            prop_assert!(((new_bend - start).length() - upper.length()).abs() < 1e-5);
            prop_assert!(((new_end - new_bend).length() - lower.length()).abs() < 1e-5);
            let (nearest, farthest) = ((upper.length() - lower.length()).abs(), upper.length() + lower.length());
            let miss = (to.length() - to.length().clamp(nearest, farthest)).abs();
            prop_assert!(((new_end - target).length() - miss).abs() < 2e-5, "{new_end} for {target}");
        }
    }

    #[test]
    fn a_solved_limb_stays_as_it_is_and_keeps_its_knee_in_front() {
        let (hip, knee, ankle) = (Vec3::new(0.0, 0.9, 0.0), Vec3::new(0.0, 0.5, 0.05), Vec3::new(0.0, 0.08, 0.0));
        let same = solve_two_bone(hip, knee, ankle, ankle).unwrap();
        assert!(same.upper.angle_between(Quat::IDENTITY) < 1e-3 && same.lower.angle_between(Quat::IDENTITY) < 1e-3);
        let turns = solve_two_bone(hip, knee, ankle, Vec3::new(0.1, 0.2, 0.1)).unwrap();
        assert!(end_after(hip, knee, ankle, &turns).0.z > 0.1);
    }

    #[test]
    fn what_is_no_limb_is_left_alone() {
        let (a, b) = (Vec3::ZERO, Vec3::Y);
        assert_eq!(solve_two_bone(a, a, b, b), None);
        assert_eq!(solve_two_bone(a, b, b, b), None);
        assert_eq!(solve_two_bone(a, b, b * 2.0, a), None);
        assert_eq!(solve_two_bone(a, b, b * 2.0, Vec3::splat(f32::NAN)), None);
        assert_eq!(solve_two_bone(a, b * 1e30, b * 2e30, b), None);
    }
}
