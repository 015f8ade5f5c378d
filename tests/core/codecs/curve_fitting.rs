//! Riot's curve fitting beyond the common contract: the published frames, the order of keys, the effect of margins and
//! pinning on feet, and replays of fits.

use crate::codec_fixtures::{Fixture, Noise, TOLERANCE_M, arm, chain, clip_of, fixtures, leg, noisy_chain, values_of};
use crate::project::corpus;
use glam::Quat;
use posepress_core::codecs::{
    EncodedClip, Encoder, ParamValues, Replay, Section, Source, by_name, by_name_and_preset, open_clip, replay_fit,
};
use posepress_core::import::{ImportOptions, import_bytes, import_file};
use posepress_core::math::Transform;
use posepress_core::metrics::{ContactSettings, FootContacts};
use posepress_core::model::{Channel, Clip, ModelPose, Pose};
use posepress_core::pipeline::{MeasuredClip, compress_shell};
use posepress_core::recipe::Recipe;
use std::path::Path;
use std::sync::Arc;

fn codec() -> &'static dyn Encoder {
    by_name("catmull-rom").and_then(|c| c.encoder()).unwrap()
}

fn values(choices: &[(&str, &str)]) -> ParamValues {
    values_of(codec(), choices)
}

fn encode(fixture: &Fixture, choices: &[(&str, &str)]) -> EncodedClip {
    fixture.encode(codec(), &values(choices))
}

/// One joint that turns smoothly for 22 seconds, as in the article's figure, with added noise in radians.
fn long_turn(noise_rad: f32) -> Fixture {
    let rig = chain(1);
    let mut noise = Noise(5);
    let noise: Vec<f32> = (0..661).map(|_| noise_rad * noise.unit()).collect();
    let data = clip_of(&rig, 661, |s, _| {
        let t = s as f32 / 30.0;
        let angle = 0.9 * (1.3 * t).sin() + 0.2 * (3.1 * t).sin() + noise[s];
        Transform { rotation: Quat::from_rotation_y(angle) * Quat::from_rotation_x(0.1 * t), ..rig.bind(0) }
    });
    Fixture { name: "long turn", clip: Clip::new(data).unwrap(), skeleton: rig }
}

fn total_keys(encoded: &EncodedClip) -> u64 {
    encoded.kept.iter().map(|k| k.samples.len() as u64).sum()
}

#[test]
fn a_fit_starts_with_two_keys_and_halves_the_worst_section() {
    let encoded = encode(&long_turn(0.0), &[("metric", "local"), ("rotation_threshold", "0.01")]);
    let [kept] = &encoded.kept[..] else { panic!("one track") };
    assert_eq!(kept.inserted[..3], [0, 660, 330]);
    let mut sorted = kept.inserted.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, kept.samples, "every key was inserted once");
    // The article's figure: 661 frames became 90.
    println!("{} keys of 661", kept.samples.len());
    assert!((20..=120).contains(&kept.samples.len()), "{} keys of 661", kept.samples.len());
    for (i, sample) in kept.inserted.iter().enumerate().skip(2) {
        let earlier = &kept.inserted[..i];
        let before = earlier.iter().filter(|s| *s < sample).max().unwrap();
        let after = earlier.iter().filter(|s| *s > sample).min().unwrap();
        assert_eq!(*sample, before + (after - before) / 2, "the middle of a section");
    }
}

#[test]
fn further_directions_need_fewer_keys() {
    let keys = |fixture: &Fixture, choices: &[(&str, &str)]| {
        let all = [&[("metric", "local"), ("rotation_threshold", "0.002")], choices].concat();
        total_keys(&encode(fixture, &all))
    };
    // The noise is within the threshold, but a curve through the samples must follow it.
    let noisy = long_turn(0.0015);
    let (published, squares) = (keys(&noisy, &[]), keys(&noisy, &[("values", "least-squares")]));
    assert!(squares < published, "least squares {squares}, interpolation {published}");
    // Knots that ignore the distance between keys need more keys if the distances differ.
    let smooth = long_turn(0.0);
    let even = keys(&smooth, &[("knots", "uniform"), ("insertion", "worst-sample")]);
    let by_time = keys(&smooth, &[("insertion", "worst-sample")]);
    assert!(even > by_time, "uniform {even}, by time {by_time}");
}

/// `u16 keyTime; u16 jointIndex; u16 v[3]`, read without the decoder.
#[test]
fn published_frames_take_ten_bytes_each_in_the_order_in_which_they_are_needed() {
    let fixture = arm();
    let encoded = encode(&fixture, &[("payload", "published"), ("metric", "local")]);
    let keys = total_keys(&encoded);
    let bits = encoded.ledger.section_bits(Section::KeyTimes) + encoded.ledger.section_bits(Section::Animated);
    assert_eq!(bits, 80 * keys);
    // After the payload: no float tracks, no holds (a count of four bytes).
    let end = encoded.bytes.len() - 4;
    let frames = &encoded.bytes[end - 10 * keys as usize..end];
    let word = |frame: &[u8], at: usize| u16::from_le_bytes([frame[at], frame[at + 1]]);
    let last = fixture.clip.samples() as f64 - 1.0;
    let mut seen: Vec<Vec<f64>> = vec![Vec::new(); fixture.skeleton.len()];
    let mut needed_before = 0.0;
    for frame in frames.as_chunks::<10>().0 {
        let (time, joint) = (word(frame, 0), word(frame, 2));
        assert_eq!(joint >> 14, Channel::Rotation as u16, "the top two bits are the channel");
        let track = &mut seen[usize::from(joint & 0x3fff)];
        let sample = f64::from(time) / 65_535.0 * last;
        assert!((sample - sample.round()).abs() < 1e-3);
        let needed = track.len().checked_sub(2).map_or(0.0, |two_before| track[two_before]);
        assert!(needed >= needed_before, "a frame comes when the key two before it is reached");
        needed_before = needed;
        track.push(sample.round());
        // The three stored components are within 1 / root 2 of zero. The unused bit is zero.
        let payload = u64::from(word(frame, 4)) | u64::from(word(frame, 6)) << 16 | u64::from(word(frame, 8)) << 32;
        assert_eq!(payload >> 47, 0);
    }
    for kept in &encoded.kept {
        let expected: Vec<f64> = kept.samples.iter().map(|s| f64::from(*s)).collect();
        assert_eq!(seen[usize::from(kept.joint)], expected);
    }
}

#[test]
fn layouts_decode_to_the_same_bits_in_any_order_of_times() {
    let mut jumps = 0;
    for fixture in fixtures() {
        let plain = encode(&fixture, &[]);
        let expected = fixture.poses(codec(), &plain.bytes);
        let forward = expected.len() / 3;
        for i in 0..forward {
            assert_eq!(expected[i], expected[2 * forward - 1 - i], "backwards on '{}'", fixture.name);
            assert_eq!(expected[2 * forward + i], expected[i * 37 % forward], "jumping on '{}'", fixture.name);
        }
        for every in ["1", "7", "1000"] {
            let other = encode(&fixture, &[("jump_every", every)]);
            jumps += other.ledger.section_bits(Section::Jumps);
            assert_eq!(fixture.poses(codec(), &other.bytes), expected, "a jump in {every} on '{}'", fixture.name);
        }
    }
    assert!(jumps > 0, "no jump was ever stored");
    // Rotations are stored the same way in both layouts. Vectors have another range.
    let fixture = arm();
    let (stream, tracks) = (encode(&fixture, &[]), encode(&fixture, &[("layout", "by-track")]));
    assert_eq!(fixture.poses(codec(), &stream.bytes), fixture.poses(codec(), &tracks.bytes));
    assert!(tracks.bytes.len() < stream.bytes.len(), "keys that need not name their track are smaller");
}

#[test]
fn blocks_change_sizes_and_not_the_motion() {
    let mut cut = 0;
    for fixture in fixtures() {
        for payload in ["auto", "ranged"] {
            let of = |block_samples| {
                encode(&fixture, &[("layout", "by-track"), ("payload", payload), ("block_samples", block_samples)])
            };
            let (whole, blocks) = (of("0"), of("9"));
            let poses = |of: &EncodedClip| fixture.poses(codec(), &of.bytes);
            assert!(poses(&blocks) == poses(&whole), "{payload} on '{}'", fixture.name);
            cut += usize::from(blocks.bytes != whole.bytes);
        }
    }
    assert!(cut > 8, "only {cut} clips were cut");
}

#[test]
fn keys_that_a_curve_fits_without_are_removed_again() {
    let mut fewer = 0;
    for fixture in fixtures() {
        for more in [&[][..], &[("values", "least-squares")], &[("insertion", "worst-sample")], &[("between", "true")]]
        {
            let plain = encode(&fixture, more);
            let thinned = encode(&fixture, &[more, &[("thin_out", "true")]].concat());
            let steps = if more.contains(&("between", "true")) && fixture.clip.holds().is_empty() { 2 } else { 1 };
            let (error_m, limit_m) =
                (fixture.error_m(codec(), &thinned, steps), f64::from(TOLERANCE_M) + fixture.float_slack_m());
            assert!(error_m <= limit_m, "{more:?}: {error_m} m on '{}'", fixture.name);
            fewer += usize::from(total_keys(&thinned) < total_keys(&plain));
        }
    }
    assert!(fewer > 8, "keys went from {fewer} fits");
    // With thresholds each track is independent, so thinning removes only keys.
    let turn = long_turn(0.0015);
    let of = |thin_out| encode(&turn, &[("metric", "local"), ("rotation_threshold", "0.01"), ("thin_out", thin_out)]);
    let (plain, thinned) = (of("false"), of("true"));
    assert!(total_keys(&thinned) < total_keys(&plain), "{} of {} keys", total_keys(&thinned), total_keys(&plain));
    assert!(thinned.kept[0].inserted.is_empty(), "keys that are left were inserted in no order");
}

/// The preset with that name.
#[test]
fn the_smallest_preset_is_the_smallest() {
    let smallest = by_name_and_preset("catmull-rom:smallest").unwrap().1;
    for fixture in [arm(), noisy_chain(), long_turn(0.0), long_turn(0.0015), leg(61)] {
        let bytes = fixture.encode(codec(), &smallest).bytes.len();
        // If nearly every sample is a key, least squares alone can win by less than 1 %, because its values may leave the
        // range of the samples.
        let is_noise = fixture.name == noisy_chain().name;
        for insertion in ["midpoint", "worst-sample"] {
            for squares in ["interpolation", "least-squares"] {
                let choices =
                    [("layout", "by-track"), ("payload", "ranged"), ("insertion", insertion), ("values", squares)];
                let other = encode(&fixture, &choices).bytes.len();
                let most = if is_noise { other * 101 / 100 } else { other };
                assert!(bytes <= most, "{bytes} bytes, {other} with {choices:?} on '{}'", fixture.name);
            }
        }
    }
}

#[test]
fn finer_frames_hold_a_tolerance_that_48_bits_cannot() {
    let fixture = noisy_chain();
    let encode_at = |tolerance_m: f32, payload: &str| {
        let shells_m = vec![0.03; fixture.skeleton.len()];
        let source = Source::new(&fixture.skeleton, &fixture.clip, tolerance_m, &shells_m);
        let values = values(&[("payload", payload)]);
        posepress_core::codecs::encode_clip(codec(), &source, &values, &Default::default()).unwrap()
    };
    for tolerance_m in [0.001f32, 0.0001, 0.000_01] {
        let error_m = fixture.error_m(codec(), &encode_at(tolerance_m, "auto"), 1);
        assert!(error_m <= f64::from(tolerance_m) + fixture.float_slack_m(), "{error_m} m at {tolerance_m} m");
    }
    let published = fixture.error_m(codec(), &encode_at(0.000_01, "published"), 1);
    assert!(published > 0.000_01, "six metres of chain are too long for 48 bits: {published} m");
    assert!(!codec().promises_with(&values(&[("payload", "published")])));
    assert!(!codec().promises_with(&values(&[("metric", "local")])));
    assert!(codec().promises_with(&values(&[("payload", "rotation32")])));
}

#[test]
fn the_tolerance_holds_between_samples_too_where_that_is_asked_for() {
    for fixture in fixtures().iter().filter(|f| f.clip.holds().is_empty()) {
        let encoded = encode(fixture, &[("between", "true")]);
        let error_m = fixture.error_m(codec(), &encoded, 2);
        let limit_m = f64::from(TOLERANCE_M) + fixture.float_slack_m();
        assert!(error_m <= limit_m, "{error_m} m at half samples of '{}'", fixture.name);
    }
}

/// A smooth curve is straight nowhere: limits from the lines between samples cost keys that it does not need.
#[test]
fn half_samples_are_bounded_only_where_that_is_asked_for_and_cost_keys() {
    let turn = long_turn(0.0);
    let plain = encode(&turn, &[]);
    let bounded = encode(&turn, &[("between", "true")]);
    assert!(total_keys(&bounded) > total_keys(&plain) && bounded.bytes.len() > plain.bytes.len());
    let limit_m = f64::from(TOLERANCE_M) + turn.float_slack_m();
    assert!(turn.error_m(codec(), &plain, 1) <= limit_m, "the samples hold with either");
}

/// A foot that comes down fast and stops: a curve through every sample swings below the ground.
#[test]
fn straight_steps_do_not_swing_where_motion_stops_at_once() {
    let rig = chain(1);
    let data = clip_of(&rig, 20, |s, _| {
        let mut local = rig.bind(0);
        local.translation.y = 0.1 * 10usize.saturating_sub(s) as f32;
        local
    });
    let fixture = Fixture { name: "landing", clip: Clip::new(data).unwrap(), skeleton: rig };
    let between_m = |choices: &[(&str, &str)]| fixture.error_m(codec(), &encode(&fixture, choices), 4);
    let (straight, published) = (between_m(&[]), between_m(&[("straight_steps", "false")]));
    assert!(straight < 0.000_2, "{straight} m");
    assert!(published > 0.003, "Riot's curve: {published} m");
}

/// Bytes and worst slide of the bundled walk.
fn walk(source: &MeasuredClip, choices: &[(&str, &str)]) -> (usize, f32) {
    let recipe = Recipe { values: values(choices), ..Recipe::chosen("catmull-rom").unwrap() };
    let outcome = compress_shell(source, &recipe, &Default::default()).unwrap();
    (outcome.bytes(), outcome.report.slide.worst().expect("a walk has contacts").slide_m)
}

/// Riot's remedies for sliding feet, at equal thresholds.
#[test]
fn margins_and_pinning_each_reduce_the_slide_of_feet() {
    let sample = include_bytes!("../../../src/app/assets/sample.glb");
    let imported = import_bytes(Path::new("sample.glb"), sample, &ImportOptions::default()).unwrap();
    let clip = Arc::new(imported.clips.into_iter().next().unwrap());
    let source = MeasuredClip::new(Arc::new(imported.rig), clip, &Recipe::default());
    let thresholds = [("metric", "local"), ("position_threshold", "0.001"), ("rotation_threshold", "0.01")];
    let with = |more: &[(&str, &str)]| walk(&source, &[&thresholds, more].concat());
    let (plain_bytes, plain_m) = with(&[]);
    for (name, more) in [
        ("margins", &[("adaptive_margins", "true")][..]),
        ("pinned feet", &[("pinning", "feet")]),
        ("both", &[("adaptive_margins", "true"), ("pinning", "feet")]),
    ] {
        let (bytes, slide_m) = with(more);
        println!(
            "{name}: {bytes} bytes, {:.2} mm; without: {plain_bytes} bytes, {:.2} mm",
            slide_m * 1e3,
            plain_m * 1e3
        );
        assert!(slide_m < 0.75 * plain_m, "{name}: {slide_m} m instead of {plain_m} m");
        assert!(bytes > plain_bytes, "{name} is not for nothing");
    }
}

/// Largest error of a joint's origin at the samples, metres.
fn origin_error_m(fixture: &Fixture, encoded: &EncodedClip, joint: usize) -> f32 {
    let bind = fixture.bind();
    let (header, mut sampler) = open_clip(codec(), &encoded.bytes, &bind).unwrap();
    let mut pose = Pose::with_size(header.joints, header.float_tracks);
    let mut off = |sample: usize| {
        sampler.sample(sample as f64, &mut pose);
        let origin = |locals: &[Transform]| ModelPose::new(&fixture.skeleton, locals).origin(joint);
        origin(&pose.joints).distance(origin(fixture.clip.pose(sample)))
    };
    (0..fixture.clip.samples()).map(&mut off).fold(0.0, f32::max)
}

/// A walk in place whose only translation is that of the hips, so that corrections are outside the clip's range.
#[test]
fn corrections_of_pinned_feet_are_not_cut_to_the_range_of_the_clip() {
    const FOOT: usize = 3;
    let leg = leg(61);
    let off_m = |more: &[(&str, &str)]| {
        let thresholds = [("metric", "local"), ("position_threshold", "0.002"), ("rotation_threshold", "0.02")];
        origin_error_m(&leg, &encode(&leg, &[&thresholds, more].concat()), FOOT)
    };
    let plain_m = off_m(&[]);
    assert!(plain_m > 0.004, "{plain_m} m: too little to correct");
    for more in [&[][..], &[("layout", "by-track")], &[("payload", "published")]] {
        let pinned_m = off_m(&[&[("pinning", "feet")], more].concat());
        assert!(pinned_m <= 0.002, "{more:?}: {pinned_m} m, {plain_m} m without");
    }
}

/// Riot's pinning on a hand-keyed walk whose toes follow their feet.
#[test]
fn feet_of_a_real_walk_hold_better_where_they_are_pinned() {
    let Some(file) = corpus("kaykit/Knight.glb") else { return };
    let options = ImportOptions { rate_hz: Some(30.0), ..ImportOptions::default() };
    let imported = import_file(&file, &options).unwrap();
    let clip = Arc::new(imported.clips.into_iter().find(|clip| clip.name() == "Walking_A").unwrap());
    // While the feet are flat. When they land, the curve's swing between samples is larger than any threshold.
    let flat = [("foot.l", [0.2, 0.43]), ("foot.r", [0.73, 0.96])];
    let by_hand = flat.map(|(joint, span)| FootContacts { joint: joint.into(), spans_secs: vec![span] }).to_vec();
    let recipe = Recipe { contacts: ContactSettings { by_hand, ..ContactSettings::default() }, ..Recipe::default() };
    let source = MeasuredClip::new(Arc::new(imported.rig), clip, &recipe);
    // With the published curve most of the slide is its swing between samples, which no threshold limits.
    for (more, part) in [(&[][..], 0.5), (&[("straight_steps", "false")], 1.0)] {
        let with = |pinning: &str| {
            let thresholds = [("metric", "local"), ("position_threshold", "0.001"), ("rotation_threshold", "0.005")];
            walk(&source, &[&thresholds, more, &[("pinning", pinning)]].concat())
        };
        let ((plain_bytes, plain_m), (bytes, slide_m)) = (with("none"), with("feet"));
        println!("{more:?}: pinned {bytes} bytes, {slide_m} m; without {plain_bytes} bytes, {plain_m} m");
        assert!(slide_m < part * plain_m, "{more:?}: pinned feet slide by {slide_m} m, {plain_m} m without");
    }
}

#[test]
fn a_fit_seen_again_ends_in_what_the_bytes_decode_to() {
    let fixture = arm();
    let (skeleton, clip) = (&fixture.skeleton, &fixture.clip);
    let shells_m = vec![0.03; skeleton.len()];
    let source = Source::new(skeleton, clip, TOLERANCE_M, &shells_m);
    let bind = fixture.bind();
    for choices in [
        &[][..],
        &[("values", "least-squares")],
        &[("layout", "by-track"), ("insertion", "worst-sample"), ("knots", "centripetal")],
        &[("metric", "local"), ("pinning", "all")],
    ] {
        let encoded = encode(&fixture, choices);
        let (header, mut sampler) = open_clip(codec(), &encoded.bytes, &bind).unwrap();
        let mut pose = Pose::with_size(header.joints, 0);
        for kept in &encoded.kept {
            let of = |keys| {
                let track = Replay { kept, keys, sub_frames: 3 };
                replay_fit(codec(), &source, &values(choices), &encoded.bytes, &track).unwrap().unwrap()
            };
            let whole = of(usize::MAX);
            assert_eq!(whole.samples, kept.samples, "{choices:?}");
            for (at_sample, fitted) in header.grid.steps(3).zip(&whole.values) {
                sampler.sample(at_sample, &mut pose);
                let decoded = pose.joints[usize::from(kept.joint)];
                let off = match kept.channel {
                    Channel::Rotation => 1.0 - decoded.rotation.dot(fitted.rotation).abs(),
                    Channel::Translation => decoded.translation.distance(fitted.translation),
                    Channel::Scale => decoded.scale.distance(fitted.scale),
                };
                assert!(off < 1e-6, "{choices:?}: joint {} is off by {off} at sample {at_sample}", kept.joint);
            }
            let mut errors = Vec::new();
            for keys in 2..=kept.samples.len() {
                let part = of(keys);
                assert_eq!(part.samples.len(), keys, "{choices:?}");
                assert!(part.samples.iter().all(|s| kept.inserted[..keys].contains(s)));
                let difference = |(a, b): (&Transform, &Transform)| 1.0 - a.rotation.dot(b.rotation).abs();
                errors.push(part.values.iter().zip(&whole.values).map(difference).fold(0.0, f32::max));
            }
            if kept.channel == Channel::Rotation {
                assert!(errors[0] > 1e-3, "two keys are no fit of a swing");
            }
        }
    }
    let linear = by_name("linear-keys").and_then(|c| c.encoder()).unwrap();
    let encoded = fixture.encode(linear, &ParamValues::new());
    let track = Replay { kept: &encoded.kept[0], keys: 2, sub_frames: 1 };
    assert_eq!(replay_fit(linear, &source, &ParamValues::new(), &encoded.bytes, &track), Ok(None));
}

#[test]
fn bytes_are_the_same_with_1_2_and_7_threads() {
    let fixture = noisy_chain();
    for choices in [&[("values", "least-squares")][..], &[("metric", "local"), ("pinning", "all")]] {
        let encode_on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| encode(&fixture, choices))
        };
        let one = encode_on(1);
        assert!(one == encode_on(2) && one == encode_on(7), "{choices:?}");
    }
}

#[test]
fn clips_longer_than_the_key_times_of_frames_are_stored_by_track() {
    let rig = chain(1);
    let data =
        clip_of(&rig, 65_537, |s, _| Transform { rotation: Quat::from_rotation_x(s as f32 * 1e-4), ..rig.bind(0) });
    let fixture = Fixture { name: "long", clip: Clip::new(data).unwrap(), skeleton: rig };
    let encoded = fixture.encode(codec(), &ParamValues::new());
    assert!(encoded.bytes.len() < fixture.clip.raw_bytes() / 100, "{} bytes", encoded.bytes.len());
    assert!(fixture.error_m(codec(), &encoded, 1) <= f64::from(TOLERANCE_M) + fixture.float_slack_m());
}
