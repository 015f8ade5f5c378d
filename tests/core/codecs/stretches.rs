//! Long takes of codecs that encode a whole clip at once: cut into segments, each encoded by itself.

use crate::codec_fixtures::{Fixture, Noise, TOLERANCE_M, clip_of, values_of};
use crate::codecs::allocation::allocated;
use crate::codecs::long_takes::take;
use posepress_core::codecs::{self, EncodedClip, Encoder, KeptKeys, ParamValues, encoders};
use posepress_core::math::Transform;
use posepress_core::model::{Channel, Clip, Pose};
use posepress_runtime::internal::ClipSections;
use posepress_runtime::internal::parts::Stretches;

const SAMPLES: usize = 17_000;

/// The codecs that cut a take of that length, found by the version of their payload.
fn cut(fixture: &Fixture) -> Vec<(&'static dyn Encoder, EncodedClip)> {
    let encoded = encoders().map(|codec| (codec, fixture.encode(codec, &ParamValues::new())));
    encoded.filter(|(_, encoded)| ClipSections::read(&encoded.bytes).unwrap().version >= 0x80).collect()
}

/// First samples of the segments of a take of two joints.
fn borders() -> Vec<usize> {
    let stretches = Stretches::of(2, SAMPLES);
    (1..stretches.count()).map(|stretch| stretches.start(stretch)).collect()
}

#[test]
fn players_cross_seams_either_way_and_anywhere_without_allocating() {
    let fixture = take(SAMPLES);
    let found = cut(&fixture);
    let names: Vec<&str> = found.iter().map(|(codec, _)| codec.name()).collect();
    assert_eq!((names, borders().len()), (vec!["linear-keys", "per-track", "catmull-rom", "press"], 2));
    for (codec, encoded) in found {
        let clip = codecs::open(codec, &encoded.bytes, &fixture.bind()).unwrap();
        let near = |border: usize| (0..17).map(move |i| border as f64 - 2.0 + 0.25 * f64::from(i));
        let places: Vec<f64> = borders().into_iter().flat_map(near).chain([-1.0, 0.0, 1e9]).collect();
        let (mut used, mut pose, mut fresh) = (clip.cursor().unwrap(), Pose::with_size(2, 0), Pose::with_size(2, 0));
        let mut noise = Noise(3);
        let anywhere = (0..places.len()).map(|_| places[noise.bits() as usize % places.len()]);
        for at_sample in places.iter().chain(places.iter().rev()).copied().chain(anywhere) {
            let (_, calls, ()) = allocated(|| clip.sample(&mut used, at_sample, &mut pose));
            clip.sample(&mut clip.cursor().unwrap(), at_sample, &mut fresh);
            assert_eq!((calls, &pose), (0, &fresh), "{} at {at_sample}", codec.name());
        }
    }
}

#[test]
fn the_tolerance_holds_on_both_sides_of_a_seam() {
    let fixture = take(SAMPLES);
    for (codec, encoded) in cut(&fixture) {
        // Also halfway between samples, except for curves, which are not lines there.
        let steps = if codec.name() == "catmull-rom" { 1 } else { 2 };
        let error_m = fixture.error_m(codec, &encoded, steps);
        let limit_m = 1.01 * f64::from(TOLERANCE_M) + fixture.float_slack_m();
        assert!(error_m <= limit_m, "{}: {error_m} m", codec.name());
    }
}

#[test]
fn every_layout_of_a_long_take_is_cut() {
    let fixture = take(SAMPLES);
    for (codec, changes) in [
        ("linear-keys", [("layout", "time-needed"), ("jump_every", "64")]),
        ("linear-keys", [("layout", "curve-block"), ("order", "smallest-error")]),
        ("linear-keys", [("removal", "key-frames"), ("order", "forward")]),
        ("catmull-rom", [("layout", "by-track"), ("values", "least-squares")]),
        ("catmull-rom", [("metric", "local"), ("jump_every", "64")]),
    ] {
        let codec = codecs::by_name(codec).unwrap();
        let encoded = fixture.encode(codec, &values_of(codec, &changes));
        let error_m = fixture.error_m(codec, &encoded, 1);
        assert!(error_m < 0.01, "{} {changes:?}: {error_m} m", codec.name());
        assert!(codecs::open(codec, &encoded.bytes, &fixture.bind()).unwrap().decoder().heap_bytes() > 0);
    }
}

/// One joint that turns in the first segment only, and jumps in the last.
#[test]
fn kept_samples_tell_of_stretches_in_which_a_track_stands_still() {
    let skeleton = crate::codec_fixtures::chain(1);
    let (first, last) = (borders()[0], *borders().last().unwrap());
    let data = clip_of(&skeleton, SAMPLES, |sample, _| Transform {
        rotation: glam::Quat::from_rotation_z(if sample <= first {
            (sample as f32 * 0.01).sin()
        } else {
            (first as f32 * 0.01).sin()
        }),
        translation: glam::Vec3::X * if sample > last + 5 { 1.0 } else { 0.0 },
        ..Transform::IDENTITY
    });
    let fixture = Fixture { name: "turns once", clip: Clip::new(data).unwrap(), skeleton };
    let codec = codecs::by_name("linear-keys").unwrap();
    let encoded = fixture.encode(codec, &ParamValues::new());
    let kept = |channel| encoded.kept.iter().find(|k| k.channel == channel).map(|k| &k.samples[..]).unwrap();
    let rotations = kept(Channel::Rotation);
    assert!(rotations.is_sorted() && rotations.len() > 100);
    assert_eq!(rotations[rotations.len() - 3..], [first as u32, last as u32, SAMPLES as u32 - 1]);
    let translations = kept(Channel::Translation);
    assert_eq!(translations, [0, first as u32, last as u32, last as u32 + 5, last as u32 + 6, SAMPLES as u32 - 1]);
    assert_eq!(encoded.ledger.total_bits(), 8 * encoded.bytes.len() as u64);
}

#[test]
fn bit_rates_of_later_stretches_lie_where_they_are() {
    let fixture = take(SAMPLES);
    let codec = codecs::by_name("press").unwrap();
    let encoded = fixture.encode(codec, &ParamValues::new());
    let of_track = |k: &&codecs::SegmentRate| (k.joint, k.channel) == (1, Channel::Rotation);
    let starts: Vec<u32> = encoded.ledger.rates().iter().filter(of_track).map(|k| k.first_sample).collect();
    assert!(starts.is_sorted() && *starts.last().unwrap() > SAMPLES as u32 - 200, "{:?}", starts.last());
}

#[test]
fn fits_of_a_long_take_are_not_shown_key_by_key() {
    let fixture = take(SAMPLES);
    let codec = codecs::by_name("catmull-rom").unwrap().encoder().unwrap();
    let encoded = fixture.encode(codec, &ParamValues::new());
    assert!(encoded.kept.iter().all(|kept: &KeptKeys| kept.inserted.is_empty()));
    let track = codecs::Replay { kept: &encoded.kept[0], keys: 5, sub_frames: 1 };
    let shown = fixture.with_source(|s| codecs::replay_fit(codec, s, &ParamValues::new(), &encoded.bytes, &track));
    assert_eq!(shown, Ok(None));
}

#[test]
fn damaged_stretches_are_refused_or_played_and_take_no_more_than_their_bytes() {
    let fixture = take(SAMPLES);
    let mut noise = Noise(7);
    for (codec, encoded) in cut(&fixture) {
        let (bytes, bind) = (encoded.bytes, fixture.bind());
        let payload = ClipSections::read(&bytes).unwrap().payload;
        let lengths = payload.start..payload.start + 4 * (borders().len() + 1);
        for _ in 0..200 {
            let mut damaged = bytes.clone();
            // Flips bits in the lengths of segments, their heads, or anywhere.
            let at = match noise.bits() % 3 {
                0 => lengths.start + noise.bits() as usize % lengths.len(),
                1 => lengths.end + noise.bits() as usize % 40,
                _ => noise.bits() as usize % bytes.len(),
            };
            damaged[at] ^= 1 << (noise.bits() % 8);
            let (peak, _, opened) = allocated(|| codecs::open_clip(codec, &damaged, &bind).map(|(_, player)| player));
            assert!(peak <= 64 * bytes.len() + 64 * 1024, "{}: {peak} bytes", codec.name());
            let Ok(mut player) = opened else { continue };
            let mut pose = Pose::with_size(2, 0);
            borders().into_iter().for_each(|border| player.sample(border as f64 - 0.5, &mut pose));
        }
        let cut_short = [payload.start + 2, lengths.end - 1, lengths.end + 30, payload.end - 1];
        for end in cut_short {
            // A file with a payload of that length.
            let mut short = bytes[..end].to_vec();
            short[14..18].copy_from_slice(&((end - 18) as u32).to_le_bytes());
            short.extend([0; 4]);
            assert!(codecs::open_clip(codec, &short, &bind).is_err(), "{}: {end} bytes", codec.name());
        }
    }
}

#[test]
fn a_long_take_that_is_not_cut_is_named_as_of_another_version() {
    let fixture = take(SAMPLES);
    for (codec, encoded) in cut(&fixture) {
        let mut whole = encoded.bytes;
        let version = ClipSections::read(&whole).unwrap().payload.start - 1;
        whole[version] &= 0x7f;
        let error = codecs::open_clip(codec, &whole, &fixture.bind()).unwrap_err().to_string();
        assert!(error.contains("version of the payload"), "{error}");
    }
}
