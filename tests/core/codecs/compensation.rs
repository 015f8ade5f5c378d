//! Error compensation: its contract for every codec, and its effect on a leg.

use crate::codec_fixtures::{Fixture, Noise, TOLERANCE_M, chain, clip_of, fixtures, leg, noisy_chain, values_of};
use glam::Vec3;
use posepress_core::codecs::{
    self, Codec, Compensation, CompensationMethod, EncodeError, EncodedClip, LeftOff, ParamValues, Progress, Section,
    by_name, clip_compensation, encode_compensated_clip, encoders, open_clip,
};
use posepress_core::math::Transform;
use posepress_core::model::{Channel, Clip, Hold, ModelPose, Pose};

/// All methods except none.
fn methods() -> impl Iterator<Item = CompensationMethod> {
    CompensationMethod::ALL.into_iter().filter(|method| *method != CompensationMethod::None)
}

fn try_encode(
    fixture: &Fixture,
    codec: &dyn Codec,
    values: &ParamValues,
    compensation: &Compensation,
    progress: &Progress,
) -> Result<EncodedClip, EncodeError> {
    let encoder = codec.encoder().expect("a codec with bytes of its own");
    fixture.with_source(|source| encode_compensated_clip(encoder, source, values, compensation, progress))
}

fn encode(fixture: &Fixture, codec: &dyn Codec, values: &ParamValues, compensation: &Compensation) -> EncodedClip {
    try_encode(fixture, codec, values, compensation, &Progress::new())
        .unwrap_or_else(|e| panic!("{} cannot encode '{}': {e}", codec.name(), fixture.name))
}

/// Rotations in 32 bits: errors of millimetres at the end of a leg.
fn coarse() -> (&'static dyn Codec, ParamValues) {
    let codec = by_name("quantize").unwrap();
    let mut values = ParamValues::new();
    values.set_text(codec.params(), "rotation_format", "fixed32").unwrap();
    values.set_text(codec.params(), "in_place", "false").unwrap();
    (codec, values)
}

fn coarse_leg(compensation: &Compensation) -> (Fixture, EncodedClip) {
    let (codec, values) = coarse();
    let leg = leg(61);
    let encoded = encode(&leg, codec, &values, compensation);
    (leg, encoded)
}

const HIPS: usize = 0;
const SHIN: usize = 2;
const FOOT: usize = 3;
/// Positions of a joint at every quarter sample.
fn path(fixture: &Fixture, codec: &dyn Codec, encoded: &EncodedClip, joint: usize) -> Vec<Vec3> {
    let bind = fixture.bind();
    let (header, mut sampler) = open_clip(codec, &encoded.bytes, &bind).unwrap();
    let mut pose = Pose::with_size(header.joints, header.float_tracks);
    let mut at = |at_sample: f64| {
        sampler.sample(at_sample, &mut pose);
        ModelPose::new(&fixture.skeleton, &pose.joints).origin(joint)
    };
    header.grid.steps(4).map(&mut at).collect()
}

/// Largest distance of the standing ankle from its original position, metres.
fn slide_m(leg: &Fixture, encoded: &EncodedClip) -> f32 {
    let raw = by_name("raw").unwrap();
    let wanted = path(leg, raw, &encode(leg, raw, &ParamValues::new(), &Compensation::default()), FOOT);
    let found = path(leg, coarse().0, encoded, FOOT);
    found.into_iter().zip(wanted).map(|(a, b)| a.distance(b)).fold(0.0, f32::max)
}

#[test]
fn the_leg_of_these_tests_stands() {
    let leg = leg(61);
    let encoded = encode(&leg, by_name("raw").unwrap(), &ParamValues::new(), &Compensation::default());
    let bind = leg.bind();
    let (header, mut sampler) = open_clip(by_name("raw").unwrap(), &encoded.bytes, &bind).unwrap();
    let mut pose = Pose::with_size(header.joints, 0);
    for at_sample in header.grid.steps(1) {
        sampler.sample(at_sample, &mut pose);
        let ankle = ModelPose::new(&leg.skeleton, &pose.joints).origin(FOOT);
        assert!(ankle.distance(Vec3::new(0.1, 0.1, 0.0)) < 1e-5, "{ankle}");
    }
}

#[test]
fn a_coarse_leg_slides_less_with_every_method() {
    let slide = |method| {
        let (leg, encoded) = coarse_leg(&Compensation::of(method));
        assert_eq!(encoded.compensation.applied, method);
        (slide_m(&leg, &encoded), encoded.bytes.len())
    };
    let (none, plain_bytes) = slide(CompensationMethod::None);
    assert!(none > 0.0007, "{none} m: too little to compensate");
    let (in_place, in_place_bytes) = slide(CompensationMethod::InPlace);
    let (additive, _) = slide(CompensationMethod::Additive);
    let (ik, ik_bytes) = slide(CompensationMethod::Ik);
    assert!(in_place < 0.75 * none, "in place {in_place} m, {none} m without");
    assert!(additive < 0.5 * none, "additive {additive} m, {none} m without");
    assert!(ik < 0.0001, "inverse kinematics {ik} m, {none} m without");
    assert_eq!(in_place_bytes, plain_bytes + 1, "in place costs the byte that says so");
    // With errors of millimetres and an accuracy of a twentieth of one, a number takes 5 or 6 bits. The chain and the spans are added.
    assert!(ik_bytes < plain_bytes + 61 * 3 * 6 / 8 + 100, "{ik_bytes} bytes, {plain_bytes} without");
}

#[test]
fn inverse_kinematics_leaves_the_sole_level_and_bones_as_long_as_they_are() {
    let (leg, encoded) = coarse_leg(&Compensation::of(CompensationMethod::Ik));
    let (_, plain) = coarse_leg(&Compensation::default());
    let bind = leg.bind();
    let (codec, _) = coarse();
    let (header, mut with) = open_clip(codec, &encoded.bytes, &bind).unwrap();
    let (_, mut without) = open_clip(codec, &plain.bytes, &bind).unwrap();
    let (mut a, mut b) = (Pose::with_size(header.joints, 0), Pose::with_size(header.joints, 0));
    for at_sample in header.grid.steps(3) {
        with.sample(at_sample, &mut a);
        without.sample(at_sample, &mut b);
        let model = |pose: &Pose| ModelPose::new(&leg.skeleton, &pose.joints).joints[FOOT].matrix3;
        assert!(model(&a).abs_diff_eq(model(&b), 1e-5), "the foot turned");
        for joint in [SHIN, FOOT] {
            assert_eq!(a.joints[joint].translation, b.joints[joint].translation);
        }
        assert_eq!(a.joints[HIPS], b.joints[HIPS]);
    }
}

#[test]
fn every_method_keeps_every_promise_with_every_codec() {
    let mut applied = 0;
    for fixture in fixtures().into_iter().filter(|f| f.skeleton.len() <= 5).chain([leg(61)]) {
        for codec in encoders() {
            let values = ParamValues::new();
            let plain = encode(&fixture, codec, &values, &Compensation::default());
            let plain_m = fixture.error_m(codec, &plain, 1);
            for method in methods() {
                let what = format!("{} {method:?} on '{}'", codec.name(), fixture.name);
                let encoded = encode(&fixture, codec, &values, &Compensation::of(method));
                let result = encoded.compensation;
                assert_eq!(encoded.ledger.total_bits(), 8 * encoded.bytes.len() as u64, "{what}: ledger");
                let missing = result.missing();
                assert_eq!((result.asked, missing == CompensationMethod::None), (method, result.left_off.is_none()));
                assert_eq!(clip_compensation(&encoded.bytes).unwrap().applied, result.applied, "{what}");
                if missing == method {
                    assert_eq!(encoded.bytes, plain.bytes, "{what}: the bytes must not change");
                    continue;
                }
                applied += 1;
                let error_m = fixture.error_m(codec, &encoded, 1);
                let slack_m = fixture.float_slack_m();
                if codec.promises_with(&values) {
                    assert!(error_m <= f64::from(TOLERANCE_M) + slack_m, "{what}: {error_m} m");
                } else {
                    let is_ik = result.applied.without(plain.compensation.applied) == CompensationMethod::Ik;
                    let plain_m = if is_ik { plain_m.max(f64::from(TOLERANCE_M)) } else { plain_m };
                    assert!(error_m <= plain_m + slack_m, "{what}: {error_m} m, {plain_m} m without");
                }
            }
        }
    }
    assert!(applied > 10, "compensation was applied only {applied} times");
}

/// A bent knee can bring an ankle to its target and be off itself. That is no gain if the knee is then off by more than any
/// joint was before.
#[test]
fn inverse_kinematics_brings_no_joint_farther_off_than_any_was() {
    let mut applied = 0;
    for (rotation, frames) in
        [("fixed32", 61), ("fixed32", 33), ("largest32", 61), ("interval-fixed32", 61), ("fixed48", 61)]
    {
        let codec = by_name("quantize").unwrap();
        let values = values_of(codec.encoder().unwrap(), &[("rotation_format", rotation), ("in_place", "false")]);
        let leg = leg(frames);
        let plain = encode(&leg, codec, &values, &Compensation::default());
        let with = encode(&leg, codec, &values, &Compensation::of(CompensationMethod::Ik));
        applied += usize::from(with.compensation.left_off.is_none());
        for steps in [1, 2] {
            let error_m = |encoded: &EncodedClip| leg.error_m(codec.encoder().unwrap(), encoded, steps);
            let enough_m = error_m(&plain).max(f64::from(TOLERANCE_M)) + leg.float_slack_m();
            assert!(
                error_m(&with) <= enough_m,
                "{rotation}, {frames}: {} m, {} m without",
                error_m(&with),
                error_m(&plain)
            );
        }
    }
    assert!(applied > 0, "it was always skipped");
}

#[test]
fn quantize_is_corrected_in_place_unless_that_is_switched_off() {
    let codec = by_name("quantize").unwrap();
    let chain = noisy_chain();
    let of = |switch: &str, compensation: &Compensation| {
        let values = values_of(codec.encoder().unwrap(), &[("rotation_format", "fixed32"), ("in_place", switch)]);
        encode(&chain, codec, &values, compensation)
    };
    let (on, off) = (of("true", &Compensation::default()), of("false", &Compensation::default()));
    let asked = of("false", &Compensation::of(CompensationMethod::InPlace));
    assert_eq!((on.bytes.len(), &on.bytes), (off.bytes.len() + 1, &asked.bytes), "the same as a recipe gets that asks");
    assert_eq!(of("true", &Compensation::of(CompensationMethod::InPlace)).bytes, asked.bytes, "not twice");
    assert_eq!(
        (on.compensation.asked, on.compensation.applied),
        (CompensationMethod::None, CompensationMethod::InPlace)
    );
    let error_m = |encoded: &EncodedClip| chain.error_m(codec.encoder().unwrap(), encoded, 1);
    assert!(error_m(&on) < 0.75 * error_m(&off), "{} m, {} m without", error_m(&on), error_m(&off));
}

/// "All three could be used simultaneously": each corrects the rest of the ones before it.
#[test]
fn methods_combine() {
    let of = |method| {
        let (accuracy_m, limb_accuracy_m) = (Some(0.000_1), Some(0.000_01));
        let (leg, encoded) = coarse_leg(&Compensation { accuracy_m, limb_accuracy_m, ..Compensation::of(method) });
        assert_eq!((encoded.compensation.applied, encoded.compensation.left_off), (method, None));
        (slide_m(&leg, &encoded), leg.error_m(coarse().0, &encoded, 1), encoded.compensation.tracks)
    };
    let (in_place_slide, in_place_m, _) = of(CompensationMethod::InPlace);
    let (additive_slide, additive_m, tracks) = of(CompensationMethod::Additive);
    let (ik_slide, _, limbs) = of(CompensationMethod::Ik);
    let (_, both_m, _) = of(CompensationMethod::InPlaceAdditive);
    assert!(both_m < 0.5 * in_place_m, "{both_m} m, {in_place_m} m in place");
    let (both_slide, ..) = of(CompensationMethod::InPlaceIk);
    assert!(both_slide < 0.1 * in_place_slide, "{both_slide} m, {in_place_slide} m in place");
    for method in [CompensationMethod::AdditiveIk, CompensationMethod::All] {
        let (slide, error_m, found) = of(method);
        assert!(slide < 0.5 * additive_slide && slide < 2.0 * ik_slide, "{method:?} slides {slide} m");
        assert!(error_m < 1.5 * additive_m && found > limbs, "{method:?}: {error_m} m, {found} of {tracks} tracks");
    }
}

#[test]
fn extra_tracks_come_on_top_of_what_is_corrected_in_place() {
    let codec = by_name("quantize").unwrap();
    let of = |switch: &str| {
        let values = values_of(codec.encoder().unwrap(), &[("rotation_format", "fixed32"), ("in_place", switch)]);
        encode(&noisy_chain(), codec, &values, &Compensation::of(CompensationMethod::Additive))
    };
    let (both, additive) = (of("true"), of("false"));
    for encoded in [&both, &additive] {
        assert_eq!(encoded.compensation.left_off, None);
        assert!(noisy_chain().error_m(codec.encoder().unwrap(), encoded, 1) <= f64::from(TOLERANCE_M) * 1.01);
    }
    // Which is smaller depends on the clip: corrected keys leave smaller, but noisier errors.
    assert_ne!(both.bytes, additive.bytes, "the tracks lie on other keys");
}

#[test]
fn in_place_stops_errors_from_growing_along_a_chain() {
    let chain = noisy_chain();
    let (codec, values) = coarse();
    let error_m = |compensation: &Compensation| chain.error_m(codec, &encode(&chain, codec, &values, compensation), 1);
    let none = error_m(&Compensation::default());
    let in_place = error_m(&Compensation::of(CompensationMethod::InPlace));
    assert!(in_place < 0.5 * none, "{in_place} m, {none} m without");
}

#[test]
fn only_missing_tracks_that_are_allowed_come_into_being() {
    let moving = |encoded: &EncodedClip| {
        let rows = encoded.ledger.rows().iter().filter(|r| r.section == Section::Animated);
        rows.filter(|r| r.track.is_some_and(|(joint, c)| joint > 0 && c == Channel::Translation)).count()
    };
    let in_place = Compensation::of(CompensationMethod::InPlace);
    let (leg, without) = coarse_leg(&in_place);
    let (_, with) = coarse_leg(&Compensation { new_tracks: true, ..in_place });
    assert_eq!(moving(&without), 0);
    assert!(moving(&with) > 0 && with.bytes.len() > without.bytes.len());
    let (codec, _) = coarse();
    assert!(leg.error_m(codec, &with, 1) < leg.error_m(codec, &without, 1));
}

#[test]
fn what_is_not_off_is_not_corrected() {
    let raw = by_name("raw").unwrap();
    for method in methods() {
        let encoded = encode(&leg(61), raw, &ParamValues::new(), &Compensation::of(method));
        assert_eq!(encoded.compensation.left_off, Some(LeftOff::NothingToCorrect), "{method:?}");
    }
    let (codec, values) = coarse();
    let lenient = Compensation { accuracy_m: Some(0.1), ..Compensation::of(CompensationMethod::Additive) };
    let encoded = encode(&leg(61), codec, &values, &lenient);
    assert_eq!(encoded.compensation.left_off, Some(LeftOff::NothingToCorrect));
    let strict = Compensation { accuracy_m: Some(0.001), ..lenient };
    let some = encode(&leg(61), codec, &values, &strict).compensation.tracks;
    let all = encode(&leg(61), codec, &values, &Compensation { accuracy_m: Some(1e-5), ..strict }).compensation.tracks;
    assert!(some > 0 && some < all, "{some} and {all} tracks");
}

#[test]
fn limbs_can_be_named_and_steps_are_left_alone() {
    let (codec, values) = coarse();
    let named = |limbs: &[&str]| {
        let limbs = limbs.iter().map(|l| (*l).to_owned()).collect();
        let compensation = Compensation { limbs, ..Compensation::of(CompensationMethod::Ik) };
        encode(&leg(61), codec, &values, &compensation).compensation
    };
    assert_eq!(named(&["LeftToeBase"]).tracks, 1);
    assert_eq!(named(&["LeftFoot", "LeftToeBase", "Tail"]).tracks, 2);
    for none in ["LeftUpLeg", "Hips", "Tail"] {
        assert_eq!(named(&[none]).left_off, Some(LeftOff::NothingToCorrect), "{none} has no two bones above");
    }
    let mut stepping = leg(61);
    let mut data = clip_of(&stepping.skeleton, 61, |sample, joint| stepping.clip.at(sample, joint));
    data.holds = vec![Hold { sample: 20, joint: 1, channel: Channel::Rotation }];
    stepping.clip = Clip::new(data).unwrap();
    let encoded = encode(&stepping, codec, &values, &Compensation::of(CompensationMethod::Ik));
    assert_eq!(encoded.compensation.left_off, Some(LeftOff::NothingToCorrect));
}

#[test]
fn a_loosened_codec_is_won_back_or_left_as_it_was() {
    let codec = by_name("variable-rate").unwrap();
    for fixture in [leg(61), noisy_chain()] {
        let plain = encode(&fixture, codec, &ParamValues::new(), &Compensation::default());
        for method in methods() {
            let compensation = Compensation { loosen: 4.0, ..Compensation::of(method) };
            let encoded = encode(&fixture, codec, &ParamValues::new(), &compensation);
            if encoded.compensation.applied == plain.compensation.applied {
                assert!(encoded.bytes == plain.bytes, "{method:?} on '{}'", fixture.name);
            } else {
                assert!(encoded.bytes.len() < plain.bytes.len(), "{method:?} on '{}'", fixture.name);
            }
            let limit_m = f64::from(TOLERANCE_M) + fixture.float_slack_m();
            assert!(fixture.error_m(codec, &encoded, 1) <= limit_m, "{method:?} on '{}'", fixture.name);
        }
    }
}

#[test]
fn bytes_do_not_depend_on_the_number_of_threads() {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    for method in methods() {
        for name in ["quantize", "linear-keys", "variable-rate"] {
            let codec = by_name(name).unwrap();
            let (_, coarse) = coarse();
            let values = if name == "quantize" { coarse } else { ParamValues::new() };
            let compensation = Compensation { loosen: 3.0, ..Compensation::of(method) };
            let encode = || encode(&leg(61), codec, &values, &compensation);
            let one = pool(1).install(encode);
            assert_eq!(one, pool(2).install(encode), "{name} {method:?}");
            assert_eq!(one, pool(7).install(encode), "{name} {method:?}");
        }
    }
}

#[test]
fn a_cancelled_encoder_gives_up_and_progress_never_goes_back() {
    let (codec, values) = coarse();
    for method in methods() {
        let compensation = Compensation { loosen: 2.0, ..Compensation::of(method) };
        let cancelled = Progress::new();
        cancelled.cancel();
        let gave_up = try_encode(&leg(61), codec, &values, &compensation, &cancelled);
        assert_eq!(gave_up.unwrap_err(), EncodeError::Cancelled, "{method:?}");
        let progress = Progress::new();
        try_encode(&leg(61), codec, &values, &compensation, &progress).unwrap();
        assert!(progress.fraction() > 0.5 && progress.fraction() <= 1.0, "{method:?}: {}", progress.fraction());
    }
    let (first, second) = (Progress::new(), Progress::new().share(0.5..1.0).share(0.0..0.5));
    first.share(0.25..0.75).set_fraction(0.5);
    second.set_fraction(1.0);
    assert_eq!((first.fraction(), second.fraction()), (0.5, 0.75));
}

#[test]
fn any_order_of_times_gives_the_same_poses() {
    for method in methods() {
        let (leg, encoded) = coarse_leg(&Compensation::of(method));
        let bind = leg.bind();
        let (header, mut forward) = open_clip(coarse().0, &encoded.bytes, &bind).unwrap();
        let (_, mut jumping) = open_clip(coarse().0, &encoded.bytes, &bind).unwrap();
        let places: Vec<f64> = header.grid.steps(3).collect();
        let sample = |sampler: &mut dyn posepress_core::model::Sampler, at_sample: f64| {
            let mut pose = Pose::with_size(header.joints, 0);
            sampler.sample(at_sample, &mut pose);
            pose
        };
        let poses: Vec<Pose> = places.iter().map(|at| sample(&mut forward, *at)).collect();
        for i in (0..places.len()).rev() {
            assert_eq!(sample(&mut jumping, places[i]), poses[i], "{method:?} at {}", places[i]);
        }
        assert_eq!(sample(&mut forward, 1e9), *poses.last().unwrap());
    }
}

#[test]
fn every_truncated_prefix_is_rejected_and_flipped_bits_are_safe() {
    let mut noise = Noise(5);
    for method in methods() {
        let (leg, encoded) = coarse_leg(&Compensation::of(method));
        let (bind, mut bytes) = (leg.bind(), encoded.bytes);
        let section = (encoded.ledger.section_bits(Section::Compensation) / 8) as usize;
        for len in 0..bytes.len() {
            assert!(open_clip(coarse().0, &bytes[..len], &bind).is_err(), "{method:?}: {len} bytes open");
        }
        assert!(open_clip(coarse().0, &[bytes.as_slice(), &[0]].concat(), &bind).is_err(), "{method:?}");
        let mut decoded = 0;
        for round in 0..4000 {
            // Every second round flips bits in the section itself.
            let first = if round % 2 == 0 { 8 * (bytes.len() - section - 1) } else { 0 };
            let flips: Vec<usize> =
                (0..1 + noise.bits() % 3).map(|_| first + noise.bits() as usize % (8 * bytes.len() - first)).collect();
            flips.iter().for_each(|bit| bytes[bit / 8] ^= 1 << (bit % 8));
            if let Ok((header, mut sampler)) = open_clip(coarse().0, &bytes, &bind) {
                decoded += 1;
                let mut pose = Pose::with_size(header.joints, header.float_tracks);
                for at in [0.0, 0.4, 15.7, 40.0] {
                    sampler.sample(at, &mut pose);
                    assert!(pose.joints.iter().all(Transform::is_finite), "{method:?}, bits {flips:?}");
                }
            }
            flips.iter().for_each(|bit| bytes[bit / 8] ^= 1 << (bit % 8));
        }
        assert!(decoded > 100, "{method:?}: flips hardly ever decode ({decoded}), so finiteness was not tested");
    }
}

#[test]
fn clips_without_compensation_are_the_bytes_they_were() {
    let (codec, values) = coarse();
    let (plain, none) = (leg(61).encode(codec, &values), encode(&leg(61), codec, &values, &Compensation::default()));
    assert_eq!(plain, none);
    assert_eq!(plain.ledger.section_bits(Section::Compensation), 0);
    assert_eq!(codecs::clip_compensation(&plain.bytes), Ok(Default::default()));
}

#[test]
fn what_no_track_can_hold_is_left_uncorrected() {
    let rig = chain(2);
    // Neighbouring samples are on opposite sides of a space that numbers can just cover.
    let side = |s: usize| if s.is_multiple_of(2) { 9e17 } else { -9e17 };
    let data = clip_of(&rig, 21, |s, j| match j {
        0 => Transform::from_translation(Vec3::new(side(s), 0.0, 0.0)),
        _ => rig.bind(j),
    });
    let fixture = Fixture { name: "far", clip: Clip::new(data).unwrap(), skeleton: rig };
    for codec in encoders() {
        for method in methods() {
            let compensation = Compensation { accuracy_m: Some(1e-4), ..Compensation::of(method) };
            if let Ok(encoded) = try_encode(&fixture, codec, &ParamValues::new(), &compensation, &Progress::new()) {
                assert!(codecs::open(codec, encoded.bytes, &fixture.bind()).is_ok(), "{} {method:?}", codec.name());
            }
        }
    }
}
