//! Errors that the GPU measures and shows.

use super::{SIZE_PX, bent, compressed, device, differing, original, scene, tube};
use crate::project::sample;
use glam::{Affine3A, Vec2, Vec3};
use image::RgbaImage;
use posepress_app::render::{FigurePose, HEAT_STOPS, Shading, ViewScene};
use posepress_core::import::{ImportOptions, import_file};
use posepress_core::metrics::{ModelTrack, vertex_errors};
use posepress_core::pipeline::{MeasuredClip, compress};
use posepress_core::project::Document;
use posepress_core::view::Layer;
use std::sync::Arc;

#[test]
fn errors_measured_on_the_gpu_are_those_of_the_cpu() {
    let rig = Arc::new(tube());
    let mesh = &rig.meshes[0];
    for (lossy_knee, lossy_bulge) in [(0.75, 0.4), (0.6001, 0.4), (0.6, 0.1), (0.6, 0.4)] {
        let mut scene = scene(&rig);
        scene.raw = FigurePose::from_pose(&rig, &bent(&rig, 0.6, 0.4));
        scene.lossy = Some(FigurePose::from_pose(&rig, &bent(&rig, lossy_knee, lossy_bulge)));
        let measured = device().vertex_errors_m(&Arc::new(scene.clone())).unwrap();
        assert_eq!(measured.len(), 1);
        assert_eq!(measured[0].len(), mesh.positions.len());
        let skinned = |pose: &FigurePose, v| mesh.skin_vertex(v, &pose.joints, &pose.floats);
        let mut largest = 0.0f32;
        for (v, &on_gpu) in measured[0].iter().enumerate() {
            let on_cpu = skinned(&scene.raw, v).distance(skinned(scene.lossy.as_ref().unwrap(), v));
            // f32 near 1 m. The CPU subtracts positions, so it is the coarser of the two.
            assert!((on_gpu - on_cpu).abs() < 5e-7, "vertex {v}: {on_gpu} m on the GPU, {on_cpu} m on the CPU");
            largest = largest.max(on_cpu);
        }
        assert_eq!(largest > 1e-6, (lossy_knee, lossy_bulge) != (0.6, 0.4), "largest {largest} m");
    }
}

/// The bundled walk with the recipe of a first start: the heat map of the GPU equals the metric of reports.
#[test]
fn heat_of_the_sample_is_the_metric_of_the_report() {
    let sample = sample();
    let imported = import_file(&sample, &ImportOptions::default()).unwrap();
    let recipe = Document::of_sample().recipes[0].clone();
    let (rig, clip) = (Arc::new(imported.rig), Arc::new(imported.clips.into_iter().next().unwrap()));
    let measured = MeasuredClip::new(rig.clone(), clip, &recipe);
    let outcome = compress(&measured, &recipe, &Default::default()).unwrap();
    let report = outcome.report.vertex.as_ref().unwrap();
    let (raw, decoded) = (&measured.raw, &outcome.decoded);
    let rate_hz = raw.grid().rate_hz() as f32;
    let worst_step = (report.worst.time_secs * rate_hz).round() as usize * raw.sub_frames();
    for step in [0, 37, worst_step, raw.steps() - 1] {
        let figure = |track: &ModelTrack| FigurePose::new(&track.pose(step), &track.floats(step));
        let mut scene = ViewScene::new(rig.clone(), figure(raw));
        scene.lossy = Some(figure(decoded));
        let on_gpu: Vec<f32> = device().vertex_errors_m(&Arc::new(scene)).unwrap().concat();
        let on_cpu = vertex_errors(&rig, raw, decoded, step);
        assert_eq!(on_gpu.len(), on_cpu.len());
        let (largest, off) = on_gpu
            .iter()
            .zip(&on_cpu)
            .fold((0.0f32, 0.0f32), |(largest, off), (gpu, cpu)| (largest.max(*cpu), off.max((gpu - cpu).abs())));
        // Both take differences of matrices first. The rest is the rounding of sums of a few metres.
        assert!(off < 1e-6, "step {step}: {off} m apart of {largest} m");
        if step == worst_step {
            assert!((largest - report.worst.error_m).abs() < 1e-7 && largest > 0.001, "{largest}");
            let of_mesh: usize = rig.meshes[..report.worst.mesh].iter().map(|m| m.positions.len()).sum();
            let at = on_gpu[of_mesh + report.worst.vertex];
            assert!((at - report.worst.error_m).abs() < 1e-6, "the worst vertex is {at} m off on the GPU");
        }
    }
}

#[test]
fn the_heat_map_is_absolute_and_only_on_the_compressed_side() {
    let rig = Arc::new(tube());
    let mut heat = scene(&rig);
    let material = heat.clone();
    heat.shading = Shading::Heat { tolerance_m: 0.01 };
    assert_eq!(differing(&original(&heat), &original(&material)), 0);
    assert!(differing(&compressed(&heat), &compressed(&material)) > 500);

    // If the whole figure moves by k tolerances, it has one colour: that of the ramp, lit.
    let moved = |ratio: f32| {
        let mut scene = heat.clone();
        let shift = Affine3A::from_translation(Vec3::X * 0.01 * ratio);
        let joints: Vec<Affine3A> = scene.raw.joints.iter().map(|m| shift * *m).collect();
        // Framed on the moved figure, drawn at the original: every picture shows the same surface.
        scene.offset_gain = 0.0;
        scene.lossy = Some(FigurePose::new(&joints, &[0.0]));
        scene.layers.set(Layer::Skeleton, false);
        let px = scene.camera.project(Vec3::new(0.0, 0.45, 0.0), Vec2::new(160.0, 120.0)).unwrap();
        *compressed(&scene).get_pixel(px.x as u32, px.y as u32)
    };
    let hue = |p: [f32; 3]| {
        let linear = p.map(|c| (c / 255.0).powf(2.2));
        let sum: f32 = linear.iter().sum();
        linear.map(|c| c / sum)
    };
    for (ratio, color) in HEAT_STOPS {
        let seen = hue([0, 1, 2].map(|c| f32::from(moved(ratio)[c])));
        let expected = hue([color.0, color.1, color.2].map(f32::from));
        for channel in 0..3 {
            assert!((seen[channel] - expected[channel]).abs() < 0.06, "{ratio} x: {seen:?}, expected {expected:?}");
        }
    }
}

#[test]
fn joint_errors_colour_the_joints_that_have_them() {
    let mut scene = scene(&Arc::new(tube()));
    scene.layers.set(Layer::Skeleton, false);
    let with = |errors: [f32; 3]| {
        let mut scene = scene.clone();
        scene.shading = Shading::JointError { errors_m: Arc::new(errors), tolerance_m: 0.001 };
        compressed(&scene)
    };
    let (none, ankle) = (with([0.0; 3]), with([0.0, 0.0, 0.01]));
    let rows = |y: std::ops::Range<u32>| {
        let of =
            |image: &RgbaImage| image::imageops::crop_imm(image, 0, y.start, SIZE_PX[0], y.len() as u32).to_image();
        differing(&of(&none), &of(&ankle))
    };
    assert!(rows(0..60) > 100, "the upper half follows the ankle");
    assert_eq!(rows(80..120), 0, "the lower end follows the hip");
}
