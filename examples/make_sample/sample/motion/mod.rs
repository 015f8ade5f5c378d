//! The clips: controls over time, solved and sampled.

mod combat;
mod ease;
mod feet;
mod gait;
mod solve;
mod stand;

use feet::{FootPlace, FootPlan};
use glam::{DQuat, DVec3, Quat, Vec3};
use posepress_core::math::Transform;
use posepress_core::model::{Channel, Clip, ClipData, Hold, Rig};
use solve::{ArmPose, Controls, Solved, Solver};

/// A clip before it is sampled.
pub struct Take {
    pub name: &'static str,
    pub rate_hz: f64,
    pub samples: usize,
    /// The last sample is a copy of the first.
    pub looping: bool,
    /// The root does not blend between samples.
    pub root_steps: bool,
    /// Velocity of the ground under clips that walk in place.
    pub ground_velocity_m_s: DVec3,
    /// Time spans in which the left and right sole rest on the ground, seconds.
    pub flat_secs: [Vec<(f64, f64)>; 2],
    pub controls: Box<dyn Fn(f64) -> Controls>,
}

impl Take {
    pub fn duration_secs(&self) -> f64 {
        (self.samples - 1) as f64 / self.rate_hz
    }
}

/// Every take, in the order of the file.
pub fn takes() -> Vec<Take> {
    vec![
        gait::walk(),
        gait::walk_root_motion(),
        gait::run(),
        stand::idle(),
        stand::turn_90(),
        stand::jump(),
        stand::wave_clip(),
        combat::fight_combo(),
        stand::teleport(),
        stand::pose_t(),
    ]
}

/// Largest allowed stretch of a leg, as a fraction of its length. Above it, knees visibly snap straight.
const MOST_STRETCHED: f64 = 0.998;

/// Samples a take.
///
/// # Panics
/// If a leg is stretched to `MOST_STRETCHED` or more.
pub fn sampled(rig: &Rig, take: &Take) -> Clip {
    let mut solver = Solver::new(&rig.skeleton);
    let (mut transforms, mut floats) = (Vec::new(), Vec::new());
    for sample in 0..take.samples {
        let wraps = take.looping && sample + 1 == take.samples;
        let secs = if wraps { 0.0 } else { sample as f64 / take.rate_hz };
        let controls = (take.controls)(secs);
        let pose = solver.solve(&controls);
        transforms.extend((0..rig.skeleton.len()).map(|j| transform(&pose, j)));
        floats.extend([controls.breathe_in, controls.jaw_open].map(|w| ((w * 1e4).round() / 1e4) as f32));
    }
    let stretched = solver.most_stretched;
    assert!(stretched < MOST_STRETCHED, "'{}' stretches a leg to {stretched:.4} of its length", take.name);
    let joints = rig.skeleton.len();
    if take.looping {
        make_ends_equal(joints, &mut transforms);
    }
    let held = if take.root_steps { take.samples - 1 } else { 0 };
    let hold = |sample| Hold { sample: sample as u32, joint: 0, channel: Channel::Translation };
    Clip::new(ClipData {
        name: take.name.into(),
        joints,
        duration_secs: take.duration_secs() as f32,
        transforms,
        float_tracks: 2,
        floats,
        holds: (0..held).map(hold).collect(),
        looping: Some(take.looping),
    })
    .expect("the takes make valid clips")
}

/// Rounds to micrometres and quaternion steps of 1e-6, then normalises. The output does not depend on the last bits of the arithmetic.
fn transform(pose: &Solved, joint: usize) -> Transform {
    let round = |v: f64| ((v * 1e6).round() / 1e6) as f32;
    let (r, t) = (pose.rotations[joint], pose.translations[joint]);
    let rotation = Quat::from_xyzw(round(r.x), round(r.y), round(r.z), round(r.w)).normalize();
    Transform { rotation, translation: Vec3::new(round(t.x), round(t.y), round(t.z)), scale: Vec3::ONE }
}

/// Copies the first sample to the last. No joint may make a full turn, since its last quaternion would have the other sign.
fn make_ends_equal(joints: usize, transforms: &mut [Transform]) {
    let last = transforms.len() - joints;
    let (head, tail) = transforms.split_at_mut(last);
    tail.copy_from_slice(&head[..joints]);
}

/// Rest place of a foot.
fn rest_place(side: f64) -> FootPlace {
    FootPlace { at: DVec3::new(0.11 * side, 0.0, -0.03), yaw: 0.10 * side }
}

fn rest_feet() -> [FootPlan; 2] {
    [1.0, -1.0].map(|side| FootPlan::standing(rest_place(side), side))
}

/// A relaxed standing pose.
fn relaxed(feet: &[FootPlan; 2], secs: f64) -> Controls {
    let arm = ArmPose {
        swing: 0.02,
        spread: 0.17,
        twist: 0.1,
        elbow: 0.28,
        wrist: 0.06,
        curl: 0.3,
        thumb: 0.2,
        shrug: -0.05,
        ..ArmPose::default()
    };
    Controls {
        root_at: DVec3::ZERO,
        root_yaw: 0.0,
        hips_at: DVec3::new(0.0, -0.018, 0.0),
        hips: DVec3::new(0.0, 0.0, 0.0),
        spine: DVec3::new(0.03, 0.0, 0.0),
        head: DVec3::new(0.02, 0.0, 0.0),
        arms: [arm; 2],
        feet: [feet[0].at(secs), feet[1].at(secs)],
        knees_out: 0.06,
        breathe_in: 0.0,
        jaw_open: 0.0,
        noise: Vec::new(),
    }
}

/// Time spans in which each foot's sole is at rest.
fn flat_times(feet: &[FootPlan; 2], end_secs: f64) -> [Vec<(f64, f64)>; 2] {
    [feet[0].flat_times(end_secs), feet[1].flat_times(end_secs)]
}

/// A vector turned about the vertical axis.
fn turned(yaw: f64, v: DVec3) -> DVec3 {
    DQuat::from_rotation_y(yaw) * v
}
