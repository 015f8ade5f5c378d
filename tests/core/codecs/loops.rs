//! Clips whose last sample equals the first, stored without the last sample.

use crate::codec_fixtures::{
    Fixture, Noise, TOLERANCE_M, chain, clip_of, encoder, fixtures, looping, looping_leg, spinning_once, values_of,
    variants,
};
use crate::codecs::long_takes::take;
use posepress_core::codecs::{
    self, EncodedClip, Encoder, GroupStorage, JointGroup, ParamValues, Progress, Replay, Source, encoders,
};
use posepress_core::model::{Clip, ModelPose, Pose};
use posepress_runtime::internal::ClipSections;

fn is_wrapped(encoded: &EncodedClip) -> bool {
    ClipSections::read(&encoded.bytes).unwrap().is_wrapped
}

/// Decoded poses at some times.
fn poses(fixture: &Fixture, codec: &dyn Encoder, encoded: &EncodedClip, places: &[f64]) -> Vec<Pose> {
    let bind = fixture.bind();
    let (header, mut player) = codecs::open_clip(codec, &encoded.bytes, &bind).unwrap();
    let pose = |at: &f64| {
        let mut pose = Pose::with_size(header.joints, header.float_tracks);
        player.sample(*at, &mut pose);
        pose
    };
    places.iter().map(pose).collect()
}

/// The same clip, marked as looping, with only its last sample moved.
fn moved_at_its_end(fixture: Fixture, by_m: f32) -> Fixture {
    let clip = fixture.clip.edited(|data| {
        let last = data.transforms.len() - data.joints;
        data.transforms[last].translation.x += by_m;
        data.looping = Some(true);
    });
    Fixture { clip: clip.unwrap(), ..fixture }
}

#[test]
fn what_ends_where_it_began_is_stored_without_its_last_sample() {
    let called = looping();
    let last = called.clip.samples() - 1;
    let uncalled = Fixture { clip: called.clip.clone().with_looping(false), ..looping() };
    for (fixture, codec) in [called, uncalled].iter().flat_map(|fixture| encoders().map(move |codec| (fixture, codec)))
    {
        for values in variants(codec) {
            let what = format!("{} {values:?}", codec.name());
            let encoded = fixture.encode(codec, &values);
            let expected = codec.leaves_out_last(&values);
            assert_eq!(is_wrapped(&encoded), expected, "{what}");
            if !expected {
                continue;
            }
            assert!(encoded.kept.iter().all(|kept| kept.samples.iter().all(|s| (*s as usize) < last)), "{what}");
            let end = last as f64;
            let found = poses(fixture, codec, &encoded, &[0.0, end - 1.0, end - 0.25, end]);
            let [first, before, between, closed] = &found[..] else { unreachable!() };
            assert_eq!(first.joints, closed.joints, "{what}: the seam");
            // Joint 3 has a step there.
            for joint in 0..3 {
                let expected = before.joints[joint].lerp(first.joints[joint], 0.75);
                assert_eq!(between.joints[joint], expected, "{what}: joint {joint}");
            }
            assert_eq!(between.joints[3].rotation, before.joints[3].rotation, "{what}");
        }
    }
}

/// Compared with a clip with another end. For wavelets one sample more or less in a block changes little.
#[test]
fn what_is_left_out_is_saved() {
    let (round, open) = (looping(), moved_at_its_end(looping(), 0.05));
    for codec in encoders().filter(|codec| codec.leaves_out_last(&ParamValues::new()) && codec.name() != "wavelet") {
        let [round, open] = [&round, &open].map(|fixture| fixture.encode(codec, &ParamValues::new()));
        assert!(is_wrapped(&round) && !is_wrapped(&open), "{}", codec.name());
        assert!(
            round.bytes.len() < open.bytes.len(),
            "{}: {} and {}",
            codec.name(),
            round.bytes.len(),
            open.bytes.len()
        );
    }
}

#[test]
fn float32_keeps_every_bit_of_a_loop_that_it_does_not_store() {
    let (fixture, raw) = (looping(), encoder("raw"));
    let encoded = fixture.encode(raw, &ParamValues::new());
    assert!(is_wrapped(&encoded));
    let places: Vec<f64> = fixture.clip.grid().steps(1).collect();
    for (sample, pose) in poses(&fixture, raw, &encoded, &places).iter().enumerate() {
        assert_eq!((&pose.joints[..], &pose.floats[..]), (fixture.clip.pose(sample), fixture.clip.floats(sample)));
    }
}

/// A last pose that differs from the first by more than the tolerance is stored, even if the clip is marked as looping.
#[test]
fn almost_loops_are_wrapped_only_within_the_promise() {
    for (by_m, may_wrap) in [(0.5 * TOLERANCE_M, true), (3.0 * TOLERANCE_M, false)] {
        let fixture = moved_at_its_end(looping(), by_m);
        for codec in encoders() {
            let encoded = fixture.encode(codec, &ParamValues::new());
            let promises = codec.info().promises_tolerance;
            assert!(!is_wrapped(&encoded) || (may_wrap && promises), "{} at {by_m} m", codec.name());
            let error_m = fixture.error_m(codec, &encoded, 1);
            let limit_m = f64::from(TOLERANCE_M) + fixture.float_slack_m();
            assert!(error_m <= limit_m || !promises, "{}: {error_m} m", codec.name());
        }
    }
}

/// After a full turn a rotation is the negative quaternion: the same rotation, but other float32 numbers.
#[test]
fn a_whole_turn_goes_on_through_the_seam_on_the_shorter_arc() {
    let fixture = spinning_once();
    let last = fixture.clip.samples() - 1;
    let opposite = fixture.clip.at(0, 0).rotation.dot(fixture.clip.at(last, 0).rotation);
    assert!(opposite < -0.999, "{opposite}");
    for codec in encoders() {
        let encoded = fixture.encode(codec, &ParamValues::new());
        let is_near_enough = !["raw", "quantize", "every-second-key", "catmull-rom"].contains(&codec.name());
        assert_eq!(is_wrapped(&encoded), is_near_enough, "{}", codec.name());
        if codec.info().promises_tolerance && codec.name() != "catmull-rom" {
            let error_m = fixture.error_m(codec, &encoded, 4);
            assert!(error_m <= 1.1 * f64::from(TOLERANCE_M), "{}: {error_m} m", codec.name());
        }
    }
}

#[test]
fn what_is_kept_exactly_at_the_end_is_kept() {
    let (fixture, codec) = (looping(), encoder("quantize"));
    let samples = fixture.clip.samples();
    for (within, wraps) in [(3..9, true), (samples - 4..samples, false)] {
        let groups = [JointGroup { joints: vec![1], kept: GroupStorage::ExactlyWithin(within.clone()) }];
        let encode = |source: &Source<'_>| {
            let source = Source { groups: &groups, ..*source };
            codecs::encode_clip(codec, &source, &ParamValues::new(), &Progress::new()).unwrap()
        };
        let encoded = fixture.with_source(encode);
        assert_eq!(is_wrapped(&encoded), wraps, "{within:?}");
        for sample in within {
            let [pose] = &poses(&fixture, codec, &encoded, &[sample as f64])[..] else { unreachable!() };
            assert_eq!(pose.joints[1], fixture.clip.at(sample, 1), "sample {sample}");
        }
    }
}

/// Long takes are cut by the number of stored samples: 8,194 samples of two joints are cut in two, 8,193 are not.
#[test]
fn long_loops_are_cut_as_what_is_stored_of_them() {
    for samples in [8194, 9000] {
        let Fixture { skeleton, clip, .. } = take(samples);
        let round = clip.edited(|data| {
            let (joints, end) = (data.joints, data.transforms.len() - data.joints);
            let (start, end) = data.transforms.split_at_mut(end);
            end.copy_from_slice(&start[..joints]);
            data.looping = Some(true);
        });
        let fixture = Fixture { name: "round", skeleton, clip: round.unwrap() };
        for name in ["press", "linear-keys", "variable-rate"] {
            let codec = encoder(name);
            let encoded = fixture.encode(codec, &ParamValues::new());
            let error_m = fixture.error_m(codec, &encoded, 1);
            assert!(error_m <= 1.01 * f64::from(TOLERANCE_M), "{name} of {samples}: {error_m} m");
            let found = poses(&fixture, codec, &encoded, &[0.0, samples as f64 - 1.0]);
            assert!(found[0] == found[1] || !is_wrapped(&encoded), "{name} of {samples}");
        }
    }
}

#[test]
fn a_loop_of_one_sample_has_none_to_leave_out() {
    let fixture = fixtures().into_iter().find(|f| f.name == "one sample").unwrap();
    let codec = encoder("raw");
    let mut bytes = fixture.encode(codec, &ParamValues::new()).bytes;
    let version = ClipSections::read(&bytes).unwrap().payload.start - 1;
    bytes[version] |= ClipSections::WRAPPED;
    let error = codecs::open_clip(codec, &bytes, &fixture.bind()).unwrap_err().to_string();
    assert!(error.contains("sample count") && error.contains("two or more"), "{error}");
}

/// Any bytes after the flag are refused or played.
#[test]
fn clips_that_are_said_to_be_wrapped_are_refused_or_played() {
    let mut noise = Noise(41);
    let mut played = 0;
    for fixture in fixtures().into_iter().chain([looping_leg()]) {
        let bind = fixture.bind();
        for codec in encoders() {
            let mut bytes = fixture.encode(codec, &ParamValues::new()).bytes;
            let version = ClipSections::read(&bytes).unwrap().payload.start - 1;
            bytes[version] ^= ClipSections::WRAPPED;
            for _ in 0..20 {
                if let Ok((header, mut player)) = codecs::open_clip(codec, &bytes, &bind) {
                    let mut pose = Pose::with_size(header.joints, header.float_tracks);
                    let end = (header.grid.samples() - 1) as f64;
                    for at in [end, end - 0.5, 0.0, end - 1.0, -1.0] {
                        player.sample(at, &mut pose);
                        assert!(
                            pose.joints.iter().all(|local| local.is_finite()),
                            "{} on '{}'",
                            codec.name(),
                            fixture.name
                        );
                    }
                    played += 1;
                }
                // Every third flip changes the number of samples, the others any byte.
                let at = if noise.bits().is_multiple_of(3) { 4 } else { noise.bits() as usize % bytes.len() };
                bytes[at] ^= 1 << (noise.bits() % 8);
            }
        }
    }
    assert!(played > 100, "{played}");
}

/// The replay of a curve fit has no sample that is not stored.
#[test]
fn the_fit_of_a_loop_is_seen_again() {
    let (fixture, codec) = (looping(), encoder("catmull-rom"));
    let values = values_of(codec, &[("between", "true")]);
    let encoded = fixture.encode(codec, &values);
    assert!(is_wrapped(&encoded));
    let track = Replay { kept: &encoded.kept[0], keys: usize::MAX, sub_frames: 1 };
    let shown = fixture.with_source(|s| codecs::replay_fit(codec, s, &values, &encoded.bytes, &track));
    assert_eq!(shown.unwrap().unwrap().samples, encoded.kept[0].samples);
}

/// A clip of two joints with equal ends that moves in between has no pop, and neither has its plot.
#[test]
fn the_seam_of_a_wrapped_loop_does_not_pop() {
    let rig = chain(2);
    let data = clip_of(&rig, 21, |s, j| {
        let angle = std::f32::consts::TAU * (s % 20) as f32 / 20.0;
        posepress_core::math::Transform {
            rotation: glam::Quat::from_rotation_z(0.4 * (angle + j as f32).sin()),
            ..rig.bind(j)
        }
    });
    let fixture = Fixture { name: "round", clip: Clip::new(data).unwrap().with_looping(true), skeleton: rig };
    for codec in encoders().filter(|codec| codec.leaves_out_last(&ParamValues::new())) {
        let encoded = fixture.encode(codec, &ParamValues::new());
        let found = poses(&fixture, codec, &encoded, &[0.0, 20.0]);
        let [first, last] = [0, 1].map(|i| ModelPose::new(&fixture.skeleton, &found[i].joints));
        assert_eq!(first.joints, last.joints, "{}", codec.name());
    }
}
