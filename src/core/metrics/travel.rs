use super::ModelTrack;
use glam::{Affine3A, Vec3};
use serde::{Deserialize, Serialize};

/// A motion shorter than this share of the character's size is not travel: the character only shifts its weight or sways.
pub(super) const LEAST_SHARE: f32 = 0.4;
/// Half of the time over which the path is averaged, so that a camera does not follow the sway of each step.
const SMOOTH_SECS: f32 = 0.4;
/// Number of joints that are checked. The joint that moves the whole character is among the first, below a scene's root and helpers.
const CANDIDATES: usize = 8;

/// The path of a clip's character over the ground, for a camera to follow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Travel {
    /// One position per sample, without height. A single one for clips that stay in place.
    path_m: Vec<Vec3>,
    sample_secs: f32,
}

impl Travel {
    /// The path of the first joint that travels. If none of the first eight joints does, the centre of the first pose.
    pub fn of(track: &ModelTrack) -> Self {
        let samples = track.grid().samples();
        let size_m = extent(track.pose(0).iter().map(|m| m.translation.into()));
        let sample_secs = track.time_secs(track.sub_frames().min(track.steps() - 1)).max(1e-6);
        // One pass for all candidates, because a long track is sampled as its steps are asked for.
        let mut paths = vec![Vec::with_capacity(samples); track.joints().min(CANDIDATES)];
        for sample in 0..samples {
            let pose = track.pose(sample * track.sub_frames());
            paths.iter_mut().zip(&*pose).for_each(|(path, joint)| path.push(level(joint)));
        }
        let path_m = match paths.iter().find(|path| extent(path.iter().copied()) > LEAST_SHARE * size_m) {
            Some(path) => smoothed(path, (SMOOTH_SECS / sample_secs) as usize),
            None => vec![middle(track.pose(0).iter().map(level))],
        };
        Self { path_m, sample_secs }
    }

    /// The position of the character at a time.
    pub fn at(&self, time_secs: f32) -> Vec3 {
        let sample = (time_secs / self.sample_secs).clamp(0.0, (self.path_m.len() - 1) as f32);
        let before = sample as usize;
        let after = (before + 1).min(self.path_m.len() - 1);
        self.path_m[before].lerp(self.path_m[after], sample.fract())
    }
}

/// Origin of a joint, without height.
fn level(joint: &Affine3A) -> Vec3 {
    Vec3::from(joint.translation).with_y(0.0)
}

fn middle(points: impl Iterator<Item = Vec3>) -> Vec3 {
    let finite = points.filter(|p| p.is_finite());
    let (sum, count) = finite.fold((Vec3::ZERO, 0u32), |(sum, count), p| (sum + p, count + 1));
    sum / count.max(1) as f32
}

/// Diagonal of the box around points, metres.
pub(super) fn extent(points: impl Iterator<Item = Vec3>) -> f32 {
    let mut finite = points.filter(|p| p.is_finite());
    let Some(first) = finite.next() else { return 0.0 };
    let (min, max) = finite.fold((first, first), |(min, max), p| (min.min(p), max.max(p)));
    min.distance(max)
}

/// The mean of each point and its neighbours: up to `reach` on each side, the same number on both.
fn smoothed(path: &[Vec3], reach: usize) -> Vec<Vec3> {
    let mut sums = vec![glam::DVec3::ZERO];
    for point in path {
        sums.push(sums[sums.len() - 1] + point.as_dvec3());
    }
    let mean = |at: usize| {
        let reach = reach.min(at).min(path.len() - 1 - at);
        ((sums[at + reach + 1] - sums[at - reach]) / (2 * reach + 1) as f64).as_vec3()
    };
    (0..path.len()).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::model::{Clip, ClipData, ClipSampler, Joint, Skeleton};

    /// A root that stays, hips 1 m up that move at `speed` m/s along z and sway, and a head above them.
    fn track(speed_m_s: f32) -> ModelTrack {
        let joint =
            |name: &str, parent, y| Joint { name: name.into(), parent, bind: Transform::from_translation(Vec3::Y * y) };
        let skeleton =
            Skeleton::new(vec![joint("root", None, 0.0), joint("hips", Some(0), 1.0), joint("head", Some(1), 0.7)]);
        let skeleton = skeleton.unwrap();
        let hips = |sample: usize| {
            let secs = sample as f32 / 30.0;
            Vec3::new((secs * 12.0).sin() * 0.03, 1.0, secs * speed_m_s)
        };
        let pose = |sample: usize| [Vec3::ZERO, hips(sample), Vec3::Y * 0.7].map(Transform::from_translation);
        let (name, floats, holds) = ("walk".into(), Vec::new(), Vec::new());
        let transforms = (0..91).flat_map(pose).collect();
        let data =
            ClipData { name, joints: 3, duration_secs: 3.0, transforms, float_tracks: 0, floats, holds, looping: None };
        let clip = Clip::new(data).unwrap();
        ModelTrack::sample(&skeleton, &mut ClipSampler::new(&clip), clip.grid(), 4, 0)
    }

    #[test]
    fn a_walk_is_followed_past_its_sway_and_a_figure_that_stays_is_not() {
        let stays = Travel::of(&track(0.1));
        assert!(stays.at(0.0) == stays.at(2.0));
        let travel = Travel::of(&track(1.4));
        for secs in [0.0, 0.51, 1.5, 2.77, 3.0] {
            let at = travel.at(secs);
            assert!((at.z - 1.4 * secs).abs() < 1e-3, "{secs}: {at}");
            assert!(at.y == 0.0 && at.x.abs() < 0.031, "{secs}: {at}");
        }
        assert!(travel.at(1.5).x.abs() < 0.01, "the sway is averaged away");
        assert!(travel.at(99.0).distance(travel.at(3.0)) < 1e-5, "it stays where it ended");
    }
}
