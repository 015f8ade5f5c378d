//! Time from a moved slider to new numbers: the work of one job, for every codec.
//!
//! `first` is the result that the window shows first (bytes, shell error, feet), on 60 joints x 300 samples without a mesh.
//! `skin` adds the error of every vertex, on the walk of the bundled sample.
//! `keep` makes the entry of a store from the result of `first`, after the numbers are shown. `find` reads it instead of `first`.

mod support;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use posepress_core::batch::{clip_entry, sides_in};
use posepress_core::codecs::{Progress, encoders};
use posepress_core::import::{ImportOptions, import_bytes};
use posepress_core::model::Rig;
use posepress_core::pipeline::{MeasuredClip, compress, compress_shell};
use posepress_core::recipe::Recipe;
use posepress_core::report::Sides;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

const SAMPLE: &[u8] = include_bytes!("../src/app/assets/sample.glb");

fn latency(criterion: &mut Criterion) {
    let rig = support::rig(support::JOINTS);
    let clip = Arc::new(support::clip(&rig, support::SAMPLES));
    assert_eq!((clip.joints(), clip.samples()), (support::JOINTS, support::SAMPLES));
    let rig = Arc::new(Rig::from_skeleton("bench", rig));
    let sample = import_bytes(Path::new("sample.glb"), SAMPLE, &ImportOptions::default()).expect("our own file");
    let (character, walk) = (Arc::new(sample.rig), Arc::new(sample.clips.into_iter().next().expect("a walk")));
    let mut group = criterion.benchmark_group("latency");
    group.sample_size(20);
    for codec in encoders() {
        let recipe = Recipe::of(codec);
        let source = MeasuredClip::new(rig.clone(), clip.clone(), &recipe);
        group.bench_function(BenchmarkId::new("first", codec.name()), |b| {
            b.iter(|| black_box(compress_shell(&source, &recipe, &Progress::new()).expect("a sound clip")));
        });
        let sides = Sides::new(
            "bench",
            source.clone(),
            compress_shell(&source, &recipe, &Progress::new()).expect("a sound clip"),
        );
        group.bench_function(BenchmarkId::new("keep", codec.name()), |b| {
            b.iter(|| black_box(clip_entry(&sides.report, &sides).expect("it has bytes")));
        });
        let (entry, _) = clip_entry(&sides.report, &sides).expect("it has bytes");
        group.bench_function(BenchmarkId::new("find", codec.name()), |b| {
            b.iter(|| black_box(sides_in(&entry, "bench", (&rig, &clip), (&recipe, None)).expect("the same clip")));
        });
        let source = MeasuredClip::new(character.clone(), walk.clone(), &recipe);
        group.bench_function(BenchmarkId::new("skin", codec.name()), |b| {
            b.iter(|| black_box(compress(&source, &recipe, &Progress::new()).expect("a sound clip")));
        });
    }
    group.finish();
}

criterion_group!(benches, latency);
criterion_main!(benches);
