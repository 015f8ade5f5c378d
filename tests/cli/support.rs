use posepress_core::workspace::Workspace;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::{Command, Output};

/// A scratch folder in which the binary runs.
pub struct Bench {
    folder: tempfile::TempDir,
}

/// Output of a run.
pub struct Run {
    pub status: i32,
    pub out: String,
    pub messages: String,
}

impl Bench {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A bench with `biped.gltf` (skinned, clips Walk and Wave) and `chain.bvh` (another rig).
    pub fn with_sources() -> Self {
        let bench = Self::new();
        let (json, buffer) = gltf();
        bench.write("biped.bin", &buffer);
        bench.write("biped.gltf", json.to_string().as_bytes());
        bench.write("chain.bvh", BVH.as_bytes());
        bench
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_posepress"));
        command.current_dir(self.folder.path()).args(line.split_whitespace()).env("RUST_LOG", "warn");
        command
    }

    /// Runs a line with words separated by spaces.
    pub fn run(&self, line: &str) -> Run {
        let Output { status, stdout, stderr } = self.command(line).output().unwrap();
        Run {
            status: status.code().expect("ended by a signal"),
            out: String::from_utf8(stdout).unwrap(),
            messages: String::from_utf8(stderr).unwrap(),
        }
    }

    /// Runs a line that must succeed. Returns its output.
    pub fn ok(&self, line: &str) -> String {
        let run = self.run(line);
        assert_eq!(run.status, 0, "{line}: {}", run.messages);
        run.out
    }

    pub fn json(&self, line: &str) -> Value {
        serde_json::from_str(&self.ok(line)).unwrap()
    }
}

pub fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

const SAMPLES: usize = 31;
const RATE_HZ: f32 = 30.0;
const JOINTS: [&str; 3] = ["hips", "knee", "foot"];

/// A leg of three joints with bones of half a metre, and a mesh of two triangles. The clips turn every joint and move the root.
fn gltf() -> (Value, Vec<u8>) {
    let mut buffer = Buffer::default();
    let times: Vec<f32> = (0..SAMPLES).map(|i| i as f32 / RATE_HZ).collect();
    let times = buffer.floats(1, &times);
    let animations = [("Walk", 0.4f32), ("Wave", 0.9)].map(|(name, swing)| animation(name, swing, times, &mut buffer));
    let inverse_bind: Vec<f32> = (0..3).flat_map(|j| translation_matrix([0.0, 0.5 * j as f32, 0.0])).collect();
    let inverse_bind = buffer.floats(16, &inverse_bind);
    let positions = buffer.floats(3, &[-0.03, 1.0, 0.0, 0.03, 1.0, 0.0, 0.03, 0.0, 0.0, -0.03, 0.0, 0.0]);
    let weights = buffer.floats(4, &[1.0, 0.0, 0.0, 0.0].repeat(4));
    let joints = buffer.push(&[0u8, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0], 5121, "VEC4", 4);
    let indices = buffer.push(&[0u8, 1, 2, 0, 2, 3, 0, 0], 5121, "SCALAR", 6);
    let nodes = JOINTS.iter().enumerate().map(|(index, name)| {
        let mut node = json!({ "name": name, "translation": [0.0, if index == 0 { 1.0 } else { -0.5 }, 0.0] });
        if index < 2 {
            node["children"] = json!([index + 1]);
        }
        node
    });
    let mut nodes: Vec<Value> = nodes.collect();
    nodes.push(json!({ "name": "body", "mesh": 0, "skin": 0 }));
    let attributes = json!({ "POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights });
    let json = json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0, 3] }],
        "nodes": nodes,
        "skins": [{ "joints": [0, 1, 2], "inverseBindMatrices": inverse_bind }],
        "meshes": [{ "name": "leg", "primitives": [{ "attributes": attributes, "indices": indices }] }],
        "animations": animations,
        "buffers": [{ "uri": "biped.bin", "byteLength": buffer.bytes.len() }],
        "bufferViews": buffer.views,
        "accessors": buffer.accessors,
    });
    (json, buffer.bytes)
}

fn animation(name: &str, swing: f32, times: usize, buffer: &mut Buffer) -> Value {
    let mut samplers = Vec::new();
    let mut channels = Vec::new();
    let mut channel = |output: usize, node: usize, path: &str| {
        channels.push(json!({ "sampler": samplers.len(), "target": { "node": node, "path": path } }));
        samplers.push(json!({ "input": times, "output": output }));
    };
    let phase = |i: usize| i as f32 / (SAMPLES - 1) as f32 * std::f32::consts::TAU;
    for joint in 0..JOINTS.len() {
        let turn = |i: usize| swing * (phase(i) * (joint + 1) as f32 + joint as f32).sin() / 2.0;
        let rotations: Vec<f32> = (0..SAMPLES).flat_map(|i| [turn(i).sin(), 0.0, 0.0, turn(i).cos()]).collect();
        channel(buffer.floats(4, &rotations), joint, "rotation");
    }
    let path: Vec<f32> = (0..SAMPLES).flat_map(|i| [0.0, 1.0 + 0.03 * phase(i).cos(), 0.05 * i as f32]).collect();
    channel(buffer.floats(3, &path), 0, "translation");
    json!({ "name": name, "samplers": samplers, "channels": channels })
}

fn translation_matrix([x, y, z]: [f32; 3]) -> [f32; 16] {
    [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, x, y - 1.0, z, 1.0]
}

#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Buffer {
    /// An accessor over float vectors of `parts` components.
    fn floats(&mut self, parts: usize, values: &[f32]) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let kind = match parts {
            1 => "SCALAR",
            3 => "VEC3",
            4 => "VEC4",
            _ => "MAT4",
        };
        let accessor = self.push(&bytes, 5126, kind, values.len() / parts);
        for (bound, pick) in [("min", f32::min as fn(f32, f32) -> f32), ("max", f32::max)] {
            let column = |part: usize| values.iter().skip(part).step_by(parts).copied().reduce(pick).unwrap();
            self.accessors[accessor][bound] = json!((0..parts).map(column).collect::<Vec<_>>());
        }
        accessor
    }

    fn push(&mut self, bytes: &[u8], component: u32, kind: &str, count: usize) -> usize {
        self.views.push(json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() }));
        self.bytes.extend_from_slice(bytes);
        let view = self.views.len() - 1;
        self.accessors.push(json!({ "bufferView": view, "componentType": component, "type": kind, "count": count }));
        view
    }
}

/// Two joints in centimetres, four frames.
pub const BVH: &str = "HIERARCHY
ROOT hips
{
  OFFSET 0 90 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT knee
  {
    OFFSET 0 -45 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 -45 0
    }
  }
}
MOTION
Frames: 4
Frame Time: 0.0333333
0 90 0 0 0 0 0 0 0
0 90 1 0 5 0 0 10 0
0 91 2 0 10 0 0 20 0
0 90 3 0 15 0 0 10 0
";

/// Polls until all work is done.
pub fn settle(workspace: &mut Workspace) {
    let step = || {
        workspace.poll();
        workspace.is_settled()
    };
    crate::until::until("the workspace comes to rest", step, |is_settled| *is_settled);
    workspace.poll();
}
