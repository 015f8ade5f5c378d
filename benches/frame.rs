//! CPU cost of a frame with a rig of 500 joints and 100,000 vertices: both poses, and the draw commands of both views.
//!
//! The graphics card draws outside the measured time. Only the recording of commands is measured.

use criterion::{Criterion, criterion_group, criterion_main};
use glam::{Affine3A, Quat, Vec3};
use posepress_app::render::{
    AdapterChoice, FigurePose, Headless, RenderOptions, Renderer, Shading, Show, Side, ViewScene, ViewportId,
};
use posepress_core::math::Transform;
use posepress_core::metrics::shell_errors;
use posepress_core::model::{Clip, ClipData, Joint, Pose, Rig, Skeleton, SkinJoint, SkinnedMesh};
use posepress_core::pipeline::{MeasuredClip, Outcome, compress_shell};
use posepress_core::recipe::Recipe;
use std::sync::Arc;
use std::time::{Duration, Instant};

const JOINTS: usize = 500;
const VERTICES: usize = 100_000;
const SAMPLES: usize = 90;
const SIZE_PX: [u32; 2] = [620, 540];

/// Fifty chains of ten joints. Each joint has a ring of vertices that it shares with the next.
fn rig() -> Rig {
    let bind = |joint: usize| match joint % 10 {
        0 => Vec3::new((joint / 10 % 10) as f32 * 0.15, 1.0, (joint / 100) as f32 * 0.15),
        _ => Vec3::new(0.0, -0.1, 0.0),
    };
    let joints = (0..JOINTS).map(|i| Joint {
        name: format!("joint{i}"),
        parent: (i % 10 != 0).then(|| i - 1),
        bind: Transform::from_translation(bind(i)),
    });
    let skeleton = Skeleton::new(joints.collect()).expect("parents come first");
    let pose = FigurePose::from_pose(&Rig::from_skeleton("r", skeleton.clone()), &skeleton.bind_pose(0));
    let mut mesh = SkinnedMesh { name: "skin".into(), ..SkinnedMesh::default() };
    mesh.palette =
        pose.joints.iter().enumerate().map(|(joint, m)| SkinJoint { joint, joint_from_mesh: m.inverse() }).collect();
    for vertex in 0..VERTICES {
        let joint = vertex * JOINTS / VERTICES;
        let (sin, cos) = (vertex as f32 * 0.31).sin_cos();
        let outward = Vec3::new(cos, 0.0, sin);
        mesh.positions.push(Affine3A::transform_point3(&pose.joints[joint], outward * 0.04));
        mesh.normals.push(outward);
        mesh.influences.push([joint as u16, (joint + 1).min(JOINTS - 1) as u16, 0, 0]);
        mesh.weights.push([0.6, 0.4, 0.0, 0.0]);
    }
    mesh.triangles = (0..VERTICES as u32 - 21).step_by(1).map(|v| [v, v + 20, v + 1]).collect();
    Rig { meshes: vec![mesh], ..Rig::from_skeleton("crowd", skeleton) }
}

fn clip(rig: &Rig) -> Clip {
    let local = |i: usize| {
        let (sample, joint) = (i / JOINTS, i % JOINTS);
        let mut local = rig.skeleton.bind(joint);
        local.rotation = Quat::from_rotation_x((sample as f32 * 0.1 + joint as f32).sin() * 0.2);
        local
    };
    Clip::new(ClipData {
        name: "swing".into(),
        joints: JOINTS,
        duration_secs: (SAMPLES - 1) as f32 / 30.0,
        transforms: (0..JOINTS * SAMPLES).map(local).collect(),
        float_tracks: 0,
        floats: vec![],
        holds: vec![],
        looping: None,
    })
    .expect("finite numbers")
}

/// Original and compressed pose at a time, computed as the window does per frame.
fn figures(source: &MeasuredClip, outcome: &Outcome, time_secs: f32) -> [FigurePose; 2] {
    let rig = &source.rig;
    let mut pose = Pose::with_size(JOINTS, 0);
    let at_sample = source.clip.grid().sample_at(time_secs);
    source.clip.sample(at_sample, &mut pose);
    let raw = FigurePose::from_pose(rig, &pose);
    let mut sampler = outcome.sampler();
    sampler.sample(at_sample, &mut pose);
    let lossy = FigurePose::from_pose(rig, &pose);
    std::hint::black_box(shell_errors(&raw.joints, &lossy.joints, &[0.03; JOINTS]));
    [raw, lossy]
}

fn scene(source: &MeasuredClip, [raw, lossy]: [FigurePose; 2]) -> Arc<ViewScene> {
    let mut scene = ViewScene::new(source.rig.clone(), raw);
    scene.lossy = Some(lossy);
    scene.shading = Shading::Heat { tolerance_m: 0.001 };
    Arc::new(scene)
}

fn frame(c: &mut Criterion) {
    let rig = Arc::new(rig());
    let clip = Arc::new(clip(&rig));
    let mut group = c.benchmark_group("frame, 500 joints x 100k vertices");
    group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    let time_secs = |i: u64| (i % 1000) as f32 * 0.002_9;
    let recipe = |codec| Recipe { tolerance_m: 0.001, ..Recipe::chosen(codec).unwrap() };
    let mut last = None;
    for codec in ["quantize", "linear-keys", "variable-rate"] {
        let recipe = recipe(codec);
        let source = MeasuredClip::new(rig.clone(), clip.clone(), &recipe);
        let outcome = compress_shell(&source, &recipe, &Default::default()).expect("a codec that works");
        let mut at = 0;
        group.bench_function(format!("both poses, {codec}"), |b| {
            b.iter(|| {
                at += 1;
                figures(&source, &outcome, time_secs(at))
            });
        });
        last = Some((source, outcome));
    }
    let Some((source, outcome)) = last else { return };
    // Framing skins every vertex, so the scenes are made outside the measured time.
    let scenes: Vec<_> = (0..8).map(|i| scene(&source, figures(&source, &outcome, time_secs(i * 97)))).collect();
    let Ok(gpu) = Headless::new(AdapterChoice::Fastest) else { return println!("skipped: no graphics driver") };
    let (device, queue) = gpu.device_and_queue();
    let mut renderer = Renderer::new(device, RenderOptions { samples: 1, blit_format: None });
    // Records both views. Returns the number of views that had to be drawn, and the recording time.
    let mut record = |scene: &Arc<ViewScene>| {
        let mut drawn = 0;
        let mut encoder = device.create_command_encoder(&Default::default());
        let started = Instant::now();
        for (id, side) in [(0, Side::Original), (1, Side::Compressed)] {
            let (id, show) = (ViewportId(id), Show::Side(side));
            drawn += u32::from(renderer.prepare(device, queue, &mut encoder, id, SIZE_PX, 1.0, scene, show));
        }
        let commands = encoder.finish();
        let spent = started.elapsed();
        queue.submit([commands]);
        device.poll(wgpu::PollType::wait_indefinitely()).expect("the driver answers");
        (drawn, spent)
    };
    println!("upload of the rig, once, with the first pictures: {:.1} ms", record(&scenes[0]).1.as_secs_f64() * 1e3);
    group.bench_function("both pictures, new poses", |b| {
        let mut at = 0;
        b.iter_custom(|times| {
            let one = |_| {
                at += 1;
                let (drawn, spent) = record(&scenes[at % scenes.len()]);
                assert_eq!(drawn, 2, "new poses are drawn again");
                spent
            };
            (0..times).map(one).sum()
        });
    });
    group.bench_function("both pictures, nothing new", |b| {
        record(&scenes[0]);
        b.iter_custom(|times| (0..times).map(|_| record(&scenes[0]).1).sum());
    });
}

criterion_group!(benches, frame);
criterion_main!(benches);
