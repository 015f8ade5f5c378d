//! Rigs with many joints, and roots far from the origin.

use crate::codec_fixtures::{Fixture, Noise, TOLERANCE_M, clip_of};
use glam::{Quat, Vec3};
use posepress_core::codecs::{ParamValues, encoders};
use posepress_core::math::Transform;
use posepress_core::model::{Clip, Joint, Skeleton};

const SAMPLES: usize = 24;

/// A tree in which each joint has up to three children 10 cm away, as faces and hair have, with a root that walks from `start`.
fn tree(joints: usize, start: Vec3) -> Fixture {
    let joint = |i: usize| Joint {
        name: format!("joint{i}"),
        parent: i.checked_sub(1).map(|above| above / 3),
        bind: Transform::from_translation(if i == 0 { Vec3::ZERO } else { 0.1 * Vec3::Y }),
    };
    let skeleton = Skeleton::new((0..joints).map(joint).collect()).unwrap();
    let mut noise = Noise(3);
    let axes: Vec<Vec3> = (0..joints).map(|_| noise.vec3()).collect();
    let data = clip_of(&skeleton, SAMPLES, |sample, joint| {
        let secs = sample as f32 / 30.0;
        // Half of the joints stand still, as in most clips.
        let angle = if joint % 2 == 0 { 0.2 * (5.0 * secs + joint as f32).sin() } else { 0.0 };
        let mut local = skeleton.bind(joint);
        local.rotation = Quat::from_scaled_axis(angle * axes[joint]);
        if joint == 0 {
            local.translation = start + Vec3::new(1.4 * secs, 0.02 * (9.0 * secs).sin(), 0.0);
        }
        local
    });
    Fixture { name: "tree", clip: Clip::new(data).unwrap(), skeleton }
}

fn holds_the_tolerance(fixture: &Fixture, slack_m: f64) {
    let plain = ParamValues::new();
    for codec in encoders().filter(|codec| codec.promises_with(&plain)) {
        let encoded = fixture.encode(codec, &plain);
        let error_m = fixture.error_m(codec, &encoded, 1);
        let joints = fixture.skeleton.len();
        assert!(error_m <= f64::from(TOLERANCE_M) + slack_m, "{}, {joints} joints: {error_m} m", codec.name());
    }
}

#[test]
fn rigs_of_400_and_1000_joints_are_within_the_tolerance() {
    for joints in [400, 1000] {
        let fixture = tree(joints, Vec3::Y);
        holds_the_tolerance(&fixture, fixture.float_slack_m());
    }
}

#[test]
fn a_root_600_m_out_is_as_near_as_its_floats_allow() {
    // A float32 there has steps of 0.06 mm. The import proposes to move such a clip to the origin.
    holds_the_tolerance(&tree(100, Vec3::new(600.0, 1.0, -600.0)), 0.000_1);
}
