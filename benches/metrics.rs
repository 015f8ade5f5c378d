//! Speed of the error measurement after a slider moves. Budgets: design section 8.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use glam::{Affine3A, Quat, Vec2, Vec3};
use posepress_core::math::Transform;
use posepress_core::metrics::{ContactPlan, ContactSettings, ModelTrack, measure, measure_vertices};
use posepress_core::model::{Clip, ClipData, ClipSampler, Joint, ModelPose, Rig, Skeleton, SkinJoint, SkinnedMesh};
use std::hint::black_box;
use std::sync::Arc;

const JOINTS: usize = 60;
const SAMPLES: usize = 300;
const SUB_FRAMES: usize = 4;
const VERTICES: usize = 10_000;

/// A tree of joints with two legs that end in feet, and a skin with four influences per vertex.
fn rig() -> Rig {
    let joint = |i: usize| {
        let name = if i + 1 == JOINTS {
            "foot_l".into()
        } else if i + 2 == JOINTS {
            "foot_r".into()
        } else {
            format!("j{i}")
        };
        let offset = Vec3::new(0.0, if i + 8 > JOINTS { -0.2 } else { 0.05 }, 0.02);
        Joint { name, parent: i.checked_sub(2).or(i.checked_sub(1)), bind: Transform::from_translation(offset) }
    };
    let skeleton = Skeleton::new((0..JOINTS).map(joint).collect()).expect("parents come first");
    let bind: Vec<_> = skeleton.joints().iter().map(|j| j.bind).collect();
    let bind = ModelPose::new(&skeleton, &bind);
    let mut rig = Rig::from_skeleton("bench", skeleton);
    let slot = |v: usize, k: usize| ((v * JOINTS / VERTICES + k * 2) % JOINTS) as u16;
    let position =
        |v: usize| bind.origin(usize::from(slot(v, 0))) + Vec3::new((v as f32).sin(), 0.0, (v as f32).cos()) * 0.1;
    rig.meshes = vec![SkinnedMesh {
        name: "skin".into(),
        palette: (0..JOINTS).map(|joint| SkinJoint { joint, joint_from_mesh: bind.joints[joint].inverse() }).collect(),
        positions: (0..VERTICES).map(position).collect(),
        normals: vec![Vec3::Y; VERTICES],
        uvs: vec![Vec2::ZERO; VERTICES],
        colors: vec![[1.0; 4]; VERTICES],
        influences: (0..VERTICES).map(|v| [0, 1, 2, 3].map(|k| slot(v, k))).collect(),
        weights: vec![[0.55, 0.25, 0.15, 0.05]; VERTICES],
        ..SkinnedMesh::default()
    }];
    rig
}

/// Every joint swings. The decoded clip differs by up to `error` radians.
fn clip(rig: &Rig, error: f32) -> Clip {
    let bind: Vec<_> = rig.skeleton.joints().iter().map(|j| j.bind).collect();
    let swing = |sample: usize, joint: usize| {
        let phase = sample as f32 * 0.1 + joint as f32;
        let rotation = Quat::from_rotation_x(0.05 * phase.sin() + error * (phase * 7.0).sin());
        Transform { rotation, ..bind[joint] }
    };
    Clip::new(ClipData {
        name: "bench".into(),
        joints: JOINTS,
        duration_secs: (SAMPLES - 1) as f32 / 30.0,
        transforms: (0..SAMPLES).flat_map(|s| (0..JOINTS).map(move |j| (s, j))).map(|(s, j)| swing(s, j)).collect(),
        float_tracks: 0,
        floats: vec![],
        holds: vec![],
        looping: Some(false),
    })
    .expect("finite")
}

fn track(rig: &Rig, clip: &Clip) -> ModelTrack {
    ModelTrack::sample(&rig.skeleton, &mut ClipSampler::new(clip), clip.grid(), SUB_FRAMES, 0)
}

fn benches(c: &mut Criterion) {
    let rig = rig();
    assert!(rig.meshes[0].palette.iter().all(|p| p.joint_from_mesh != Affine3A::ZERO));
    let raw_clip = clip(&rig, 0.0);
    let (raw, lossy) = (track(&rig, &raw_clip), track(&rig, &clip(&rig, 1e-3)));
    let settings = ContactSettings { ground_velocity_m_s: Some(Vec3::ZERO), ..ContactSettings::default() };
    let plan = Arc::new(ContactPlan::find(&rig, &raw_clip, &raw, &settings));
    let nothing = Arc::new(ContactPlan::default());
    let shells = vec![0.03; JOINTS];

    let mut group = c.benchmark_group("metrics");
    group.throughput(Throughput::Elements((raw.steps() * JOINTS) as u64));
    for (name, plan) in [("shell and motion", &nothing), ("shell, motion and feet", &plan)] {
        group.bench_function(BenchmarkId::new("measure", name), |b| {
            b.iter(|| black_box(measure(&rig, &raw_clip, &raw, &lossy, plan, &shells, 1e-4, &settings)));
        });
    }
    group.throughput(Throughput::Elements((SAMPLES * VERTICES) as u64));
    group.bench_function("skin, every sample", |b| {
        b.iter(|| black_box(measure_vertices(&rig, &raw, &lossy, SUB_FRAMES)));
    });
    group.throughput(Throughput::Elements(SAMPLES as u64));
    group.bench_function("find contacts", |b| {
        b.iter(|| black_box(ContactPlan::find(&rig, &raw_clip, &raw, &settings)));
    });
    group.throughput(Throughput::Elements((raw.steps() * JOINTS) as u64));
    group.bench_function("raw track", |b| b.iter(|| black_box(track(&rig, &raw_clip))));
    group.finish();
}

criterion_group!(metrics, benches);
criterion_main!(metrics);
