//! Clips of one character from many files: matched by names, put on one rig.

use crate::import_support::import_corpus;
use crate::project::corpus;
use crate::session::imported;
use glam::{Quat, Vec3};
use posepress_core::import::{ImportOptions, Imported, LengthUnit, Severity, import_file};
use posepress_core::math::Transform;
use posepress_core::model::{
    Channel, Clip, ClipData, Following, Hold, Joint, JointConstraint, JointConstraints, ModelPose, Rig, Skeleton,
    SkinJoint, SkinnedMesh, SourceDigest,
};
use posepress_core::pipeline::{RigMatch, RigMismatch, rig_digest};
use posepress_core::tasks::ImportedSource;
use posepress_core::workspace::Workspace;
use std::path::PathBuf;
use std::sync::Arc;

fn joint(name: &str, parent: Option<usize>, x: f32) -> Joint {
    Joint { name: name.into(), parent, bind: Transform::from_translation(Vec3::new(x, 0.0, 0.0)) }
}

fn rig(joints: Vec<Joint>) -> Rig {
    Rig::from_skeleton("figure", Skeleton::new(joints).unwrap())
}

/// Every joint turns a little further than the one before, and the first joint walks.
fn clip(rig: &Rig, samples: usize) -> Clip {
    let at = |sample: usize, joint: usize| Transform {
        rotation: Quat::from_rotation_z(0.1 * sample as f32 + 0.01 * joint as f32),
        translation: rig.skeleton.bind(joint).translation + Vec3::Y * if joint == 0 { sample as f32 } else { 0.0 },
        ..Transform::IDENTITY
    };
    let joints = rig.skeleton.len();
    Clip::new(ClipData {
        name: "clip".into(),
        joints,
        duration_secs: (samples - 1) as f32 / 30.0,
        transforms: (0..samples).flat_map(|s| (0..joints).map(move |j| at(s, j))).collect(),
        float_tracks: rig.float_names.len(),
        floats: (0..samples * rig.float_names.len()).map(|i| i as f32).collect(),
        holds: vec![],
        looping: None,
    })
    .unwrap()
}

fn origin(rig: &Rig, clip: &Clip, sample: usize, joint: &str) -> Vec3 {
    ModelPose::new(&rig.skeleton, clip.pose(sample)).origin(rig.skeleton.find(joint).unwrap())
}

#[test]
fn a_clip_on_its_own_rig_is_that_clip() {
    let own = imported(7, 5, 1);
    let matched = RigMatch::new(&own.rig, &own.rig);
    assert_eq!(matched.check(), Ok(()));
    assert_eq!(matched.put_on(&own.clips[0]).unwrap(), own.clips[0]);
}

#[test]
fn order_namespace_and_case_do_not_matter_and_floats_go_by_name_too() {
    let mut from =
        rig(vec![joint("rig:Hips", None, 0.0), joint("rig:Leg", Some(0), 1.0), joint("rig:Arm", Some(0), 2.0)]);
    from.float_names = vec!["face:Smile".into(), "face:Frown".into()];
    let mut to = rig(vec![joint("hips", None, 0.5), joint("arm", Some(0), 2.1), joint("leg", Some(0), 0.9)]);
    to.float_names = vec!["frown".into(), "blink".into()];
    let clip = clip(&from, 4);
    let on_rig = RigMatch::new(&to, &from).put_on(&clip).unwrap();
    for sample in 0..4 {
        let [hips, leg, arm] = [0, 1, 2].map(|joint| clip.at(sample, joint));
        assert_eq!(on_rig.pose(sample), [hips, arm, leg], "the clip's own lengths");
        assert_eq!(on_rig.floats(sample), [clip.floats(sample)[1], 0.0]);
    }
}

#[test]
fn what_is_missing_rests_what_is_extra_goes_and_both_are_said() {
    let from = rig(vec![joint("hips", None, 0.0), joint("leg", Some(0), 1.0), joint("prop", Some(0), 1.0)]);
    let to = rig(vec![joint("hips", None, 0.0), joint("leg", Some(0), 1.0), joint("finger", Some(1), 0.3)]);
    let clip = clip(&from, 3);
    let matched = RigMatch::new(&to, &from);
    let on_rig = matched.put_on(&clip).unwrap();
    assert_eq!(on_rig.at(2, 2), to.skeleton.bind(2));
    let said = matched.finding();
    assert_eq!(said.severity, Severity::Warning, "motion is left out");
    assert!(said.what.contains("2 of 3 joints"), "{said:?}");
    assert!(said.meaning.contains("in the rest pose: finger.") && said.meaning.contains("left out: prop."), "{said:?}");
}

/// A rig whose twist joint turns half as far as the hand, and clips without a twist joint, with one at rest, and with a moving one.
#[test]
fn constraints_of_a_rig_move_what_the_clips_of_another_file_leave_at_rest() {
    let names = ["hips", "hand", "twist"];
    let joints = |count: usize| (0..count).map(|at| joint(names[at], (at > 0).then_some(0), at as f32)).collect();
    let half = JointConstraint {
        joint: 2,
        source: 1,
        following: Following::Rotation,
        weight: 0.5,
        rest: Quat::IDENTITY,
        source_rest: Quat::IDENTITY,
    };
    let mut to = rig(joints(3));
    to.constraints = Arc::new(JointConstraints::new(vec![half], vec![None, Some(0), Some(0)]));
    let turning = |rig: &Rig, moving: usize| {
        clip(rig, 4).edited(|data| {
            for (at, local) in data.transforms.iter_mut().enumerate() {
                let (sample, joint) = (at / data.joints, at % data.joints);
                let turn = if joint > 0 && joint <= moving { 0.4 * sample as f32 } else { 0.0 };
                local.rotation = Quat::from_rotation_x(turn);
            }
            data.holds = vec![Hold { sample: 1, joint: 1, channel: Channel::Rotation }];
        })
    };
    for (from, moving, twist) in [(rig(joints(2)), 1, 0.6), (rig(joints(3)), 1, 0.6), (rig(joints(3)), 2, 1.2)] {
        let matched = RigMatch::new(&to, &from);
        let on_rig = matched.put_on(&turning(&from, moving).unwrap()).unwrap();
        let turned = on_rig.at(3, 2).rotation.angle_between(Quat::IDENTITY);
        assert!((turned - twist).abs() < 1e-5, "{turned} rad, expected {twist}");
        let is_driven = twist < 1.0;
        let holds = |joint: u16| on_rig.holds().iter().filter(|hold| hold.joint == joint).count();
        assert_eq!((holds(1), holds(2)), (1, usize::from(is_driven)), "a step of the hand is one of the twist");
        let meaning = matched.finding().meaning;
        assert_eq!(meaning.contains("Moved by the rig's constraints: twist."), from.skeleton.len() == 2, "{meaning}");
    }
}

#[test]
fn joints_that_hang_elsewhere_stand_where_the_clip_has_them() {
    let from = rig(vec![
        joint("armature", None, 3.0),
        joint("hips", Some(0), 1.0),
        joint("twist", Some(1), 0.5),
        joint("arm", Some(2), 0.5),
    ]);
    let to = rig(vec![joint("hips", None, 0.0), joint("arm", Some(0), 1.0), joint("hand", Some(1), 0.2)]);
    let clip = clip(&from, 6);
    let matched = RigMatch::new(&to, &from);
    let on_rig = matched.put_on(&clip).unwrap();
    for sample in 0..6 {
        for joint in ["hips", "arm"] {
            let (found, expected) = (origin(&to, &on_rig, sample, joint), origin(&from, &clip, sample, joint));
            assert!((found - expected).length() < 1e-5, "{joint} at {sample}: {found}, expected {expected}");
        }
    }
    assert!(matched.finding().meaning.contains("kept at the file's positions: hips, arm."), "{:?}", matched.finding());
}

#[test]
fn other_names_and_other_units_are_refused_with_the_reason() {
    let to = rig(vec![joint("hips", None, 0.0), joint("leg", Some(0), 1.0), joint("foot", Some(1), 1.0)]);
    let other = rig(vec![joint("hips", None, 0.0), joint("wing", Some(0), 1.0), joint("claw", Some(1), 1.0)]);
    let error = RigMatch::new(&to, &other).check().unwrap_err();
    assert!(matches!(error, RigMismatch::Names { matched: 1, joints: 3, .. }), "{error:?}");
    assert!(error.to_string().contains("wing, claw"), "{error}");
    let large = rig(vec![joint("hips", None, 0.0), joint("leg", Some(0), 100.0), joint("foot", Some(1), 100.0)]);
    let error = RigMatch::new(&to, &large).check().unwrap_err();
    assert!(error.to_string().contains("100 times as long"), "{error}");
    assert!(!RigMatch::new(&to, &large).is_sure());
}

#[test]
fn bones_that_point_elsewhere_are_said_and_never_put_on_unasked() {
    let to = rig(vec![joint("hips", None, 0.0), joint("leg", Some(0), 1.0), joint("foot", Some(1), 1.0)]);
    let mut turned = to.skeleton.joints().to_vec();
    turned[1].bind.translation = Vec3::Y;
    turned[2].bind.translation = Vec3::Y;
    let turned = rig(turned);
    let matched = RigMatch::new(&to, &turned);
    assert_eq!(matched.check(), Ok(()));
    assert!(!matched.is_sure());
    assert!(matched.finding().severity == Severity::Warning && matched.finding().meaning.contains("twist"));
}

/// A file of that name, as if read from a disk.
fn file(name: &str, imported: Imported) -> ImportedSource {
    let (path, digest) = (Some(PathBuf::from(name)), SourceDigest::of(name.as_bytes()));
    ImportedSource { path, options: ImportOptions::default(), digest, imported }
}

fn with_mesh(mut imported: Imported) -> Imported {
    let palette = vec![SkinJoint { joint: 0, joint_from_mesh: glam::Affine3A::IDENTITY }];
    let mesh = SkinnedMesh {
        palette,
        positions: vec![Vec3::X; 3],
        normals: vec![Vec3::Y; 3],
        uvs: vec![glam::Vec2::ZERO; 3],
        colors: vec![[1.0; 4]; 3],
        influences: vec![[0; 4]; 3],
        weights: vec![[1.0, 0.0, 0.0, 0.0]; 3],
        triangles: vec![[0, 1, 2]],
        ..SkinnedMesh::default()
    };
    imported.rig.meshes.push(mesh);
    imported.clips.clear();
    imported
}

#[test]
fn files_of_clips_play_on_the_mesh_of_another_whichever_is_opened_first() {
    for mesh_first in [true, false] {
        let mut workspace = Workspace::new(crate::session::document(), || {});
        let (figure, take) = (file("figure.fbx", with_mesh(imported(6, 4, 1))), file("take.fbx", imported(6, 4, 2)));
        let order = if mesh_first { [figure, take] } else { [take, figure] };
        for source in order {
            workspace.add_source(source);
        }
        let library = workspace.library();
        let find = |name: &str| library.sources().iter().find(|source| source.name() == name).unwrap();
        let (figure, take) = (find("figure.fbx"), find("take.fbx"));
        assert!(Arc::ptr_eq(&figure.rig, &take.rig), "mesh first: {mesh_first}");
        assert_eq!(take.clips[1].pose(3), imported(6, 4, 2).clips[1].pose(3));
        assert!(take.findings.iter().any(|f| f.what.contains("by the names of 6 of 6 joints")), "{:?}", take.findings);
        assert!(figure.findings.is_empty());
    }
}

#[test]
fn files_that_have_meshes_or_other_skeletons_keep_their_own_rigs() {
    let mut workspace = Workspace::new(crate::session::document(), || {});
    for (name, imported) in
        [("a", with_mesh(imported(6, 4, 1))), ("b", with_mesh(imported(6, 4, 1))), ("c", imported(40, 4, 1))]
    {
        workspace.add_source(file(name, imported));
    }
    let rigs: Vec<_> = workspace.library().sources().iter().map(|source| source.rig.clone()).collect();
    assert!(!Arc::ptr_eq(&rigs[0], &rigs[1]) && !Arc::ptr_eq(&rigs[0], &rigs[2]));
}

#[test]
fn all_takes_of_a_stage_go_on_one_rig_and_move_as_before() {
    let Some(folder) = corpus("bandai") else { return };
    let options = ImportOptions { unit: Some(LengthUnit::Centimetre), ..ImportOptions::default() };
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "bvh"));
    files.sort();
    let takes: Vec<Imported> = files.iter().map(|path| import_file(path, &options).unwrap()).collect();
    assert_eq!(takes.len(), 24);
    let rig = &takes[0].rig;
    assert!(takes.iter().filter(|take| rig_digest(&take.rig) != rig_digest(rig)).count() > 10, "their rests differ");
    for take in &takes {
        let matched = RigMatch::new(rig, &take.rig);
        assert!(matched.is_sure() || rig_digest(&take.rig) == rig_digest(rig), "{}", take.rig.name);
        let (clip, on_rig) = (&take.clips[0], matched.put_on(&take.clips[0]).unwrap());
        for sample in [0, clip.samples() / 2, clip.samples() - 1] {
            assert_eq!(on_rig.pose(sample), clip.pose(sample), "{}", take.rig.name);
        }
        assert_eq!(matched.finding().severity, Severity::Note);
    }
}

#[test]
fn clips_from_one_fbx_move_the_mesh_of_another() {
    let options = ImportOptions::default();
    let Some(figure) = import_corpus("pab/arnaud.fbx", &options) else { return };
    for name in ["walk", "run", "jog", "crossarms"] {
        let file = import_corpus(&format!("pab/{name}.fbx"), &options).unwrap();
        let matched = RigMatch::new(&figure.rig, &file.rig);
        assert!(matched.is_sure(), "{name}: {:?}", matched.finding());
        let (clip, on_rig) = (&file.clips[0], matched.put_on(&file.clips[0]).unwrap());
        for joint in ["Head", "LeftFoot", "RightHand"] {
            let (found, expected) = (origin(&figure.rig, &on_rig, 9, joint), origin(&file.rig, clip, 9, joint));
            assert!((found - expected).length() < 1e-4, "{name}, {joint}: {found}, expected {expected}");
        }
    }
}
