//! Bones of a kilometre: the position error of descendants is their angle times a kilometre, and still no codec gives up.

use crate::codec_fixtures::{Fixture, SHELL_M, clip_of};
use glam::{Quat, Vec3};
use posepress_core::codecs::{Progress, Section, Source, encode_clip, encoders};
use posepress_core::math::Transform;
use posepress_core::model::{Clip, Joint, Skeleton};

/// Float32 matrices at a kilometre are off by a tenth of a millimetre themselves.
const TOLERANCE_M: f32 = 0.001;
const SAMPLES: usize = 60;

/// A tower crane: its jib of a kilometre slews, and an arm with a hand works at the end of the jib.
fn crane() -> Fixture {
    let joint = |name: &str, parent, at| Joint { name: name.into(), parent, bind: Transform::from_translation(at) };
    let rig = Skeleton::new(vec![
        joint("tower", None, Vec3::ZERO),
        joint("jib", Some(0), Vec3::Y * 2.0),
        joint("arm", Some(1), Vec3::X * 1000.0),
        joint("hand", Some(2), Vec3::Y * 0.4),
    ])
    .unwrap();
    let data = clip_of(&rig, SAMPLES, |s, j| {
        let t = s as f32 / 30.0;
        let turned = |angle: f32| Transform { rotation: Quat::from_rotation_y(angle), ..rig.bind(j) };
        match j {
            0 => rig.bind(j),
            1 => turned(0.2 * (0.8 * t).sin()),
            _ => turned((3.0 * t + j as f32).sin()),
        }
    });
    Fixture { name: "tower crane", clip: Clip::new(data).unwrap(), skeleton: rig }
}

#[test]
fn key_codecs_hold_the_tolerance_at_the_end_of_a_kilometre_without_float32() {
    let crane = crane();
    let shells_m = vec![SHELL_M; crane.skeleton.len()];
    let source = Source::new(&crane.skeleton, &crane.clip, TOLERANCE_M, &shells_m);
    let float32_bits = (3 * SAMPLES * 128) as u64; // three joints that turn
    for codec in encoders().filter(|codec| ["linear-keys", "per-track", "catmull-rom"].contains(&codec.name())) {
        let values = Default::default();
        let encoded = encode_clip(codec, &source, &values, &Progress::new()).unwrap();
        let error_m = crane.error_m(codec, &encoded, 1);
        assert!(error_m <= f64::from(TOLERANCE_M) + 2e-4, "{}: {error_m} m", codec.name());
        let bits = encoded.ledger.section_bits(Section::Animated);
        assert!(bits > 0 && bits < float32_bits / 2, "{}: {bits} of {float32_bits} bits", codec.name());
    }
}
