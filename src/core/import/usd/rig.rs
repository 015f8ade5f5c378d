//! The rig of a stage, and the places of its skeletons in it.

use super::scene::Scene;
use super::{Fault, Finding, ImportOptions, UpAxis};
use crate::import::rest_scale::{taken_out, uniform_scale};
use crate::import::several;
use crate::math::Transform;
use crate::model::{Joint, Skeleton};
use glam::{DMat4, Vec3};

/// Largest part of a matrix that rotation, translation and scale do not hold, relative to its size.
const SHEAR: f64 = 1e-3;

/// The skeletons in a rig.
#[derive(Debug)]
pub(super) struct RigMap {
    /// Metres per unit of length.
    pub metres: f32,
    figures: Vec<Figure>,
}

/// A skeleton in a rig.
#[derive(Debug)]
pub(super) struct Figure {
    /// Index in the scene.
    pub skeleton: usize,
    /// The joint that has the place of the skeleton in the world, if it is not the origin.
    pub placed: Option<usize>,
    /// The first of its own joints.
    pub first: usize,
    /// A uniform scale of its place, which is multiplied into the lengths below it.
    pub scale: f32,
    /// The map from each joint to the skeleton for skinning.
    pub bind: Vec<DMat4>,
}

impl RigMap {
    /// A skeleton that is read.
    pub fn figure(&self, skeleton: usize) -> Option<&Figure> {
        self.figures.iter().find(|figure| figure.skeleton == skeleton)
    }

    /// All skeletons that are read.
    pub fn figures(&self) -> &[Figure] {
        &self.figures
    }

    /// Puts the skeletons of a scene one after the other. Returns local transforms at rest too, in the axes of the file.
    pub fn new(
        scene: &Scene,
        options: &ImportOptions,
        subject: &str,
        findings: &mut Vec<Finding>,
    ) -> Result<(Self, Vec<Joint>, Vec<Transform>), Fault> {
        let metres = metres(scene, options, findings);
        several::check(options.figure(), scene.skeletons.len())?;
        let of_skeletons = scene.skeletons.iter().map(|skeleton| (skeleton.name.as_str(), skeleton.joints.len()));
        findings.extend(several::finding(of_skeletons, subject, options.figure()));
        let (mut joints, mut locals, mut figures) = (Vec::new(), Vec::new(), Vec::new());
        let wanted = |index: &usize| options.figure().is_none_or(|figure| figure == index + 1);
        for index in (0..scene.skeletons.len()).filter(wanted) {
            let skeleton = &scene.skeletons[index];
            let mut placed = None;
            let mut scale = 1.0;
            if !skeleton.placement.is_identity() {
                let place = skeleton.placement.at(scene.start(&skeleton.placement.codes()));
                let local = decomposed(place, metres);
                scale = uniform_scale(local.scale);
                findings.extend(scaled(&skeleton.name, scale));
                findings.extend(sheared(&skeleton.name, "it is placed with a shear", place));
                placed = Some(joints.len());
                joints.push((skeleton.name.clone(), None));
                locals.push(Transform { scale: local.scale / scale, ..local });
            }
            let first = joints.len();
            for ((name, parent), rest) in skeleton.names.iter().zip(&skeleton.parents).zip(&skeleton.rest) {
                joints.push((name.clone(), parent.map(|parent| first + parent).or(placed)));
                locals.push(decomposed(*rest, metres * scale));
                findings.extend(sheared(name, "the rest transform of the joint has a shear", *rest));
            }
            figures.push(Figure { skeleton: index, placed, first, scale, bind: skeleton.bind.clone() });
        }
        let up = scene.up(options);
        let joints = joints.into_iter().zip(&locals).map(|((name, parent), &local)| Joint {
            name,
            parent,
            bind: if parent.is_none() { up.raise(local) } else { local },
        });
        Ok((Self { metres, figures }, joints.collect(), locals))
    }
}

impl Scene {
    /// The axis that points up.
    pub fn up(&self, options: &ImportOptions) -> UpAxis {
        options.up.unwrap_or(self.up)
    }

    /// Time code of time zero, for motion with these codes.
    pub fn start(&self, codes: &[f64]) -> f64 {
        self.range[0].or(codes.first().copied()).unwrap_or(0.0)
    }
}

/// Checks the joints of a rig.
pub(super) fn skeleton(joints: Vec<Joint>) -> Result<Skeleton, Fault> {
    Ok(Skeleton::new(joints)?)
}

/// The unit of a stage that states none: centimetres.
const UNSAID_M: f64 = 0.01;

fn metres(scene: &Scene, options: &ImportOptions, findings: &mut Vec<Finding>) -> f32 {
    let stated = scene.metres_per_unit.filter(|metres| *metres > 0.0 && metres.is_finite());
    if stated.is_none() && options.unit.is_none() {
        let what = "the stage states no unit of length";
        let meaning =
            "USD means centimetres then, and they were taken. If the rig has the wrong size, choose its unit.";
        findings.push(Finding::note("file", what, meaning));
    }
    let unit = options.unit.map(|unit| f64::from(unit.metres()));
    unit.or(stated).unwrap_or(UNSAID_M) as f32 * options.factor()
}

fn scaled(name: &str, scale: f32) -> Option<Finding> {
    (scale != 1.0).then(|| taken_out(name, format!("the skeleton is placed with a scale of {scale}")))
}

fn sheared(name: &str, what: &str, matrix: DMat4) -> Option<Finding> {
    let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
    let without = DMat4::from_scale_rotation_translation(scale, rotation, translation);
    let off = (matrix - without).to_cols_array().map(f64::abs).into_iter();
    let size = scale.abs().max_element();
    (off.fold(0.0, f64::max) > SHEAR * size)
        .then(|| Finding::warning(name, what, "Joints have no shear: it was left out, and the pose differs a little."))
}

/// A transform in metres, from a matrix.
pub(super) fn decomposed(matrix: DMat4, metres: f32) -> Transform {
    let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
    let translation: Vec3 = translation.as_vec3() * metres;
    Transform { rotation: rotation.normalize().as_quat(), translation, scale: scale.as_vec3() }
}
