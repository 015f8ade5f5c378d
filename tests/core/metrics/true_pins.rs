//! Motion whose pins are known because it is made from them: joints are placed in object space, and arms stretch between them.

use super::fixture::{clip, rigid_mesh};
use glam::{Quat, Vec3};
use posepress_core::math::Transform;
use posepress_core::model::{Clip, Joint, Rig, Skeleton};
use std::f32::consts::{PI, TAU};

pub const HIPS: usize = 0;
pub const CHEST: usize = 1;
pub const HEAD: usize = 2;
pub const HAND_L: usize = 5;
pub const HAND_R: usize = 8;
pub const STAFF: usize = 9;
const FIRST_LEG: usize = 10;
/// Time in which a hand reaches its place or leaves it.
const REACH_SECS: f32 = 0.5;
/// The end of the staff below the right hand.
const STAFF_END: Vec3 = Vec3::new(0.0, -0.9, 0.0);
/// The place of the left hand on the staff.
const GRIP: Vec3 = Vec3::new(0.0, 0.4, 0.0);

/// A pin that is true: joint, name of the space, first and last moment.
pub type TruePin = (usize, &'static str, [f32; 2]);

/// A motion, described by places in object space for a person.
pub struct Motion {
    pub name: &'static str,
    pub duration_secs: f32,
    /// In a loop, a pin may end beyond the clip's end.
    pub pins: Vec<TruePin>,
    pub loops: bool,
    pub body: fn(f32) -> Body,
}

/// A pose: positions of hips, chest and hands, and the rotation of the right hand, which carries the staff.
#[derive(Clone, Copy)]
pub struct Body {
    pub hips: Vec3,
    pub chest: Vec3,
    pub left: Vec3,
    pub right: Vec3,
    pub staff: Quat,
}

/// A body with arms, legs and a staff in the right hand.
pub fn rig(size: f32) -> Rig {
    let names = [
        ("hips", None),
        ("chest", Some(HIPS)),
        ("head", Some(CHEST)),
        ("upperarm_l", Some(CHEST)),
        ("lowerarm_l", Some(3)),
        ("hand_l", Some(4)),
        ("upperarm_r", Some(CHEST)),
        ("lowerarm_r", Some(6)),
        ("hand_r", Some(7)),
        ("staff", Some(HAND_R)),
        ("thigh_l", Some(HIPS)),
        ("shin_l", Some(FIRST_LEG)),
        ("foot_l", Some(FIRST_LEG + 1)),
        ("thigh_r", Some(HIPS)),
        ("shin_r", Some(FIRST_LEG + 3)),
        ("foot_r", Some(FIRST_LEG + 4)),
    ];
    let at = places(&standing(0.0));
    let bind = locals(&names.map(|(_, parent)| parent), &at, size);
    let joint = |((name, parent), bind): ((&str, Option<usize>), Transform)| Joint { name: name.into(), parent, bind };
    let joints = names.into_iter().zip(bind).map(joint).collect();
    let mut rig = Rig::from_skeleton("bearer", Skeleton::new(joints).unwrap());
    let corner = |y: f32, x: f32| Vec3::new(x, y, 0.0) * size;
    let corners = [corner(STAFF_END.y, -0.02), corner(STAFF_END.y, 0.02), corner(0.9, 0.02), corner(0.9, -0.02)];
    let mut mesh = rigid_mesh(STAFF, Vec3::ZERO, &corners);
    mesh.triangles = vec![[0, 1, 2], [0, 2, 3]];
    rig.meshes = vec![mesh];
    rig
}

impl Motion {
    /// The clip at a rate, for a body of a size.
    pub fn clip(&self, rig: &Rig, rate_hz: f32, size: f32) -> Clip {
        let samples = (self.duration_secs * rate_hz).round() as usize + 1;
        let parents: Vec<_> = rig.skeleton.joints().iter().map(|joint| joint.parent).collect();
        let pose = |sample: usize| locals(&parents, &places(&(self.body)(sample as f32 / rate_hz)), size);
        clip(rig, (samples - 1) as f32 / rate_hz, (0..samples).flat_map(pose).collect(), vec![], self.loops)
    }
}

/// Position and rotation of every joint in object space.
fn places(body: &Body) -> Vec<(Vec3, Quat)> {
    let arm = |side: f32, hand: Vec3| {
        let shoulder = body.chest + Vec3::new(0.2 * side, 0.1, 0.0);
        [shoulder, (shoulder + hand) / 2.0 + Vec3::new(0.05 * side, -0.08, 0.0)]
    };
    let ([shoulder_l, elbow_l], [shoulder_r, elbow_r]) = (arm(1.0, body.left), arm(-1.0, body.right));
    let leg = |side: f32| {
        let ankle = Vec3::new(0.1 * side, 0.08, 0.0);
        let thigh = body.hips + Vec3::X * 0.1 * side;
        [thigh, thigh.lerp(ankle, 0.5), ankle]
    };
    let still = |at: Vec3| (at, Quat::IDENTITY);
    let upper =
        [body.hips, body.chest, body.chest + Vec3::Y * 0.3, shoulder_l, elbow_l, body.left, shoulder_r, elbow_r];
    let mut all: Vec<_> = upper.into_iter().map(still).collect();
    all.extend([(body.right, body.staff), (body.right, body.staff)]);
    all.extend(leg(1.0).into_iter().chain(leg(-1.0)).map(still));
    all
}

fn locals(parents: &[Option<usize>], places: &[(Vec3, Quat)], size: f32) -> Vec<Transform> {
    let local = |(&(at, turn), parent): (&(Vec3, Quat), &Option<usize>)| {
        let (from, of) = parent.map_or((Vec3::ZERO, Quat::IDENTITY), |parent| places[parent]);
        Transform { rotation: of.inverse() * turn, ..Transform::from_translation(of.inverse() * (at - from) * size) }
    };
    places.iter().zip(parents).map(local).collect()
}

/// Arms that hang, and a body that sways a little.
fn standing(secs: f32) -> Body {
    let sway = Vec3::new(0.03 * (TAU * 0.4 * secs).sin(), 0.0, 0.02 * (TAU * 0.3 * secs).sin());
    let hips = Vec3::new(0.0, 0.9, 0.0) + sway;
    let chest = hips + Vec3::Y * 0.45 + sway;
    Body {
        hips,
        chest,
        left: chest + Vec3::new(0.3, -0.4, 0.05),
        right: chest + Vec3::new(-0.3, -0.2, 0.25),
        staff: Quat::IDENTITY,
    }
}

/// 1 from `from_secs` to `to_secs`, 0 well outside, smooth between.
fn held(secs: f32, [from_secs, to_secs]: [f32; 2]) -> f32 {
    let part = ((secs - from_secs + REACH_SECS) / REACH_SECS).min((to_secs + REACH_SECS - secs) / REACH_SECS);
    let part = part.clamp(0.0, 1.0);
    part * part * (3.0 - 2.0 * part)
}

fn swung(secs: f32) -> (Vec3, Quat) {
    let right =
        Vec3::new(-0.3, 1.2, 0.4) + Vec3::new(0.25 * (TAU * 0.6 * secs).sin(), 0.2 * (TAU * 0.45 * secs).cos(), 0.1);
    (
        right,
        Quat::from_rotation_z(0.7 * (TAU * 0.5 * secs).sin()) * Quat::from_rotation_x(0.4 * (TAU * 0.35 * secs).cos()),
    )
}

const HOLDS: [f32; 2] = [0.8, 3.8];

/// Every motion.
pub fn motions() -> Vec<Motion> {
    let motion = |name, pins, body| Motion { name, duration_secs: 5.0, pins, loops: false, body };
    let across_seam = Motion {
        loops: true,
        ..motion("across the seam", vec![(HAND_L, "world", [3.5, 6.5])], |secs| {
            let sway = Vec3::X * 0.08 * (TAU * 0.4 * secs).sin();
            let chest = Vec3::Y * 1.35 + sway;
            let free = chest + Vec3::new(0.3, -0.4, 0.05);
            let part = held(secs, [3.5, 6.5]).max(held(secs, [-1.5, 1.5]));
            let body = standing(0.0);
            Body {
                chest,
                left: free.lerp(Vec3::new(0.5, 1.3, 0.4), part),
                right: chest + Vec3::new(-0.3, -0.2, 0.25),
                ..body
            }
        })
    };
    vec![
        across_seam,
        motion("staff", vec![(HAND_L, "staff", HOLDS)], |secs| {
            let (right, staff) = swung(secs);
            let body = standing(secs);
            let left = body.left.lerp(right + staff * GRIP, held(secs, HOLDS));
            Body { right, staff, left, ..body }
        }),
        motion("wall", vec![(HAND_L, "world", HOLDS)], |secs| {
            let mut body = standing(secs);
            body.chest += Vec3::new(0.08 * (TAU * 0.5 * secs).sin(), 0.05 * (TAU * 0.7 * secs).sin(), 0.0);
            (body.right, body.staff) = swung(secs);
            let free = body.chest + Vec3::new(0.3, -0.4, 0.05);
            Body { left: free.lerp(Vec3::new(0.5, 1.3, 0.4), held(secs, HOLDS)), ..body }
        }),
        motion("seat", vec![(HIPS, "world", HOLDS)], |secs| {
            let body = standing(secs);
            let hips = body.hips.lerp(Vec3::new(0.0, 0.45, -0.1), held(secs, HOLDS));
            let chest = hips + Vec3::new(0.05 * (TAU * 0.6 * secs).sin(), 0.45, 0.08 * (TAU * 0.4 * secs).cos());
            let (right, staff) = swung(secs);
            let left = chest + Vec3::new(0.35 + 0.15 * (TAU * 0.7 * secs).sin(), -0.1, 0.3 * (TAU * 0.55 * secs).cos());
            Body { hips, chest, left, right, staff }
        }),
        motion("planted staff", vec![(STAFF, "world", HOLDS)], |secs| {
            let (free, turn) = swung(secs);
            let part = held(secs, HOLDS);
            let right = free.lerp(Vec3::new(-0.3, 0.0, 0.5) - turn * STAFF_END, part);
            let body = standing(secs);
            let left =
                body.chest + Vec3::new(0.35, -0.1 + 0.2 * (TAU * 0.7 * secs).sin(), 0.3 * (TAU * 0.55 * secs).cos());
            Body { right, staff: turn, left, ..body }
        }),
        motion("swing", vec![], |secs| {
            let mut body = standing(secs);
            let walked = Vec3::Z * 1.2 * secs;
            let swing = Vec3::new(0.0, 0.08, 0.3) * (TAU * secs).sin();
            (body.hips, body.chest) = (body.hips + walked, body.chest + walked);
            Body { left: body.left + walked + swing, right: body.right + walked - swing, ..body }
        }),
        motion("breath", vec![], |secs| {
            let breath = Vec3::new(0.0, 0.004, 0.003) * (PI * 0.5 * secs).sin();
            let mut body = standing(0.0);
            body.chest += breath;
            Body { left: body.left + breath * 0.8, right: body.right + breath * 0.8, ..body }
        }),
    ]
}
