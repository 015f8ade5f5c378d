//! Root drift: how far a loop with root motion ends from its way after many rounds.

use super::motion::finite_or_infinite;
use super::travel::{LEAST_SHARE, extent};
use super::{ModelTrack, Worst};
use crate::model::Clip;
use glam::{Affine3A, DAffine3, DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// Rounds after which the drift is measured. Each round starts where the one before ended, so that errors of a round add up.
const ROUNDS: usize = 100;

/// The error of a loop's way after 100 rounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RootDrift {
    /// The joint that moves the whole character.
    pub joint: usize,
    /// Length of the original's way: 100 times the distance from the first to the last sample, metres.
    pub way_m: f32,
    /// Distance of the decoded place from the original's, metres.
    pub drift_m: f32,
    /// Difference of the headings, radians.
    pub turn_rad: f32,
    /// Decoded minus original mean speed, metres per second.
    pub speed_m_s: f32,
    /// Time of the last sample.
    pub end_secs: f32,
}

impl RootDrift {
    /// Measures a clip whose poses repeat while its root travels. `None` for other clips.
    ///
    /// The step S of a round is the root's matrix at the last sample times the inverse of that at the first. After n rounds from the
    /// original's first place x, the root is at Sⁿ x.
    pub(super) fn measure(clip: &Clip, raw: &ModelTrack, lossy: &ModelTrack) -> Option<Self> {
        let joint = travelling_root(clip)?;
        let [first, last] = [raw.pose(0), raw.pose(raw.steps() - 1)].map(|pose| pose[joint]);
        let size_m = extent(raw.pose(0).iter().map(|of| of.translation.into()));
        if first.translation.distance(last.translation) < LEAST_SHARE * size_m {
            return None;
        }
        let steps = [raw, lossy].map(|track| step(&track.pose(0)[joint], &track.pose(track.steps() - 1)[joint]));
        let [raw_step, lossy_step] = steps;
        let from = first.translation.as_dvec3();
        let [to, drifted] = steps.map(|step| after_rounds(step, from));
        let lengths_m = steps.map(|step| step.transform_point3(from).distance(from));
        let turned = DQuat::from_mat3(&(lossy_step.matrix3 * raw_step.matrix3.transpose())).normalize();
        let end_secs = raw.time_secs(raw.steps() - 1);
        Some(Self {
            joint,
            way_m: (ROUNDS as f64 * lengths_m[0]) as f32,
            drift_m: finite_or_infinite(to.distance(drifted) as f32),
            turn_rad: (ROUNDS as f64 * 2.0 * turned.xyz().length().min(1.0).asin()) as f32,
            speed_m_s: ((lengths_m[1] - lengths_m[0]) as f32) / end_secs.max(f32::MIN_POSITIVE),
            end_secs,
        })
    }

    pub(super) fn worst(&self) -> Worst {
        Worst { joint: self.joint, time_secs: self.end_secs, error_m: self.drift_m }
    }
}

/// The only joint whose first and last local transforms differ. `None` if there is none, or more than one.
fn travelling_root(clip: &Clip) -> Option<usize> {
    let mut differ = (0..clip.joints()).filter(|&joint| !clip.returns(joint));
    let root = differ.next()?;
    (clip.can_loop() && differ.next().is_none()).then_some(root)
}

/// The rigid motion from one matrix to another, without scale.
fn step(from: &Affine3A, to: &Affine3A) -> DAffine3 {
    let rigid = |of: &Affine3A| {
        let (_, rotation, translation) = of.to_scale_rotation_translation();
        DAffine3::from_rotation_translation(rotation.as_dquat().normalize(), translation.as_dvec3())
    };
    rigid(to) * rigid(from).inverse()
}

fn after_rounds(step: DAffine3, from: DVec3) -> DVec3 {
    (0..ROUNDS).fold(from, |place, _| step.transform_point3(place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::model::{ClipData, ClipSampler, Joint, Rig, Skeleton};
    use glam::{Quat, Vec3};

    const SAMPLES: usize = 31;

    /// A root that walks `way_m` forwards and turns, with a child that swings and comes back.
    fn walk(way_m: f32, turn_rad: f32) -> (Rig, Clip) {
        let joint = |name: &str, parent, y| {
            let bind = Transform { translation: Vec3::new(0.0, y, 0.0), ..Transform::IDENTITY };
            Joint { name: name.into(), parent, bind }
        };
        let joints = vec![joint("root", None, 0.0), joint("body", Some(0), 1.0)];
        let pose = |sample: usize| {
            let part = sample as f32 / (SAMPLES - 1) as f32;
            let rotation = Quat::from_rotation_y(turn_rad * part);
            let swing = Quat::from_rotation_x((part * std::f32::consts::TAU).sin());
            let root = Transform { translation: Vec3::Z * (way_m * part), rotation, ..Transform::IDENTITY };
            [root, Transform { translation: Vec3::Y, rotation: swing, ..Transform::IDENTITY }]
        };
        let data = ClipData {
            name: "walk".into(),
            joints: 2,
            duration_secs: 1.0,
            transforms: (0..SAMPLES).flat_map(pose).collect(),
            float_tracks: 0,
            floats: vec![],
            holds: vec![],
            looping: None,
        };
        (Rig::from_skeleton("walker", Skeleton::new(joints).unwrap()), Clip::new(data).unwrap())
    }

    fn track(rig: &Rig, clip: &Clip) -> ModelTrack {
        ModelTrack::sample(&rig.skeleton, &mut ClipSampler::new(clip), clip.grid(), 4, 0)
    }

    fn drift(raw: (f32, f32), lossy: (f32, f32)) -> Option<RootDrift> {
        let ((rig, raw), (_, lossy)) = (walk(raw.0, raw.1), walk(lossy.0, lossy.1));
        let tracks = [&raw, &lossy].map(|clip| track(&rig, clip));
        RootDrift::measure(&raw, &tracks[0], &tracks[1])
    }

    #[test]
    fn errors_of_a_round_add_up() {
        let straight = drift((1.4, 0.0), (1.401, 0.0)).unwrap();
        assert!((straight.way_m - 140.0).abs() < 1e-3 && (straight.drift_m - 0.1).abs() < 1e-3, "{straight:?}");
        assert!(straight.turn_rad < 1e-6 && (straight.speed_m_s - 0.001).abs() < 1e-5, "{straight:?}");
        // A circle of 100 sides: the angle between chord and start is half of the turn.
        let turned = drift((1.4, 0.0), (1.4, 1e-4)).unwrap();
        assert!((turned.turn_rad - 0.01).abs() < 1e-5, "{turned:?}");
        assert!((turned.drift_m - 140.0 * 0.005).abs() < 0.02, "{turned:?}");
        // A closed way: after four quarter turns a walker is back.
        let square = drift((1.4, std::f32::consts::FRAC_PI_2), (1.401, std::f32::consts::FRAC_PI_2)).unwrap();
        assert!(square.drift_m < 0.01, "{square:?}");
    }

    #[test]
    fn a_clip_that_stays_or_that_does_not_come_back_to_its_pose_has_no_way() {
        assert_eq!(drift((0.01, 0.0), (0.02, 0.0)), None);
        let (rig, raw) = walk(1.4, 0.0);
        let bent = raw.edited(|data| data.transforms[2 * SAMPLES - 1].rotation = Quat::from_rotation_x(0.1)).unwrap();
        let bent_track = track(&rig, &bent);
        assert_eq!(RootDrift::measure(&bent, &bent_track, &bent_track), None);
    }
}
