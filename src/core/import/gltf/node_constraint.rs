//! VRMC_node_constraint 1.0: nodes that follow other nodes.

use super::nodes::NodeTree;
use super::{Fault, Finding, JointMap, node_name, readable};
use crate::import::ConstraintReading;
use crate::import::constraints_said::{evaluated, ignored};
use crate::model::{Following, JointConstraint, JointConstraints};
use crate::text;
use glam::DVec3;
use gltf_json as json;
use serde::Deserialize;
use std::collections::BTreeMap;

const EXTENSION: &str = "VRMC_node_constraint";
const VERSION: &str = "1.0";

/// The constraints of a document that can be evaluated. Each comes after the constraints that it depends on.
#[derive(Debug, Default)]
pub(super) struct NodeConstraints {
    all: Vec<(usize, Constraint)>,
}

/// The constraint of a node.
#[derive(Debug, Clone, Copy)]
struct Constraint {
    source: usize,
    following: Following,
    weight: f32,
}

#[derive(Deserialize)]
struct Said {
    constraint: Kinds,
}

#[derive(Deserialize)]
struct Kinds {
    roll: Option<Roll>,
    aim: Option<Aim>,
    rotation: Option<Rotation>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Roll {
    source: usize,
    roll_axis: RollAxis,
    #[serde(default = "whole")]
    weight: f32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Aim {
    source: usize,
    aim_axis: AimAxis,
    #[serde(default = "whole")]
    weight: f32,
}

#[derive(Deserialize)]
struct Rotation {
    source: usize,
    #[serde(default = "whole")]
    weight: f32,
}

#[derive(Deserialize)]
enum RollAxis {
    X,
    Y,
    Z,
}

#[derive(Deserialize)]
enum AimAxis {
    PositiveX,
    NegativeX,
    PositiveY,
    NegativeY,
    PositiveZ,
    NegativeZ,
}

fn whole() -> f32 {
    1.0
}

impl RollAxis {
    fn vector(&self) -> DVec3 {
        match self {
            Self::X => DVec3::X,
            Self::Y => DVec3::Y,
            Self::Z => DVec3::Z,
        }
    }
}

impl AimAxis {
    fn vector(&self) -> DVec3 {
        match self {
            Self::PositiveX => DVec3::X,
            Self::NegativeX => DVec3::NEG_X,
            Self::PositiveY => DVec3::Y,
            Self::NegativeY => DVec3::NEG_Y,
            Self::PositiveZ => DVec3::Z,
            Self::NegativeZ => DVec3::NEG_Z,
        }
    }
}

impl NodeConstraints {
    /// Reads the constraints that can be evaluated, with findings about all of them.
    pub fn read(root: &json::Root, tree: &NodeTree, reading: ConstraintReading) -> (Self, Vec<Finding>) {
        let said = root.nodes.iter().enumerate().filter_map(|(node, json)| {
            let value = json.extensions.as_ref()?.others.get(EXTENSION)?;
            Some((node, value))
        });
        let (mut known, mut unreadable, mut count) = (BTreeMap::new(), Vec::new(), 0);
        for (node, value) in said {
            count += 1;
            match Constraint::read(value, root.nodes.len()) {
                Ok(constraint) => drop(known.insert(node, constraint)),
                Err(fault) => unreadable.push(format!("{} ({fault})", node_name(root, node))),
            }
        }
        if reading == ConstraintReading::Keys {
            return (Self::default(), ignored(count).into_iter().collect());
        }
        let (all, circular) = in_order(&tree.parents, known);
        let circular: Vec<String> = circular.into_iter().map(|node| node_name(root, node)).collect();
        let left = [("they cannot be read", unreadable), ("they depend on each other", circular)];
        let mut findings: Vec<Finding> = left.into_iter().filter_map(|(why, names)| left_out(why, &names)).collect();
        findings.extend(evaluated(all.len()));
        (Self { all }, findings)
    }

    /// Constrained nodes and their sources.
    pub fn nodes(&self) -> impl Iterator<Item = usize> {
        self.all.iter().flat_map(|(node, constraint)| [*node, constraint.source])
    }

    /// The constraints between joints. Constraints of other nodes are dropped.
    pub fn on_joints(&self, tree: &NodeTree, joints: &JointMap) -> JointConstraints {
        let one = |(node, constraint): &(usize, Constraint)| {
            let Constraint { source, following, weight } = *constraint;
            let [rest, source_rest] = [*node, source].map(|node| tree.locals[node].rotation);
            let (joint, source) = (joints.of_node[*node]?, joints.of_node[source]?);
            Some(JointConstraint { joint, source, following, weight, rest, source_rest })
        };
        let all: Vec<JointConstraint> = self.all.iter().filter_map(one).collect();
        let parent = |&node: &usize| tree.parents[node].and_then(|parent| joints.of_node[parent]);
        JointConstraints::new(all, joints.nodes.iter().map(parent).collect())
    }
}

impl Constraint {
    fn read(value: &json::Value, nodes: usize) -> Result<Self, Fault> {
        let version = value.get("specVersion").and_then(json::Value::as_str);
        if version != Some(VERSION) {
            let found = version.map_or_else(|| "no version".to_owned(), |other| format!("version {}", readable(other)));
            return Err(Fault::new(format!("it is of {found}; expected version {VERSION}")));
        }
        let Said { constraint: Kinds { roll, aim, rotation } } = json::deserialize::from_value(value.clone())?;
        let (source, following, weight) = match (roll, aim, rotation) {
            (Some(roll), None, None) => (roll.source, Following::Roll(roll.roll_axis.vector()), roll.weight),
            (None, Some(aim), None) => (aim.source, Following::Aim(aim.aim_axis.vector()), aim.weight),
            (None, None, Some(rotation)) => (rotation.source, Following::Rotation, rotation.weight),
            _ => return Err(Fault::new("expected one of roll, aim and rotation")),
        };
        if source >= nodes {
            return Err(Fault::new(format!("its source, node {source}, is out of range; the file has {nodes}")));
        }
        if !(0.0..=1.0).contains(&weight) {
            return Err(Fault::new(format!("its weight is {weight}; expected 0 to 1")));
        }
        Ok(Self { source, following, weight })
    }
}

fn left_out(why: &str, names: &[String]) -> Option<Finding> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    (!names.is_empty()).then(|| {
        let what = format!("not evaluated, since {why}: {}", text::listed(&names));
        let meaning = "Their joints move by keys only. If motion is missing, bake the animation in its editor.";
        Finding::warning("constraints", what, meaning)
    })
}

/// Sorts constraints, each after those that it depends on. Also returns the nodes whose constraints are in cycles.
fn in_order(
    parents: &[Option<usize>],
    mut known: BTreeMap<usize, Constraint>,
) -> (Vec<(usize, Constraint)>, Vec<usize>) {
    if known.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let core = Needs::new(parents, &known).in_circles();
    let circular: Vec<usize> = known.keys().copied().filter(|&node| core[node]).collect();
    known.retain(|node, _| !core[*node]);
    let order = Needs::new(parents, &known).order();
    (order.into_iter().filter_map(|node| Some((node, *known.get(&node)?))).collect(), circular)
}

/// The dependency graph. Its items are the local transforms of all nodes, and then the scene transforms of all nodes.
struct Needs {
    /// Items that each item depends on.
    of: Vec<[Option<usize>; 2]>,
    /// Items that depend on each item.
    by: Vec<Vec<usize>>,
}

impl Needs {
    fn new(parents: &[Option<usize>], known: &BTreeMap<usize, Constraint>) -> Self {
        let nodes = parents.len();
        let place = |node: usize| parents[node].map(|parent| nodes + parent);
        let local = |node: usize| match known.get(&node) {
            None => [None; 2],
            Some(Constraint { source, following: Following::Aim(_), .. }) if *source == node => [Some(node), None],
            Some(Constraint { source, following: Following::Aim(_), .. }) => [place(node), place(*source)],
            Some(Constraint { source, .. }) => [Some(*source), None],
        };
        let in_scene = |node: usize| [Some(node), place(node)];
        let of: Vec<[Option<usize>; 2]> = (0..nodes).map(local).chain((0..nodes).map(in_scene)).collect();
        let mut by = vec![Vec::new(); of.len()];
        for (one, needs) in of.iter().enumerate() {
            needs.iter().flatten().for_each(|need| by[*need].push(one));
        }
        Self { of, by }
    }

    /// Sorted items, each after the items that it depends on. Items that depend on a cycle are missing.
    fn order(&self) -> Vec<usize> {
        let mut missing: Vec<usize> = self.of.iter().map(|needs| needs.iter().flatten().count()).collect();
        let mut order: Vec<usize> = (0..self.of.len()).filter(|&one| missing[one] == 0).collect();
        let mut next = 0;
        while let Some(&done) = order.get(next) {
            next += 1;
            for &one in &self.by[done] {
                missing[one] -= 1;
                if missing[one] == 0 {
                    order.push(one);
                }
            }
        }
        order
    }

    /// Per item, true if it is in a cycle, or on a path between two cycles.
    fn in_circles(&self) -> Vec<bool> {
        let mut is_in = vec![true; self.of.len()];
        self.order().into_iter().for_each(|one| is_in[one] = false);
        let mut needed: Vec<usize> = self.by.iter().map(|by| by.iter().filter(|&&one| is_in[one]).count()).collect();
        let mut free: Vec<usize> = (0..self.of.len()).filter(|&one| is_in[one] && needed[one] == 0).collect();
        while let Some(one) = free.pop() {
            is_in[one] = false;
            for &need in self.of[one].iter().flatten().filter(|&&need| is_in[need]) {
                needed[need] -= 1;
                if needed[need] == 0 {
                    free.push(need);
                }
            }
        }
        is_in
    }
}
