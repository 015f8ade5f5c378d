//! Claims of `press` beyond the contract of every codec.

use crate::codec_fixtures::{Fixture, TOLERANCE_M, arm, chain, clip_of, fixtures, noisy_chain, values_of};
use glam::{Quat, Vec3};
use posepress_core::codecs::{self, Codec, EncodedClip, Section};
use posepress_core::math::Transform;
use posepress_core::model::{Clip, Joint, Skeleton};

fn codec() -> &'static dyn Codec {
    codecs::by_name("press").unwrap()
}

fn encode(fixture: &Fixture, changes: &[(&str, &str)]) -> EncodedClip {
    fixture.encode(codec(), &values_of(codec(), changes))
}

/// Joints that turn fast in different directions: a correction of errors at the samples does not correct between them.
fn whirl() -> Fixture {
    let rig = chain(8);
    let data = clip_of(&rig, 40, |s, j| {
        let t = s as f32 * (0.1 + 0.05 * j as f32);
        Transform { rotation: Quat::from_rotation_y(t) * Quat::from_rotation_x(1.3 * t.sin()), ..rig.bind(j) }
    });
    Fixture { name: "whirl", clip: Clip::new(data).unwrap(), skeleton: rig }
}

#[test]
fn the_tolerance_holds_between_samples_too() {
    for fixture in [arm(), noisy_chain(), whirl()] {
        for level in ["fast", "full"] {
            let encoded = encode(&fixture, &[("level", level)]);
            let between_m = fixture.error_m(codec(), &encoded, 4);
            let limit_m = 1.02 * f64::from(TOLERANCE_M) + fixture.float_slack_m();
            assert!(between_m <= limit_m, "'{}', {level}: {between_m} m", fixture.name);
        }
    }
}

#[test]
fn a_full_search_is_never_larger_and_mostly_smaller() {
    let mut smaller = 0;
    for fixture in fixtures() {
        let [fast, full] = ["fast", "full"].map(|level| encode(&fixture, &[("level", level)]).bytes.len());
        assert!(full <= fast, "'{}': {full} instead of {fast} bytes", fixture.name);
        smaller += usize::from(full < fast);
    }
    assert!(smaller >= 3, "only {smaller} clips are smaller");
}

#[test]
fn smaller_than_what_others_published_that_reads_in_place() {
    for fixture in [noisy_chain(), whirl()] {
        let press = encode(&fixture, &[]).bytes.len();
        for other in ["quantize", "variable-rate:advanced-quantization", "linear-keys", "per-track"] {
            let (codec, values) = codecs::by_name_and_preset(other).unwrap();
            let bytes = fixture.encode(codec, &values).bytes.len();
            assert!(10 * press < 8 * bytes, "'{}': {press} bytes, {other} {bytes}", fixture.name);
        }
    }
}

#[test]
fn a_pose_is_a_few_dozen_bytes() {
    let one = fixtures().into_iter().find(|f| f.name == "one sample").unwrap();
    let bytes = encode(&one, &[]).bytes.len();
    assert!(bytes <= 85, "{bytes} bytes for six joints");
}

/// A crane with a hook a kilometre away, and an arm on the same root: only tracks beyond the precision of float32 are stored
/// as float32.
#[test]
fn only_tracks_that_no_lattice_holds_are_float32() {
    let joint = |name: &str, parent, at| Joint { name: name.into(), parent, bind: Transform::from_translation(at) };
    let rig = Skeleton::new(vec![
        joint("root", None, Vec3::ZERO),
        joint("far", Some(0), Vec3::new(30_000.0, 0.0, 0.0)),
        joint("arm", Some(0), Vec3::Y),
        joint("hand", Some(2), Vec3::new(0.0, 0.4, 0.0)),
    ])
    .unwrap();
    let data = clip_of(&rig, 60, |s, j| {
        let t = s as f32 / 30.0;
        let mut local = rig.bind(j);
        match j {
            1 => local.translation += Vec3::new(7.0 * t.sin(), 0.3, t),
            2 | 3 => local.rotation = Quat::from_rotation_z((3.0 * t + j as f32).sin()),
            _ => {}
        }
        local
    });
    let fixture = Fixture { name: "crane", clip: Clip::new(data).unwrap(), skeleton: rig };
    let encoded = encode(&fixture, &[]);
    let error_m = fixture.error_m(codec(), &encoded, 1);
    assert!(error_m <= f64::from(TOLERANCE_M) + 1e-3, "{error_m} m"); // float32 of the far joint
    let bits = |joint| encoded.ledger.joint_bits(joint);
    assert_eq!(bits(1), 60 * 96, "the far joint's translation");
    assert!(bits(2) + bits(3) < 60 * 2 * 40, "{} bits of the arm", bits(2) + bits(3));
}

/// The numbers of lattices add up: three components per track, all bits of the moving tracks, and steps that hold the tolerance.
#[test]
fn bits_of_lattices_are_those_of_what_moves() {
    let mut tracks = 0;
    for fixture in fixtures() {
        let ledger = encode(&fixture, &[]).ledger;
        let rows = ledger.lattice_rows();
        assert_eq!(rows.len() % 3, 0, "{}", fixture.name);
        tracks += rows.len() / 3;
        for (place, row) in rows.iter().enumerate() {
            assert_eq!(usize::from(row.component), place % 3);
            assert!(row.step > 0.0 && row.step < 1.0, "{}: {row:?}", fixture.name);
        }
        let has_exact = ledger.rates().iter().any(|rate| rate.bits == 32);
        let (lattice, animated) = (ledger.lattice_bits().iter().sum::<u64>(), ledger.section_bits(Section::Animated));
        assert!(lattice == animated || has_exact && lattice < animated, "{}: {lattice} of {animated}", fixture.name);
    }
    assert!(tracks > 20, "{tracks}");
}

/// Under a promise on the mean, every joint uses it up, and single samples may have more.
#[test]
fn a_promised_mean_is_held_by_every_joint_and_takes_fewer_bytes() {
    let (mut above, mut nearly) = (0, 0);
    for fixture in fixtures().into_iter().chain([whirl()]) {
        for level in ["fast", "full"] {
            let values = values_of(codec(), &[("level", level), ("promise", "mean")]);
            let (largest, mean) = (encode(&fixture, &[("level", level)]), fixture.encode(codec(), &values));
            let what = format!("'{}', {level}", fixture.name);
            let bounded_m = fixture.bounded_m(codec(), &values, &mean);
            let limit_m = f64::from(TOLERANCE_M) + fixture.float_slack_m();
            assert!(bounded_m <= limit_m, "{what}: {bounded_m} m");
            assert!(mean.bytes.len() <= largest.bytes.len(), "{what}: {} bytes", mean.bytes.len());
            above += usize::from(fixture.error_m(codec(), &mean, 1) > 1.2 * limit_m);
            nearly += usize::from(bounded_m > 0.9 * f64::from(TOLERANCE_M));
        }
    }
    assert!(above >= 8 && nearly >= 8, "{above} clips have larger errors, {nearly} use up their mean");
}

#[test]
fn bytes_of_a_promised_mean_do_not_depend_on_the_number_of_threads() {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    for fixture in [arm(), noisy_chain(), whirl()] {
        let encode = || encode(&fixture, &[("promise", "mean")]).bytes;
        assert_eq!(pool(1).install(encode), pool(7).install(encode), "{}", fixture.name);
    }
}
