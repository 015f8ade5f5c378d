//! Humans in VRM files: their bones are found, and clips of one move another.

use crate::import_support::{Doc, import_bytes};
use glam::{Affine3A, Quat, Vec3};
use posepress_core::import::{GltfDocument, ImportOptions, Imported, Origin, Severity};
use posepress_core::math::Transform;
use posepress_core::model::{Channel, Clip, Human, ModelPose, Rig, SourceDigest};
use posepress_core::pipeline::{MatchedJoint, RigMatch};
use posepress_core::tasks::ImportedSource;
use posepress_core::workspace::Workspace;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

/// Bones of a human in a T-pose that faces +Z: name, parent, place in metres.
const BONES: [(&str, &str, [f32; 3]); 20] = [
    ("hips", "", [0.0, 1.0, 0.0]),
    ("spine", "hips", [0.0, 1.1, 0.01]),
    ("chest", "spine", [0.0, 1.25, 0.0]),
    ("upperChest", "chest", [0.0, 1.35, -0.01]),
    ("neck", "upperChest", [0.0, 1.5, 0.0]),
    ("head", "neck", [0.0, 1.6, 0.02]),
    ("leftUpperArm", "upperChest", [0.2, 1.45, 0.0]),
    ("leftLowerArm", "leftUpperArm", [0.45, 1.45, 0.0]),
    ("leftHand", "leftLowerArm", [0.7, 1.45, 0.0]),
    ("leftThumbMetacarpal", "leftHand", [0.72, 1.43, 0.03]),
    ("leftThumbProximal", "leftThumbMetacarpal", [0.74, 1.42, 0.05]),
    ("rightUpperArm", "upperChest", [-0.2, 1.45, 0.0]),
    ("rightLowerArm", "rightUpperArm", [-0.45, 1.45, 0.0]),
    ("rightHand", "rightLowerArm", [-0.7, 1.45, 0.0]),
    ("leftUpperLeg", "hips", [0.1, 0.95, 0.0]),
    ("leftLowerLeg", "leftUpperLeg", [0.1, 0.5, 0.01]),
    ("leftFoot", "leftLowerLeg", [0.1, 0.1, 0.0]),
    ("rightUpperLeg", "hips", [-0.1, 0.95, 0.0]),
    ("rightLowerLeg", "rightUpperLeg", [-0.1, 0.5, 0.01]),
    ("rightFoot", "rightLowerLeg", [-0.1, 0.1, 0.0]),
];

const SAMPLES: usize = 13;
const RATE_HZ: f32 = 30.0;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// `VRMC_vrm`.
    Model,
    /// `VRM`, which faces the other way.
    Model0,
    /// `VRMC_vrm_animation`.
    Animation,
}

impl Kind {
    pub fn extension(self) -> &'static str {
        match self {
            Self::Model | Self::Model0 => "vrm",
            Self::Animation => "vrma",
        }
    }
}

/// A human: the names of its joints, its height, the rotations of its joints at rest, and its missing bones.
#[derive(Debug, Clone, Copy)]
pub struct Figure {
    pub kind: Kind,
    pub prefix: &'static str,
    pub tall: f32,
    /// Zero for joints without rotation at rest.
    pub turned: f32,
    pub lacks: &'static [&'static str],
}

/// Nodes: a turned armature, its bones, a lock of hair.
struct Nodes {
    names: Vec<String>,
    parents: Vec<Option<usize>>,
    locals: Vec<Transform>,
    of_bone: BTreeMap<&'static str, usize>,
}

/// A rotation that differs for each number.
fn turn(number: usize, size: f32) -> Quat {
    let at = number as f32;
    let axis = Vec3::new((at * 1.3).sin(), (at * 2.1).cos(), (at * 0.7).sin() + 0.1).normalize();
    Quat::from_axis_angle(axis, size * (1.0 + (at * 3.7).sin()))
}

impl Figure {
    fn nodes(&self) -> Nodes {
        let about = if self.kind == Kind::Model0 { Vec3::new(-1.0, 1.0, -1.0) } else { Vec3::ONE };
        let armature = Affine3A::from_quat(turn(40, self.turned));
        let (mut names, mut parents) = (vec![format!("{}armature", self.prefix)], vec![None]);
        let (mut places, mut of_bone) = (vec![armature], BTreeMap::<&str, usize>::new());
        for (number, (bone, above, place)) in BONES.iter().enumerate() {
            if self.lacks.contains(bone) {
                continue;
            }
            // Bones that the figure lacks are skipped in the hierarchy.
            let above = std::iter::successors(Some(*above), |bone| above_of(bone));
            let parent = above.filter_map(|bone| of_bone.get(bone)).copied().next().unwrap_or(0);
            of_bone.insert(bone, names.len());
            names.push(format!("{}{bone}", self.prefix));
            parents.push(Some(parent));
            let place = Vec3::from(*place) * about * self.tall;
            places.push(Affine3A::from_rotation_translation(turn(number, self.turned), place));
        }
        names.push("hair".into());
        parents.push(Some(of_bone["head"]));
        places.push(places[of_bone["head"]] * Affine3A::from_translation(Vec3::new(0.0, 0.1, -0.1)));
        let local = |(node, place): (usize, &Affine3A)| {
            let above = parents[node].map_or(Affine3A::IDENTITY, |parent: usize| places[parent]);
            let (scale, rotation, translation) = (above.inverse() * *place).to_scale_rotation_translation();
            Transform { rotation, translation, scale: scale.round() }
        };
        let locals = places.iter().enumerate().map(local).collect();
        Nodes { names, parents, locals, of_bone }
    }

    fn extension(&self, nodes: &Nodes) -> (&'static str, Value) {
        let bones = nodes.of_bone.iter();
        let by_name: BTreeMap<_, _> = bones.clone().map(|(bone, node)| (*bone, json!({ "node": node }))).collect();
        let meta = json!({
            "name": "human", "authors": ["Posepress"], "licenseUrl": "https://vrm.dev/licenses/1.0/",
        });
        match self.kind {
            Kind::Model => {
                ("VRMC_vrm", json!({ "specVersion": "1.0", "meta": meta, "humanoid": { "humanBones": by_name } }))
            }
            Kind::Model0 => {
                let old = |bone: &str| match bone {
                    "leftThumbMetacarpal" => "leftThumbProximal".to_owned(),
                    "leftThumbProximal" => "leftThumbIntermediate".to_owned(),
                    other => other.to_owned(),
                };
                let bones = bones.map(|(bone, node)| json!({ "bone": old(bone), "node": node }));
                let unset = json!({ "bone": "jaw", "node": -1 });
                let bones: Vec<Value> = bones.chain([unset]).collect();
                ("VRM", json!({ "specVersion": "0.0", "meta": {}, "humanoid": { "humanBones": bones } }))
            }
            Kind::Animation => {
                let values = nodes.names.len();
                let said = json!({
                    "specVersion": "1.0", "humanoid": { "humanBones": by_name },
                    "expressions": { "preset": { "happy": { "node": values } }, "custom": {} },
                    "lookAt": { "node": values + 1 },
                });
                ("VRMC_vrm_animation", said)
            }
        }
    }

    /// The file. An animation has a clip that turns every bone, a model has a triangle on its hips.
    pub fn doc(&self) -> Doc {
        let nodes = self.nodes();
        let node = |node: usize| {
            let local = nodes.locals[node];
            let children: Vec<usize> = (0..nodes.names.len()).filter(|&n| nodes.parents[n] == Some(node)).collect();
            let mut json = json!({
                "name": nodes.names[node],
                "rotation": local.rotation.to_array(), "translation": local.translation.to_array(),
            });
            if !children.is_empty() {
                json["children"] = json!(children);
            }
            json
        };
        let mut all: Vec<Value> = (0..nodes.names.len()).map(node).collect();
        let (name, said) = self.extension(&nodes);
        let mut doc = match self.kind {
            Kind::Animation => {
                all.extend([json!({ "name": "smile" }), json!({ "name": "look" })]);
                let mut doc = Doc::new(json!(all));
                doc.json["scenes"] = json!([{ "nodes": [0, nodes.names.len(), nodes.names.len() + 1] }]);
                self.animate(&nodes, &mut doc);
                doc
            }
            Kind::Model | Kind::Model0 => {
                all.push(json!({ "name": "body", "mesh": 0, "skin": 0 }));
                let mut doc = Doc::new(json!(all));
                doc.json["scenes"] = json!([{ "nodes": [0, nodes.names.len()] }]);
                skin(&nodes, &mut doc);
                doc
            }
        };
        doc.json["scene"] = json!(0);
        doc.json["extensionsUsed"] = json!([name]);
        doc.json["extensions"] = json!({ name: said });
        doc.json.as_object_mut().unwrap().retain(|_, value| value.as_array().is_none_or(|list| !list.is_empty()));
        doc
    }

    fn animate(&self, nodes: &Nodes, doc: &mut Doc) {
        let clip = doc.animation("dance");
        let times: Vec<f32> = (0..SAMPLES).map(|sample| sample as f32 / RATE_HZ).collect();
        for (number, node) in nodes.of_bone.values().enumerate() {
            let rest = nodes.locals[*node].rotation;
            let at = |sample: usize| (rest * turn(60 + number, 0.05 * sample as f32)).to_array();
            let values: Vec<f32> = (0..SAMPLES).flat_map(at).collect();
            doc.channel(clip, *node, "rotation", "LINEAR", &times, &values);
        }
        let hips = nodes.of_bone["hips"];
        let rest = nodes.locals[hips].translation;
        let at = |sample: usize| (rest + Vec3::new(0.01, -0.005, 0.03) * sample as f32).to_array();
        doc.channel(clip, hips, "translation", "LINEAR", &times, &(0..SAMPLES).flat_map(at).collect::<Vec<f32>>());
        let smile: Vec<f32> = (0..SAMPLES).flat_map(|sample| [sample as f32, 0.0, 0.0]).collect();
        doc.channel(clip, nodes.names.len(), "translation", "LINEAR", &times, &smile);
        let look: Vec<f32> = (0..SAMPLES).flat_map(|sample| turn(sample, 0.1).to_array()).collect();
        doc.channel(clip, nodes.names.len() + 1, "rotation", "LINEAR", &times, &look);
    }
}

fn above_of<'a>(bone: &&'a str) -> Option<&'a str> {
    BONES.iter().find(|(name, ..)| name == bone).map(|(_, above, _)| *above)
}

fn skin(nodes: &Nodes, doc: &mut Doc) {
    let mut places: Vec<Affine3A> = Vec::new();
    for (node, local) in nodes.locals.iter().enumerate() {
        let above = nodes.parents[node].map_or(Affine3A::IDENTITY, |parent| places[parent]);
        places.push(above * local.to_affine());
    }
    let inverse = places.iter().flat_map(|place| glam::Mat4::from(place.inverse()).to_cols_array());
    let inverse = doc.floats(&inverse.collect::<Vec<f32>>(), "MAT4");
    let position = doc.floats(&[0.0, 1.0, 0.0, 0.1, 1.0, 0.0, 0.0, 1.1, 0.0], "VEC3");
    for (bound, values) in [("min", [0.0, 1.0, 0.0]), ("max", [0.1, 1.1, 0.0])] {
        doc.json["accessors"][position][bound] = json!(values);
    }
    let joints = doc.accessor(&[1, 0, 0, 0].repeat(3), 5121, "VEC4", 3);
    let weights = doc.accessor(&[255, 0, 0, 0].repeat(3), 5121, "VEC4", 3);
    doc.json["accessors"][weights]["normalized"] = json!(true);
    let attributes = json!({ "POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights });
    doc.json["meshes"] = json!([{ "name": "body", "primitives": [{ "attributes": attributes }] }]);
    let joints: Vec<usize> = (0..nodes.names.len()).collect();
    doc.json["skins"] = json!([{ "joints": joints, "inverseBindMatrices": inverse }]);
}

pub const MODEL: Figure = Figure { kind: Kind::Model, prefix: "J_Bip_", tall: 0.8, turned: 0.9, lacks: &[] };
pub const MODEL_0: Figure = Figure { kind: Kind::Model0, prefix: "bip:", tall: 1.2, turned: 0.0, lacks: &[] };
pub const DANCE: Figure = Figure { kind: Kind::Animation, prefix: "mixamo_", tall: 1.0, turned: 0.6, lacks: &[] };

fn read(figure: Figure) -> Imported {
    import_bytes(figure.kind.extension(), &figure.doc().glb()).unwrap()
}

fn human(rig: &Rig) -> &Human {
    rig.human.as_ref().expect("a human")
}

/// Rotation from rest in model space, and position, by bone.
fn turned(rig: &Rig, clip: &Clip, sample: usize) -> HashMap<String, (Quat, Vec3)> {
    let rest = ModelPose::new(&rig.skeleton, &rig.skeleton.bind_pose(0).joints);
    let now = ModelPose::new(&rig.skeleton, clip.pose(sample));
    let rotation = |pose: &ModelPose, joint: usize| pose.joints[joint].to_scale_rotation_translation().1;
    let of = |(bone, &joint): (&String, &usize)| {
        let turn = rotation(&now, joint) * rotation(&rest, joint).inverse();
        (bone.clone(), (turn, now.origin(joint) - rest.origin(joint)))
    };
    human(rig).bones.iter().map(of).collect()
}

#[test]
fn bones_are_found_in_every_version_and_what_stands_for_values_is_no_joint() {
    for figure in [MODEL, MODEL_0, DANCE] {
        let file = read(figure);
        let human = human(&file.rig);
        assert_eq!(human.bones.len(), BONES.len(), "{figure:?}");
        assert_eq!(human.faces_back, figure.kind == Kind::Model0);
        for (bone, ..) in BONES {
            assert_eq!(file.rig.skeleton.name(human.bones[bone]), format!("{}{bone}", figure.prefix));
        }
        assert_eq!(file.rig.skeleton.len(), BONES.len() + 2, "{:?}", file.rig.skeleton.joints());
        let said =
            file.findings.iter().find(|finding| finding.what.contains("other than bones: happy, look direction"));
        assert_eq!(said.is_some(), figure.kind == Kind::Animation, "{:?}", file.findings);
    }
}

#[test]
fn the_clip_of_one_human_moves_another_as_far_from_its_own_rest() {
    let dance = read(DANCE);
    for model in [MODEL, MODEL_0] {
        let model = read(model);
        let matched = RigMatch::new(&model.rig, &dance.rig);
        assert!(matched.is_sure() && matched.is_by_bones(), "{:?}", matched.finding());
        assert!(matched.finding().what.contains("matched by 20 of 20 human bones"), "{:?}", matched.finding());
        let on_rig = matched.put_on(&dance.clips[0]).unwrap();
        let about =
            if human(&model.rig).faces_back { Quat::from_rotation_y(std::f32::consts::PI) } else { Quat::IDENTITY };
        let larger = model.rig.human.as_ref().map(|_| hips_m(&model.rig) / hips_m(&dance.rig)).unwrap();
        for sample in 0..SAMPLES {
            let (ours, theirs) = (turned(&model.rig, &on_rig, sample), turned(&dance.rig, &dance.clips[0], sample));
            for (bone, (turn, place)) in &theirs {
                let expected = about * *turn * about.inverse();
                assert!(
                    ours[bone].0.dot(expected).abs() > 1.0 - 1e-5,
                    "{bone} at {sample}: {} {expected}",
                    ours[bone].0
                );
                let is_hips = bone == Human::HIPS;
                let expected = about * *place * larger;
                assert!(!is_hips || ours[bone].1.abs_diff_eq(expected, 1e-5), "{} {expected}", ours[bone].1);
            }
            let hair = model.rig.skeleton.find("hair").unwrap();
            assert_eq!(on_rig.at(sample, hair), model.rig.skeleton.bind(hair), "no bone");
        }
    }
}

fn hips_m(rig: &Rig) -> f32 {
    let rest = ModelPose::new(&rig.skeleton, &rig.skeleton.bind_pose(0).joints);
    rest.origin(human(rig).bones[Human::HIPS]).y
}

#[test]
fn what_hangs_on_bones_that_a_human_lacks_is_turned_with_them() {
    let (dance, model) = (read(DANCE), read(Figure { lacks: &["upperChest", "leftThumbProximal"], ..MODEL }));
    let matched = RigMatch::new(&model.rig, &dance.rig);
    assert!(matched.is_sure());
    assert!(matched.finding().meaning.contains("left out: mixamo_upperChest, mixamo_leftThumbProximal."));
    assert_eq!((matched.counts(), matched.finding().severity), ((18, 20), Severity::Warning));
    let on_rig = matched.put_on(&dance.clips[0]).unwrap();
    let (ours, theirs) = (turned(&model.rig, &on_rig, 9), turned(&dance.rig, &dance.clips[0], 9));
    for (bone, (turn, _)) in ours {
        assert!(turn.dot(theirs[&bone].0).abs() > 1.0 - 1e-5, "{bone}");
    }
}

#[test]
fn keys_of_bones_are_where_the_clip_has_them_and_only_of_what_is_taken() {
    let (dance, model) = (read(DANCE), read(MODEL));
    let on_rig = RigMatch::new(&model.rig, &dance.rig).put_on(&dance.clips[0]).unwrap();
    let bones: Vec<usize> = human(&model.rig).bones.values().copied().collect();
    let hips = human(&model.rig).bones[Human::HIPS];
    assert_eq!(on_rig.keys().len(), dance.clips[0].keys().len());
    for keys in on_rig.keys() {
        let joint = usize::from(keys.joint);
        assert!(bones.contains(&joint) && (keys.channel == Channel::Rotation || joint == hips), "{keys:?}");
    }
}

#[test]
fn the_same_figure_is_matched_by_names_whatever_its_file_says_of_bones() {
    let model = read(MODEL);
    let matched = RigMatch::new(&model.rig, &model.rig);
    assert!(!matched.is_by_bones() && matched.joints().all(|(_, source)| matches!(source, MatchedJoint::Same(_))));
    let mut unknown = read(DANCE).rig;
    unknown.human = None;
    assert!(RigMatch::new(&model.rig, &unknown).check().is_err(), "no names in common");
}

#[test]
fn a_dropped_animation_plays_on_the_open_model_and_its_clip_is_exported_with_it() {
    let mut workspace = Workspace::new(crate::session::document(), || {});
    for (name, figure) in [("dance.vrma", DANCE), ("model.vrm", MODEL)] {
        let digest = SourceDigest::of(name.as_bytes());
        let (path, options) = (Some(PathBuf::from(name)), ImportOptions::default());
        workspace.add_source(ImportedSource { path, options, digest, imported: read(figure) });
    }
    let sources = workspace.library().sources();
    let find = |name: &str| sources.iter().find(|source| source.name() == name).unwrap();
    assert!(Arc::ptr_eq(&find("model.vrm").rig, &find("dance.vrma").rig));
    // The model is a glTF, so clips can be written back into it.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.vrm");
    std::fs::write(&path, MODEL.doc().glb()).unwrap();
    let digest = SourceDigest::of(&MODEL.doc().glb());
    let document = GltfDocument::read(&Origin { path, digest, options: ImportOptions::default() }).unwrap().unwrap();
    assert_eq!(document.skeleton, find("model.vrm").rig.skeleton);
}

#[test]
fn bones_that_cannot_be_read_are_said_and_the_file_is_read_without() {
    let damages = [
        ("node 99 is out of range; the file has 24 (at bone 'hips')", "/humanBones/hips/node", json!(99)),
        ("(at bone 'leftFoot')", "/humanBones/leftFoot/node", json!(1)),
        ("invalid type", "/humanBones", json!(7)),
        ("missing field `node`", "/humanBones/hips", json!({})),
    ];
    for (words, place, value) in damages {
        let mut doc = DANCE.doc();
        *doc.json["extensions"]["VRMC_vrm_animation"]["humanoid"].pointer_mut(place).unwrap() = value;
        let file = import_bytes("vrma", &doc.glb()).unwrap();
        assert!(file.rig.human.is_none() && file.clips.len() == 1);
        let said = file.findings.iter().find(|finding| finding.what.contains("cannot be read")).unwrap();
        assert!(said.what.contains("VRMC_vrm_animation") && said.what.contains(words), "{said:?}");
    }
}

/// A file may list any number of bones, and matching them takes time.
#[test]
fn bones_that_no_human_has_are_none() {
    let mut doc = DANCE.doc();
    let bones = &mut doc.json["extensions"]["VRMC_vrm_animation"]["humanoid"]["humanBones"];
    for (bone, node) in [("tail", 0), ("leftLittleDistal", 21), ("leftThumb", 21), ("middleHand", 21)] {
        bones[bone] = json!({ "node": node });
    }
    let rig = import_bytes("vrma", &doc.glb()).unwrap().rig;
    let found = &human(&rig).bones;
    assert_eq!(found.len(), BONES.len() + 1);
    assert_eq!(rig.skeleton.name(found["leftLittleDistal"]), "hair");
}

#[test]
fn hips_on_the_ground_say_nothing_of_a_size() {
    let (mut dance, model) = (read(DANCE), read(MODEL));
    let mut joints = dance.rig.skeleton.joints().to_vec();
    let hips = human(&dance.rig).bones[Human::HIPS];
    joints[hips].bind.translation = Vec3::ZERO;
    dance.rig.skeleton = posepress_core::model::Skeleton::new(joints).unwrap();
    let on_rig = RigMatch::new(&model.rig, &dance.rig).put_on(&dance.clips[0]).unwrap();
    assert!(
        turned(&model.rig, &on_rig, SAMPLES - 1).values().all(|(turn, place)| turn.is_finite() && place.is_finite())
    );
}

mod readers {
    use super::*;
    use crate::project::project;
    use std::process::Command;

    /// three.js computes in f32.
    const NEAR: f32 = 1e-5;

    fn play(model: Figure, animation: Figure, times_secs: &[f32]) -> Vec<HashMap<String, [f32; 16]>> {
        let folder = tempfile::tempdir().unwrap();
        let write = |figure: Figure| {
            let path = folder.path().join(format!("figure.{}", figure.kind.extension()));
            std::fs::write(&path, figure.doc().glb()).unwrap();
            path
        };
        let mut node = Command::new("node");
        node.arg(project("tests/readers/vrm.mjs")).arg(write(model)).arg(write(animation));
        let output = node.arg(serde_json::to_string(times_secs).unwrap()).output().expect("node is needed");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "after `npm ci --prefix tests/readers`: {said}");
        serde_json::from_slice(&output.stdout).unwrap()
    }

    #[test]
    #[ignore = "needs node, and `npm ci --prefix tests/readers`"]
    fn three_vrm_moves_a_human_as_we_do() {
        let dance = read(DANCE);
        // A bone that only the clip has is skipped there, so its descendants do not turn.
        let without_thumb = Figure { lacks: &["leftThumbProximal"], ..MODEL };
        for figure in [MODEL, MODEL_0, without_thumb] {
            let model = read(figure);
            let on_rig = RigMatch::new(&model.rig, &dance.rig).put_on(&dance.clips[0]).unwrap();
            let samples = [0, 5, SAMPLES - 1];
            let times = samples.map(|sample| on_rig.grid().time_secs(sample as f64));
            for (sample, theirs) in samples.into_iter().zip(play(figure, DANCE, &times)) {
                let ours = ModelPose::new(&model.rig.skeleton, on_rig.pose(sample));
                assert_eq!(theirs.len(), human(&model.rig).bones.len());
                for (bone, joint) in &human(&model.rig).bones {
                    let theirs = Affine3A::from_mat4(glam::Mat4::from_cols_array(&theirs[bone]));
                    assert!(ours.joints[*joint].abs_diff_eq(theirs, NEAR), "{figure:?}, {bone} at {sample}");
                }
            }
        }
    }
}
