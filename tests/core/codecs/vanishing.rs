//! Scales of zero hide the descendants, which are visible again at other samples: no codec may lose them there.

use crate::codec_fixtures::{Fixture, SHELL_M, TOLERANCE_M, chain, clip_of, encoder};
use glam::{Quat, Vec3};
use posepress_core::codecs::{
    self, EncodedClip, GroupStorage, JointGroup, ParamValues, Progress, Source, encode_clip, encoders, take_out_tier,
};
use posepress_core::math::Transform;
use posepress_core::metrics::shell_error_m;
use posepress_core::model::{Additive, Base, Channel, Clip, Hold, ModelPose, Pose};
use posepress_runtime::ClipHeader;
use std::sync::Arc;

const JOINTS: usize = 5;
const SAMPLES: usize = 61;

/// A swinging chain. `scale` gives the scale per sample and joint.
fn swinging(name: &'static str, scale: impl Fn(usize, usize) -> Vec3) -> Fixture {
    let skeleton = chain(JOINTS);
    let data = clip_of(&skeleton, SAMPLES, |sample, joint| {
        let secs = sample as f32 / 30.0;
        let turn = Quat::from_rotation_z((2.0 * secs + joint as f32).sin()) * Quat::from_rotation_x(0.3 * secs);
        let translation = skeleton.bind(joint).translation + Vec3::new(0.05 * (3.0 * secs).sin(), 0.0, 0.0);
        Transform { rotation: turn, translation, scale: scale(sample, joint) }
    });
    Fixture { name, clip: Clip::new(data).unwrap(), skeleton }
}

/// A chain whose joint 1 has scale zero at some samples.
fn hidden_at(name: &'static str, is_hidden: impl Fn(usize) -> bool) -> Fixture {
    swinging(name, move |sample, joint| if joint == 1 && is_hidden(sample) { Vec3::ZERO } else { Vec3::ONE })
}

fn vanishing() -> Vec<Fixture> {
    let grows = |sample: usize| (sample as f32 / 30.0 - 1.0).abs();
    vec![
        hidden_at("one sample", |sample| sample == 30),
        hidden_at("first sample", |sample| sample == 0),
        hidden_at("stretch", |sample| (20..45).contains(&sample)),
        hidden_at("throughout", |_| true),
        swinging("everything", |_, _| Vec3::ZERO),
        swinging("everything, for a while", |sample, _| Vec3::splat(if sample < 30 { 1.0 } else { 0.0 })),
        swinging("leaf", |_, joint| if joint == JOINTS - 1 { Vec3::ZERO } else { Vec3::ONE }),
        swinging("nearly", |_, joint| if joint == 1 { Vec3::splat(1e-5) } else { Vec3::ONE }),
        swinging(
            "shrinks and grows",
            move |sample, joint| if joint == 0 { Vec3::splat(grows(sample)) } else { Vec3::ONE },
        ),
        swinging("through a mirror", |sample, joint| {
            if joint == 1 { Vec3::new(1.0, 1.0 - sample as f32 / 30.0, 1.0) } else { Vec3::ONE }
        }),
        swinging("flat", |_, joint| if joint == 2 { Vec3::new(1.0, 0.0, 1.0) } else { Vec3::ONE }),
    ]
}

/// Largest shell error of two poses without their scales, metres.
fn unscaled_error_m(fixture: &Fixture, raw: &[Transform], lossy: &[Transform]) -> f32 {
    let unscaled = |pose: &[Transform]| {
        let pose: Vec<Transform> = pose.iter().map(|local| Transform { scale: Vec3::ONE, ..*local }).collect();
        ModelPose::new(&fixture.skeleton, &pose)
    };
    let (raw, lossy) = (unscaled(raw), unscaled(lossy));
    raw.joints.iter().zip(&lossy.joints).map(|(a, b)| shell_error_m(a, b, SHELL_M)).fold(0.0, f32::max)
}

/// Checks that the decoded clip is near the source, also where it is hidden.
fn assert_kept(fixture: &Fixture, codec: &dyn codecs::Encoder, bytes: &[u8]) {
    assert_kept_within(fixture, codec, bytes, TOLERANCE_M);
}

fn assert_kept_within(fixture: &Fixture, codec: &dyn codecs::Encoder, bytes: &[u8], tolerance_m: f32) {
    let bind = fixture.skeleton.bind_pose(0).joints;
    let (_, player) = codecs::open_clip(codec, bytes, &bind).unwrap();
    let mut player = codecs::seen(player, &fixture.clip);
    let mut pose = Pose::with_size(JOINTS, 0);
    // Four times the tolerance where something is hidden, and a little more along its chain.
    let most_m = 20.0 * tolerance_m;
    for sample in 0..SAMPLES {
        player.sample(sample as f64, &mut pose);
        let error_m = unscaled_error_m(fixture, fixture.clip.pose(sample), &pose.joints);
        assert!(error_m < most_m, "{}, {}, sample {sample}: {error_m} m", codec.name(), fixture.name);
        let scales = pose.joints.iter().zip(fixture.clip.pose(sample));
        let off = scales.map(|(a, b)| (a.scale - b.scale).abs().max_element()).fold(0.0, f32::max);
        assert!(off < 0.01, "{}, {}, sample {sample}: scale off by {off}", codec.name(), fixture.name);
    }
}

/// True for codecs that hold a tolerance, or that store every sample with enough bits.
fn keeps_every_sample(codec: &dyn codecs::Encoder) -> bool {
    codec.promises_with(&ParamValues::new()) || codec.name() == "raw"
}

#[test]
fn what_a_scale_of_zero_hides_is_stored_as_if_it_were_seen() {
    for fixture in vanishing() {
        for codec in encoders().filter(|codec| keeps_every_sample(*codec)) {
            let encoded = fixture.encode(codec, &ParamValues::new());
            assert_kept(&fixture, codec, &encoded.bytes);
            let error_m = fixture.error_m(codec, &encoded, 1);
            assert!(error_m <= f64::from(TOLERANCE_M) * 1.000_1, "{}, {}: {error_m} m", codec.name(), fixture.name);
        }
    }
}

/// Rotations, translations and scales of two joints at four samples, from a generator. The first joint is narrow at most
/// samples, and both are mirrored at some. Here a smaller limit does not always give a smaller visible error.
const JUMBLE: [[f32; 10]; 8] = [
    [0.7480431, 0.0, -0.10563771, 0.6551886, -0.31556705, 1.503139, 0.33899012, 0.2776224, -1.4016942, -0.89780444],
    [-0.5588621, -0.28576565, -0.6720349, -0.3929124, 0.7323831, -0.47435248, 0.0, 0.86983186, -0.886985, 0.75449926],
    [
        0.71670914,
        0.32175985,
        -0.587579,
        -0.19377692,
        1.2044058,
        1.3142653,
        -1.7187233,
        0.29347378,
        -0.76158434,
        1.2908849,
    ],
    [
        0.6761093,
        -0.6018022,
        -0.41505367,
        -0.091873914,
        0.3107855,
        -0.58456486,
        -0.4542936,
        -0.691767,
        0.51423466,
        -0.78392535,
    ],
    [0.45611456, -0.4541744, -0.5129132, -0.56798345, -1.4651226, 1.2482845, -0.4848683, 0.7207759, 0.986048, 0.756161],
    [
        0.22172458,
        -0.54205287,
        0.7892597,
        0.18462422,
        -0.0729193,
        1.8368489,
        0.6794755,
        0.28572887,
        0.7571899,
        -1.3237045,
    ],
    [
        -0.064834915,
        -0.75663185,
        0.39184675,
        -0.519385,
        1.2185861,
        -1.5446242,
        0.5211255,
        1.278857,
        0.5729764,
        -0.94746876,
    ],
    [
        -0.27410275,
        -0.47937918,
        -0.34722733,
        0.7579554,
        -1.4104502,
        1.7333198,
        -1.7248185,
        -0.5727799,
        -1.1217625,
        -0.34897515,
    ],
];

#[test]
fn the_tolerance_holds_where_a_smaller_limit_does_not_always_help() {
    let skeleton = chain(2);
    let clip = clip_of(&skeleton, 4, |sample, joint| Transform::from_numbers(JUMBLE[2 * sample + joint]));
    let fixture = Fixture { name: "jumble", clip: Clip::new(clip).unwrap(), skeleton };
    for codec in encoders().filter(|codec| codec.promises_with(&ParamValues::new())) {
        let encoded = fixture.encode(codec, &ParamValues::new());
        let error_m = fixture.error_m(codec, &encoded, 1);
        assert!(error_m <= f64::from(TOLERANCE_M) * 1.000_1, "{}: {error_m} m", codec.name());
    }
}

#[test]
fn quantized_rotations_under_a_scale_of_zero_are_not_taken_for_still() {
    for fixture in vanishing() {
        let encoded = fixture.encode(encoder("quantize"), &ParamValues::new());
        assert_kept(&fixture, encoder("quantize"), &encoded.bytes);
    }
}

#[test]
fn what_comes_back_is_right_on_the_way_there() {
    for fixture in [hidden_at("one sample", |sample| sample == 30), hidden_at("stretch", |s| (20..45).contains(&s))] {
        for name in ["linear-keys", "press", "variable-rate"] {
            let encoded = fixture.encode(encoder(name), &ParamValues::new());
            let error_m = fixture.error_m(encoder(name), &encoded, 8);
            assert!(error_m < 1.5 * f64::from(TOLERANCE_M), "{name}, {}: {error_m} m", fixture.name);
        }
    }
}

#[test]
fn clips_whose_scales_do_not_vanish_are_stored_as_before() {
    let flags = |fixture: &Fixture, codec: &str| {
        let encoded = fixture.encode(encoder(codec), &ParamValues::new());
        u16::from_le_bytes(encoded.bytes[12..14].try_into().unwrap())
    };
    let half = swinging("half", |_, joint| Vec3::splat(if joint == 1 { 0.5 } else { 1.0 }));
    assert_eq!(flags(&half, "press") & ClipHeader::SCALE_OFFSETS, 0);
    let hidden = hidden_at("stretch", |sample| (20..45).contains(&sample));
    assert_eq!(flags(&hidden, "press") & ClipHeader::SCALE_OFFSETS, ClipHeader::SCALE_OFFSETS);
    assert_eq!(flags(&hidden, "raw") & ClipHeader::SCALE_OFFSETS, 0, "loses nothing as it is");
}

#[test]
fn every_way_of_sampling_takes_the_offset_off() {
    let fixture = hidden_at("stretch", |sample| (20..45).contains(&sample));
    let codec = encoder("linear-keys");
    let encoded = fixture.encode(codec, &ParamValues::new());
    let bind = fixture.skeleton.bind_pose(0).joints;
    let opened = codecs::open(codec, &encoded.bytes[..], &bind).unwrap();
    let mut cursor = opened.cursor().unwrap();
    for at in [0.0, 19.5, 20.0, 30.25, 44.5, 60.0] {
        let mut pose = Pose::with_size(JOINTS, 0);
        opened.sample(&mut cursor, at, &mut pose);
        for joint in 0..JOINTS {
            assert_eq!(opened.sample_joint(&mut cursor, at, joint), pose.joints[joint]);
        }
        let mut masked = [Transform::IDENTITY; JOINTS];
        opened.sample_mask(&mut cursor, at, &[0b10], &mut masked);
        assert_eq!((masked[0], masked[1]), (Transform::IDENTITY, pose.joints[1]));
    }
}

#[test]
fn held_scales_stay_held_and_damaged_offsets_are_errors() {
    let mut fixture = hidden_at("held", |sample| (20..45).contains(&sample));
    let steps = [19, 44].map(|sample| Hold { sample, joint: 1, channel: Channel::Scale });
    fixture.clip = fixture.clip.edited(|data| data.holds = steps.to_vec()).unwrap();
    let codec = encoder("press");
    let encoded = fixture.encode(codec, &ParamValues::new());
    let bind = fixture.skeleton.bind_pose(0).joints;
    let opened = codecs::open(codec, &encoded.bytes[..], &bind).unwrap();
    let mut cursor = opened.cursor().unwrap();
    let mut scale = |at: f64| opened.sample_joint(&mut cursor, at, 1).scale.x;
    assert!((scale(19.9) - 1.0).abs() < 0.01 && scale(44.9).abs() < 0.01 && (scale(45.0) - 1.0).abs() < 0.01);
    let joint_at = encoded.bytes.len() - 14;
    for (at, bytes, what) in [
        (joint_at, &[9u8, 0][..], "joint of a scale offset"),
        (joint_at + 2, &f32::NAN.to_le_bytes()[..], "scale offset"),
        (joint_at + 2, &f32::MAX.to_le_bytes()[..], "scale offset"),
        (joint_at - 2, &[0xff, 0xff][..], "scale offset"),
    ] {
        let mut damaged = encoded.bytes.clone();
        damaged[at..at + bytes.len()].copy_from_slice(bytes);
        let error = codecs::open(codec, damaged, &bind).expect_err(what).to_string();
        assert!(error.contains(what), "{what}: {error}");
    }
}

#[test]
fn a_joint_that_is_never_touched_stays_so() {
    let fixture = hidden_at("stretch", |sample| (20..45).contains(&sample));
    let groups = [JointGroup { joints: vec![1], kept: GroupStorage::Exactly }];
    let shells_m = [SHELL_M; JOINTS];
    let source = Source { groups: &groups, ..Source::new(&fixture.skeleton, &fixture.clip, TOLERANCE_M, &shells_m) };
    let codec = encoder("linear-keys");
    let encoded = encode_clip(codec, &source, &ParamValues::new(), &Progress::new()).unwrap();
    let (_, mut player) = codecs::open_clip(codec, &encoded.bytes, &fixture.skeleton.bind_pose(0).joints).unwrap();
    let mut pose = Pose::with_size(JOINTS, 0);
    for sample in 0..SAMPLES {
        player.sample(sample as f64, &mut pose);
        assert_eq!(pose.joints[1], fixture.clip.at(sample, 1));
    }
}

/// A lean in which all scales of the differences are `scale`.
fn lean(scale: Vec3) -> Clip {
    let skeleton = chain(JOINTS);
    let data = clip_of(&skeleton, SAMPLES, |sample, joint| {
        let turn = if joint == 1 { 0.2 * (sample as f32 / 20.0).sin() } else { 0.0 };
        Transform { rotation: Quat::from_rotation_z(turn), translation: Vec3::ZERO, scale }
    });
    Clip::new(data).unwrap().said_to_be(Some(Additive::TO_BIND))
}

#[test]
fn differences_of_scale_zero_change_nothing_as_unreal_has_them() {
    let skeleton = chain(JOINTS);
    let on_bind = |clip: Clip| clip.on_base(&skeleton, |_| None).unwrap().unwrap();
    let zero = on_bind(lean(Vec3::ZERO));
    assert_eq!(zero.pose(20), on_bind(lean(Vec3::ONE)).pose(20));
    assert!(on_bind(lean(Vec3::splat(0.1))).track(1).all(|local| (local.scale - 1.1).abs().max_element() < 1e-6));
    let turned = zero.at(20, 1).rotation;
    assert!(turned.angle_between(Quat::IDENTITY) > 0.1, "the lean is there");
    let fixture = Fixture { name: "lean", skeleton: chain(JOINTS), clip: zero };
    for codec in encoders().filter(|codec| keeps_every_sample(*codec)) {
        assert_kept(&fixture, codec, &fixture.encode(codec, &ParamValues::new()).bytes);
    }
}

#[test]
fn one_joint_that_a_difference_hides_stays_hidden_and_hides_no_error() {
    let skeleton = chain(JOINTS);
    let clip = lean(Vec3::ONE).edited(|data| {
        for (at, local) in data.transforms.iter_mut().enumerate() {
            if at % JOINTS == 2 {
                local.scale = Vec3::ZERO;
            }
            local.rotation *= Quat::from_rotation_x(0.1 * (at as f32 * 0.05).sin());
        }
    });
    let base = Arc::new(Base::bind(&skeleton));
    let sum = clip.unwrap().as_added(&skeleton).unwrap().added_to(base).unwrap();
    assert_eq!(sum.at(5, 2).scale, Vec3::ZERO);
    let fixture = Fixture { name: "hidden by a difference", skeleton, clip: sum };
    for codec in encoders().filter(|codec| keeps_every_sample(*codec)) {
        assert_kept(&fixture, codec, &fixture.encode(codec, &ParamValues::new()).bytes);
    }
}

#[test]
fn a_tier_leaves_what_a_scale_of_zero_hides() {
    let codec = encoder("press");
    let (limit_m, shells_m) = (20.0 * TOLERANCE_M, [SHELL_M; JOINTS]);
    let mut smaller = 0;
    for fixture in vanishing() {
        let whole = fixture.encode(codec, &ParamValues::new());
        let source = Source::new(&fixture.skeleton, &fixture.clip, limit_m, &shells_m);
        let taken = take_out_tier(&source, 4, codec.id(), &whole.bytes, &Progress::new()).unwrap();
        smaller += usize::from(taken.clip.len() < whole.bytes.len());
        assert_kept_within(&fixture, codec, &taken.clip, limit_m);
    }
    assert!(smaller > 3, "only {smaller} clips can do without something");
}

#[test]
fn tiers_of_an_additive_clip_hold_the_limit_where_it_is_added() {
    let skeleton = chain(JOINTS);
    let clip = lean(Vec3::ONE).edited(|data| {
        for (at, local) in data.transforms.iter_mut().enumerate() {
            local.rotation *= Quat::from_rotation_x(0.2 * (at as f32 * 0.7).sin());
        }
    });
    let sum = clip.unwrap().on_base(&skeleton, |_| None).unwrap().unwrap();
    let fixture = Fixture { name: "additive", skeleton, clip: sum };
    let codec = encoder("press");
    let whole = fixture.encode(codec, &ParamValues::new());
    for limit_m in [2.0 * TOLERANCE_M, 10.0 * TOLERANCE_M] {
        let shells_m = [SHELL_M; JOINTS];
        let source = Source::new(&fixture.skeleton, &fixture.clip, limit_m, &shells_m);
        let taken = take_out_tier(&source, 1, codec.id(), &whole.bytes, &Progress::new()).unwrap();
        assert!(taken.clip.len() < whole.bytes.len());
        let error_m = fixture.error_m(codec, &EncodedClip { bytes: taken.clip, ..whole.clone() }, 1);
        eprintln!("{error_m} {limit_m}");
        assert!(error_m <= f64::from(limit_m) * 1.001, "{error_m} m within {limit_m} m");
    }
}
