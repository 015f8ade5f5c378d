//! The mesh of a page: its vertices move as the library moves them.

use crate::player::page_of;
use crate::project::project;
use crate::support::{Bench, settle};
use posepress_core::import::ImportOptions;
use posepress_core::math::Transform;
use posepress_core::model::{ModelPose, Rig};
use posepress_core::project::Document;
use posepress_core::tasks::SourceFile;
use posepress_core::workspace::Workspace;
use serde_json::{Value, json};
use std::process::Command;
use std::sync::Arc;

const VERTICES: usize = 4;
const SAMPLES: usize = 31;

/// Appends to a list and returns the index.
fn push(list: &mut Value, value: Value) -> usize {
    let list = list.as_array_mut().unwrap();
    list.push(value);
    list.len() - 1
}

/// Writes `face.gltf`: the biped with two morph targets, whose weights are linear in Walk and stepped in Wave.
fn morph(bench: &Bench) {
    let mut file: Value = serde_json::from_slice(&bench.read("biped.gltf")).unwrap();
    let mut bytes = bench.read("biped.bin");
    let mut accessor = |file: &mut Value, parts: usize, values: &[f32]| {
        let view = json!({ "buffer": 0, "byteOffset": bytes.len(), "byteLength": 4 * values.len() });
        let view = push(&mut file["bufferViews"], view);
        bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        let kind = if parts == 1 { "SCALAR" } else { "VEC3" };
        let mut row = json!({ "bufferView": view, "componentType": 5126, "type": kind, "count": values.len() / parts });
        if parts == 3 {
            (row["min"], row["max"]) = (json!([-1, -1, -1]), json!([1, 1, 1]));
        }
        push(&mut file["accessors"], row)
    };
    let mut offsets = [[0.0; 3 * VERTICES]; 2];
    offsets[0][..3].copy_from_slice(&[0.4, 0.1, -0.05]);
    offsets[0][6..9].copy_from_slice(&[0.0, 0.0, 0.3]);
    offsets[1][9..].copy_from_slice(&[-0.35, 0.02, 0.0]);
    let targets = offsets.map(|offsets| json!({ "POSITION": accessor(&mut file, 3, &offsets) }));
    file["meshes"][0]["primitives"][0]["targets"] = targets.to_vec().into();
    let weights: Vec<f32> = (0..SAMPLES).flat_map(|at| [at as f32 / 30.0, 1.0 - at as f32 / 60.0]).collect();
    let output = accessor(&mut file, 1, &weights);
    for (animation, interpolation) in [(0, "LINEAR"), (1, "STEP")] {
        let animation = &mut file["animations"][animation];
        let input = animation["samplers"][0]["input"].clone();
        let sampler = json!({ "input": input, "output": output, "interpolation": interpolation });
        let sampler = push(&mut animation["samplers"], sampler);
        push(&mut animation["channels"], json!({ "sampler": sampler, "target": { "node": 3, "path": "weights" } }));
    }
    file["buffers"][0] = json!({ "uri": "face.bin", "byteLength": bytes.len() });
    bench.write("face.bin", &bytes);
    bench.write("face.gltf", file.to_string().as_bytes());
}

fn rig(bench: &Bench, file: &str) -> Arc<Rig> {
    let mut workspace = Workspace::new(Document::default(), || {});
    workspace.open(SourceFile::Path(bench.path(file)), ImportOptions::default());
    settle(&mut workspace);
    let clip = workspace.library().clip_ids().next().unwrap();
    workspace.library().clip(clip).unwrap().0.clone()
}

/// The vertices of the only mesh in a pose that `decode` printed.
fn skinned(rig: &Rig, pose: &Value) -> Vec<[f32; 3]> {
    let part = |joint: &Value, channel: &str| joint[channel].as_array().unwrap().clone();
    let local = |joint: &Value| {
        let numbers = ["rotation", "translation", "scale"].map(|channel| part(joint, channel)).concat();
        Transform::from_numbers(std::array::from_fn(|at| numbers[at].as_f64().unwrap() as f32))
    };
    let joints: Vec<Transform> = pose["joints"].as_array().unwrap().iter().map(local).collect();
    let floats: Vec<f32> = serde_json::from_value(pose["floats"].clone()).unwrap();
    let model = ModelPose::new(&rig.skeleton, &joints);
    (0..VERTICES).map(|vertex| rig.meshes[0].skin_vertex(vertex, &model.joints, &floats).to_array()).collect()
}

/// Largest distance of a vertex from that of the library, metres: positions and offsets have 16 bits.
const SAME_VERTICES_M: f32 = 5e-5;

#[test]
#[ignore = "needs node, and `npm ci --prefix tests/readers`"]
fn readers_move_vertices_by_joints_and_morph_targets_as_the_library_does() {
    let bench = Bench::with_sources();
    morph(&bench);
    let rig = rig(&bench, "face.gltf");
    bench.ok("compress face.gltf --codec raw -o raw.posepress");
    for (codec, clip) in [("press", "Walk"), ("press", "Wave"), ("wavelet", "Wave")] {
        page_of(&bench, &format!("compress face.gltf --codec {codec} -o c.posepress --html page.html"));
        let poses = ["raw.posepress", "c.posepress"]
            .map(|file| bench.json(&format!("decode {file} --clip {clip} --json --rate 7"))["poses"].clone());
        let times: Vec<f64> =
            poses[0].as_array().unwrap().iter().map(|pose| pose["time_secs"].as_f64().unwrap()).collect();
        let mut node = Command::new("node");
        node.arg(project("tests/readers/player_mesh.mjs")).arg(bench.path("page.html")).arg(clip);
        let output = node.arg(json!(times).to_string()).output().expect("node is needed to run the readers");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&answer["problems"], &answer["requests"]), (&json!([]), &json!([])));
        assert!(answer["changed"].as_f64().unwrap() > 0.005, "{}", answer["changed"]);
        for at in 0..times.len() {
            for (side, poses) in poses.iter().enumerate() {
                let found: Vec<[f32; 3]> = serde_json::from_value(answer["vertices"][at][side].clone()).unwrap();
                let wanted = skinned(&rig, &poses[at]);
                for (found, wanted) in found.iter().flatten().zip(wanted.iter().flatten()) {
                    assert!(
                        (found - wanted).abs() < SAME_VERTICES_M,
                        "{codec}, {clip}, {at}, {side}: {found} {wanted}"
                    );
                }
            }
        }
    }
}
