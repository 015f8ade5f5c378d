//! Motion whose contacts are known because it is made from them.
//!
//! A foot stands on its heel, then flat, then on its toes while the heel rises. Between two stands it swings.

use super::fixture::{clip, rigid_mesh};
use glam::{Quat, Vec3};
use posepress_core::math::Transform;
use posepress_core::model::{Clip, Joint, Rig, Skeleton, SkinJoint, SkinnedMesh, Tip};
use std::f32::consts::{PI, TAU};

/// The ankle above the floor.
const ANKLE_M: f32 = 0.085;
/// From the ankle to the toe joint.
const TOE: Vec3 = Vec3::new(0.0, -0.053, 0.13);
/// From the ankle to the heel's end on the floor.
const HEEL: Vec3 = Vec3::new(0.0, -ANKLE_M, -0.055);
/// From the toe joint to the end of the toes on the floor.
const TIP: Vec3 = Vec3::new(0.0, -0.032, 0.065);
/// The foot lands on its heel with the toes up by this angle.
const LANDS_RAD: f32 = 0.35;
/// The foot leaves the ground with the heel up by this angle.
const LEAVES_RAD: f32 = 0.75;

/// One stand of a foot.
#[derive(Debug, Clone, Copy)]
pub struct Stand {
    pub leg: usize,
    pub from_secs: f32,
    pub to_secs: f32,
    /// The floor below the ankle while the foot is flat.
    pub place: Vec3,
    pub yaw: f32,
    /// Slides evenly by this during the stand.
    pub slide: Vec3,
    /// Lands and leaves flat, as on a rung.
    pub flat: bool,
}

/// A motion, described by its stands.
pub struct Motion {
    pub name: &'static str,
    pub duration_secs: f32,
    pub legs: usize,
    /// Also those before and after the clip.
    pub stands: Vec<Stand>,
    pub hips: Box<dyn Fn(f32) -> Vec3>,
    /// Moves with the character and is taken out of the clip: position and yaw.
    pub frame: Box<dyn Fn(f32) -> (Vec3, f32)>,
    /// Farthest of a swing's detour from the straight way.
    pub detour: Vec3,
}

/// A foot at a time: ankle, rotation of the foot, rotation of the toes.
type Pose = (Vec3, Quat, Quat);

impl Motion {
    fn stands_of(&self, leg: usize) -> impl Iterator<Item = &Stand> {
        self.stands.iter().filter(move |stand| stand.leg == leg)
    }

    fn foot(&self, leg: usize, secs: f32) -> Pose {
        if let Some(stand) = self.stands_of(leg).find(|s| (s.from_secs..=s.to_secs).contains(&secs)) {
            return stand.pose(secs);
        }
        let before = self.stands_of(leg).filter(|s| s.to_secs < secs).max_by(|a, b| a.to_secs.total_cmp(&b.to_secs));
        let after =
            self.stands_of(leg).filter(|s| s.from_secs > secs).min_by(|a, b| a.from_secs.total_cmp(&b.from_secs));
        let (before, after) = (before.expect("a stand before"), after.expect("a stand after"));
        let swing_secs = after.from_secs - before.to_secs;
        let part = (secs - before.to_secs) / swing_secs;
        let (a, b) = (before.pose(before.to_secs), after.pose(after.from_secs));
        // Half of the way the foot speeds up evenly, half of it slows down.
        let way = if part < 0.5 { 2.0 * part * part } else { 1.0 - 2.0 * (1.0 - part) * (1.0 - part) };
        let turn = part * part * (3.0 - 2.0 * part);
        let lift = self.detour * (PI * part).sin();
        let toe_turn = (part * 4.0).min(1.0);
        let foot = a.1.slerp(b.1, turn);
        (a.0.lerp(b.0, way) + lift, foot, a.2.slerp(foot, toe_turn).slerp(b.2, turn.powi(8)))
    }

    /// Touch-down and lift-off of a leg within the clip.
    pub fn truth(&self, leg: usize) -> Vec<[f32; 2]> {
        let inside = |stand: &Stand| [stand.from_secs.max(0.0), stand.to_secs.min(self.duration_secs)];
        let mut spans: Vec<_> = self.stands_of(leg).map(inside).filter(|s| s[1] > s[0]).collect();
        spans.sort_by(|a, b| a[0].total_cmp(&b[0]));
        spans
    }

    /// The clip at a rate, for a body of a size. `noise` moves ankles, metres.
    pub fn clip(&self, rig: &Rig, rate_hz: f32, size: f32, noise_m: f32) -> Clip {
        let samples = (self.duration_secs * rate_hz).round() as usize + 1;
        let mut transforms = Vec::new();
        for sample in 0..samples {
            let secs = sample as f32 / rate_hz;
            let (origin, yaw) = (self.frame)(secs);
            let into = Quat::from_rotation_y(-yaw);
            let local = |p: Vec3| into * (p - origin) * size;
            let mut pose: Vec<_> = rig.skeleton.joints().iter().map(|j| j.bind).collect();
            let hips = local((self.hips)(secs));
            pose[0].translation = hips;
            for leg in 0..self.legs {
                let (ankle, foot, toe) = self.foot(leg, secs);
                let ankle = local(ankle + noise(leg, secs) * noise_m);
                let first = 1 + leg * 4;
                let knee = hips + pose[first].translation + pose[first + 1].translation;
                pose[first + 2] = Transform { translation: ankle - knee, rotation: into * foot, ..pose[first + 2] };
                pose[first + 3].rotation = foot.inverse() * toe;
            }
            transforms.extend(pose);
        }
        clip(rig, (samples - 1) as f32 / rate_hz, transforms, vec![], false)
    }
}

impl Stand {
    fn pose(&self, secs: f32) -> Pose {
        let part = (secs - self.from_secs) / (self.to_secs - self.from_secs);
        let (yaw, place) = (Quat::from_rotation_y(self.yaw), self.place + self.slide * part);
        let flat = place + Vec3::Y * ANKLE_M;
        if self.flat {
            return (flat, yaw, yaw);
        }
        if part < 0.15 {
            let foot = yaw * Quat::from_rotation_x(-LANDS_RAD * (1.0 - part / 0.15));
            return (flat + yaw * HEEL - foot * HEEL, foot, foot);
        }
        let rise = ((part - 0.6) / 0.4).max(0.0);
        let foot = yaw * Quat::from_rotation_x(LEAVES_RAD * rise * rise);
        (flat + yaw * TOE - foot * TOE, foot, yaw)
    }
}

/// Smooth noise of captures: at most 1 per axis, below 6 Hz.
fn noise(leg: usize, secs: f32) -> Vec3 {
    let wave = |hz: f32, phase: f32| (TAU * hz * secs + phase + leg as f32 * 1.7).sin();
    let axis = |phase: f32| (wave(1.3, phase) + wave(3.1, 2.0 * phase) + wave(5.7, 3.0 * phase)) / 3.0;
    Vec3::new(axis(0.4), axis(1.9), axis(3.3))
}

/// A body with `legs` legs. With skin, the soles are vertices. Without, ankles and toes are all there is.
pub fn body(legs: usize, size: f32, skin: bool) -> Rig {
    let joint = |name: String, parent, translation: Vec3| Joint {
        name,
        parent,
        bind: Transform::from_translation(translation * size),
    };
    let mut joints = vec![joint("hips".into(), None, Vec3::Y * 0.9)];
    let (mut tips, mut sole) = (Vec::new(), Vec::new());
    for leg in 0..legs {
        let hip = hip(leg);
        let side = ["l", "r", "back_l", "back_r"][leg];
        let first = joints.len();
        joints.push(joint(format!("thigh_{side}"), Some(0), hip));
        joints.push(joint(format!("shin_{side}"), Some(first), Vec3::Y * -0.41));
        joints.push(joint(format!("foot_{side}"), Some(first + 1), Vec3::Y * (ANKLE_M - 0.49)));
        joints.push(joint(format!("toe_{side}"), Some(first + 2), TOE));
        tips.push(Tip { joint: first + 3, offset: TIP * size });
        let ankle = hip.with_y(ANKLE_M);
        for (joint, offset) in [(first + 2, HEEL), (first + 3, TOE.with_y(-ANKLE_M)), (first + 3, TOE + TIP)] {
            sole.extend([-0.03, 0.03].map(|x| (joint, ankle + offset + Vec3::X * x)));
        }
    }
    let mut rig = Rig::from_skeleton("body", Skeleton::new(joints).unwrap());
    if skin {
        rig.meshes = vec![mesh(&rig, &sole, size)];
    } else {
        rig.tips = tips;
    }
    rig
}

/// Start of a leg, relative to the hips. Hind legs are behind.
pub fn hip(leg: usize) -> Vec3 {
    Vec3::new(if leg.is_multiple_of(2) { 0.1 } else { -0.1 }, 0.0, if leg < 2 { 0.0 } else { -0.7 })
}

/// A mesh whose vertices each follow one joint. `vertices` are positions in the bind pose relative to the hips' place on the floor.
fn mesh(rig: &Rig, vertices: &[(usize, Vec3)], size: f32) -> SkinnedMesh {
    let bind: Vec<_> = rig.skeleton.joints().iter().map(|j| j.bind).collect();
    let bind = posepress_core::model::ModelPose::new(&rig.skeleton, &bind);
    let palette = bind.joints.iter().enumerate();
    SkinnedMesh {
        palette: palette.map(|(joint, at)| SkinJoint { joint, joint_from_mesh: at.inverse() }).collect(),
        influences: vertices.iter().map(|(joint, _)| [*joint as u16, 0, 0, 0]).collect(),
        ..rigid_mesh(0, Vec3::ZERO, &vertices.iter().map(|(_, v)| *v * size).collect::<Vec<_>>())
    }
}
