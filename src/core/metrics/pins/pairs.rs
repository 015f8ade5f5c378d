//! The pairs of a joint and a space that can be pinned.

use super::touch::{far_ends, long_axis};
use super::{Pin, PinSpace};
use crate::metrics::contacts::{ContactPlan, JointName, PinMark, WORLD, limb_ends};
use crate::model::{Rig, Skeleton, SkinnedMesh};
use glam::{Affine3A, Vec3, Vec3A};

/// A point of a joint and the space in which it may keep still.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pair {
    pub joint: usize,
    pub point: Vec3,
    pub on: PinSpace,
    pub asked: Asked,
    /// The axis of a long thing in its space. A hand may slide along it.
    pub along: Option<Vec3A>,
}

impl Pair {
    /// The place of the point as seen from the space, metres. Motion along a thing counts as a quarter of its length.
    pub(super) fn place(&self, model_from_joint: &[Affine3A]) -> Vec3A {
        let point = model_from_joint[self.joint].transform_point3a(self.point.into());
        let place = self.on.place(model_from_joint, point);
        self.along.map_or(place, |axis| place - axis * (axis.dot(place) * (1.0 - 1.0 / ALONG_TIMES)))
    }
}

/// A hand that holds a long thing may slide along it by this many times the distance across it.
const ALONG_TIMES: f32 = 4.0;

/// Conditions of a pin besides keeping still.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// The joints between both move, and the point is near the body of the space.
    Held,
    /// The same for a long thing. Hands that hold it are less still.
    Holds,
    /// The hips are lower than those of a standing body, and the rest of the body moves.
    Seated,
    /// Nothing: the user named this pair.
    Nothing,
}

/// All pairs to look at: hands on things, on each other, on the body and in the world; feet and hips on things that no hand carries; things and
/// hips in the world; and pairs that the user named.
pub(super) fn pairs(rig: &Rig, body: &Body, marks: &[PinMark]) -> Vec<Pair> {
    let mut all = Vec::new();
    let mut add = |joint: usize, points: &[Vec3], on: PinSpace, asked: Asked| {
        let along = match (asked, on) {
            (Asked::Held, PinSpace::Joint(thing)) if body.props.contains(&thing) => long_axis(rig, thing),
            _ => None,
        };
        let asked = if along.is_some() { Asked::Holds } else { asked };
        all.extend(points.iter().map(|&point| Pair { joint, point, on, asked, along }));
    };
    for &[wrist, hand] in &body.hands {
        let points = hand_points(&rig.skeleton, hand);
        let others = body.hands.iter().map(|[_, hand]| *hand).filter(|&other| other != hand);
        let bodies: Vec<_> = body.props.iter().copied().chain(others).chain(body.parts.iter().copied()).collect();
        bodies.into_iter().for_each(|on| add(hand, &points, PinSpace::Joint(on), Asked::Held));
        add(hand, &points, PinSpace::World, Asked::Held);
        if wrist != hand {
            add(wrist, &[Vec3::ZERO], PinSpace::World, Asked::Held);
        }
    }
    for &low in body.feet.iter().chain(body.hips.iter()) {
        let free = body.props.iter().filter(|&&prop| body.limbs[prop] == prop);
        free.for_each(|&on| add(low, &[Vec3::ZERO], PinSpace::Joint(on), Asked::Held));
    }
    for &prop in &body.props {
        let mut points = far_ends(rig, prop);
        points.push(Vec3::ZERO);
        add(prop, &points, PinSpace::World, Asked::Held);
    }
    if let Some(hips) = body.hips {
        add(hips, &[Vec3::ZERO], PinSpace::World, Asked::Seated);
    }
    for (joint, on) in marks.iter().filter_map(|mark| named(&rig.skeleton, mark)) {
        if !all.iter().any(|pair| (pair.joint, pair.on) == (joint, on)) {
            all.push(Pair { joint, point: Vec3::ZERO, on, asked: Asked::Nothing, along: None });
        }
    }
    all
}

/// The joint and the space of a mark with names. `None` for patterns and for names that the rig does not have.
fn named(skeleton: &Skeleton, mark: &PinMark) -> Option<(usize, PinSpace)> {
    let joint = skeleton.find(&mark.joint)?;
    let on = match skeleton.find(&mark.on) {
        _ if mark.on == WORLD => PinSpace::World,
        found => PinSpace::Joint(found.filter(|on| *on != joint)?),
    };
    Some((joint, on))
}

/// The wrist, and the middle of the hand's children.
fn hand_points(skeleton: &Skeleton, hand: usize) -> Vec<Vec3> {
    let children: Vec<_> = skeleton.children(hand).iter().map(|&child| skeleton.bind(child).translation).collect();
    let palm = children.iter().sum::<Vec3>() / children.len().max(1) as f32;
    if children.is_empty() { vec![Vec3::ZERO] } else { vec![Vec3::ZERO, palm] }
}

/// The joints that take part in pins.
pub(super) struct Body {
    /// Wrist and hand of each arm. Both are one joint if the rig has no wrists.
    hands: Vec<[usize; 2]>,
    feet: Vec<usize>,
    props: Vec<usize>,
    /// Head, hips, thighs and shins, on which hands rest.
    parts: Vec<usize>,
    hips: Option<usize>,
    /// For every joint the wrist above it, or the joint itself.
    limbs: Vec<usize>,
}

impl Body {
    pub(super) fn find(rig: &Rig, contacts: &ContactPlan) -> Self {
        let skeleton = &rig.skeleton;
        let names: Vec<_> = skeleton.joints().iter().map(|joint| JointName::new(&joint.name)).collect();
        let feet: Vec<_> = contacts.feet.iter().map(|foot| foot.joint).collect();
        let is_wrist = |end: &usize| !feet.contains(end) && names[*end].is_hand();
        let wrists: Vec<_> = limb_ends(skeleton).into_iter().filter(is_wrist).collect();
        let first = |is: fn(&JointName) -> bool| (0..skeleton.len()).find(|&joint| is(&names[joint]));
        let (hips, head) = (first(JointName::is_hips), first(JointName::is_head));
        let below_hips = |joint: &usize| hips.is_some_and(|hips| skeleton.ancestors(*joint).any(|a| a == hips));
        let of_leg = |&foot: &usize| skeleton.ancestors(foot).filter(below_hips).collect::<Vec<_>>();
        let mut parts: Vec<_> = feet.iter().flat_map(of_leg).chain(hips).chain(head).collect();
        parts.sort_unstable();
        parts.dedup();
        let is_body = |joint: usize| {
            let name = &names[joint];
            name.is_hand() || name.foot().is_some() || name.is_head() || name.is_hips() || feet.contains(&joint)
        };
        let is_prop = |joint: &usize| names[*joint].is_prop() || (!is_body(*joint) && is_rigid_end(rig, *joint));
        let limb = |joint: usize| skeleton.ancestors(joint).find(|above| wrists.contains(above)).unwrap_or(joint);
        Self {
            hands: wrists.iter().map(|&wrist| [wrist, hand_below(skeleton, &names, wrist)]).collect(),
            props: (0..skeleton.len()).filter(is_prop).collect(),
            limbs: (0..skeleton.len()).map(limb).collect(),
            feet,
            parts,
            hips,
        }
    }

    /// True if two pins at the same time tell the same: of one hand, of two hands on each other, or of a hand and what it carries.
    pub(super) fn tell_same(&self, a: &Pin, b: &Pin) -> bool {
        let limb = |joint: usize| self.limbs[joint];
        let on = |pin: &Pin| match pin.on {
            PinSpace::World => None,
            PinSpace::Joint(joint) => Some(limb(joint)),
        };
        let is_prop = |pin: &Pin| self.props.contains(&pin.joint);
        let is_one_limb = limb(a.joint) == limb(b.joint) && (a.on == b.on || is_prop(a) == is_prop(b));
        is_one_limb || (on(a) == Some(limb(b.joint)) && on(b) == Some(limb(a.joint)))
    }
}

/// The hand below a wrist, or the joint itself.
fn hand_below(skeleton: &Skeleton, names: &[JointName], wrist: usize) -> usize {
    let is_hand = |joint: &usize| names[*joint].is_hand() && !names[*joint].is_wrist();
    skeleton.subtree(wrist).into_iter().find(is_hand).unwrap_or(wrist)
}

/// True for a joint without children that moves a mesh alone.
fn is_rigid_end(rig: &Rig, joint: usize) -> bool {
    let alone = |mesh: &SkinnedMesh| mesh.palette.len() == 1 && mesh.palette[0].joint == joint;
    rig.skeleton.children(joint).is_empty() && rig.meshes.iter().any(alone)
}
