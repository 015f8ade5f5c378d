use super::order::chain;
use super::place::{Local, Space, euler, first_three, mixed, turn, vector};
use super::{Constraints, Driver, Source};
use crate::import::fbx::nodes::id;
use glam::{DQuat, DVec3};
use std::collections::HashMap;
use ufbx::{Anim, Constraint, ConstraintAimUpType, ConstraintType, Node, PropFlags, Scene};

/// Weights in the file are per cent.
const PER_CENT: f64 = 100.0;

/// Evaluates a constraint of a node at a time, with the spaces of all earlier steps.
pub(super) struct Solver<'a> {
    pub all: &'a Constraints,
    pub scene: &'a Scene,
    pub anim: &'a Anim,
    pub time_secs: f64,
    pub driver: &'a Driver,
    pub node: &'a Node,
    pub parent: Space,
    pub spaces: &'a [Space],
}

/// The target transform of a node in the scene, by its sources.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    place: DVec3,
    rotation: DQuat,
    scale: DVec3,
}

impl Solver<'_> {
    /// Applies the constraint to the node's local transform. A chain also writes the rotation of its middle joint to `turned`.
    pub fn solve(&self, local: Local, turned: &mut HashMap<usize, DQuat>) -> Local {
        let weight = (self.number("Weight", PER_CENT) / PER_CENT).clamp(0.0, 1.0);
        if weight == 0.0 {
            return local;
        }
        let solved = match self.constraint().type_ {
            ConstraintType::SingleChainIk => self.chain(local, weight, turned),
            ConstraintType::Aim => self.aimed(local, weight),
            _ => self.followed(local, weight),
        };
        solved.unwrap_or(local)
    }

    fn constraint(&self) -> &Constraint {
        &self.scene.constraints[self.driver.constraint]
    }

    /// Position, rotation, scale and parent constraints.
    fn followed(&self, local: Local, weight: f64) -> Option<Local> {
        let constraint = self.constraint();
        let is_parent = constraint.type_ == ConstraintType::Parent;
        let wanted = self.wanted(|source| self.source(source, is_parent))?;
        let own = |property: &str, otherwise: DVec3| match is_parent {
            true => otherwise,
            false => self.vector(property, otherwise),
        };
        let place = self.parent.inside(wanted.place)? + own("Translation", DVec3::ZERO) * self.all.unit;
        let rotation = wanted.rotation * euler(own("Rotation", DVec3::ZERO));
        let scale = wanted.scale / nonzero(self.parent.scale) * own("Scaling", DVec3::ONE);
        let scale = blended(local.scale, scale, constraint.constrain_scale, weight);
        let rotated = self.turned(local, rotation, constraint.constrain_rotation, weight);
        let place = blended(local.place(), place, constraint.constrain_translation, weight);
        Some(rotated.scaled(scale).at(place))
    }

    /// Aim constraints: the aim axis points at the sources, and the up axis points up.
    fn aimed(&self, local: Local, weight: f64) -> Option<Local> {
        let constraint = self.constraint();
        let own = self.parent.below(&local);
        let forward = self.wanted(|source| self.source(source, false))?.place - own.place;
        let axes = [vector(constraint.aim_vector), vector(constraint.aim_up_vector)];
        let keyed_up = own.rotation * axes[1];
        let up = self.up(own.place).unwrap_or(keyed_up);
        let rotation = turn(axes, [forward, up]).or_else(|| turn(axes, [forward, keyed_up]))?;
        let rotation = rotation * euler(self.vector("RotationOffset", DVec3::ZERO));
        Some(self.turned(local, rotation, constraint.constrain_rotation, weight))
    }

    /// The up direction of an aim; `None` if it comes from the node's keys.
    fn up(&self, place: DVec3) -> Option<DVec3> {
        let given = || self.vector("WorldUpVector", DVec3::Y);
        let object = self.driver.other.map(|step| self.all.space(self.spaces, step));
        match (self.constraint().aim_up_type, object) {
            (ConstraintAimUpType::None, _) => None,
            (ConstraintAimUpType::Vector, _) => Some(self.all.world * given()),
            (ConstraintAimUpType::ToNode, Some(object)) => Some(object.place - place),
            (ConstraintAimUpType::AlignNode, Some(object)) => Some(object.rotation * given()),
            _ => Some(self.all.up),
        }
    }

    /// Chains of inverse kinematics: two links that reach for the effector. They bend towards the pole, or in the plane of their keys if
    /// there is no pole.
    fn chain(&self, local: Local, weight: f64, turned: &mut HashMap<usize, DQuat>) -> Option<Local> {
        let [_, middle, end] = chain(self.constraint())?;
        let local_of = |node: &Node| {
            Local::of(node, &ufbx::evaluate_transform(self.anim, node, self.time_secs), None, self.all.unit)
        };
        let (middle_local, end_local) = (local_of(middle), local_of(end));
        let first = self.parent.below(&local);
        let second = first.below(&middle_local);
        let [a, b, c] = [first.place, second.place, second.below(&end_local).place];
        let reach = self.all.space(self.spaces, self.driver.other?).place - a;
        let pole = self.wanted(|source| self.source(source, false)).map(|pole| pole.place - a);
        let twist = DQuat::from_axis_angle(reach.try_normalize()?, self.number("Twist", 0.0).to_radians());
        // The plane of the keys rotates with the chain towards the effector.
        let keyed = DQuat::from_rotation_arc((c - a).try_normalize()?, reach.normalize()) * (b - a);
        let bent = elbow([b.distance(a), c.distance(b)], reach, twist * pole.unwrap_or(keyed))?;
        let upper = turn([b - a, c - a], [bent.elbow, bent.end]).unwrap_or_else(|| arc(b - a, bent.elbow));
        let lower = arc(upper * (c - b), bent.end - bent.elbow);
        let first_rotation = upper * first.rotation;
        let second_rotation = lower * upper * second.rotation;
        let middle_rotation = first_rotation.inverse() * second_rotation;
        turned.insert(id(middle), middle_local.rotation.slerp(middle_rotation, weight));
        Some(self.turned(local, first_rotation, [true; 3], weight))
    }

    /// Turns the node towards a rotation in the scene, by a weight and on some axes.
    fn turned(&self, local: Local, rotation: DQuat, axes: [bool; 3], weight: f64) -> Local {
        if axes == [false; 3] {
            return local;
        }
        let wanted = mixed(self.node, local.rotation, self.parent.rotation.inverse() * rotation, axes);
        local.turned(local.rotation.slerp(wanted, weight))
    }

    /// Weighted mean of the sources; `None` if all weights are zero.
    fn wanted(&self, of: impl Fn(&Source) -> Wanted) -> Option<Wanted> {
        let mut sum: Option<(f64, Wanted)> = None;
        for source in &self.driver.sources {
            let whole = if self.constraint().type_ == ConstraintType::SingleChainIk { 1.0 } else { PER_CENT };
            let weight = self.number(&source.weight, whole).max(0.0);
            if weight == 0.0 {
                continue;
            }
            let one = of(source);
            sum = Some(match sum {
                None => (weight, one),
                Some((so_far, mean)) => {
                    let part = weight / (so_far + weight);
                    let mean = Wanted {
                        place: mean.place.lerp(one.place, part),
                        rotation: mean.rotation.slerp(one.rotation, part),
                        scale: mean.scale.lerp(one.scale, part),
                    };
                    (so_far + weight, mean)
                }
            });
        }
        sum.map(|(_, mean)| mean)
    }

    /// The target transform by one source: its pivot, rotation and scale. A parent constraint adds offsets in the source's space.
    fn source(&self, source: &Source, is_parent: bool) -> Wanted {
        let Space { scene_from_node, rotation, scale, place } = self.all.space(self.spaces, source.step);
        if !is_parent {
            return Wanted { place, rotation, scale };
        }
        let offset = self.vector(&source.offset_translation, DVec3::ZERO) * self.all.unit;
        Wanted {
            place: place + scene_from_node.transform_vector3(offset),
            rotation: rotation * euler(self.vector(&source.offset_rotation, DVec3::ZERO)),
            scale: scale * self.vector(&source.offset_scale, DVec3::ONE),
        }
    }

    fn number(&self, property: &str, otherwise: f64) -> f64 {
        self.vector(property, DVec3::splat(otherwise)).x
    }

    /// A property of the constraint at the time, or `otherwise` if it is missing.
    fn vector(&self, property: &str, otherwise: DVec3) -> DVec3 {
        let found = ufbx::evaluate_prop(self.anim, &self.constraint().element, property, self.time_secs);
        if found.flags.has_any(PropFlags::NOT_FOUND) { otherwise } else { first_three(&found) }
    }
}

/// Elbow and end of a chain, relative to its start.
struct Bent {
    elbow: DVec3,
    end: DVec3,
}

/// Bends a chain by the law of cosines. A chain that cannot reach its target points at it. `None` if the pole defines no side to bend to.
fn elbow([upper, lower]: [f64; 2], reach: DVec3, pole: DVec3) -> Option<Bent> {
    let along = reach.try_normalize()?;
    let distance = reach.length().clamp((upper - lower).abs(), upper + lower);
    let cos = (upper * upper + distance * distance - lower * lower) / (2.0 * upper * distance);
    let cos = if cos.is_finite() { cos.clamp(-1.0, 1.0) } else { return None };
    let aside = pole.reject_from_normalized(along).try_normalize();
    let sin = (1.0 - cos * cos).sqrt();
    let aside = match aside {
        Some(aside) => aside,
        None if sin < 1e-9 => DVec3::ZERO,
        None => return None,
    };
    Some(Bent { elbow: (along * cos + aside * sin) * upper, end: along * distance })
}

fn arc(from: DVec3, to: DVec3) -> DQuat {
    match (from.try_normalize(), to.try_normalize()) {
        (Some(from), Some(to)) => DQuat::from_rotation_arc(from, to),
        _ => DQuat::IDENTITY,
    }
}

fn blended(base: DVec3, wanted: DVec3, axes: [bool; 3], weight: f64) -> DVec3 {
    let part = |axis: usize| if axes[axis] { base[axis] + (wanted[axis] - base[axis]) * weight } else { base[axis] };
    DVec3::from_array([0, 1, 2].map(part))
}

fn nonzero(scale: DVec3) -> DVec3 {
    DVec3::select(scale.cmpeq(DVec3::ZERO), DVec3::ONE, scale)
}
