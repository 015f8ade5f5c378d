//! Takes of many minutes: late samples are found, and codecs keep their promise without giving up.

use super::allocation::allocated;
use crate::codec_fixtures::{Fixture, Noise, TOLERANCE_M, chain, clip_of};
use crate::written;
use glam::{Quat, Vec3};
use posepress_core::codecs::{self, LOSSLESS, ParamValues, Progress, encoders};
use posepress_core::import::{ImportOptions, import_bytes};
use posepress_core::math::Transform;
use posepress_core::model::{Clip, ClipSampler, Pose, Rig, Sampler};
use posepress_core::pipeline::{Archive, MeasuredClip, compress, measure_archived};
use posepress_core::recipe::Recipe;
use posepress_core::report::{ClipReport, ExactRow};
use std::sync::Arc;

/// Two joints that swing at several speeds at once, `samples` at 120 Hz.
pub fn take(samples: usize) -> Fixture {
    let skeleton = chain(2);
    let mut data = clip_of(&skeleton, samples, |s, j| {
        let secs = s as f32 / 120.0;
        let swing = (1.7 * secs).sin() * 0.5 + (0.31 * secs).cos() * 0.3 + (5.3 * secs).sin() * 0.05;
        let turn = Quat::from_rotation_z(swing) * Quat::from_rotation_x((0.9 * secs + j as f32).sin() * 0.4);
        let mut local = Transform { rotation: turn, ..skeleton.bind(j) };
        if j == 0 {
            local.translation.x = (0.2 * secs).sin();
        }
        local
    });
    data.duration_secs = (samples - 1) as f32 / 120.0;
    Fixture { name: "take", clip: Clip::new(data).unwrap(), skeleton }
}

#[test]
fn raw_is_exact_at_every_sample_of_a_long_take() {
    const SAMPLES: usize = 200_000;
    let skeleton = chain(1);
    let mut noise = Noise(16);
    for rate_hz in [30.0, 60.0, 120.0] {
        let values: Vec<f32> = (0..SAMPLES).map(|_| noise.unit()).collect();
        let mut data = clip_of(&skeleton, SAMPLES, |s, _| Transform::from_translation(Vec3::splat(values[s])));
        data.duration_secs = ((SAMPLES - 1) as f64 / rate_hz) as f32;
        let fixture = Fixture { name: "long", clip: Clip::new(data).unwrap(), skeleton: skeleton.clone() };
        let raw = codecs::by_name("raw").unwrap();
        let encoded = fixture.encode(raw, &ParamValues::new());
        let (header, mut decoded) = codecs::open_clip(raw, &encoded.bytes, &fixture.bind()).unwrap();
        let mut source = ClipSampler::new(&fixture.clip);
        let mut pose = Pose::with_size(1, 0);
        for (sample, at_sample) in header.grid.steps(1).enumerate() {
            for sampler in [&mut decoded as &mut dyn Sampler, &mut source] {
                sampler.sample(at_sample, &mut pose);
                assert_eq!(pose.joints[0].translation.x, values[sample], "{rate_hz} Hz, sample {sample}");
            }
        }
    }
}

#[test]
fn codecs_that_find_nothing_coarser_say_that_nothing_is_lost() {
    let rig = Arc::new(Rig::from_skeleton("rig", chain(1)));
    let mut noise = Noise(5);
    let jitter: Vec<Vec3> = (0..40).map(|_| noise.vec3()).collect();
    // At ten kilometres f32 itself is coarser than the tolerance.
    let data = clip_of(&rig.skeleton, 40, |s, _| Transform::from_translation(Vec3::splat(1e4) + jitter[s]));
    let clip = Arc::new(Clip::new(data).unwrap());
    for codec in encoders().filter(|c| c.info().promises_tolerance) {
        let recipe = Recipe { tolerance_m: 1e-6, ..Recipe::chosen(codec.name()).unwrap() };
        let measured = MeasuredClip::new(rig.clone(), clip.clone(), &recipe);
        let outcome = compress(&measured, &recipe, &Progress::new()).unwrap();
        let report = ClipReport::new("far.bvh", "far", &measured, &outcome);
        let is_raw = codec.id() == LOSSLESS.id();
        assert_eq!(
            report.exact_tracks,
            ExactRow { animated: 1, exact: 1, exact_secs: clip.duration_secs().into(), stored_exactly: !is_raw },
            "{}",
            codec.name()
        );
        assert_eq!(report.verdict_words(), if is_raw { "good" } else { "good, lossless" });
        assert_eq!(report.stored_exactly_words().is_some(), !is_raw);
        // The result of `verify` for the same bytes.
        let archive = Archive::open(&written::archive(&rig, &[("far", &outcome)]), None).unwrap();
        let verified = measure_archived(&measured, &archive.clips()[0]).unwrap();
        assert_eq!(verified.is_stored_exactly(), !is_raw, "{}", codec.name());
    }
}

#[test]
fn a_part_of_a_take_in_which_nothing_is_lost_is_told() {
    const SAMPLES: usize = 20_000;
    let rig = Arc::new(Rig::from_skeleton("rig", chain(1)));
    let mut noise = Noise(7);
    let jitter: Vec<Vec3> = (0..SAMPLES).map(|_| noise.vec3()).collect();
    // The second half is so far away that f32 itself is coarser than the tolerance.
    let data = clip_of(&rig.skeleton, SAMPLES, |s, _| {
        let near = Vec3::X * (s as f32 / 50.0).sin();
        Transform::from_translation(if s < SAMPLES / 2 { near } else { 1e5 + jitter[s] })
    });
    let clip = Arc::new(Clip::new(data).unwrap());
    for codec in encoders().filter(|c| c.info().promises_tolerance && c.id() != LOSSLESS.id()) {
        let recipe = Recipe { tolerance_m: TOLERANCE_M, ..Recipe::chosen(codec.name()).unwrap() };
        let measured = MeasuredClip::new(rig.clone(), clip.clone(), &recipe);
        let outcome = compress(&measured, &recipe, &Progress::new()).unwrap();
        let report = ClipReport::new("far.bvh", "far", &measured, &outcome);
        let share = report.exact_tracks.exact_secs / f64::from(clip.duration_secs());
        // Codecs that cut the take into blocks store only the block exactly in which it moves away.
        let expected = if outcome.is_stored_exactly() { 0.99..=1.0 } else { 0.49..=0.7 };
        assert!(expected.contains(&share), "{}: {share}", codec.name());
        assert!(report.stored_exactly_words().is_some(), "{}", codec.name());
    }
}

#[test]
fn codecs_keep_their_promise_on_a_long_take_without_giving_up() {
    let fixture = take(40_000);
    let float32_bytes = fixture.clip.raw_bytes();
    for codec in encoders().filter(|c| c.info().promises_tolerance && c.id() != LOSSLESS.id()) {
        let encoded = fixture.encode(codec, &ParamValues::new());
        let error_m = fixture.error_m(codec, &encoded, 1);
        assert!(error_m <= f64::from(TOLERANCE_M) + fixture.float_slack_m(), "{}: {error_m} m", codec.name());
        let share = encoded.bytes.len() as f64 / float32_bytes as f64;
        assert!(share < 0.4, "{}: {share} of float32", codec.name());
    }
}

/// A take as motion capture writes it: a chain of turning joints, and a travelling root.
fn bvh(joints: usize, frames: usize) -> Vec<u8> {
    let mut text = String::from(
        "HIERARCHY\nROOT j0 { OFFSET 0 0 0 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n",
    );
    for joint in 1..joints {
        text += &format!("JOINT j{joint} {{ OFFSET 0 0.1 0 CHANNELS 3 Zrotation Xrotation Yrotation\n");
    }
    text += &"}".repeat(joints);
    text += &format!("\nMOTION\nFrames: {frames}\nFrame Time: 0.00833333\n");
    for frame in 0..frames {
        let secs = frame as f32 / 120.0;
        text += &format!("{:.4} 1.0 {:.4}", secs.sin(), 0.3 * secs.cos());
        for turn in 0..3 * joints {
            text += &format!(" {:.3}", 20.0 * (secs * (0.3 + 0.1 * turn as f32)).sin());
        }
        text.push('\n');
    }
    text.into_bytes()
}

/// Memory for the matrices of a take and of its decoded clip, independent of their length.
const KEPT_BYTES: usize = 2 * (8 << 20);

#[test]
fn reading_compressing_and_measuring_a_long_take_need_three_times_its_memory() {
    let take = bvh(12, 26_000);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for codec in ["quantize", "variable-rate"] {
        let recipe = Recipe { codec: codecs::by_name(codec).unwrap(), ..Recipe::default() };
        let run = || {
            let imported = import_bytes("take.bvh".as_ref(), take.clone(), &ImportOptions::default()).unwrap();
            let clip = Arc::new(imported.clips.into_iter().next().unwrap());
            let raw_bytes = clip.raw_bytes();
            let measured = MeasuredClip::new(Arc::new(imported.rig), clip, &recipe);
            compress(&measured, &recipe, &Progress::new()).unwrap();
            raw_bytes
        };
        let (peak, _, raw_bytes) = pool.install(|| allocated(run));
        let ratio = (peak - KEPT_BYTES.min(peak)) as f32 / raw_bytes as f32;
        assert!(ratio <= 3.0, "{codec}: {ratio:.2} times the raw clip");
    }
}

/// Memory of a clip per byte of its raw size.
const CLIP_SHARE: f64 = size_of::<Transform>() as f64 / 40.0;

#[test]
fn what_encoders_need_beside_a_long_take_grows_no_faster_than_three_times_the_take_leaves() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    // Two and four segments of equal length: the fixed memory of one segment is in both.
    let takes = [16_385, 32_769].map(take);
    let raw_bytes = (takes[1].clip.raw_bytes() - takes[0].clip.raw_bytes()) as f64;
    for codec in encoders() {
        let peak = |fixture: &Fixture| allocated(|| fixture.encode(codec, &ParamValues::new())).0 as f64;
        let [short, long] = [0, 1].map(|i| pool.install(|| peak(&takes[i])));
        let ratio = CLIP_SHARE + (long - short) / raw_bytes;
        assert!(ratio <= 3.0, "{}: {ratio:.2} times the raw clip", codec.name());
    }
}
