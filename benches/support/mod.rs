//! Clips of any size. The clip of the speed budgets has 60 joints x 300 samples.

use glam::{Quat, Vec3};
use posepress_core::math::Transform;
use posepress_core::model::{Clip, ClipData, Joint, Skeleton};

/// Joints of the rig of the speed budgets.
pub const JOINTS: usize = 60;
/// Samples of the clip of the speed budgets.
pub const SAMPLES: usize = 300;

/// A skeleton with a spine of eight joints, and limbs of the same length on it.
pub fn rig(joints: usize) -> Skeleton {
    let joint = |i: usize| Joint {
        name: format!("joint{i}"),
        parent: if i == 0 {
            None
        } else if i < 8 || !i.is_multiple_of(8) {
            Some(i - 1)
        } else {
            Some(i / 8 % 8)
        },
        bind: Transform::from_translation(Vec3::new(0.0, if i == 0 { 0.9 } else { 0.12 }, 0.02)),
    };
    Skeleton::new((0..joints).map(joint).collect()).expect("parents come first")
}

/// Swinging joints with noise of about a tenth of a degree, as in motion capture, and a travelling root.
pub fn clip(rig: &Skeleton, samples: usize) -> Clip {
    const RADIUS_M: f32 = 5.0;
    let joints = rig.len();
    let mut state = 1u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 40) as f32 / (1u64 << 23) as f32 - 1.0) * 0.002
    };
    let mut at = |i: usize| {
        let (sample, joint) = (i / joints, i % joints);
        let t = sample as f32 / 30.0;
        let swing = Quat::from_rotation_x((2.0 * t + joint as f32).sin() * 0.3);
        let mut local = rig.bind(joint);
        local.rotation = swing * Quat::from_scaled_axis(Vec3::new(noise(), noise(), noise()));
        if joint == 0 {
            // The root moves in a circle: kilometres from the origin, float32 would not hold the tolerance.
            let (sin, cos) = (t * 1.2 / RADIUS_M).sin_cos();
            local.translation += Vec3::new(RADIUS_M * sin, (t * 8.0).sin() * 0.02, RADIUS_M * cos);
        }
        local
    };
    Clip::new(ClipData {
        name: "bench".into(),
        joints,
        duration_secs: (samples - 1) as f32 / 30.0,
        transforms: (0..joints * samples).map(&mut at).collect(),
        float_tracks: 0,
        floats: Vec::new(),
        holds: Vec::new(),
        looping: None,
    })
    .expect("finite numbers")
}
