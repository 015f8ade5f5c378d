//! The BVH reader on the corpus and on small takes.

use crate::import_support::{import_bytes, importer};
use crate::project::corpus;
use glam::{Quat, Vec3};
use posepress_core::import::{ImportOptions, LengthUnit, Severity, UpAxis, import_file};
use posepress_core::model::{ModelPose, Pose};
use std::path::Path;

const TAKE: &str = "HIERARCHY
ROOT Hips
{
  OFFSET 0 1 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Leg
  {
    OFFSET 0.1 -0.5 0
    CHANNELS 4 Yrotation Xrotation Zrotation Yposition
    End Site
    {
      OFFSET 0 -0.4 0.1
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.0166667
0 0.9 0   0 0 0      0 0 0 -0.5
1 0.9 0   90 0 0     30 40 50 -0.6
2 0.9 0   90 20 10   0 0 0 -0.5
";

#[test]
fn the_takes_have_22_joints_at_30_hz_and_as_many_frames_as_the_reference() {
    let Some(baseline) = corpus("../reference/acl_baseline.csv") else { return };
    let baseline = std::fs::read_to_string(baseline).unwrap();
    let options = ImportOptions { unit: Some(LengthUnit::Centimetre), ..ImportOptions::default() };
    let takes: Vec<&str> = baseline.lines().filter(|l| l.starts_with("bandai/")).collect();
    assert_eq!(takes.len(), 24);
    for line in takes {
        let fields: Vec<&str> = line.split(',').collect();
        let Some(path) = corpus(fields[0]) else { return };
        let imported = import_file(&path, &options).unwrap();
        let clip = &imported.clips[0];
        assert_eq!((clip.joints(), imported.rig.skeleton.len()), (22, 22));
        assert_eq!(clip.samples(), fields[2].parse::<usize>().unwrap(), "{line}");
        assert!((clip.grid().rate_hz() - 30.0).abs() < 1e-4, "{}", clip.grid().rate_hz());
        assert_eq!(imported.rig.tips.len(), 5, "head, hands, toes");
        assert!(imported.findings.is_empty(), "{:?}", imported.findings);
        // A person: at the start, the head is 1 to 2 m above the lower foot's joint.
        let pose = ModelPose::new(&imported.rig.skeleton, clip.pose(0));
        let height = |name: &str| pose.origin(imported.rig.skeleton.find(name).unwrap()).y;
        let head_m = height("Head") - height("Foot_L").min(height("Foot_R"));
        assert!((1.0..2.0).contains(&head_m), "{}: head {head_m} m above the feet", fields[0]);
    }
}

#[test]
fn without_a_unit_the_user_is_asked() {
    let Some(path) = corpus("bandai/ds1_walk_normal_001.bvh") else { return };
    let imported = import_file(&path, &ImportOptions::default()).unwrap();
    let finding = imported.findings.iter().find(|f| f.severity == Severity::Decide).unwrap();
    assert!(finding.meaning.contains("centimetres"), "{finding:?}");
    let small = TAKE.replace("OFFSET 0.1 -0.5 0", "OFFSET 0 -0.01 0").replace("-0.4 0.1", "-0.01 0");
    let small = small.replace("-0.5\n", "-0.01\n").replace("-0.6\n", "-0.01\n");
    let imported = import_bytes("bvh", small.as_bytes()).unwrap();
    assert!(
        imported.findings.iter().any(|f| f.severity == Severity::Warning && f.what.contains("20.00 mm")),
        "{:?}",
        imported.findings
    );
}

/// Captured stages have a root that stays at the origin and a body at another place. The size is that of the body.
#[test]
fn the_size_of_a_character_does_not_hold_the_way_to_it() {
    let body = TAKE.replace("ROOT Hips", "JOINT Hips").replace("HIERARCHY\n", "").replace("0.9 0 ", "0.9 60 ");
    let (joints, motion) = body.split_once("MOTION").unwrap();
    let take = format!("HIERARCHY\nROOT Stage\n{{\nOFFSET 0 0 0\nCHANNELS 0\n{joints}}}\nMOTION{motion}");
    let imported = import_bytes("bvh", take.as_bytes()).unwrap();
    assert_eq!(imported.rig.skeleton.len(), 3);
    let of_size = imported.findings.iter().find(|finding| finding.what.contains("longest side"));
    assert_eq!(of_size, None, "a body of 0.9 m, 60 m away");
}

#[test]
fn rotations_multiply_in_the_order_of_the_channels() {
    let imported = import_bytes("bvh", TAKE.as_bytes()).unwrap();
    let clip = &imported.clips[0];
    let degrees = f32::to_radians;
    let expected = Quat::from_rotation_y(degrees(30.0))
        * Quat::from_rotation_x(degrees(40.0))
        * Quat::from_rotation_z(degrees(50.0));
    assert!(clip.at(1, 1).rotation.dot(expected).abs() > 1.0 - 1e-6);
    let hips = Quat::from_rotation_z(degrees(90.0))
        * Quat::from_rotation_x(degrees(20.0))
        * Quat::from_rotation_y(degrees(10.0));
    assert!(clip.at(2, 0).rotation.dot(hips).abs() > 1.0 - 1e-6);
}

#[test]
fn positions_replace_the_offsets_of_their_axes_and_end_sites_are_tips() {
    let imported = import_bytes("bvh", TAKE.as_bytes()).unwrap();
    let (rig, clip) = (&imported.rig, &imported.clips[0]);
    assert_eq!(rig.skeleton.bind(0).translation, Vec3::Y);
    assert_eq!(clip.at(1, 0).translation, Vec3::new(1.0, 0.9, 0.0));
    assert_eq!(clip.at(1, 1).translation, Vec3::new(0.1, -0.6, 0.0));
    assert_eq!((rig.tips.len(), rig.tips[0].joint, rig.tips[0].offset), (1, 1, Vec3::new(0.0, -0.4, 0.1)));
    assert_eq!((clip.name(), rig.name.as_str()), ("test", "test"));
}

#[test]
fn frames_are_samples_at_their_own_rate_and_resampled_only_when_asked() {
    let odd = TAKE.replace("0.0166667", "0.0345");
    let clip = &import_bytes("bvh", odd.as_bytes()).unwrap().clips[0];
    assert_eq!(clip.samples(), 3);
    assert!((clip.duration_secs() - 0.069).abs() < 1e-6, "{}", clip.duration_secs());
    let options = ImportOptions { rate_hz: Some(120.0), ..ImportOptions::default() };
    let imported = importer("bvh").import(Path::new("a.bvh"), TAKE.as_bytes().into(), &options).unwrap();
    let clip = &imported.clips[0];
    assert_eq!(clip.samples(), 5);
    assert!((clip.at(1, 0).translation.x - 0.5).abs() < 1e-5);
    let mut pose = Pose::with_size(2, 0);
    clip.sample(2.0, &mut pose);
    assert!((pose.joints[0].translation.x - 1.0).abs() < 1e-5);
}

#[test]
fn units_scale_every_length_and_z_up_turns_the_roots() {
    let options = ImportOptions { unit: Some(LengthUnit::Inch), up: Some(UpAxis::Z), ..ImportOptions::default() };
    let imported = importer("bvh").import(Path::new("a.bvh"), TAKE.as_bytes().into(), &options).unwrap();
    let near = |a: Vec3, b: Vec3| (a - b).length() < 1e-6;
    assert!(near(imported.rig.skeleton.bind(0).translation, Vec3::new(0.0, 0.0, -0.0254)));
    assert!(near(imported.rig.skeleton.bind(1).translation, Vec3::new(0.1, -0.5, 0.0) * 0.0254));
    assert!(near(imported.clips[0].at(1, 0).translation, Vec3::new(1.0, 0.0, -0.9) * 0.0254));
    assert!(near(imported.rig.tips[0].offset, Vec3::new(0.0, -0.4, 0.1) * 0.0254));
    let options = ImportOptions { scale: Some(2.5), ..options };
    let scaled = importer("bvh").import(Path::new("a.bvh"), TAKE.as_bytes().into(), &options).unwrap();
    assert!(near(scaled.clips[0].at(1, 0).translation, imported.clips[0].at(1, 0).translation * 2.5));
    assert!(near(scaled.rig.tips[0].offset, imported.rig.tips[0].offset * 2.5));
}

#[test]
fn a_take_of_one_frame_is_a_pose_and_one_of_none_is_a_rig() {
    let until = |frames: usize| {
        let kept = TAKE.lines().take(18 + frames).collect::<Vec<_>>().join("\n");
        import_bytes("bvh", kept.replace("Frames: 3", &format!("Frames: {frames}")).as_bytes()).unwrap()
    };
    let one = until(1);
    assert_eq!((one.clips[0].samples(), one.clips[0].duration_secs()), (1, 0.0));
    let none = until(0);
    assert!(none.clips.is_empty() && none.rig.skeleton.len() == 2);
    assert!(none.findings.iter().any(|f| f.what == "the file has no clips"));
}

/// The format defines nothing between two frames, so only a lower rate loses something.
#[test]
fn frames_are_the_whole_truth_of_a_take() {
    let options = |rate_hz| ImportOptions { rate_hz, ..ImportOptions::default() };
    let error = |rate_hz| {
        let imported = importer("bvh").import(Path::new("a.bvh"), TAKE.as_bytes().into(), &options(rate_hz)).unwrap();
        imported.clips[0].sampling_error().unwrap()
    };
    assert!(error(None).error_m < 1e-5, "{:?}", error(None));
    let coarse = error(Some(30.0));
    assert!(coarse.error_m > 0.05, "the middle frame is lost: {coarse:?}");
}
