//! Files of the corpus from Blender, Maya, 3ds Max and MotionBuilder.

use crate::import_support::import_corpus;
use crate::project::corpus;
use glam::Vec3;
use posepress_core::import::{ImportOptions, Imported};
use posepress_core::model::{ModelPose, Pose};
use std::collections::HashMap;

/// File, joints, meshes, and samples and rate of its clip.
type Known = (&'static str, usize, usize, Option<(usize, f64)>);

const FILES: [Known; 11] = [
    ("pab/arnaud.fbx", 54, 1, None),
    ("pab/crossarms.fbx", 68, 0, Some((259, 30.0))),
    ("pab/jog.fbx", 68, 0, Some((25, 30.0))),
    ("pab/run.fbx", 68, 0, Some((21, 30.0))),
    ("pab/walk.fbx", 68, 0, Some((41, 30.0))),
    ("ufbx/blender_293_barbarian_7400_binary.fbx", 31, 2, Some((63, 24.0))),
    ("ufbx/max_transformed_skin_7500_ascii.fbx", 5, 1, Some((101, 30.0))),
    ("ufbx/maya_advanced_skinned_pivot_7700_binary.fbx", 3, 1, None),
    ("ufbx/maya_anim_layers_over_acc_orders_7500_binary.fbx", 6, 6, Some((120, 24.0))),
    ("ufbx/maya_human_ik_7400_binary.fbx", 63, 0, None),
    ("ufbx/maya_kenney_character_7700_binary.fbx", 59, 1, Some((21, 24.0))),
];

/// Allowed difference of joints and vertices from the ufbx library, relative to the distance from the origin, and at least in metres.
const EPSILON: f32 = 2e-5;

fn import(file: &str) -> Option<Imported> {
    import_corpus(file, &ImportOptions::default())
}

#[test]
fn every_file_opens_with_its_joints_meshes_and_clip_at_the_rate_of_the_file() {
    for (file, joints, meshes, clip) in FILES {
        let Some(imported) = import(file) else { return };
        let found = imported.clips.first().map(|c| (c.samples(), (c.grid().rate_hz() * 10.0).round() / 10.0));
        assert_eq!((imported.rig.skeleton.len(), imported.rig.meshes.len(), found), (joints, meshes, clip), "{file}");
        assert!(imported.clips.iter().all(|clip| clip.sampling_error().is_some()), "{file}");
    }
}

/// The same file evaluated by the library, with skins and inherited scale. Units and axes are in its root.
fn reference(file: &str) -> Option<ufbx::SceneRoot> {
    let options = ufbx::LoadOpts {
        target_axes: ufbx::axes_right_handed_y_up(),
        target_unit_meters: 1.0,
        ..ufbx::LoadOpts::default()
    };
    Some(ufbx::load_file(corpus(file)?.to_str().unwrap(), options).unwrap())
}

fn vec3(v: ufbx::Vec3) -> Vec3 {
    Vec3::new(v.x as f32, v.y as f32, v.z as f32)
}

#[test]
fn joints_are_at_any_time_where_the_library_has_their_nodes() {
    let mut compared = 0;
    for (file, ..) in FILES {
        let (Some(imported), Some(scene)) = (import(file), reference(file)) else { return };
        let Some(clip) = imported.clips.first() else { continue };
        let stack = scene.anim_stacks.iter().find(|s| *s.element.name == *clip.name()).unwrap();
        for sample in [0, clip.samples() / 3, clip.samples() - 1] {
            let time = stack.time_begin + f64::from(clip.grid().time_secs(sample as f64));
            let state = ufbx::evaluate_scene(&scene, &stack.anim, time, ufbx::EvaluateOpts::default()).unwrap();
            let pose = ModelPose::new(&imported.rig.skeleton, clip.pose(sample));
            let mut places = HashMap::<&str, Vec<Vec3>>::new();
            for node in &state.nodes {
                let m = &node.node_to_world;
                places.entry(&node.element.name).or_default().push(vec3(ufbx::Vec3 { x: m.m03, y: m.m13, z: m.m23 }));
            }
            for (joint, place) in
                (0..imported.rig.skeleton.len()).map(|j| (imported.rig.skeleton.name(j), pose.origin(j)))
            {
                // A scale that is not inherited gets its own joint here, which is not in the library's scene.
                let Some(expected) = places.get(joint) else { continue };
                let near = |p: &Vec3| (place - *p).length() <= EPSILON * p.length().max(1.0);
                assert!(expected.iter().any(near), "{file}, sample {sample}, {joint}: {place}, expected {expected:?}");
                compared += 1;
            }
        }
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn skinned_vertices_are_where_the_library_has_them() {
    for file in ["ufbx/maya_kenney_character_7700_binary.fbx", "ufbx/blender_293_barbarian_7400_binary.fbx"] {
        let (Some(imported), Some(scene)) = (import(file), reference(file)) else { return };
        let (clip, stack) = (&imported.clips[0], &scene.anim_stacks[0]);
        let sample = clip.samples() / 2;
        let time = stack.time_begin + f64::from(clip.grid().time_secs(sample as f64));
        let options = ufbx::EvaluateOpts { evaluate_skinning: true, ..ufbx::EvaluateOpts::default() };
        let state = ufbx::evaluate_scene(&scene, &stack.anim, time, options).unwrap();
        let mut pose = Pose::with_size(clip.joints(), clip.float_tracks());
        clip.sample(sample as f64, &mut pose);
        let model = ModelPose::new(&imported.rig.skeleton, &pose.joints);
        for mesh in &imported.rig.meshes {
            let node = state.nodes.iter().find(|node| *node.element.name == *mesh.name).unwrap();
            let skinned = &node.mesh.as_ref().unwrap().skinned_position;
            assert!(!node.mesh.as_ref().unwrap().skinned_is_local);
            let expected: Vec<Vec3> = skinned.values.iter().map(|p| vec3(*p)).collect();
            let off_m = |vertex: usize| {
                let found = mesh.skin_vertex(vertex, &model.joints, &pose.floats);
                expected.iter().map(|p| (found - *p).length()).fold(f32::MAX, f32::min)
            };
            let far = (0..mesh.positions.len()).filter(|&vertex| off_m(vertex) > 5.0 * EPSILON).count();
            // Vertices without a weight stay in place there, but follow a joint here. The fifth influence is dropped here.
            assert!(far * 40 <= mesh.positions.len(), "{file}, {}: {far} of {}", mesh.name, mesh.positions.len());
        }
    }
}

#[test]
fn what_a_curve_has_between_the_samples_is_said() {
    let Some(jog) = import("pab/jog.fbx") else { return };
    let error = jog.clips[0].sampling_error().unwrap();
    assert!(error.error_m > 0.005, "its keys lie between frames: {error:?}");
    let fine =
        import_corpus("pab/jog.fbx", &ImportOptions { rate_hz: Some(240.0), ..ImportOptions::default() }).unwrap();
    assert!(fine.clips[0].sampling_error().unwrap().error_m < error.error_m / 4.0);
}
