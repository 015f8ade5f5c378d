//! Puts clips of one human rig on another. Each bone takes its rotation from the rest pose, in model space.
//!
//! This follows VRM (`VRMC_vrm_animation`, how to transform a human pose).

use crate::math::Transform;
use crate::model::{Human, ModelPose, Rig};
use glam::{Affine3A, Mat3A, Quat, Vec3};
use std::collections::HashMap;

/// Hip height below which the ratio of heights is not used, metres.
const LEAST_HEIGHT_M: f32 = 0.01;

/// The motion of one bone from the clips of another human.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Bone {
    /// The joint in the clips.
    pub source: usize,
    /// The rotations that apply to it: first the rotations of ancestors that the rig lacks, then the bone's own.
    turns: Vec<Turn>,
    before: Quat,
    after: Quat,
    rest: Transform,
    /// The position. Only for the hips.
    place: Option<TranslationMap>,
}

/// A rotation from the rest pose, converted to the space of the model.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Turn {
    source: usize,
    before: Quat,
    after: Quat,
}

/// A translation from the rest pose, converted to the space of a joint's parent.
#[derive(Debug, Clone, Copy, PartialEq)]
struct TranslationMap {
    rest: Vec3,
    turned: Mat3A,
}

/// A rig in its rest pose, with its bones.
struct Rest<'a> {
    rig: &'a Rig,
    human: &'a Human,
    model: ModelPose,
}

impl<'a> Rest<'a> {
    fn new(rig: &'a Rig) -> Option<Self> {
        let binds: Vec<Transform> = rig.skeleton.joints().iter().map(|joint| joint.bind).collect();
        Some(Self { rig, human: rig.human.as_ref()?, model: ModelPose::new(&rig.skeleton, &binds) })
    }

    fn bind(&self, joint: usize) -> Transform {
        self.rig.skeleton.bind(joint)
    }

    /// `model_from_parent`
    fn above(&self, joint: usize) -> Affine3A {
        self.rig.skeleton.parent(joint).map_or(Affine3A::IDENTITY, |parent| self.model.joints[parent])
    }

    fn turned_above(&self, joint: usize) -> Quat {
        self.above(joint).to_scale_rotation_translation().1
    }

    /// Height of the hips above the ground, metres.
    fn hips_m(&self) -> Option<f32> {
        let hips = *self.human.bones.get(Human::HIPS)?;
        Some(self.model.joints[hips].translation.y).filter(|height| *height > LEAST_HEIGHT_M)
    }

    /// The joint and its ancestors, from the joint up.
    fn up_from(&self, joint: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(joint), |&joint| self.rig.skeleton.parent(joint))
    }
}

/// The bones that both rigs have, by joint of the rig. Empty if one of the rigs has no human bones.
pub(super) fn shared(rig: &Rig, made_on: &Rig) -> HashMap<usize, Bone> {
    let (Some(to), Some(from)) = (Rest::new(rig), Rest::new(made_on)) else { return HashMap::new() };
    // Half a turn about the vertical axis if the rigs face opposite ways.
    let about = match to.human.faces_back == from.human.faces_back {
        true => Quat::IDENTITY,
        false => Quat::from_xyzw(0.0, 1.0, 0.0, 0.0),
    };
    let both = to.human.bones.iter().filter_map(|(name, &joint)| Some((name, joint, *from.human.bones.get(name)?)));
    both.map(|(name, joint, source)| (joint, bone(&to, &from, about, name, joint, source))).collect()
}

fn bone(to: &Rest<'_>, from: &Rest<'_>, about: Quat, name: &str, joint: usize, source: usize) -> Bone {
    let rest = to.bind(joint);
    let above = to.turned_above(joint);
    Bone {
        source,
        turns: turns(to, from, source),
        before: above.inverse() * about,
        after: about.inverse() * above * rest.rotation,
        rest,
        place: (name == Human::HIPS).then(|| {
            let larger = to.hips_m().zip(from.hips_m()).map_or(1.0, |(to, from)| to / from);
            let turned = to.above(joint).matrix3.inverse() * Mat3A::from_quat(about) * from.above(source).matrix3;
            TranslationMap { rest: from.bind(source).translation, turned: turned * larger }
        }),
    }
}

/// The rotations of ancestors that the rig lacks, then the bone's own. So the bone still follows those ancestors.
fn turns(to: &Rest<'_>, from: &Rest<'_>, source: usize) -> Vec<Turn> {
    let is_lacking = |joint: &usize| from.human.bone(*joint).is_none_or(|bone| !to.human.bones.contains_key(bone));
    let above = from.up_from(source).skip(1).take_while(is_lacking);
    let mut all: Vec<usize> = above.filter(|joint| from.human.bone(*joint).is_some()).collect();
    all.reverse();
    let turn = |source: usize| {
        let (above, rest) = (from.turned_above(source), from.bind(source).rotation);
        Turn { source, before: above, after: rest.inverse() * above.inverse() }
    };
    all.into_iter().chain([source]).map(turn).collect()
}

impl Bone {
    /// The bone's local transform for a pose of the other human.
    pub fn local(&self, pose: &[Transform]) -> Transform {
        let turned = |turn: &Turn| turn.before * pose[turn.source].rotation * turn.after;
        let turned = self.turns.iter().map(turned).fold(Quat::IDENTITY, |above, turn| above * turn);
        let way = self.place.map_or(Vec3::ZERO, |place| place.turned * (pose[self.source].translation - place.rest));
        Transform {
            rotation: (self.before * turned * self.after).normalize(),
            translation: self.rest.translation + way,
            scale: self.rest.scale,
        }
    }
}
