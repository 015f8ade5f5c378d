//! Encoding in bytes of raw data a second, decoding in joints a second (its inverse is the time of one joint), for every
//! codec on 60 joints x 300 samples.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use glam::{Quat, Vec3};
use posepress::codecs::{CODECS, Codec, EncodedClip, ParamValues, Progress, Source, encode_clip, open_clip};
use posepress::math::Transform;
use posepress::model::{Clip, ClipData, Joint, Pose, Skeleton};
use std::hint::black_box;

const JOINTS: usize = 60;
const SAMPLES: usize = 300;

/// A body: a spine of eight, and limbs of that length on it.
fn rig() -> Skeleton {
    let joint = |i: usize| Joint {
        name: format!("joint{i}"),
        parent: if i == 0 {
            None
        } else if i < 8 || !i.is_multiple_of(8) {
            Some(i - 1)
        } else {
            Some(i / 8 % 8)
        },
        bind: Transform::from_translation(Vec3::new(0.0, if i == 0 { 0.9 } else { 0.12 }, 0.02)),
    };
    Skeleton::new((0..JOINTS).map(joint).collect()).expect("parents come first")
}

/// Swinging joints with noise of a tenth of a degree, as motion capture has it, and a travelling root.
fn clip(rig: &Skeleton) -> Clip {
    let mut state = 1u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 40) as f32 / (1u64 << 23) as f32 - 1.0) * 0.002
    };
    let mut at = |i: usize| {
        let (sample, joint) = (i / JOINTS, i % JOINTS);
        let t = sample as f32 / 30.0;
        let swing = Quat::from_rotation_x((2.0 * t + joint as f32).sin() * 0.3);
        let mut local = rig.bind(joint);
        local.rotation = swing * Quat::from_scaled_axis(Vec3::new(noise(), noise(), noise()));
        if joint == 0 {
            local.translation += Vec3::new(t * 1.2, (t * 8.0).sin() * 0.02, 0.0);
        }
        local
    };
    Clip::new(ClipData {
        name: "bench".into(),
        joints: JOINTS,
        duration_secs: (SAMPLES - 1) as f32 / 30.0,
        transforms: (0..JOINTS * SAMPLES).map(&mut at).collect(),
        float_tracks: 0,
        floats: Vec::new(),
        holds: Vec::new(),
        looping: None,
    })
    .expect("finite numbers")
}

fn encode(codec: &dyn Codec, rig: &Skeleton, clip: &Clip) -> EncodedClip {
    let shells_m = [0.03; JOINTS];
    let source = Source { skeleton: rig, clip, tolerance_m: 0.0001, shells_m: &shells_m };
    encode_clip(codec, &source, &ParamValues::new(), &Progress::new()).expect("every codec holds this clip")
}

fn encoding(criterion: &mut Criterion) {
    let rig = rig();
    let clip = clip(&rig);
    let mut group = criterion.benchmark_group("encode");
    group.sample_size(20).throughput(Throughput::Bytes(clip.raw_bytes() as u64));
    for codec in CODECS {
        group.bench_function(codec.name(), |b| b.iter(|| black_box(encode(*codec, &rig, &clip))));
    }
    group.finish();
}

fn decoding(criterion: &mut Criterion) {
    let rig = rig();
    let clip = clip(&rig);
    let bind = Pose::bind(&rig, 0).joints;
    let sequential: Vec<f32> = (0..2 * SAMPLES).map(|i| clip.grid().time_secs(i as f64 / 2.0 + 0.25)).collect();
    // 377 has no divisor in common with 600: every time once, far from the one before.
    let random: Vec<f32> = (0..sequential.len()).map(|i| sequential[i * 377 % sequential.len()]).collect();
    let mut group = criterion.benchmark_group("decode");
    group.throughput(Throughput::Elements(JOINTS as u64));
    for codec in CODECS {
        let encoded = encode(*codec, &rig, &clip);
        for (order, times) in [("sequential", &sequential), ("random", &random)] {
            let (_, mut sampler) = open_clip(*codec, &encoded.bytes, &bind).expect("its own bytes");
            let mut pose = Pose::with_size(JOINTS, 0);
            let mut at = times.iter().cycle();
            group.bench_function(BenchmarkId::new(codec.name(), order), |b| {
                b.iter(|| {
                    sampler.sample(*at.next().expect("a cycle never ends"), &mut pose);
                    black_box(&pose);
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, encoding, decoding);
criterion_main!(benches);
