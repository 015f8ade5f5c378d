use super::{ContactSettings, Foot, FootKind, SolePoint};
use crate::metrics::ModelTrack;
use crate::model::Rig;
use glam::Vec3;

/// Share of the time that a foot may be below the ground. It covers noise, and feet that press into the ground.
const GROUND_PERCENTILE: f32 = 0.05;
/// Heights within this share of the heel's limit count as one, in the search for the height at which a foot stays longest.
const LINGER_SHARE: f32 = 0.5;
/// The ground is at most this many heel limits above the 5th percentile, because hand-made cycles push toes deep into the ground.
const LINGER_REACH: f32 = 2.0;
/// The ground of the bind pose is used if the character is at that height for this share of the time.
const BIND_SHARE: f32 = 0.2;
/// On a treadmill, the speed of feet in contact varies by this share. Hand-made cycles are not more even.
const TREADMILL_SPREAD: f32 = 0.4;
/// A treadmill must explain this many times more contact than still ground does.
const TREADMILL_ADVANTAGE: f32 = 1.25;
/// Number of times that the estimate is replaced by the mean of the velocities near it.
const REFINEMENTS: usize = 3;

/// The motion of a foot's sole in the raw clip, per sample.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FootMotion {
    /// Height of the lowest sole point, metres in object space.
    pub(super) height_m: Vec<f32>,
    /// Velocity of the sole's centre.
    pub(super) velocity_m_s: Vec<Vec3>,
}

impl FootMotion {
    /// Samples the sole of one foot. A looping clip has one sample less, because its last sample equals its first.
    pub(super) fn sample(rig: &Rig, foot: &Foot, raw: &ModelTrack, looping: bool) -> Self {
        let samples = raw.grid().samples();
        let (mut height_m, mut middles) = (Vec::with_capacity(samples), Vec::with_capacity(samples));
        for sample in 0..samples {
            let step = sample * raw.sub_frames();
            let (pose, floats) = (raw.pose(step), raw.floats(step));
            let points = || foot.sole_points(rig, &pose, &floats);
            height_m.push(points().map(|p| p.y).fold(f32::INFINITY, f32::min));
            middles.push(points().sum::<Vec3>() / foot.sole.len() as f32);
        }
        let looping = looping && samples > 2;
        if looping {
            height_m.pop();
        }
        let sample_secs = raw.time_secs(raw.sub_frames().min(raw.steps() - 1));
        Self { height_m, velocity_m_s: velocities(&middles, sample_secs, looping) }
    }
}

/// The velocity at each sample: the mean of the steps into and out of it.
///
/// Across the seam of a loop, the step before the last sample leads into the first. So a loop with root motion does not seem to jump back.
fn velocities(positions: &[Vec3], sample_secs: f32, looping: bool) -> Vec<Vec3> {
    if sample_secs <= 0.0 || positions.len() < 2 {
        return vec![Vec3::ZERO; positions.len()];
    }
    let steps: Vec<_> = positions.windows(2).map(|w| (w[1] - w[0]) / sample_secs).collect();
    let count = if looping { steps.len() } else { positions.len() };
    let velocity = |i: usize| {
        let into = if i > 0 { Some(steps[i - 1]) } else { steps.last().copied().filter(|_| looping) };
        let out = steps.get(i).copied();
        match (into, out) {
            (Some(a), Some(b)) => (a + b) / 2.0,
            (one, other) => one.or(other).unwrap_or(Vec3::ZERO),
        }
    };
    (0..count).map(velocity).collect()
}

/// The height at which a foot is in contact: near the lowest 5 %, the height at which the foot stays longest.
///
/// The 5th percentile alone would do for captured motion. But hand-made cycles dip a toe some centimetres into the ground for a tenth of
/// the time. The feet would then seem to float for the rest.
pub(super) fn standing_height(mut heights_m: Vec<f32>, limits: &ContactSettings) -> Option<f32> {
    heights_m.sort_by(f32::total_cmp);
    let lowest = *heights_m.get((GROUND_PERCENTILE * heights_m.len().saturating_sub(1) as f32) as usize)?;
    let (window_m, reach_m) = (limits.heel_height_m * LINGER_SHARE, limits.heel_height_m * LINGER_REACH);
    let near = |start: usize| heights_m[start..].partition_point(|h| *h <= heights_m[start] + window_m);
    let starts = heights_m.partition_point(|h| *h <= lowest + reach_m);
    let (count, start) = (0..starts).map(|i| (near(i), i)).reduce(|a, b| if b.0 > a.0 { b } else { a })?;
    Some(heights_m[start + count / 2])
}

/// The height of the ground. If the clip uses the height of the soles in the bind pose, it is that height. Otherwise it is the height at
/// which the lowest foot is in contact.
///
/// `bind_m` is `None` for rigs without skin, whose bind pose often does not stand.
pub(super) fn ground_height(motions: &[&FootMotion], bind_m: Option<f32>, limits: &ContactSettings) -> Option<f32> {
    let samples = motions.iter().map(|m| m.height_m.len()).max()?;
    let lowest = |i: usize| motions.iter().filter_map(|m| m.height_m.get(i).copied()).fold(f32::INFINITY, f32::min);
    let lowest: Vec<_> = (0..samples).map(lowest).collect();
    let window_m = limits.heel_height_m * LINGER_SHARE;
    let stands_at = |level: &f32| {
        let near = lowest.iter().filter(|h| (*h - level).abs() <= window_m).count();
        near as f32 >= samples as f32 * BIND_SHARE
    };
    bind_m.filter(stands_at).or_else(|| standing_height(lowest.clone(), limits))
}

/// The height above ground of each foot's lowest sole point during contact.
///
/// It is the lowest contact height among feet of the same kind. So a foot that never comes down does not seem to have contact in the air.
/// Marked joints each have their own height. With skin it is at most the height limit, so that a sole that is not modelled flat can still
/// have contact.
pub(super) fn rest_heights(
    feet: &[Foot],
    motions: &[FootMotion],
    ground_m: f32,
    settings: &ContactSettings,
) -> Vec<f32> {
    let own: Vec<_> =
        motions.iter().map(|m| standing_height(m.height_m.clone(), settings).unwrap_or(ground_m)).collect();
    let has_skin = |foot: &Foot| matches!(foot.sole.first(), Some(SolePoint::Vertex { .. }));
    let rest = |index: usize| {
        let foot = &feet[index];
        let alike = |other: usize| {
            other == index
                || (foot.kind != FootKind::Marked
                    && feet[other].kind == foot.kind
                    && has_skin(&feet[other]) == has_skin(foot))
        };
        let lowest = (0..feet.len()).filter(|&o| alike(o)).map(|o| own[o]).fold(own[index], f32::min);
        let above_ground = (lowest - ground_m).max(0.0);
        if has_skin(foot) { above_ground.min(foot.kind.height_m(settings)) } else { above_ground }
    };
    (0..feet.len()).map(rest).collect()
}

/// The velocity of the ground that explains the most contact. It is zero for clips that travel or stand still. For a walk on the spot it is
/// the velocity of the feet.
///
/// `low` are the horizontal velocities of feet while they are low: most of these feet are in contact. `travel` is the velocity of the hips
/// over the whole clip. A character that moves ahead is not on a treadmill.
pub(super) fn ground_velocity(low: &[Vec3], travel: Vec3, speed_m_s: f32) -> Vec3 {
    let near = |ground: Vec3, reach: f32| low.iter().filter(move |v| v.distance(ground) <= reach);
    let middle = |axis: fn(&Vec3) -> f32| {
        let mut values: Vec<_> = low.iter().map(axis).collect();
        let half = values.len() / 2;
        if values.is_empty() { 0.0 } else { *values.select_nth_unstable_by(half, f32::total_cmp).1 }
    };
    let mut ground = Vec3::new(middle(|v| v.x), 0.0, middle(|v| v.z));
    for _ in 0..REFINEMENTS {
        let reach = spread(ground, speed_m_s);
        let count = near(ground, reach).count();
        if count > 0 {
            ground = near(ground, reach).sum::<Vec3>() / count as f32;
        }
    }
    let moving = near(ground, spread(ground, speed_m_s)).count() as f32;
    let still = near(Vec3::ZERO, speed_m_s).count() as f32;
    let is_treadmill = ground.length() > 2.0 * speed_m_s
        && travel.length() < 0.5 * ground.length()
        && moving > still * TREADMILL_ADVANTAGE;
    if is_treadmill { ground } else { Vec3::ZERO }
}

/// Largest deviation of a foot in contact from the ground's velocity.
pub(super) fn spread(ground: Vec3, speed_m_s: f32) -> f32 {
    speed_m_s.max(ground.length() * TREADMILL_SPREAD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn still_ground_wins_unless_a_treadmill_explains_clearly_more() {
        let at = |x: f32, count: usize| std::iter::repeat_n(Vec3::new(x, 0.0, 0.0), count);
        let mix =
            |still, treadmill| at(0.0, still).chain(at(-1.4, treadmill)).chain([Vec3::X * 3.0]).collect::<Vec<_>>();
        assert_eq!(ground_velocity(&mix(100, 110), Vec3::ZERO, 0.15), Vec3::ZERO);
        assert!((ground_velocity(&mix(10, 110), Vec3::ZERO, 0.15).x + 1.4).abs() < 1e-5);
        assert_eq!(ground_velocity(&mix(10, 110), Vec3::X * 1.4, 0.15), Vec3::ZERO, "it travels");
        let uneven: Vec<_> = (0..60).map(|i| Vec3::Z * (0.8 + 0.01 * i as f32)).chain([Vec3::Z * -4.0; 20]).collect();
        assert!((ground_velocity(&uneven, Vec3::ZERO, 0.15).z - 1.095).abs() < 1e-3);
        assert_eq!(ground_velocity(&[], Vec3::ZERO, 0.15), Vec3::ZERO);
    }

    #[test]
    fn velocities_cross_the_seam_of_a_loop_that_travels() {
        let travelling: Vec<_> = (0..5).map(|i| Vec3::X * i as f32).collect();
        assert_eq!(velocities(&travelling, 0.5, true), vec![Vec3::X * 2.0; 4]);
        assert_eq!(velocities(&travelling, 0.5, false), vec![Vec3::X * 2.0; 5]);
        assert_eq!(velocities(&travelling[..1], 0.0, false), [Vec3::ZERO]);
    }

    #[test]
    fn the_ground_is_where_feet_linger_not_where_they_dip() {
        let standing = |heights: Vec<f32>| standing_height(heights, &ContactSettings::default());
        let mut heights = vec![0.1; 100];
        heights[40] = -1.0;
        assert_eq!(standing(heights.clone()), Some(0.1));
        // A tenth of the time a toe dips by 3 cm, and swings high and evenly for half of it.
        heights[40] = 0.1;
        heights[..10].fill(0.07);
        (0..50).for_each(|i| heights[10 + i] = 0.12 + i as f32 * 0.01);
        assert_eq!(standing(heights), Some(0.1));
        // A foot that rests on a chair most of the time does not raise the ground to it.
        assert_eq!(standing([vec![0.0; 20], vec![0.5; 80]].concat()), Some(0.0));
        assert_eq!(standing(vec![]), None);
    }

    #[test]
    fn the_bind_pose_tells_the_ground_to_those_who_stand_there() {
        let limits = ContactSettings::default();
        let motion = |heights: Vec<f32>| FootMotion { velocity_m_s: vec![], height_m: heights };
        // Hangs in the air with stretched toes for most of the clip, as jumps on the spot do.
        let jump = motion([vec![0.001; 30], vec![-0.09; 70]].concat());
        assert_eq!(ground_height(&[&jump], Some(0.0), &limits), Some(0.0));
        assert_eq!(ground_height(&[&jump], None, &limits), Some(-0.09));
        assert_eq!(ground_height(&[&jump], Some(1.0), &limits), Some(-0.09));
        assert_eq!(ground_height(&[], Some(1.0), &limits), None);
    }
}
