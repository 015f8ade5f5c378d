//! Motion and shape compared with known numbers.

use super::ascii::{Ascii, LINEAR, Y_UP_CM, Z_UP_CM, small_rig};
use crate::import_support::{import_bytes, importer};
use glam::Vec3;
use posepress_core::import::{ImportOptions, Imported, LengthUnit, Severity, UpAxis};
use posepress_core::model::{Clip, Hold, ModelPose, Pose};
use std::f32::consts::FRAC_PI_2;
use std::path::Path;

/// Allowed difference of positions, metres.
const EPSILON_M: f32 = 1e-5;

fn assert_near(found: Vec3, expected: Vec3, what: &str) {
    assert!((found - expected).length() < EPSILON_M, "{what}: {found}, expected {expected}");
}

fn clip<'a>(imported: &'a Imported, name: &str) -> &'a Clip {
    imported.clips.iter().find(|clip| clip.name() == name).unwrap_or_else(|| panic!("no clip {name}"))
}

fn model(imported: &Imported, clip: &Clip, at_sample: f64) -> ModelPose {
    let mut pose = Pose::with_size(clip.joints(), clip.float_tracks());
    clip.sample(at_sample, &mut pose);
    ModelPose::new(&imported.rig.skeleton, &pose.joints)
}

/// Hips that walk one metre in the second after 1 s, and a limb that turns a quarter about X in the same time.
fn walk() -> Ascii {
    let mut doc = Ascii::default();
    let hips = doc.node("hips", "Null", 0, [0.0, 20.0, 90.0], 1.0);
    let limb = doc.node("limb", "Null", hips, [0.0, 0.0, 50.0], 1.0);
    doc.node("end", "Null", limb, [0.0, 0.0, 10.0], 1.0);
    doc.node("elsewhere", "Null", 0, [0.0; 3], 1.0);
    let layer = doc.stack("walk", 1.0, 2.0);
    let (x, y, z) = ([(1.0, 0.0), (2.0, 100.0)], [(1.0, 20.0), (2.0, 20.0)], [(1.0, 90.0), (2.0, 90.0)]);
    doc.curves(layer, hips, "Lcl Translation", LINEAR, &[("X", &x), ("Y", &y), ("Z", &z)]);
    doc.curves(layer, limb, "Lcl Rotation", LINEAR, &[("X", &[(1.0, 0.0), (2.0, 90.0)])]);
    doc
}

#[test]
fn centimetres_with_z_up_and_a_late_start_become_metres_with_y_up_from_zero() {
    let imported = import_bytes("fbx", &walk().write(Z_UP_CM)).unwrap();
    let names: Vec<&str> = imported.rig.skeleton.joints().iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(names, ["hips", "limb", "end"], "below a moving node all are joints, and nothing else is");
    let clip = clip(&imported, "walk");
    assert_eq!((clip.samples(), clip.duration_secs()), (31, 1.0), "at the file's 30 Hz");
    for sample in 0..31 {
        let part = sample as f32 / 30.0;
        let pose = model(&imported, clip, f64::from(sample as u32));
        let hips = Vec3::new(part, 0.9, -0.2);
        assert_near(pose.origin(0), hips, "hips");
        assert_near(pose.origin(1), hips + Vec3::Y * 0.5, "limb");
        let (sin, cos) = (part * FRAC_PI_2).sin_cos();
        assert_near(pose.origin(2), hips + Vec3::new(0.0, 0.5 + 0.1 * cos, 0.1 * sin), "end");
    }
    let error = clip.sampling_error().unwrap();
    assert!(error.error_m < 1e-4, "straight lines at 30 Hz lose next to nothing: {error:?}");
}

#[test]
fn what_the_user_says_of_unit_and_axis_overrides_the_file() {
    let read = |options| importer("fbx").import(Path::new("a.fbx"), walk().write(Z_UP_CM).into(), &options).unwrap();
    let metres = read(ImportOptions { unit: Some(LengthUnit::Metre), ..ImportOptions::default() });
    assert_near(model(&metres, &metres.clips[0], 0.0).origin(0), Vec3::new(0.0, 90.0, -20.0), "read as metres");
    let scaled = read(ImportOptions { scale: Some(3.0), ..ImportOptions::default() });
    assert_near(
        model(&scaled, &scaled.clips[0], 0.0).origin(0),
        3.0 * Vec3::new(0.0, 0.9, -0.2),
        "three times as large",
    );
    let y_up = read(ImportOptions { up: Some(UpAxis::Y), ..ImportOptions::default() });
    assert_near(model(&y_up, &y_up.clips[0], 0.0).origin(0), Vec3::new(0.0, 0.2, 0.9), "Y stays up");
    let z_up = read(ImportOptions { up: Some(UpAxis::Z), ..ImportOptions::default() });
    assert_near(model(&z_up, &z_up.clips[0], 0.0).origin(0), Vec3::new(0.0, 0.9, -0.2), "Z is turned up");
    let slow = read(ImportOptions { rate_hz: Some(10.0), ..ImportOptions::default() });
    assert_eq!(slow.clips[0].samples(), 11);
}

#[test]
fn a_wrong_unit_is_asked_about_in_units_of_the_file() {
    let mut doc = Ascii::default();
    let hips = doc.node("hips", "LimbNode", 0, [0.0; 3], 1.0);
    doc.node("head", "LimbNode", hips, [0.0, 1.7, 0.0], 1.0);
    let imported = import_bytes("fbx", &doc.write(Y_UP_CM)).unwrap();
    let asked = imported.findings.iter().find(|f| f.severity == Severity::Decide).unwrap();
    assert_eq!(asked.suggested_unit, Some(LengthUnit::Metre), "{asked:?}");
    assert!(asked.what.contains("17.00 mm") && asked.meaning.contains("Then it is 1.70 m"), "{asked:?}");
}

#[test]
fn a_scaled_root_leaves_lengths_true_and_the_skin_where_it_is() {
    let imported = import_bytes("fbx", &small_rig().write(Y_UP_CM)).unwrap();
    assert!(imported.findings.iter().any(|f| f.subject == "Armature" && f.what.contains("scaled by 100")));
    let (rig, wave) = (&imported.rig, clip(&imported, "wave"));
    assert!(rig.skeleton.joints().iter().all(|joint| (joint.bind.scale - Vec3::ONE).length() < 1e-6));
    let bone = rig.skeleton.find("bone2").unwrap();
    assert_near(model(&imported, wave, 0.0).origin(bone), Vec3::Y * 0.4, "a bone of 20 cm under another");
    let mesh = &rig.meshes[0];
    let rest = model(&imported, wave, 0.0);
    for (vertex, position) in mesh.positions.iter().enumerate() {
        assert_near(mesh.skin_vertex(vertex, &rest.joints, &[0.0]), *position, "bound where it stands");
    }
    // Vertex 3 follows only bone2. The parent of bone2 rotates by 90 degrees about its own origin, 20 cm up.
    let corner = mesh.positions.iter().position(|p| (*p - Vec3::Y * 0.01).length() < 1e-6).unwrap();
    let turned = model(&imported, wave, 30.0);
    let expected = Vec3::Y * 0.2 + Vec3::X * 0.19;
    assert_near(mesh.skin_vertex(corner, &turned.joints, &[0.0]), expected, "turned with its bone");
}

#[test]
fn the_four_strongest_of_five_weights_stay_and_the_loss_is_said() {
    let imported = import_bytes("fbx", &small_rig().write(Y_UP_CM)).unwrap();
    let said = imported.findings.iter().find(|f| f.subject == "skin").unwrap();
    assert!(
        said.what.contains("1 vertices have more than four") && said.what.contains("at most 5.0 % is lost"),
        "{said:?}"
    );
    let mesh = &imported.rig.meshes[0];
    assert!(mesh.weights.iter().all(|weights| (weights.iter().sum::<f32>() - 1.0).abs() < 1e-6));
}

#[test]
fn blend_shapes_are_morph_targets_with_their_weights_over_time() {
    let imported = import_bytes("fbx", &small_rig().write(Y_UP_CM)).unwrap();
    assert_eq!(imported.rig.float_names, ["skin.smile"]);
    let target = &imported.rig.meshes[0].targets[0];
    assert_eq!((target.name.as_str(), target.float_track), ("smile", 0));
    let moved: Vec<Vec3> = target.positions.iter().copied().filter(|p| *p != Vec3::ZERO).collect();
    assert!(moved.len() == 1 && (moved[0] - Vec3::Z * 0.1).length() < 1e-6, "{moved:?}");
    let wave = clip(&imported, "wave");
    assert!((wave.floats(15)[0] - 0.5).abs() < 1e-5, "{}", wave.floats(15)[0]);
    assert_eq!(clip(&imported, "hop").floats(15), [0.0]);
}

#[test]
fn steps_stay_steps_and_start_where_their_stack_starts() {
    let imported = import_bytes("fbx", &small_rig().write(Y_UP_CM)).unwrap();
    let hop = clip(&imported, "hop");
    let bone = imported.rig.skeleton.find("bone0").unwrap();
    let heights: Vec<f32> =
        [0.0, 14.0, 14.75, 15.0, 29.0, 30.0].map(|at| model(&imported, hop, at).origin(bone).y).into();
    let expected = [0.0, 0.0, 0.0, 0.5, 0.5, 0.0];
    assert!(heights.iter().zip(expected).all(|(a, b)| (a - b).abs() < EPSILON_M), "{heights:?}");
    let is_of_bone = |hold: &&Hold| usize::from(hold.joint) == bone;
    assert_eq!(
        hop.holds().iter().filter(is_of_bone).map(|hold| hold.sample).collect::<Vec<_>>(),
        [14, 14, 14, 29, 29, 29]
    );
    assert_eq!(hop.sampling_error().unwrap().error_m, 0.0, "what holds is held");
}

#[test]
fn cameras_and_lights_are_no_joints_of_a_character() {
    let mut doc = small_rig();
    let target = doc.node("camera.target", "Null", 0, [0.0; 3], 1.0);
    let layer = doc.stack("pan", 0.0, 1.0);
    doc.curves(layer, target, "Lcl Translation", LINEAR, &[("X", &[(0.0, 0.0), (1.0, 300.0)])]);
    let imported = import_bytes("fbx", &doc.write(Y_UP_CM)).unwrap();
    assert_eq!(imported.rig.skeleton.find("camera.target"), None);
    assert!(
        imported.findings.iter().any(|f| f.subject == "camera.target" && f.what.contains("belong to no character"))
    );
}

#[test]
fn keys_outside_of_the_stacks_range_are_none_of_the_clip() {
    let mut doc = Ascii::default();
    let hips = doc.node("hips", "LimbNode", 0, [0.0; 3], 1.0);
    let layer = doc.stack("cut", 1.0, 2.0);
    doc.curves(layer, hips, "Lcl Translation", LINEAR, &[("X", &[(0.0, 0.0), (1.5, 150.0), (4.0, 400.0)])]);
    let imported = import_bytes("fbx", &doc.write(Y_UP_CM)).unwrap();
    let cut = clip(&imported, "cut");
    assert_eq!((cut.samples(), cut.duration_secs()), (31, 1.0));
    assert_near(cut.at(0, 0).translation, Vec3::X, "at its start");
    assert_near(cut.at(30, 0).translation, Vec3::X * 2.0, "at its end");
    let said = imported.findings.iter().find(|f| f.subject == "cut").unwrap();
    assert!(said.what.contains("2 key times") && said.what.contains("1.000 s to 2.000 s"), "{said:?}");
}

#[test]
fn a_stack_that_cannot_be_a_clip_costs_itself_alone() {
    let mut doc = Ascii::default();
    let hips = doc.node("hips", "LimbNode", 0, [0.0; 3], 1.0);
    let mut act = |name: &str, (first, last): (f64, f64), to: f64| {
        let layer = doc.stack(name, first, last);
        doc.curves(layer, hips, "Lcl Translation", LINEAR, &[("X", &[(first, 0.0), (last, to)])]);
    };
    act("endless", (0.0, 1e7), 100.0);
    act("late", (3000.0, 3001.0), 100.0);
    act("walk", (0.0, 1.0), 100.0);
    let imported = import_bytes("fbx", &doc.write(Y_UP_CM)).unwrap();
    let names: Vec<&str> = imported.clips.iter().map(|clip| clip.name()).collect();
    assert_eq!(names, ["late", "walk"], "{:?}", imported.findings);
    let said: Vec<_> = imported.findings.iter().filter(|finding| finding.subject == "endless").collect();
    assert!(said.iter().any(|finding| finding.what.contains("cannot be used")), "{said:?}");
    for name in ["late", "walk"] {
        let clip = clip(&imported, name);
        assert_eq!((clip.samples(), clip.duration_secs()), (31, 1.0));
        assert_near(clip.at(30, 0).translation, Vec3::X, name);
    }
}

#[test]
fn a_texture_is_found_beside_the_file_wherever_its_path_leads() {
    let mut doc = small_rig();
    let node = doc.node("shown", "Mesh", 1, [0.0; 3], 1.0);
    doc.square(node);
    doc.texture(node, "..\\\\maps\\\\weave.png", "C:\\\\work\\\\maps\\\\weave.png");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rig.fbx");
    let read = || importer("fbx").import(&path, doc.write(Y_UP_CM).into(), &ImportOptions::default()).unwrap();
    let missing = read();
    assert!(missing.rig.images.is_empty());
    assert!(
        missing.findings.iter().any(|f| f.subject == "weave" && f.what.contains("'weave.png' beside it")),
        "{:?}",
        missing.findings
    );
    image::RgbaImage::new(2, 3).save(folder.path().join("weave.png")).unwrap();
    let found = read();
    let mesh = found.rig.meshes.iter().find(|mesh| mesh.name == "shown").unwrap();
    let picture = found.rig.materials[mesh.material.unwrap()].base_color_image.unwrap();
    assert_eq!((found.rig.images[picture].width, found.rig.images[picture].height), (2, 3));
}
