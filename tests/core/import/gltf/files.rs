//! Files of the corpus.

use super::clip;
use crate::import_support::import_corpus;
use crate::project::corpus;
use glam::Vec3;
use posepress_core::import::{ImportOptions, Imported, LengthUnit, Severity};
use posepress_core::model::ModelPose;

fn at_30_hz() -> ImportOptions {
    ImportOptions { rate_hz: Some(30.0), ..ImportOptions::default() }
}

#[test]
fn knight_has_76_clips_on_42_joints_with_all_its_meshes() {
    let Some(knight) = import_corpus("kaykit/Knight.glb", &ImportOptions::default()) else { return };
    assert_eq!(knight.clips.len(), 76);
    assert_eq!(knight.rig.skeleton.len(), 42);
    assert_eq!(knight.rig.skeleton.name(0), "Rig");
    assert_eq!(knight.rig.meshes.len(), 15);
    assert_eq!(knight.rig.meshes.iter().filter(|m| m.palette.len() == 41).count(), 6);
    assert_eq!(knight.rig.meshes.iter().filter(|m| m.palette.len() == 1).count(), 9);
    let image = &knight.rig.images[knight.rig.materials[0].base_color_image.unwrap()];
    assert_eq!(image.rgba.len(), image.width as usize * image.height as usize * 4);
    assert!(clip(&knight, "Walking_A").is_looping());
    for clip in knight.clips.iter().filter(|c| c.samples() > 1) {
        assert!((clip.grid().rate_hz() - 30.0).abs() < 1e-3, "{}: {} Hz", clip.name(), clip.grid().rate_hz());
    }
    assert!(knight.findings.iter().all(|f| f.severity == Severity::Note), "{:#?}", knight.findings);
}

#[test]
fn sample_counts_at_30_hz_match_the_reference() {
    let Some(baseline) = corpus("../reference/acl_baseline.csv") else { return };
    let baseline = std::fs::read_to_string(baseline).unwrap();
    let mut checked = 0;
    for file in ["kaykit/Knight.glb", "fox/Fox.glb", "cesium_man/cesium_man.gltf"] {
        let Some(imported) = import_corpus(file, &at_30_hz()) else { return };
        for line in baseline.lines().filter(|l| l.starts_with(file)) {
            let fields: Vec<&str> = line.split(',').collect();
            let name = fields[0].split_once('#').unwrap().1;
            let clip = imported.clips.iter().find(|c| c.name() == name).unwrap_or(&imported.clips[0]);
            assert_eq!(clip.joints(), fields[1].parse::<usize>().unwrap(), "{line}");
            assert_eq!(clip.samples(), fields[2].parse::<usize>().unwrap(), "{line}");
            checked += 1;
        }
    }
    assert_eq!(checked, 76 + 3 + 1);
}

#[test]
fn fox_is_found_to_be_in_centimetres_and_at_24_hz() {
    let Some(fox) = import_corpus("fox/Fox.glb", &ImportOptions::default()) else { return };
    assert_eq!((fox.rig.skeleton.len(), fox.clips.len()), (25, 3));
    // The run consists of two pieces at 24 Hz with a gap of 4.8 frames: its keys fit 120 Hz.
    for (name, rate_hz) in [("Survey", 24.0), ("Walk", 24.0), ("Run", 120.0)] {
        let found = clip(&fox, name).grid().rate_hz();
        assert!((found - rate_hz).abs() < 1e-3, "{name}: {found} Hz");
    }
    assert!(fox.findings.iter().any(|f| f.subject == "Run" && f.what.contains("the file's rate is 24 Hz")));
    let unit = fox.findings.iter().find(|f| f.severity == Severity::Decide).unwrap();
    assert!(unit.meaning.contains("Read the file as centimetres?"), "{unit:?}");
    // The file has no normals: they are computed with unit length.
    assert!(fox.rig.meshes[0].normals.iter().all(|n| (n.length() - 1.0).abs() < 1e-5));

    let options = ImportOptions { unit: Some(LengthUnit::Centimetre), ..ImportOptions::default() };
    let small = import_corpus("fox/Fox.glb", &options).unwrap();
    assert!(small.findings.iter().all(|f| f.severity != Severity::Decide));
    // Everything shrinks uniformly: the skinned vertices of any pose are those of the large fox times 0.01.
    let skinned = |fox: &Imported, sample: usize, vertex: usize| {
        let pose = ModelPose::new(&fox.rig.skeleton, fox.clips[0].pose(sample));
        fox.rig.meshes[0].skin_vertex(vertex, &pose.joints, &[])
    };
    for (sample, vertex) in [(0, 0), (17, 500), (60, 1500)] {
        let (large, small) = (skinned(&fox, sample, vertex), skinned(&small, sample, vertex));
        assert!((large * 0.01 - small).length() < 1e-5, "{large} and {small}");
    }
}

#[test]
fn cesium_man_has_21_joints_named_after_their_nodes() {
    let Some(man) = import_corpus("cesium_man/cesium_man.gltf", &ImportOptions::default()) else { return };
    assert_eq!((man.rig.skeleton.len(), man.clips.len()), (21, 1));
    assert_eq!(man.clips[0].name(), "animation_0");
    assert!(man.rig.meshes[0].palette.len() == 19);
    assert_eq!(man.rig.images.len(), 1);
    // Its nodes turn Z up into Y up, so the skinned man stands.
    let bind = man.rig.skeleton.bind_pose(0);
    let pose = ModelPose::new(&man.rig.skeleton, &bind.joints);
    let mesh = &man.rig.meshes[0];
    let skinned = (0..mesh.positions.len()).map(|v| mesh.skin_vertex(v, &pose.joints, &[]));
    let (low, high) = skinned.fold((Vec3::MAX, Vec3::MIN), |(l, h), p| (l.min(p), h.max(p)));
    let size = high - low;
    assert!(size.y > 1.3 && size.y > size.x && size.y > size.z, "{size}");
}
