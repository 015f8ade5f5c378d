//! VRM, a glTF of a human with standard bones (<https://github.com/vrm-c/vrm-specification>). This reader supports `VRMC_vrm` 1.0,
//! `VRM` 0.x and `VRMC_vrm_animation` 1.0.

use super::{Fault, Finding, JointMap};
use crate::model::Human;
use crate::text;
use gltf_json as json;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

const MODEL: &str = "VRMC_vrm";
const MODEL_0: &str = "VRM";
const ANIMATION: &str = "VRMC_vrm_animation";

/// Bones with other names in VRM 0 and their names in VRM 1.0, where a thumb has a metacarpal and no intermediate bone.
const RENAMED: [(&str, &str); 4] = [
    ("leftThumbProximal", "leftThumbMetacarpal"),
    ("leftThumbIntermediate", "leftThumbProximal"),
    ("rightThumbProximal", "rightThumbMetacarpal"),
    ("rightThumbIntermediate", "rightThumbProximal"),
];

/// Bones without a side. The names of other bones start with the side; those of fingers with the side and the finger.
const MIDDLE: [&str; 9] = ["hips", "spine", "chest", "upperChest", "neck", "head", "leftEye", "rightEye", "jaw"];
const OF_SIDE: [&str; 8] = ["UpperLeg", "LowerLeg", "Foot", "Toes", "Shoulder", "UpperArm", "LowerArm", "Hand"];
const FINGERS: [&str; 4] = ["Index", "Middle", "Ring", "Little"];
const OF_FINGER: [&str; 3] = ["Proximal", "Intermediate", "Distal"];
const OF_THUMB: [&str; 3] = ["ThumbMetacarpal", "ThumbProximal", "ThumbDistal"];

/// True for the 55 bones of VRM 1.0. Other bones are ignored.
fn is_known(bone: &str) -> bool {
    let of_finger =
        |rest: &str| FINGERS.iter().any(|finger| rest.strip_prefix(finger).is_some_and(|b| OF_FINGER.contains(&b)));
    let of_side = |rest: &str| OF_SIDE.contains(&rest) || OF_THUMB.contains(&rest) || of_finger(rest);
    MIDDLE.contains(&bone) || ["left", "right"].iter().any(|side| bone.strip_prefix(side).is_some_and(of_side))
}

/// The human bones of a document.
#[derive(Debug, Default)]
pub(super) struct Vrm {
    /// Node per bone.
    bones: BTreeMap<String, usize>,
    faces_back: bool,
    /// Nodes outside of the skeleton whose transforms encode a value, with the name of the value.
    signals: BTreeMap<usize, String>,
}

#[derive(Deserialize)]
struct NodeOf {
    node: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Humanoid {
    #[serde(default)]
    human_bones: BTreeMap<String, NodeOf>,
}

#[derive(Deserialize)]
struct Model {
    humanoid: Humanoid,
}

#[derive(Deserialize)]
struct Bone0 {
    bone: String,
    /// Negative if the bone has no node.
    node: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Humanoid0 {
    #[serde(default)]
    human_bones: Vec<Bone0>,
}

#[derive(Deserialize)]
struct Model0 {
    humanoid: Humanoid0,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Expressions {
    preset: BTreeMap<String, NodeOf>,
    custom: BTreeMap<String, NodeOf>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Animation {
    humanoid: Option<Humanoid>,
    #[serde(default)]
    expressions: Expressions,
    look_at: Option<NodeOf>,
}

impl Vrm {
    /// Reads the bones of a document. If they cannot be read, returns no bones and adds a finding.
    pub fn read(root: &json::Root, subject: &str, findings: &mut Vec<Finding>) -> Self {
        let said = root.extensions.as_ref().map(|extensions| &extensions.others);
        let known = said.iter().find_map(|all| [MODEL, ANIMATION, MODEL_0].into_iter().find(|n| all.contains_key(*n)));
        let Some((name, value)) = known.zip(known.and_then(|name| said?.get(name))) else { return Self::default() };
        Self::parse(name, value.clone()).and_then(|vrm| vrm.checked(root.nodes.len())).unwrap_or_else(|fault| {
            let what = format!("its human bones cannot be read from {name}: {fault}");
            findings.push(Finding::warning(subject, what, "Other rigs are matched by joint names instead."));
            Self::default()
        })
    }

    fn parse(name: &str, value: json::Value) -> Result<Self, Fault> {
        let nodes = |humanoid: Humanoid| humanoid.human_bones.into_iter().map(|(bone, of)| (bone, of.node)).collect();
        match name {
            MODEL => {
                let model: Model = json::deserialize::from_value(value)?;
                Ok(Self { bones: nodes(model.humanoid), ..Self::default() })
            }
            MODEL_0 => {
                let model: Model0 = json::deserialize::from_value(value)?;
                let bones = model.humanoid.human_bones.into_iter();
                let bones = bones.filter_map(|of| Some((name_today(of.bone), usize::try_from(of.node).ok()?)));
                Ok(Self { bones: bones.collect(), faces_back: true, ..Self::default() })
            }
            _ => {
                let animation: Animation = json::deserialize::from_value(value)?;
                let Expressions { preset, custom } = animation.expressions;
                let look = animation.look_at.map(|of| (of.node, "look direction".to_owned()));
                let expressions = preset.into_iter().chain(custom).map(|(name, of)| (of.node, super::readable(&name)));
                let signals = expressions.chain(look).collect();
                Ok(Self { bones: animation.humanoid.map(nodes).unwrap_or_default(), faces_back: false, signals })
            }
        }
    }

    /// Drops unknown bones. Returns a fault if a node is out of range or has two bones.
    fn checked(mut self, nodes: usize) -> Result<Self, Fault> {
        self.bones.retain(|bone, _| is_known(bone));
        let mut seen = BTreeMap::new();
        for (bone, &node) in &self.bones {
            let bone = super::readable(bone);
            if node >= nodes {
                let what = format!("node {node} is out of range; the file has {nodes}");
                return Err(Fault::new(what).at(format!("bone '{bone}'")));
            }
            if let Some(other) = seen.insert(node, bone.clone()) {
                return Err(Fault::new(format!("node {node} is '{other}' too; expected one bone per node"))
                    .at(format!("bone '{bone}'")));
            }
        }
        Ok(self)
    }

    /// Nodes of the bones. They are joints, even if nothing moves them.
    pub fn bone_nodes(&self) -> impl Iterator<Item = usize> {
        self.bones.values().copied()
    }

    /// True if the node's transform encodes a value.
    pub fn is_signal(&self, node: usize) -> bool {
        self.signals.contains_key(&node)
    }

    /// The bones as joints; `None` if no bone is a joint.
    pub fn human(&self, joints: &JointMap) -> Option<Human> {
        let joint = |(bone, &node): (&String, &usize)| Some((bone.clone(), joints.of_node[node]?));
        let bones: BTreeMap<String, usize> = self.bones.iter().filter_map(joint).collect();
        (!bones.is_empty()).then_some(Human { bones, faces_back: self.faces_back })
    }

    /// A warning about animated values that are not imported; `None` without them.
    pub fn finding(&self, root: &json::Root, subject: &str) -> Option<Finding> {
        let moved = root.animations.iter().flat_map(|animation| &animation.channels);
        let names: BTreeSet<&str> =
            moved.filter_map(|channel| self.signals.get(&channel.target.node.value())).map(String::as_str).collect();
        let names: Vec<&str> = names.into_iter().collect();
        (!names.is_empty()).then(|| {
            let what = format!("its clips animate values other than bones: {}", text::listed(&names));
            Finding::warning(subject, what, "VRM expressions and the look direction are left out; bones are read.")
        })
    }
}

fn name_today(bone: String) -> String {
    match RENAMED.iter().find(|(old, _)| *old == bone) {
        Some((_, new)) => (*new).to_owned(),
        None => bone,
    }
}
