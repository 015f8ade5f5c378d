//! Several characters and several scenes in one file.

use crate::import_support::{Doc, small_rig};
use posepress_core::export::{ExportClip, ExportTarget, Exporter, Glb};
use posepress_core::import::{ImportOptions, Imported, Origin, import_bytes};
use posepress_core::model::{Rig, SourceDigest};
use serde_json::json;
use std::path::Path;

/// The small rig and, below a common node, a dog of two joints with a skin, a rigid collar and its own clip. The clip "wave"
/// moves both.
fn pair() -> Doc {
    let mut doc = small_rig();
    let nodes = doc.json["nodes"].as_array_mut().unwrap();
    nodes.extend([
        json!({ "name": "dog", "children": [4, 6], "translation": [2.0, 0.0, 0.0] }),
        json!({ "name": "tail", "translation": [0.0, 1.0, 0.0] }),
        json!({ "name": "fur", "mesh": 0, "skin": 1 }),
        json!({ "name": "collar", "mesh": 1 }),
        json!({ "name": "stage", "children": [0, 2, 3, 5] }),
    ]);
    nodes[0]["children"] = json!([1]);
    doc.json["scenes"] = json!([{ "nodes": [7] }]);
    let mut plain = doc.json["meshes"][0].clone();
    plain["name"] = json!("ring");
    for part in ["JOINTS_0", "WEIGHTS_0"] {
        plain["primitives"][0]["attributes"].as_object_mut().unwrap().remove(part);
    }
    doc.json["meshes"].as_array_mut().unwrap().push(plain);
    let mut skin = doc.json["skins"][0].clone();
    skin["joints"] = json!([3, 4]);
    doc.json["skins"].as_array_mut().unwrap().push(skin);
    doc.channel(0, 4, "translation", "LINEAR", &[0.0, 1.0], &[0.0, 1.0, 0.0, 0.5, 1.0, 0.0]);
    let wag = doc.animation("wag");
    doc.channel(wag, 4, "translation", "LINEAR", &[0.0, 0.5], &[0.0, 1.0, 0.0, 0.0, 1.0, 0.5]);
    doc
}

fn read(doc: &Doc, figure: Option<f32>, scene: Option<f32>) -> Imported {
    doc.import_with(&ImportOptions { figure, scene, ..Default::default() }).unwrap()
}

fn joints(rig: &Rig) -> Vec<&str> {
    rig.skeleton.joints().iter().map(|joint| joint.name.as_str()).collect()
}

fn meshes(rig: &Rig) -> Vec<&str> {
    rig.meshes.iter().map(|mesh| mesh.name.as_str()).collect()
}

fn clips(imported: &Imported) -> Vec<&str> {
    imported.clips.iter().map(|clip| clip.name()).collect()
}

#[test]
fn several_figures_are_one_rig_and_each_can_be_read_by_itself() {
    let doc = pair();
    let both = read(&doc, None, None);
    assert_eq!(joints(&both.rig), ["stage", "root", "tip", "dog", "tail"]);
    assert_eq!((clips(&both), meshes(&both.rig)), (vec!["wave", "wag"], vec!["skin", "collar", "fur"]));
    let said = both.findings.iter().find(|f| f.what.starts_with("2 skeletons are read as one rig")).unwrap();
    assert!(said.what.contains("root (2 joints), dog (2 joints)"), "{said:?}");

    let dog = read(&doc, Some(2.0), None);
    assert_eq!(joints(&dog.rig), ["stage", "dog", "tail"]);
    assert_eq!((clips(&dog), meshes(&dog.rig)), (vec!["wave", "wag"], vec!["collar", "fur"]));
    assert_eq!(dog.rig.float_names.len(), 2, "{:?}", dog.rig.float_names);
    let tail = |imported: &Imported, at: usize| imported.clips[0].track(at).collect::<Vec<_>>();
    assert_eq!(tail(&dog, 2), tail(&both, 4));

    let first = read(&doc, Some(1.0), None);
    assert_eq!((joints(&first.rig), clips(&first)), (vec!["stage", "root", "tip"], vec!["wave"]));
    assert_eq!(meshes(&first.rig), ["skin"]);
    let said = first.findings.iter().find(|f| f.what.contains("skeleton 1 of 2 is read")).unwrap();
    let next: Vec<ImportOptions> = said.readings.iter().map(|reading| reading.of(ImportOptions::default())).collect();
    assert_eq!(next.iter().map(|options| options.figure).collect::<Vec<_>>(), [None, Some(2.0)]);
    let error = doc.import_with(&ImportOptions { figure: Some(3.0), ..Default::default() }).unwrap_err().to_string();
    assert!(error.contains("skeleton 3 is asked for; the file has 2 skeletons"), "{error}");
}

#[test]
fn skins_that_share_joints_or_hang_below_each_other_are_one_figure() {
    let mut doc = pair();
    doc.json["skins"][1]["joints"] = json!([1, 4]);
    let shared = read(&doc, None, None);
    assert!(!shared.findings.iter().any(|f| f.what.contains("figures")), "{:?}", shared.findings);
    let mut doc = pair();
    doc.json["nodes"][1]["children"] = json!([3]);
    doc.json["nodes"][7]["children"] = json!([0, 2, 5]);
    let below = read(&doc, None, None);
    assert!(!below.findings.iter().any(|f| f.what.contains("figures")), "{:?}", below.findings);
}

#[test]
fn clips_of_one_figure_go_back_into_their_file_beside_the_others() {
    let doc = pair();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pair.glb");
    std::fs::write(&path, doc.glb()).unwrap();
    let options = ImportOptions { figure: Some(1.0), ..Default::default() };
    let first = read(&doc, Some(1.0), None);
    let origin = Origin { path: path.clone(), digest: SourceDigest::of(&doc.glb()), options };
    let target = ExportTarget { origin: Some(origin), ..Default::default() };
    let mut clips: Vec<_> = first.clips.iter().map(ExportClip::raw).collect();
    let bytes = Glb.export(&first.rig, &mut clips, &target).unwrap();
    let back = import_bytes(Path::new("back.glb"), bytes, &ImportOptions::default()).unwrap();
    let before = read(&doc, None, None);
    assert_eq!(joints(&back.rig), joints(&before.rig));
    let tail = |imported: &Imported| imported.clips[0].track(4).map(|local| local.translation).collect::<Vec<_>>();
    assert_eq!((back.clips[0].name(), tail(&back)), ("wave", tail(&before)), "the dog wags on");
    assert_eq!(back.clips[1], before.clips[1], "what moves the dog alone stays");
}

#[test]
fn another_scene_shows_its_own_meshes() {
    let mut doc = pair();
    doc.json["scenes"] = json!([{ "name": "yard", "nodes": [7] }, { "name": "portrait", "nodes": [0, 2] }]);
    let yard = read(&doc, None, None);
    let said = yard.findings.iter().find(|f| f.what == "scene 1 of 2 is read, yard").unwrap();
    assert_eq!(said.readings[0].of(ImportOptions::default()).scene, Some(2.0));
    let portrait = read(&doc, None, Some(2.0));
    assert_eq!((meshes(&portrait.rig), meshes(&yard.rig).len()), (vec!["skin"], 3));
    let error = doc.import_with(&ImportOptions { scene: Some(9.0), ..Default::default() }).unwrap_err().to_string();
    assert!(error.contains("scene 9 is asked for; the file has 2 scenes"), "{error}");
}
