use super::motion::{Clock, FootMotion, Path};
use super::sole::median;
use crate::metrics::ModelTrack;
use glam::{Vec2, Vec3};

/// Ground that turns slower than this counts as ground that does not, radians per second.
const TURNS_FROM_RAD_S: f32 = 0.3;
/// Feet turn along with the ground, or stand, within this share of its turn.
const SPREAD: f32 = 0.3;
/// Turning ground must explain this many times more low moments than ground that does not turn.
const ADVANTAGE: f32 = 1.25;
/// And at least this share of all low moments.
const LEAST_SHARE: f32 = 0.5;
/// Feet turn along with the hips if the hips have this share of their turn.
const ALONG_HIPS: f32 = 0.4;

/// The motion of the joint where the legs meet.
pub(super) struct Hips {
    pub(super) path: Path,
    /// Mean turn about the vertical, radians per second.
    pub(super) turn_rad_s: f32,
}

impl Hips {
    pub(super) fn sample(raw: &ModelTrack, joint: usize, clock: Clock) -> Self {
        let first = raw.pose(0)[joint].matrix3;
        let axes = [first.x_axis, first.y_axis, first.z_axis];
        let level = (0..3).min_by(|a, b| axes[*a].y.abs().total_cmp(&axes[*b].y.abs())).unwrap_or(0);
        let [path, ahead] = Path::sample_all(raw, clock, |step| {
            let at = raw.pose(step)[joint];
            [at.translation.into(), at.matrix3.col(level).into()]
        });
        let heading = |moment: usize| across(ahead.inside(moment));
        let turned: f32 = (1..clock.count).map(|at| angle_rad(heading(at - 1), heading(at))).sum();
        let secs = clock.count.saturating_sub(1) as f32 * clock.secs;
        Self { path, turn_rad_s: if secs > 0.0 { turned / secs } else { 0.0 } }
    }
}

/// The part on the floor. A turn about the vertical, from z to x, is positive.
fn across(v: Vec3) -> Vec2 {
    Vec2::new(v.z, v.x)
}

/// Angle from one direction to another. Zero for directions without length.
fn angle_rad(from: Vec2, to: Vec2) -> f32 {
    from.perp_dot(to).atan2(from.dot(to))
}

/// Turn of a foot about the vertical at a moment: that of the rigid motion that fits the velocities of its points best. `None` for a foot
/// of one place.
pub(super) fn foot_turn_rad_s(motion: &FootMotion, moment: usize) -> Option<f32> {
    let places = || motion.paths.iter().map(|path| across(path.inside(moment)));
    let middle = places().sum::<Vec2>() / motion.paths.len() as f32;
    let velocities = motion.velocities.iter().map(|velocities| across(velocities[moment]));
    let (moved, size) = places().zip(velocities).fold((0.0, 0.0), |(moved, size), (place, velocity)| {
        let arm = place - middle;
        (moved + arm.perp_dot(velocity), size + arm.length_squared())
    });
    (size > 0.0).then(|| moved / size)
}

/// The turn of the ground that explains the most turns of low feet. Zero if ground that does not turn explains as many.
///
/// Feet that turn along with the hips are dragged by them.
pub(super) fn ground_turn_rad_s(feet_rad_s: &[f32], hips_rad_s: f32) -> f32 {
    let middle = median(feet_rad_s.to_vec());
    let spread = SPREAD * middle.abs();
    let near = |turn: f32| feet_rad_s.iter().copied().filter(move |foot| (foot - turn).abs() <= spread);
    let (along, still) = (near(middle).count() as f32, near(0.0).count() as f32);
    let turns = middle.abs() >= TURNS_FROM_RAD_S
        && along > still * ADVANTAGE
        && along >= feet_rad_s.len() as f32 * LEAST_SHARE
        && hips_rad_s * middle <= ALONG_HIPS * middle * middle;
    if turns { median(near(middle).collect()) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ground_turns_if_most_low_feet_do_and_the_hips_do_not() {
        let feet = [vec![0.0; 20], [0.9, 1.0, 1.1].repeat(20)].concat();
        assert!((ground_turn_rad_s(&feet, 0.0) - 1.0).abs() < 1e-5);
        assert_eq!(ground_turn_rad_s(&feet, 1.0), 0.0, "the hips drag them");
        assert!(ground_turn_rad_s(&feet, -1.0) > 0.9, "the hips turn the other way");
        let few = [vec![0.0; 25], vec![1.0; 26]].concat();
        assert_eq!(ground_turn_rad_s(&few, 0.0), 0.0, "feet that stand are as many");
        assert_eq!(ground_turn_rad_s(&[0.1; 9], 0.0), 0.0);
        assert_eq!(ground_turn_rad_s(&[], 0.0), 0.0);
    }

    #[test]
    fn a_foot_that_turns_about_a_place_has_that_turn() {
        let turn = |places: &[Vec3]| {
            let paths = places.iter().map(|place| Path::new(vec![*place], None)).collect();
            let velocities = places.iter().map(|place| vec![Vec3::Y.cross(*place) * 0.7 + Vec3::Z]).collect();
            foot_turn_rad_s(&FootMotion { paths, velocities, lowest_m: vec![0.0], heel_points: 0 }, 0)
        };
        assert!((turn(&[Vec3::X, Vec3::Z, Vec3::new(0.3, 0.1, -2.0)]).unwrap() - 0.7).abs() < 1e-5);
        assert_eq!(turn(&[Vec3::X]), None);
    }
}
