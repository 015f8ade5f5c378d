//! Evaluates constraints. ufbx reads constraints, but does not evaluate them.
//!
//! Names and spaces of properties are those of the FBX SDK (classes `FbxConstraintPosition`, `...Rotation`, `...Scale`, `...Parent`,
//! `...Aim`, `...SingleChainIK`). Where the SDK defines nothing, constraints work as in Maya: pivots move and are followed, the
//! weights of sources are relative to their sum, and offsets of positions are in the space of the node's parent. Chains of inverse
//! kinematics must have two links.

mod order;
mod place;
mod solve;

use super::{Finding, nodes, readable};
use crate::import::ConstraintReading;
use crate::import::constraints_said::{evaluated, ignored};
use crate::text;
use glam::{DQuat, DVec3};
use order::Ordered;
use place::{Local, Space};
use std::collections::{HashMap, HashSet};
use ufbx::{Anim, Constraint, ConstraintType, Node, PropFlags, Scene};

/// The constraints of a file, which can be evaluated at any time.
#[derive(Debug, Default)]
pub(super) struct Constraints {
    /// Nodes that constraints read or move, and their ancestors. Each comes after the nodes that it depends on.
    steps: Vec<Step>,
    /// Rotation from the file's axes to those of the scene.
    world: DQuat,
    /// Direction of the file's up axis in the scene.
    up: DVec3,
    /// Length in the scene per unit of the file.
    unit: f64,
}

/// A node and its constraints.
#[derive(Debug)]
struct Step {
    node: usize,
    /// Step of its parent; `None` below the scene root.
    parent: Option<usize>,
    /// Constraints that move it, in file order. Those that depend on the node's position come last.
    constraints: Vec<Driver>,
    /// True if a constraint moves it.
    is_moved: bool,
}

/// A constraint, and the steps of the nodes that it reads.
#[derive(Debug)]
struct Driver {
    constraint: usize,
    sources: Vec<Source>,
    /// Step of the up object of an aim, or of the effector of a chain. The inner value is `None` for the scene root.
    other: Option<Option<usize>>,
}

/// A source of a constraint, with the names of its properties.
#[derive(Debug)]
struct Source {
    /// Step of its node; `None` for the scene root.
    step: Option<usize>,
    weight: String,
    offset_translation: String,
    offset_rotation: String,
    offset_scale: String,
}

impl Constraints {
    /// Chooses the active constraints that can be evaluated. Also returns findings about all active ones.
    pub fn choose(scene: &Scene, reading: ConstraintReading) -> (Self, Vec<Finding>) {
        let active: Vec<usize> = (0..scene.constraints.len()).filter(|&at| is_on(&scene.constraints[at])).collect();
        if reading == ConstraintReading::Keys {
            return (Self::default(), ignored(active.len()).into_iter().collect());
        }
        let (known, unknown): (Vec<usize>, Vec<usize>) =
            active.into_iter().partition(|&at| is_known(&scene.constraints[at]));
        let Ordered { nodes, constraints, circular } = order::order(scene, known);
        let left = [("their kind is not supported", unknown), ("they depend on each other", circular)];
        let mut findings =
            left.map(|(why, which)| left_out(scene, why, &which)).into_iter().flatten().collect::<Vec<_>>();
        findings.extend(evaluated(constraints.len()));
        (Self::new(scene, &nodes, &constraints), findings)
    }

    fn new(scene: &Scene, nodes: &[usize], constraints: &[usize]) -> Self {
        let step_of: HashMap<usize, usize> = nodes.iter().enumerate().map(|(step, &node)| (node, step)).collect();
        let mut of_node = order::by_node(scene, constraints);
        let driven: HashSet<usize> = constraints.iter().flat_map(|&at| order::moves(&scene.constraints[at])).collect();
        let step = |&node: &usize| {
            let mut own = of_node.remove(&node).unwrap_or_default();
            own.sort_by_key(|&at| looks_from_its_place(&scene.constraints[at]));
            Step {
                node,
                parent: nodes::parent(scene, node).map(|parent| step_of[&parent]),
                constraints: own.into_iter().map(|at| Driver::new(scene, at, &step_of)).collect(),
                is_moved: driven.contains(&node),
            }
        };
        let world = place::quaternion(scene.metadata.root_rotation);
        Self {
            steps: nodes.iter().map(step).collect(),
            world,
            up: world * place::axis(scene.settings.axes.up),
            unit: scene.metadata.geometry_scale,
        }
    }

    /// True if no constraint is evaluated.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Nodes that constraints move.
    pub fn moved(&self) -> impl Iterator<Item = usize> {
        self.steps.iter().filter(|step| step.is_moved).map(|step| step.node)
    }

    /// Work of a pose with constraints, relative to a pose of `joints` joints without them. Nodes, constraints and sources count as one
    /// joint each.
    pub fn work(&self, joints: usize) -> u64 {
        let sources = self.steps.iter().flat_map(|step| &step.constraints).map(|driver| 1 + driver.sources.len());
        1 + (self.steps.len() + sources.sum::<usize>()).div_ceil(joints.max(1)) as u64
    }

    /// Local transforms of the nodes that constraints move, at a file time.
    pub fn evaluate(&self, scene: &Scene, anim: &Anim, time_secs: f64) -> HashMap<usize, ufbx::Transform> {
        let mut turned = HashMap::new();
        let mut spaces: Vec<Space> = Vec::with_capacity(self.steps.len());
        let mut moved = HashMap::new();
        for step in &self.steps {
            let node = &scene.nodes[step.node];
            let parent = self.space(&spaces, step.parent);
            let top = step.parent.is_none().then_some(self.world);
            let mut local = Local::of(node, &ufbx::evaluate_transform(anim, node, time_secs), top, self.unit);
            if let Some(rotation) = turned.remove(&step.node) {
                local = local.turned(rotation);
            }
            for driver in &step.constraints {
                let solver = solve::Solver { all: self, scene, anim, time_secs, driver, node, parent, spaces: &spaces };
                local = solver.solve(local, &mut turned);
            }
            spaces.push(parent.below(&local));
            if step.is_moved {
                moved.insert(step.node, local.transform(top));
            }
        }
        moved
    }
}

impl Constraints {
    /// Space of an earlier step, or of the scene root.
    fn space(&self, spaces: &[Space], step: Option<usize>) -> Space {
        step.map_or(Space::turned(self.world), |step| spaces[step])
    }
}

impl Driver {
    fn new(scene: &Scene, at: usize, step_of: &HashMap<usize, usize>) -> Self {
        let constraint = &scene.constraints[at];
        let step = |node: &Node| step_of.get(&nodes::id(node)).copied();
        let sources = constraint.targets.iter().map(|target| {
            let property = |of: &str| format!("{}.{of}", target.node.element.name);
            Source {
                step: step(&target.node),
                weight: property("Weight"),
                offset_translation: property("Offset T"),
                offset_rotation: property("Offset R"),
                offset_scale: property("Offset S"),
            }
        });
        let other = constraint.aim_up_node.as_ref().or(constraint.ik_effector.as_ref());
        Self { constraint: at, sources: sources.collect(), other: other.map(|node| step(node)) }
    }
}

/// True if a constraint depends on the node's position, which other constraints may change.
fn looks_from_its_place(constraint: &Constraint) -> bool {
    matches!(constraint.type_, ConstraintType::Aim | ConstraintType::SingleChainIk)
}

/// True if a constraint is active, and its weight is not zero or may be animated.
fn is_on(constraint: &Constraint) -> bool {
    constraint.active && (constraint.weight != 0.0 || is_animated(constraint))
}

fn is_animated(constraint: &Constraint) -> bool {
    constraint.element.props.props.iter().any(|property| property.flags.has_any(PropFlags::ANIMATED))
}

/// The node that a constraint moves; for a chain, its first joint.
fn moved(constraint: &Constraint) -> Option<&Node> {
    constraint.node.as_deref().filter(|node| !node.is_root)
}

fn is_known(constraint: &Constraint) -> bool {
    let Some(node) = moved(constraint) else { return false };
    // If a node has a scale helper, its scale is on the helper, where constraints do not change it.
    let has_own_scale = node.scale_helper.is_none() || !constraint.constrain_scale.contains(&true);
    match constraint.type_ {
        ConstraintType::SingleChainIk => order::chain(constraint).is_some() && constraint.ik_effector.is_some(),
        ConstraintType::Unknown => false,
        _ => has_own_scale && constraint.targets.count > 0,
    }
}

fn left_out(scene: &Scene, why: &str, which: &[usize]) -> Option<Finding> {
    let name = |&at: &usize| {
        let constraint = &scene.constraints[at];
        format!("{} ({})", readable(&constraint.element.name), readable(&constraint.type_name))
    };
    let names: Vec<String> = which.iter().map(name).collect();
    (!names.is_empty()).then(|| {
        let what = format!("not evaluated, since {why}: {}", text::listed(&names));
        let meaning = "Their joints move by keys only. If motion is missing, bake the animation in its editor.";
        Finding::warning("constraints", what, meaning)
    })
}
