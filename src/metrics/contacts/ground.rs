use super::{ContactSettings, Foot, FootKind, SolePoint};
use crate::metrics::ModelTrack;
use crate::model::Rig;
use glam::Vec3;

/// Share of the time during which something may be below the ground: noise, and feet that press into it.
const GROUND_PERCENTILE: f32 = 0.05;
/// Feet on a treadmill keep its speed within this share of it: planted feet of hand-made cycles are not that even.
const TREADMILL_SPREAD: f32 = 0.1;
/// A treadmill must explain this many times the standing that still ground does.
const TREADMILL_ADVANTAGE: f32 = 1.25;
/// Velocities that are tried as the ground's, at most.
const MAX_CANDIDATES: usize = 1024;

/// How the sole of a foot moves in the raw clip, at its samples.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FootMotion {
    /// Height of the lowest sole point, metres in object space.
    pub(super) height_m: Vec<f32>,
    /// Velocity of the middle of the sole.
    pub(super) velocity_m_s: Vec<Vec3>,
}

impl FootMotion {
    /// Samples the sole of one foot. A looping clip has one sample less: its last is its first.
    pub(super) fn sample(rig: &Rig, foot: &Foot, raw: &ModelTrack, looping: bool) -> Self {
        let samples = raw.grid().samples();
        let (mut height_m, mut middles) = (Vec::with_capacity(samples), Vec::with_capacity(samples));
        for sample in 0..samples {
            let step = sample * raw.sub_frames();
            let points = || foot.sole_points(rig, raw.pose(step), raw.floats(step));
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

/// Mean of the steps into and out of each sample. Across the seam of a loop the step before the last sample leads into
/// the first, so that a loop with root motion does not seem to jump back.
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

/// Height below which a value of the set lies for 5 % of the time.
pub(super) fn low_percentile(mut heights_m: Vec<f32>) -> Option<f32> {
    let rank = (GROUND_PERCENTILE * heights_m.len().saturating_sub(1) as f32) as usize;
    (!heights_m.is_empty()).then(|| *heights_m.select_nth_unstable_by(rank, f32::total_cmp).1)
}

/// Height of the ground: 5th percentile over the clip of the lowest foot.
pub(super) fn ground_height(motions: &[&FootMotion]) -> Option<f32> {
    let samples = motions.iter().map(|m| m.height_m.len()).max()?;
    let lowest = |i: usize| motions.iter().filter_map(|m| m.height_m.get(i).copied()).fold(f32::INFINITY, f32::min);
    low_percentile((0..samples).map(lowest).collect())
}

/// How high the lowest sole point of each foot stands above ground.
///
/// It is the 5th percentile of the feet of the same kind, the lowest of them, because a foot that never comes down must
/// not seem to stand in the air; marked joints each have their own. Skin reaches down to the ground by itself: there it
/// is at most the height limit, so that a sole that is not modelled flat still stands.
pub(super) fn rest_heights(
    feet: &[Foot],
    motions: &[FootMotion],
    ground_m: f32,
    settings: &ContactSettings,
) -> Vec<f32> {
    let own: Vec<_> = motions.iter().map(|m| low_percentile(m.height_m.clone()).unwrap_or(ground_m)).collect();
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

/// Velocity of the ground that explains most standing: zero for clips that travel and stand still, that of the planted
/// feet for a walk on the spot. `low` are the horizontal velocities of feet while they are low.
pub(super) fn ground_velocity(low: &[Vec3], speed_m_s: f32) -> Vec3 {
    let explained = |ground: Vec3| low.iter().filter(move |v| v.distance(ground) <= spread(ground, speed_m_s));
    let stride = low.len().div_ceil(MAX_CANDIDATES).max(1);
    let candidates = low.iter().step_by(stride).copied();
    let best = candidates.map(|v| (explained(v).count(), v)).reduce(|a, b| if b.0 > a.0 { b } else { a });
    let Some((count, best)) = best else {
        return Vec3::ZERO;
    };
    let still = explained(Vec3::ZERO).count();
    if (count as f32) <= still as f32 * TREADMILL_ADVANTAGE {
        return Vec3::ZERO;
    }
    explained(best).sum::<Vec3>() / count as f32
}

/// How far from the ground's velocity a standing foot's may be.
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
        assert_eq!(ground_velocity(&mix(100, 110), 0.15), Vec3::ZERO);
        assert!((ground_velocity(&mix(10, 110), 0.15).x + 1.4).abs() < 1e-5);
        assert_eq!(ground_velocity(&[], 0.15), Vec3::ZERO);
    }

    #[test]
    fn velocities_cross_the_seam_of_a_loop_that_travels() {
        let travelling: Vec<_> = (0..5).map(|i| Vec3::X * i as f32).collect();
        assert_eq!(velocities(&travelling, 0.5, true), vec![Vec3::X * 2.0; 4]);
        assert_eq!(velocities(&travelling, 0.5, false), vec![Vec3::X * 2.0; 5]);
        assert_eq!(velocities(&travelling[..1], 0.0, false), [Vec3::ZERO]);
    }

    #[test]
    fn the_ground_is_not_the_one_sample_that_dips() {
        let mut heights = vec![0.1; 100];
        heights[40] = -1.0;
        assert_eq!(low_percentile(heights), Some(0.1));
        assert_eq!(low_percentile(vec![]), None);
    }
}
