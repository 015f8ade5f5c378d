//! Encoding speed in bytes of raw data per second, and decoding speed in joints per second, for every codec on 60 joints x
//! 300 samples. The inverse of the decoding speed is the time per joint.

mod support;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use posepress_core::codecs::{
    EncodedClip, Encoder, ParamValues, Progress, Source, by_name, encode_clip, encoders, open_clip,
};
use posepress_core::model::{Clip, Pose, Skeleton};
use std::hint::black_box;
use support::{JOINTS, SAMPLES, clip, rig};

fn encode(codec: &dyn Encoder, rig: &Skeleton, clip: &Clip) -> EncodedClip {
    encode_with(codec, rig, clip, &ParamValues::new(), 0.0001)
}

fn encode_with(
    codec: &dyn Encoder,
    rig: &Skeleton,
    clip: &Clip,
    values: &ParamValues,
    tolerance_m: f32,
) -> EncodedClip {
    let shells_m = [0.03; JOINTS];
    let source = Source::new(rig, clip, tolerance_m, &shells_m);
    encode_clip(codec, &source, values, &Progress::new()).expect("every codec holds this clip")
}

/// Every half sample in order, and the same times in shuffled order.
fn places() -> (Vec<f64>, Vec<f64>) {
    let sequential: Vec<f64> = (0..2 * SAMPLES).map(|i| i as f64 / 2.0 + 0.25).collect();
    // 377 and 600 have no common divisor: every time comes once, far from the one before.
    let random = (0..sequential.len()).map(|i| sequential[i * 377 % sequential.len()]).collect();
    (sequential, random)
}

fn encoding(criterion: &mut Criterion) {
    let rig = rig(JOINTS);
    let clip = clip(&rig, SAMPLES);
    let mut group = criterion.benchmark_group("encode");
    group.sample_size(20).throughput(Throughput::Bytes(clip.raw_bytes() as u64));
    for codec in encoders() {
        group.bench_function(codec.name(), |b| b.iter(|| black_box(encode(codec, &rig, &clip))));
    }
    group.finish();
}

fn decoding(criterion: &mut Criterion) {
    let rig = rig(JOINTS);
    let clip = clip(&rig, SAMPLES);
    let bind = rig.bind_pose(0).joints;
    let (sequential, random) = places();
    let mut group = criterion.benchmark_group("decode");
    group.throughput(Throughput::Elements(JOINTS as u64));
    for codec in encoders() {
        let encoded = encode(codec, &rig, &clip);
        for (order, places) in [("sequential", &sequential), ("random", &random)] {
            let (_, mut sampler) = open_clip(codec, &encoded.bytes, &bind).expect("its own bytes");
            let mut pose = Pose::with_size(JOINTS, 0);
            let mut at = places.iter().cycle();
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

/// Searches and layouts of linear-keys. All decode to the same poses, except key frames, which keep more keys.
const KEY_LAYOUTS: &[(&str, &[(&str, &str)])] = &[
    ("by track, cursor", &[]),
    ("by track, binary", &[("search", "binary")]),
    ("by track, linear", &[("search", "linear")]),
    ("by time needed", &[("layout", "time-needed")]),
    ("key frames, cursor", &[("removal", "key-frames")]),
    ("curve block, linear", &[("layout", "curve-block"), ("search", "linear")]),
];

/// Layouts of catmull-rom, with the same keys of the same fit.
const CURVE_LAYOUTS: &[(&str, &[(&str, &str)])] = &[
    ("by time needed", &[]),
    ("by time needed, a jump in 16", &[("jump_every", "16")]),
    ("by track", &[("layout", "by-track")]),
];

/// Entropy coders, blocks and the cache of wavelet.
const WAVELET_LAYOUTS: &[(&str, &[(&str, &str)])] = &[
    ("arithmetic", &[]),
    ("arithmetic, no cache", &[("cache", "false")]),
    ("arithmetic, 16 samples", &[("block_samples", "16")]),
    ("arithmetic, 16 samples, no cache", &[("block_samples", "16"), ("cache", "false")]),
    ("huffman", &[("entropy", "huffman")]),
    ("zlib, zero runs", &[("entropy", "zlib"), ("zero_runs", "true")]),
    ("none, zero runs", &[("entropy", "none"), ("zero_runs", "true")]),
    ("thief", &[("layout", "joined"), ("range", "band"), ("whole", "4"), ("zero_runs", "true"), ("entropy", "zlib")]),
];

fn key_layouts(criterion: &mut Criterion) {
    // 1 mm removes enough keys to make the search for a key matter.
    layouts(criterion, "linear-keys", KEY_LAYOUTS, 0.001);
    layouts(criterion, "catmull-rom", CURVE_LAYOUTS, 0.001);
}

fn wavelet_layouts(criterion: &mut Criterion) {
    layouts(criterion, "wavelet", WAVELET_LAYOUTS, 0.0001);
}

/// Decoding speed for each set of parameters of a codec.
fn layouts(criterion: &mut Criterion, codec: &str, layouts: &[(&str, &[(&str, &str)])], tolerance_m: f32) {
    let rig = rig(JOINTS);
    let clip = clip(&rig, SAMPLES);
    let bind = rig.bind_pose(0).joints;
    let (sequential, random) = places();
    let mut group = criterion.benchmark_group(codec);
    let codec = by_name(codec).and_then(|codec| codec.encoder()).expect("a codec with bytes of its own");
    group.throughput(Throughput::Elements(JOINTS as u64));
    for (name, choices) in layouts {
        let mut values = ParamValues::new();
        for (key, value) in *choices {
            values.set_text(codec.params(), key, value).expect("a choice of the codec");
        }
        let encoded = encode_with(codec, &rig, &clip, &values, tolerance_m);
        for (order, places) in [("sequential", &sequential), ("random", &random)] {
            let (_, mut sampler) = open_clip(codec, &encoded.bytes, &bind).expect("its own bytes");
            let mut pose = Pose::with_size(JOINTS, 0);
            let mut at = places.iter().cycle();
            group.bench_function(BenchmarkId::new(*name, order), |b| {
                b.iter(|| {
                    sampler.sample(*at.next().expect("a cycle never ends"), &mut pose);
                    black_box(&pose);
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, encoding, decoding, key_layouts, wavelet_layouts);
criterion_main!(benches);
