use super::fixture::{biped, changed, clip, random_clip, random_skin, rigid_mesh, track};
use glam::{DAffine3, DVec3, Quat, Vec3};
use posepress_core::metrics::{ModelTrack, measure_vertices, vertex_errors};
use posepress_core::model::{Rig, SkinnedMesh};

/// The definition of skinning per vertex, in f64.
fn skinned(mesh: &SkinnedMesh, vertex: usize, track: &ModelTrack, step: usize) -> DVec3 {
    let wide = |m: glam::Affine3A| DAffine3 {
        matrix3: glam::DMat3::from_cols(
            m.matrix3.x_axis.as_dvec3(),
            m.matrix3.y_axis.as_dvec3(),
            m.matrix3.z_axis.as_dvec3(),
        ),
        translation: m.translation.as_dvec3(),
    };
    let mut local = mesh.positions[vertex].as_dvec3();
    for target in &mesh.targets {
        local += target.positions[vertex].as_dvec3() * f64::from(track.floats(step)[target.float_track]);
    }
    (0..4)
        .map(|i| {
            let skin = &mesh.palette[usize::from(mesh.influences[vertex][i])];
            let moved = wide(track.pose(step)[skin.joint]) * wide(skin.joint_from_mesh);
            moved.transform_point3(local) * f64::from(mesh.weights[vertex][i])
        })
        .sum()
}

fn naive_errors(rig: &Rig, raw: &ModelTrack, lossy: &ModelTrack, step: usize) -> Vec<f64> {
    let of = |mesh: &SkinnedMesh, v: usize| (skinned(mesh, v, raw, step) - skinned(mesh, v, lossy, step)).length();
    rig.meshes.iter().flat_map(|mesh| (0..mesh.positions.len()).map(move |v| of(mesh, v))).collect()
}

#[test]
fn every_vertex_agrees_with_the_definition_in_f64() {
    let rig = random_skin(11, 7, 301);
    let raw_clip = random_clip(&rig, 5, 9);
    let noisy = changed(&rig, &raw_clip, |sample, joint, t| {
        t.rotation *= Quat::from_rotation_x(1e-3 * (1 + sample) as f32 * if joint % 2 == 0 { 1.0 } else { -0.7 });
        t.translation.z += 2e-3;
    });
    let transforms: Vec<_> = (0..noisy.samples()).flat_map(|s| noisy.pose(s)).copied().collect();
    let floats: Vec<_> = (0..raw_clip.samples()).flat_map(|s| raw_clip.floats(s)).map(|f| f * 0.97).collect();
    let lossy_clip = clip(&rig, raw_clip.duration_secs(), transforms, floats, false);
    let (raw, lossy) = (track(&rig, &raw_clip), track(&rig, &lossy_clip));

    let report = measure_vertices(&rig, &raw, &lossy, 2).unwrap();
    assert_eq!(
        (report.per_step.len(), report.per_step_joint.len()),
        (raw.steps().div_ceil(2), raw.steps().div_ceil(2))
    );
    let worst = report.per_step.iter().position(|e| *e == report.worst.error_m).unwrap();
    assert_eq!(report.per_step_joint[worst], report.worst.joint, "each time is blamed as the worst one is");
    assert!(report.per_step_joint.iter().any(|j| *j != report.worst.joint), "and not all on one joint");
    let mut all = Vec::new();
    for (time, step) in (0..raw.steps()).step_by(2).enumerate() {
        let expected = naive_errors(&rig, &raw, &lossy, step);
        for (vertex, (found, expected)) in vertex_errors(&rig, &raw, &lossy, step).iter().zip(&expected).enumerate() {
            assert!((f64::from(*found) - expected).abs() < 1e-6, "step {step}, vertex {vertex}: {found} {expected}");
        }
        let max = expected.iter().copied().fold(0.0, f64::max);
        assert!((f64::from(report.per_step[time]) - max).abs() < 1e-6);
        all.extend(expected);
    }
    all.sort_by(f64::total_cmp);
    let near = |found: f32, expected: f64| (f64::from(found) / expected - 1.0).abs() < 1e-4;
    assert!(near(report.stats.max_m, all[all.len() - 1]));
    assert!(near(report.stats.mean_m, all.iter().sum::<f64>() / all.len() as f64));
    assert!(near(report.stats.rms_m, (all.iter().map(|e| e * e).sum::<f64>() / all.len() as f64).sqrt()));
    let p99 = all[(0.99 * all.len() as f64).ceil() as usize - 1];
    assert!((p99..p99 * 1.009).contains(&f64::from(report.stats.p99_m)), "{} {p99}", report.stats.p99_m);
}

#[test]
fn the_same_numbers_come_from_any_number_of_threads() {
    let rig = random_skin(2, 5, 400);
    let raw = track(&rig, &random_clip(&rig, 8, 40));
    let lossy = track(&rig, &random_clip(&rig, 9, 40));
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| measure_vertices(&rig, &raw, &lossy, 1).unwrap())
    };
    assert_eq!(on(1), on(3));
}

#[test]
fn the_worst_vertex_blames_the_joint_that_moves_it_most() {
    let mut rig = biped(1.0);
    let origin = Vec3::new(0.1, 0.08, 0.0);
    let mut mesh = rigid_mesh(3, origin, &[Vec3::ZERO, Vec3::X * 0.1, Vec3::X * 0.2]);
    let mut shin = mesh.palette[0];
    shin.joint = 2;
    shin.joint_from_mesh = glam::Affine3A::from_translation(-Vec3::new(0.1, 0.49, 0.0));
    mesh.palette.push(shin);
    mesh.influences[2] = [1, 0, 0, 0];
    mesh.weights[2] = [0.6, 0.4, 0.0, 0.0];
    rig.meshes = vec![rigid_mesh(0, Vec3::ZERO, &[Vec3::Y]), mesh];
    let bind: Vec<_> = rig.skeleton.joints().iter().map(|j| j.bind).collect();
    let raw_clip = clip(&rig, 0.1, bind.repeat(4), vec![], false);
    let lossy_clip = changed(&rig, &raw_clip, |sample, joint, t| {
        if joint == 3 && sample == 3 {
            t.rotation = Quat::from_rotation_z(0.1);
        }
    });
    let report = measure_vertices(&rig, &track(&rig, &raw_clip), &track(&rig, &lossy_clip), 4).unwrap();
    let worst = report.worst;
    // Vertex 1 turns with all its weight at 0.1 m, vertex 2 with a weight of 0.4 at 0.2 m.
    assert_eq!((worst.mesh, worst.vertex, worst.joint), (1, 1, 3));
    assert!((worst.time_secs - 0.1).abs() < 1e-6);
    assert!((worst.error_m - 0.2 * 0.05_f32.sin()).abs() < 1e-6);
    assert_eq!(report.per_step.len(), 4);
}

#[test]
fn a_morph_weight_alone_is_an_error() {
    let rig = random_skin(1, 3, 20);
    let raw_clip = random_clip(&rig, 6, 3);
    let transforms: Vec<_> = (0..3).flat_map(|s| raw_clip.pose(s)).copied().collect();
    let lossy_clip = clip(&rig, raw_clip.duration_secs(), transforms, vec![0.0; 6], false);
    let (raw, lossy) = (track(&rig, &raw_clip), track(&rig, &lossy_clip));
    let report = measure_vertices(&rig, &raw, &lossy, 4).unwrap();
    let expected = (0..3).flat_map(|s| naive_errors(&rig, &raw, &lossy, s * 4)).fold(0.0, f64::max);
    assert!(expected > 1e-3 && (f64::from(report.stats.max_m) - expected).abs() < 1e-6);
}

#[test]
fn there_is_no_skin_error_without_a_skin() {
    let rig = biped(1.0);
    let bind: Vec<_> = rig.skeleton.joints().iter().map(|j| j.bind).collect();
    let raw = track(&rig, &clip(&rig, 0.0, bind, vec![], false));
    assert_eq!(measure_vertices(&rig, &raw, &raw, 4), None);
}
