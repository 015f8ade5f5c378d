//! Claims of the article on signal processing, tested on `wavelet`.

use crate::codec_fixtures::{Fixture, Noise, TOLERANCE_M, arm, chain, clip_of, fixtures, noisy_chain, values_of};
use glam::Quat;
use posepress_core::codecs::{self, Codec, EncodedClip, ParamValues, open_clip};
use posepress_core::math::Transform;
use posepress_core::model::{Clip, Pose};

fn codec() -> &'static dyn Codec {
    codecs::by_name("wavelet").unwrap()
}

fn values(changes: &[(&str, &str)]) -> ParamValues {
    values_of(codec(), changes)
}

fn encode(fixture: &Fixture, changes: &[(&str, &str)]) -> EncodedClip {
    fixture.encode(codec(), &values(changes))
}

fn bytes(fixture: &Fixture, changes: &[(&str, &str)]) -> usize {
    encode(fixture, changes).bytes.len()
}

/// A long, smooth swing of several joints.
fn swing(samples: usize) -> Fixture {
    let rig = chain(8);
    let data = clip_of(&rig, samples, |s, j| {
        let t = s as f32 / 30.0;
        let turn = Quat::from_rotation_x((2.0 * t + j as f32).sin() * 0.4);
        Transform { rotation: turn * Quat::from_rotation_z((3.1 * t).cos() * 0.2), ..rig.bind(j) }
    });
    Fixture { name: "swing", clip: Clip::new(data).unwrap(), skeleton: rig }
}

/// "The Haar wavelet ... is generally avoided for compression. A decent alternative is ... D4."
#[test]
fn d4_is_smaller_than_haar_where_motion_is_smooth() {
    let fixture = swing(200);
    let (haar, d4) = (bytes(&fixture, &[("wavelet", "haar")]), bytes(&fixture, &[("wavelet", "d4")]));
    assert!(10 * d4 < 9 * haar, "D4 {d4}, Haar {haar} bytes");
}

/// "In order to be competitive with other techniques, we need to push compression further using entropy coding."
#[test]
fn every_entropy_coder_wins_over_none() {
    let fixture = swing(400);
    let of = |entropy| bytes(&fixture, &[("entropy", entropy), ("zero_runs", "true")]);
    let (none, zlib, huffman, arithmetic) = (of("none"), of("zlib"), of("huffman"), of("arithmetic"));
    assert!(zlib < none && huffman < none && arithmetic < huffman, "{none}, {zlib}, {huffman}, {arithmetic}");
}

/// Fixed chances that are known in advance need no table and cost few bytes.
#[test]
fn fixed_chances_come_near_to_those_that_are_learned() {
    let fixture = swing(400);
    let of = |entropy| bytes(&fixture, &[("entropy", entropy)]);
    let (huffman, rans, arithmetic) = (of("huffman"), of("rans"), of("arithmetic"));
    assert!(rans < huffman && 10 * rans < 12 * arithmetic, "{huffman}, {rans}, {arithmetic}");
}

/// A signal of any length is transformed without padding: 33 samples become blocks of 17 and 16, not of 32 and 1.
#[test]
fn blocks_are_cut_evenly() {
    let of = |samples: usize| bytes(&swing(samples), &[]) as f64 / samples as f64;
    assert!(of(33) < 1.35 * of(32), "{} and {} bytes per sample", of(33), of(32));
}

/// Children correct the error of their parents: the same tolerance takes fewer bytes than with independent tracks.
#[test]
fn joints_aimed_at_their_decoded_parents_are_smaller() {
    let fixture = swing(200);
    let (aimed, alone) = (bytes(&fixture, &[]), bytes(&fixture, &[("rotation", "log")]));
    assert!(10 * aimed < 9 * alone, "{aimed} aimed, {alone} by themselves");
}

/// "It can be beneficial to use run length encoding to compress those before the entropy coding phase."
#[test]
fn runs_of_zeros_win_where_no_coder_sees_them() {
    let fixture = swing(400);
    let of = |runs| bytes(&fixture, &[("entropy", "none"), ("zero_runs", runs)]);
    assert!(of("true") < of("false"), "{} with runs, {} without", of("true"), of("false"));
}

#[test]
fn the_cache_changes_no_bit_of_any_pose() {
    for fixture in [arm(), noisy_chain(), swing(90)] {
        let rans = [("entropy", "rans"), ("block_samples", "16")];
        let layouts: [&[_]; 4] = [&[("block_samples", "16")], &[("layout", "joined")], &[("entropy", "zlib")], &rans];
        for layout in layouts {
            let bind = fixture.bind();
            let with = |cache| encode(&fixture, &[layout, &[("cache", cache)]].concat()).bytes;
            let (cached, uncached) = (with("true"), with("false"));
            let (header, mut a) = open_clip(codec(), &cached, &bind).unwrap();
            let (_, mut b) = open_clip(codec(), &uncached, &bind).unwrap();
            let places: Vec<f64> = header.grid.steps(3).collect();
            let mut noise = Noise(5);
            let jumps = (0..200).map(|_| noise.bits() as usize % places.len());
            for i in (0..places.len()).chain(jumps) {
                let size = || Pose::with_size(header.joints, header.float_tracks);
                let (mut from_cache, mut anew) = (size(), size());
                a.sample(places[i], &mut from_cache);
                b.sample(places[i], &mut anew);
                assert_eq!(from_cache, anew, "'{}' {layout:?} at {}", fixture.name, places[i]);
            }
        }
    }
}

#[test]
fn bytes_are_the_same_with_1_2_and_7_threads() {
    let forms = ["log", "rodrigues"];
    let changes = [("block_samples", "16"), ("layout", "joined"), ("entropy", "huffman"), ("bits", "fixed")];
    for (change, form) in changes.into_iter().flat_map(|change| forms.map(|form| (change, form))) {
        let [one, two, seven] = [1, 2, 7].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| encode(&noisy_chain(), &[change, ("rotation", form)]))
        });
        assert!(one == two && two == seven, "{change:?}, {form}");
    }
}

#[test]
fn promises_hold_when_choices_meet() {
    let all: [&[(&str, &str)]; 6] = [
        &[("layout", "joined"), ("range", "band"), ("whole", "4"), ("zero_runs", "true"), ("entropy", "zlib")],
        &[("layout", "joined"), ("wavelet", "haar"), ("rotation", "w"), ("entropy", "huffman")],
        &[("block_samples", "16"), ("range", "band"), ("padding", "zero"), ("rotation", "log")],
        &[("block_samples", "1024"), ("padding", "mirror"), ("whole", "scale"), ("zero_runs", "true")],
        &[("wavelet", "cdf53"), ("padding", "repeat"), ("entropy", "rans"), ("rotation", "farthest")],
        &[("wavelet", "d4"), ("layout", "joined"), ("entropy", "rans")],
    ];
    for fixture in fixtures() {
        for changes in all {
            let encoded = encode(&fixture, changes);
            assert_eq!(encoded.ledger.total_bits(), 8 * encoded.bytes.len() as u64);
            let (error_m, limit_m) = (fixture.error_m(codec(), &encoded, 1), f64::from(TOLERANCE_M));
            assert!(error_m <= limit_m + fixture.float_slack_m(), "'{}' {changes:?}: {error_m} m", fixture.name);
        }
    }
}

/// "By altering how many bits we use for the quantization step we can control how aggressive we want to be."
#[test]
fn fixed_bits_trade_bytes_for_error() {
    let fixture = swing(100);
    for range in ["track", "band"] {
        let of = |bits| {
            let encoded = encode(&fixture, &[("bits", "fixed"), ("fixed_bits", bits), ("range", range)]);
            (encoded.bytes.len(), fixture.error_m(codec(), &encoded, 1))
        };
        let (coarse, middle, fine) = (of("8"), of("12"), of("16"));
        assert!(coarse.0 < middle.0 && middle.0 < fine.0, "{range}: {coarse:?}, {middle:?}, {fine:?}");
        assert!(coarse.1 > 4.0 * middle.1 && middle.1 > 4.0 * fine.1, "{range}: {coarse:?}, {middle:?}, {fine:?}");
    }
    assert!(!codec().promises_with(&values(&[("bits", "fixed")])) && codec().promises_with(&values(&[])));
}

#[test]
fn the_stages_end_with_the_bytes_that_are_kept() {
    let fixture = swing(300);
    for entropy in ["none", "zlib", "huffman", "arithmetic", "rans"] {
        let encoded = encode(&fixture, &[("entropy", entropy), ("zero_runs", "true")]);
        let stages = encoded.ledger.stages();
        let names: Vec<_> = stages.iter().map(|s| &*s.name).collect();
        assert_eq!(names[1..3], ["trivial tracks removed", "transformed, quantized"]);
        let bytes: Vec<u64> = stages.iter().map(|s| s.bytes).collect();
        assert_eq!(bytes[0], fixture.clip.raw_joint_bytes() as u64);
        // Around the payload: the clip's header of 14 bytes, its length and version, and the count of held intervals.
        assert_eq!(bytes[4] + 14 + 4 + 1 + 4, encoded.bytes.len() as u64, "{entropy}");
        assert!(bytes[1] < bytes[0] && bytes[2] < bytes[1] && bytes[3] < bytes[2], "{entropy}: {bytes:?}");
        assert!(bytes[4] <= bytes[3] + 2 * 4, "{entropy}: {bytes:?}");
    }
}

#[test]
fn blocks_that_no_step_fits_are_float32() {
    let far = fixtures().into_iter().find(|f| f.name == "far away").unwrap();
    let encoded = encode(&far, &[]);
    let error_m = far.error_m(codec(), &encoded, 1);
    assert!(error_m <= f64::from(TOLERANCE_M) + far.float_slack_m(), "{error_m}");
}

/// Deflated bytes belong to all joints together, so the number per joint is marked as an estimate.
#[test]
fn joints_of_deflated_blocks_are_said_to_be_shared_out() {
    let arm = arm();
    for (entropy, is_estimate) in [("zlib", true), ("arithmetic", false), ("rans", false), ("none", false)] {
        let encoded = encode(&arm, &[("entropy", entropy)]);
        assert_eq!(encoded.ledger.is_shared_out(), is_estimate, "{entropy}");
    }
}
