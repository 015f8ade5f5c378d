//! The contract of every codec, tested on every hand-made clip.

use crate::codec_fixtures::{Fixture, Noise, TOLERANCE_M, chain, clip_of, fixtures, variants};
use glam::{Quat, Vec3};
use posepress_core::codecs::{
    self, CODECS, EncodeError, ParamValues, Progress, by_name_and_preset, encoders, open_clip,
};
use posepress_core::math::Transform;
use posepress_core::model::{Clip, Pose};
use proptest::prelude::*;
use std::collections::HashSet;

#[test]
fn ids_names_and_keys_are_unique_and_texts_are_there() {
    let ids: HashSet<_> = CODECS.iter().map(|c| c.id()).collect();
    let names: HashSet<_> = CODECS.iter().map(|c| c.name()).collect();
    assert_eq!((ids.len(), names.len()), (CODECS.len(), CODECS.len()));
    for codec in CODECS {
        let keys: HashSet<_> = codec.params().iter().map(|p| p.key).collect();
        assert_eq!(keys.len(), codec.params().len(), "{}", codec.name());
        assert!(!codec.info().summary.is_empty() && !codec.info().source.is_empty());
        for param in codec.params() {
            assert!(!param.help.is_empty() && !param.label.is_empty(), "{} {}", codec.name(), param.key);
            assert_eq!(param.check(param.default_value()), Ok(param.default_value()), "{} {}", codec.name(), param.key);
        }
    }
}

#[test]
fn presets_have_names_of_their_own_and_values_that_fit_and_differ() {
    let mut seen = 0;
    for codec in CODECS {
        let presets = codec.info().presets;
        let names: HashSet<_> = presets.iter().map(|p| p.name).collect();
        assert_eq!(names.len(), presets.len(), "{}", codec.name());
        let mut known = vec![ParamValues::new()];
        for preset in presets {
            let what = format!("{}:{}", codec.name(), preset.name);
            assert!(!preset.summary.is_empty(), "{what}");
            let values = preset.values(codec.params()).unwrap_or_else(|e| panic!("{what}: {e}"));
            assert_eq!(values.changed().count(), preset.values.len(), "{what} names a default");
            assert!(!known.contains(&values), "{what} is another preset, or the defaults");
            let (named, chosen) = by_name_and_preset(&what).unwrap();
            assert!(named.id() == codec.id() && chosen == values, "{what}");
            known.push(values);
            seen += 1;
        }
    }
    assert!(seen > 10, "only {seen} presets");
}

#[test]
fn every_choice_keeps_every_promise_on_every_clip() {
    for fixture in fixtures() {
        for codec in encoders() {
            for values in variants(codec) {
                let what = format!("{} {values:?} on '{}'", codec.name(), fixture.name);
                let encoded = fixture.encode(codec, &values);
                assert_eq!(encoded.ledger.total_bits(), 8 * encoded.bytes.len() as u64, "{what}: ledger");
                for kept in &encoded.kept {
                    let last = kept.samples.last().copied().unwrap_or(u32::MAX) as usize;
                    assert!(kept.samples.windows(2).all(|w| w[0] < w[1]) && last < fixture.clip.samples(), "{what}");
                }
                let error_m = fixture.error_m(codec, &encoded, 1);
                assert!(error_m.is_finite(), "{what}: {error_m}");
                if codec.promises_with(&values) {
                    let bounded_m = fixture.bounded_m(codec, &values, &encoded);
                    let limit_m = f64::from(TOLERANCE_M) + fixture.float_slack_m();
                    assert!(bounded_m <= limit_m, "{what}: {bounded_m} m over {limit_m} m");
                }
            }
        }
    }
}

#[test]
fn bytes_do_not_depend_on_the_number_of_threads() {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let (one, seven) = (pool(1), pool(7));
    for fixture in fixtures() {
        for codec in encoders() {
            let encode = || fixture.encode(codec, &ParamValues::new());
            assert_eq!(one.install(encode), seven.install(encode), "{} on '{}'", codec.name(), fixture.name);
        }
    }
}

#[test]
fn any_order_of_times_gives_the_same_poses() {
    for fixture in fixtures() {
        let bind = fixture.bind();
        for codec in encoders() {
            let encoded = fixture.encode(codec, &ParamValues::new());
            let (header, mut forward) = open_clip(codec, &encoded.bytes, &bind).unwrap();
            let places: Vec<f64> = header.grid.steps(3).collect();
            let mut sample = |at_sample| {
                let mut pose = Pose::with_size(header.joints, header.float_tracks);
                forward.sample(at_sample, &mut pose);
                pose
            };
            let poses: Vec<Pose> = places.iter().map(|at| sample(*at)).collect();
            assert_eq!(sample(-1.0), poses[0]);
            assert_eq!(sample(1e9), *poses.last().unwrap());
            let (_, mut jumping) = open_clip(codec, &encoded.bytes, &bind).unwrap();
            let mut noise = Noise(3);
            let backwards = (0..places.len()).rev();
            let random = (0..200).map(|_| noise.bits() as usize % places.len());
            for i in backwards.chain(random) {
                let mut pose = Pose::with_size(header.joints, header.float_tracks);
                jumping.sample(places[i], &mut pose);
                assert_eq!(pose, poses[i], "{} on '{}' at {}", codec.name(), fixture.name, places[i]);
            }
        }
    }
}

#[test]
fn every_truncated_prefix_is_rejected() {
    for fixture in fixtures() {
        let bind = fixture.bind();
        for codec in encoders() {
            let bytes = fixture.encode(codec, &ParamValues::new()).bytes;
            let step = bytes.len().div_ceil(3000);
            for len in (0..bytes.len()).step_by(step) {
                let opened = open_clip(codec, &bytes[..len], &bind);
                assert!(opened.is_err(), "{} on '{}' opens {len} of {} bytes", codec.name(), fixture.name, bytes.len());
            }
            let longer = [bytes.as_slice(), &[0]].concat();
            assert!(open_clip(codec, &longer, &bind).is_err(), "{} ignores a byte at the end", codec.name());
        }
    }
}

#[test]
fn flipped_bits_are_rejected_or_read_as_finite_poses() {
    let mut noise = Noise(11);
    let mut decoded = 0;
    for fixture in fixtures() {
        let bind = fixture.bind();
        for codec in encoders() {
            for values in variants(codec) {
                let mut bytes = fixture.encode(codec, &values).bytes;
                for _ in 0..60 {
                    let flips: Vec<usize> =
                        (0..1 + noise.bits() % 3).map(|_| noise.bits() as usize % (8 * bytes.len())).collect();
                    flips.iter().for_each(|bit| bytes[bit / 8] ^= 1 << (bit % 8));
                    if let Ok((header, mut sampler)) = open_clip(codec, &bytes, &bind) {
                        decoded += 1;
                        let mut pose = Pose::with_size(header.joints, header.float_tracks);
                        let middle = header.grid.samples() as f64 / 2.0;
                        for at in [0.0, 0.4, middle, middle + 0.7, f64::from(u16::MAX)] {
                            sampler.sample(at, &mut pose);
                            let is_finite = pose.joints.iter().all(Transform::is_finite);
                            assert!(is_finite, "{} {values:?} on '{}', bits {flips:?}", codec.name(), fixture.name);
                        }
                    }
                    flips.iter().for_each(|bit| bytes[bit / 8] ^= 1 << (bit % 8));
                }
            }
        }
    }
    assert!(decoded > 1000, "flips hardly ever decode ({decoded}), so finiteness was not tested");
}

#[test]
fn cancelling_stops_the_encoder() {
    for fixture in fixtures() {
        for codec in encoders() {
            let progress = Progress::new();
            progress.cancel();
            let result = fixture.try_encode(codec, &ParamValues::new(), &progress);
            assert_eq!(result, Err(EncodeError::Cancelled), "{} on '{}'", codec.name(), fixture.name);
        }
    }
}

#[test]
fn coordinates_that_cannot_be_blended_are_refused_or_stay_finite() {
    let rig = chain(2);
    let data = clip_of(&rig, 3, |s, _| Transform::from_translation(Vec3::splat(if s == 1 { -3e38 } else { 3e38 })));
    let fixture = Fixture { name: "too large", clip: Clip::new(data).unwrap(), skeleton: rig };
    for codec in encoders().filter(|c| c.name() != "raw") {
        let result = fixture.try_encode(codec, &ParamValues::new(), &Progress::new());
        let message = result.expect_err("numbers near the end of float32").to_string();
        assert!(message.contains("sample 0, joint 0"), "{}: {message}", codec.name());
    }
}

#[test]
fn linear_keys_stays_near_the_tolerance_between_samples() {
    let linear = posepress_core::codecs::by_name("linear-keys").unwrap();
    for fixture in [crate::codec_fixtures::arm(), crate::codec_fixtures::noisy_chain()] {
        let encoded = fixture.encode(linear, &ParamValues::new());
        let between_m = fixture.error_m(linear, &encoded, 4);
        assert!(
            between_m <= 1.1 * f64::from(TOLERANCE_M),
            "'{}' has an error of {between_m} m between samples",
            fixture.name
        );
    }
}

#[test]
fn linear_keys_keeps_the_corners_of_a_path_of_straight_pieces() {
    let rig = chain(2);
    let corners = [0.0, 1.0, 0.2, 0.9, -0.5];
    let data = clip_of(&rig, 41, |s, j| {
        let mut local = rig.bind(j);
        if j == 0 {
            let (piece, alpha) = (s / 10, (s % 10) as f32 / 10.0);
            let next = corners[(piece + 1).min(4)];
            local.translation.x = corners[piece] + (next - corners[piece]) * alpha;
        }
        local
    });
    let fixture = Fixture { name: "path", clip: Clip::new(data).unwrap(), skeleton: rig };
    let codec = posepress_core::codecs::by_name("linear-keys").unwrap();
    for values in variants(codec) {
        let kept = fixture.encode(codec, &values).kept;
        assert_eq!(kept.len(), 1, "{values:?}");
        assert_eq!(kept[0].samples, [0, 10, 20, 30, 40], "{values:?}");
    }
}

#[test]
fn still_tracks_cost_next_to_nothing() {
    // Five joints at rest: 15 tracks of 2 bits, four constant rotations of 62 bits, headers.
    let fixture = fixtures().into_iter().find(|f| f.name == "constant").unwrap();
    for name in ["quantize", "linear-keys"] {
        let bytes = fixture.encode(posepress_core::codecs::by_name(name).unwrap(), &ParamValues::new()).bytes.len();
        assert!(bytes <= 62, "{name} spends {bytes} bytes on a clip that does not move");
    }
}

fn any_transform() -> impl Strategy<Value = Transform> {
    let numbers = |limit: f32| prop::array::uniform3(-limit..limit).prop_map(Vec3::from_array);
    (numbers(3.0), numbers(2.0), numbers(1.5)).prop_map(|(turn, translation, scale)| Transform {
        rotation: Quat::from_scaled_axis(turn),
        translation,
        scale,
    })
}

fn any_fixture() -> impl Strategy<Value = Fixture> {
    (1usize..5, 1usize..12).prop_flat_map(|(joints, samples)| {
        prop::collection::vec(any_transform(), joints * samples).prop_map(move |transforms| {
            let skeleton = chain(joints);
            let data = clip_of(&skeleton, samples, |s, j| transforms[s * joints + j]);
            Fixture { name: "generated", clip: Clip::new(data).unwrap(), skeleton }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn generated_clips_stay_within_the_tolerance(fixture in any_fixture()) {
        for codec in encoders() {
            let encoded = fixture.encode(codec, &ParamValues::new());
            let error_m = fixture.error_m(codec, &encoded, 1);
            prop_assert!(error_m.is_finite());
            if codec.info().promises_tolerance {
                // Scales up to 1.5 per joint lengthen the chain and its rounding.
                let limit_m = f64::from(TOLERANCE_M) + 1e-5;
                prop_assert!(error_m <= limit_m, "{} has an error of {error_m} m", codec.name());
            }
        }
    }

    #[test]
    fn noise_is_no_clip(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let bind = vec![Transform::IDENTITY; 2];
        for codec in encoders() {
            // A valid header, so that the codec's own decoder reads the noise.
            let mut clip = vec![2, 0, 0, 0, 5, 0, 0, 0, 0, 0, 128, 63, 0, 0];
            clip.extend((bytes.len() as u32).to_le_bytes());
            clip.extend(&bytes);
            clip.extend([0; 4]);
            if let Ok((header, mut sampler)) = open_clip(codec, &clip, &bind) {
                let mut pose = Pose::with_size(header.joints, header.float_tracks);
                sampler.sample(0.37, &mut pose);
                prop_assert!(pose.joints.iter().all(Transform::is_finite));
            }
        }
    }
}

#[test]
fn numbers_that_cannot_be_blended_are_refused_by_every_codec() {
    let rig = chain(1);
    for far in [1e19, f32::MAX] {
        let data = clip_of(&rig, 4, |s, _| Transform::from_translation(Vec3::splat(if s == 2 { far } else { 0.0 })));
        let fixture = Fixture { name: "far", clip: Clip::new(data).unwrap(), skeleton: rig.clone() };
        for codec in encoders() {
            let refused = fixture.try_encode(codec, &ParamValues::new(), &Progress::new()).unwrap_err().to_string();
            assert!(refused.contains("sample 2, joint 0") && refused.contains("unit"), "{}: {refused}", codec.name());
        }
    }
}

#[test]
fn raw_samples_that_would_blend_to_infinity_are_refused() {
    let rig = chain(1);
    let fixture = Fixture {
        name: "still",
        clip: Clip::new(clip_of(&rig, 2, |_, _| Transform::IDENTITY)).unwrap(),
        skeleton: rig,
    };
    let raw = codecs::LOSSLESS;
    let good = fixture.encode(raw, &ParamValues::new()).bytes;
    // From the end: floats and holds take 4 bytes, scale and translation of the last sample 24.
    let last_translation = good.len() - 4 - 24;
    for far in [f32::MAX, f32::INFINITY, f32::NAN] {
        let mut bad = good.clone();
        bad[last_translation..last_translation + 4].copy_from_slice(&far.to_le_bytes());
        assert!(codecs::open(raw, &bad[..], &fixture.bind()).is_err(), "{far}");
    }
    assert!(codecs::open(raw, &good[..], &fixture.bind()).is_ok());
}
