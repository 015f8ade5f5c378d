//! The mesh of a page: its vertices move as the library moves them.

use crate::player::{block, page_of, scene};
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

/// A source file that tests change.
struct Source {
    json: Value,
    bytes: Vec<u8>,
}

impl Source {
    fn biped(bench: &Bench) -> Self {
        Self { json: serde_json::from_slice(&bench.read("biped.gltf")).unwrap(), bytes: bench.read("biped.bin") }
    }

    /// Appends numbers in rows of a glTF type and returns the index of their accessor.
    fn add(&mut self, kind: &str, parts: usize, values: &[f32]) -> usize {
        let view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": 4 * values.len() });
        let view = push(&mut self.json["bufferViews"], view);
        self.bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        let (least, most) = (vec![-1; parts], vec![1; parts]);
        let row = json!({ "bufferView": view, "componentType": 5126, "type": kind, "count": values.len() / parts, "min": least, "max": most });
        push(&mut self.json["accessors"], row)
    }

    fn write(mut self, bench: &Bench, name: &str) {
        self.json["buffers"][0] = json!({ "uri": format!("{name}.bin"), "byteLength": self.bytes.len() });
        bench.write(&format!("{name}.bin"), &self.bytes);
        bench.write(&format!("{name}.gltf"), self.json.to_string().as_bytes());
    }
}

/// Appends to a list and returns the index.
fn push(list: &mut Value, value: Value) -> usize {
    let list = list.as_array_mut().unwrap();
    list.push(value);
    list.len() - 1
}

/// Writes `face.gltf`: the biped with two morph targets, whose weights are linear in Walk and stepped in Wave.
fn morph(bench: &Bench) {
    let mut file = Source::biped(bench);
    let mut offsets = [[0.0; 3 * VERTICES]; 2];
    offsets[0][..3].copy_from_slice(&[0.4, 0.1, -0.05]);
    offsets[0][6..9].copy_from_slice(&[0.0, 0.0, 0.3]);
    offsets[1][9..].copy_from_slice(&[-0.35, 0.02, 0.0]);
    let targets = offsets.map(|offsets| json!({ "POSITION": file.add("VEC3", 3, &offsets) }));
    file.json["meshes"][0]["primitives"][0]["targets"] = targets.to_vec().into();
    let weights: Vec<f32> = (0..SAMPLES).flat_map(|at| [at as f32 / 30.0, 1.0 - at as f32 / 60.0]).collect();
    let output = file.add("SCALAR", 1, &weights);
    for (animation, interpolation) in [(0, "LINEAR"), (1, "STEP")] {
        let animation = &mut file.json["animations"][animation];
        let input = animation["samplers"][0]["input"].clone();
        let sampler = json!({ "input": input, "output": output, "interpolation": interpolation });
        let sampler = push(&mut animation["samplers"], sampler);
        push(&mut animation["channels"], json!({ "sampler": sampler, "target": { "node": 3, "path": "weights" } }));
    }
    file.write(bench, "face");
}

/// Pixels of a side of the texture.
const TEXTURE_PX: u32 = 128;

/// Writes `painted.gltf`: the biped with a texture that is red above and green below, with noise in its blue.
fn paint(bench: &Bench) {
    let mut file = Source::biped(bench);
    let mut noise = 1u32;
    let picture = image::RgbImage::from_fn(TEXTURE_PX, TEXTURE_PX, |_, y| {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let blue = (noise >> 24) as u8 / 8;
        image::Rgb(if y < TEXTURE_PX / 2 { [230, 30, blue] } else { [30, 230, blue] })
    });
    picture.save(bench.path("painted.png")).unwrap();
    let uvs = file.add("VEC2", 2, &[0.1, 0.1, 0.9, 0.1, 0.9, 0.9, 0.1, 0.9]);
    file.json["images"] = json!([{ "uri": "painted.png" }]);
    file.json["textures"] = json!([{ "source": 0 }]);
    file.json["materials"] = json!([{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }]);
    let primitive = &mut file.json["meshes"][0]["primitives"][0];
    primitive["material"] = 0.into();
    primitive["attributes"]["TEXCOORD_0"] = uvs.into();
    file.write(bench, "painted");
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

/// A browser, as the command before the reader.
#[derive(Clone, Copy)]
enum Browser {
    Chromium,
    /// Debian's. It draws with OpenGL, which needs a display.
    Firefox,
}

impl Browser {
    fn node(self) -> Command {
        match self {
            Self::Chromium => Command::new("node"),
            Self::Firefox => {
                let mut display = Command::new("xvfb-run");
                display.args(["-a", "node"]).env("FIREFOX", "/usr/bin/firefox-esr").env("LIBGL_ALWAYS_SOFTWARE", "1");
                display
            }
        }
    }

    /// Returns what it finds in the mesh of a page at these times.
    fn drawn(self, bench: &Bench, clip: &str, times: &[f64]) -> Value {
        let mut node = self.node();
        node.arg(project("tests/readers/player_mesh.mjs")).arg(bench.path("page.html")).arg(clip);
        let output = node.arg(json!(times).to_string()).output().expect("the browser is needed to run the readers");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&answer["problems"], &answer["requests"]), (&json!([]), &json!([])));
        answer
    }
}

/// Largest distance of a vertex from that of the library, metres: positions and offsets have 16 bits.
const SAME_VERTICES_M: f32 = 5e-5;

/// Checks that a browser moves the vertices of `face.gltf` as the library does, on both sides.
fn check_vertices(bench: &Bench, (codec, clip): (&str, &str), browser: Browser) {
    let rig = rig(bench, "face.gltf");
    bench.ok("compress face.gltf --codec raw -o raw.posepress");
    page_of(bench, &format!("compress face.gltf --codec {codec} -o c.posepress --html page.html"));
    let poses = ["raw.posepress", "c.posepress"]
        .map(|file| bench.json(&format!("decode {file} --clip {clip} --json --rate 7"))["poses"].clone());
    let times = poses[0].as_array().unwrap().iter().map(|pose| pose["time_secs"].as_f64().unwrap());
    let times: Vec<f64> = times.collect();
    let answer = browser.drawn(bench, clip, &times);
    assert!(answer["changed"].as_f64().unwrap() > 0.005, "{}", answer["changed"]);
    for at in 0..times.len() {
        for (side, poses) in poses.iter().enumerate() {
            let found: Vec<[f32; 3]> = serde_json::from_value(answer["vertices"][at][side].clone()).unwrap();
            let wanted = skinned(&rig, &poses[at]);
            let pairs = found.iter().flatten().zip(wanted.iter().flatten());
            let most = pairs.map(|(found, wanted)| (found - wanted).abs()).fold(0.0, f32::max);
            assert!(most < SAME_VERTICES_M, "{codec}, {clip}, time {at}, side {side}: {most} m");
        }
    }
}

/// Parts of the mesh of a page of `painted.gltf` that are red, green and between.
fn colors(bench: &Bench, line: &str, browser: Browser) -> [f64; 3] {
    page_of(bench, &format!("report painted.gltf --clip Walk --codec raw --html page.html{line}"));
    let answer = browser.drawn(bench, "Walk", &[0.0]);
    ["red", "green", "mixed"].map(|part| answer["colors"][part].as_f64().unwrap())
}

#[test]
#[ignore = "needs node, and `npm ci --prefix tests/readers`"]
fn readers_move_vertices_by_joints_and_morph_targets_as_the_library_does() {
    let bench = Bench::with_sources();
    morph(&bench);
    for of in [("press", "Walk"), ("press", "Wave"), ("wavelet", "Wave")] {
        check_vertices(&bench, of, Browser::Chromium);
    }
}

#[test]
#[ignore = "needs node, and `npm ci --prefix tests/readers`"]
fn readers_draw_the_texture_between_vertices() {
    let bench = Bench::with_sources();
    paint(&bench);
    let [red, green, mixed] = colors(&bench, "", Browser::Chromium);
    assert!(red > 0.3 && green > 0.3 && mixed < 0.1, "{red} {green} {mixed}");
    let len = bench.read("page.html").len();
    let line = format!(" --html-max-mb {}", (len - 2000) as f64 / f64::from(1 << 20));
    let [_, _, mixed] = colors(&bench, &line, Browser::Chromium);
    assert!(mixed > 0.2, "without the texture, the colours of vertices are blended: {mixed}");
}

#[test]
#[ignore = "needs node, `npm ci --prefix tests/readers`, and Debian's firefox-esr, xvfb and xauth"]
fn in_firefox_vertices_move_and_the_texture_is_drawn() {
    let bench = Bench::with_sources();
    morph(&bench);
    check_vertices(&bench, ("press", "Wave"), Browser::Firefox);
    paint(&bench);
    let [red, green, mixed] = colors(&bench, "", Browser::Firefox);
    assert!(red > 0.3 && green > 0.3 && mixed < 0.1, "{red} {green} {mixed}");
}

#[test]
fn textures_are_left_out_first_and_the_vertices_get_their_colours() {
    let bench = Bench::with_sources();
    paint(&bench);
    // Without an error there are no pictures.
    let line = "report painted.gltf --clip Walk --codec raw --html page.html";
    let whole = page_of(&bench, line);
    let len = block(&whole, "texture-0").unwrap().len();
    let row = &scene(&whole)["rigs"][0]["textures"];
    assert_eq!((&row["width"], &row["height"], &row["layers"]), (&TEXTURE_PX.into(), &TEXTURE_PX.into(), &1.into()));
    let fewer =
        page_of(&bench, &format!("{line} --html-max-mb {}", (whole.len() - len / 2) as f64 / f64::from(1 << 20)));
    assert!(block(&fewer, "texture-0").is_none() && block(&fewer, "mesh-0").is_some());
    assert!(scene(&fewer)["rigs"][0]["textures"].is_null());
    assert!(fewer.contains("too large: textures. --html"), "the mesh stays");
    assert_ne!(block(&fewer, "mesh-0"), block(&whole, "mesh-0"));
}
