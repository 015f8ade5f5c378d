//! The parts of a stage that Posepress uses, as plain data.

use super::mesh::MeshPrim;
use super::placement::Placement;
use super::prims::{self, Prims, damaged};
use super::values::{FromValue, Track};
use super::{Fault, Finding, UpAxis, readable};
use crate::text;
use glam::{DMat4, Quat, Vec3};
use openusd::sdf::Value;
use openusd::usd::{Prim, Stage};

/// The parts of a stage.
#[derive(Debug)]
pub(super) struct Scene {
    /// As stated.
    pub metres_per_unit: Option<f64>,
    pub up: UpAxis,
    pub codes_per_sec: f64,
    /// Frames per second of the editor, if stated.
    pub frames_per_sec: Option<f64>,
    /// First and last time code of the stage, as stated.
    pub range: [Option<f64>; 2],
    pub skeletons: Vec<SkeletonPrim>,
    pub animations: Vec<AnimationPrim>,
    pub meshes: Vec<MeshPrim>,
}

/// A `Skeleton`.
#[derive(Debug)]
pub(super) struct SkeletonPrim {
    pub path: String,
    pub name: String,
    /// Paths of its joints, parents first: `hips/spine`.
    pub joints: Vec<String>,
    /// Names for people, one per joint.
    pub names: Vec<String>,
    pub parents: Vec<Option<usize>>,
    /// The maps from each joint to the skeleton for skinning.
    pub bind: Vec<DMat4>,
    /// Local transforms of joints that no animation moves.
    pub rest: Vec<DMat4>,
    pub placement: Placement,
    /// Path of the animation that moves it.
    pub animation: Option<String>,
}

/// A `SkelAnimation`.
#[derive(Debug)]
pub(super) struct AnimationPrim {
    pub path: String,
    pub name: String,
    pub joints: Vec<String>,
    /// Translations, rotations and scales of all joints; `None` if one is not stated. Then USD shows the rest pose.
    pub moves: Option<Moves>,
    /// Blend shapes and their weights.
    pub shapes: Vec<String>,
    pub weights: Option<Track<Vec<f32>>>,
}

/// The motion of an animation's joints.
#[derive(Debug)]
pub(super) struct Moves {
    pub translations: Track<Vec<Vec3>>,
    pub rotations: Track<Vec<Quat>>,
    pub scales: Track<Vec<Vec3>>,
}

impl Scene {
    /// Reads a stage. Parts that cannot be read are skipped with a finding, if others can.
    pub fn read(stage: &Stage, prims: &Prims<'_>, findings: &mut Vec<Finding>) -> Result<Self, Fault> {
        let number = |name: &str| metadata::<f64>(stage, name);
        let codes_per_sec = stage.time_codes_per_second();
        if !(codes_per_sec > 0.0 && codes_per_sec.is_finite()) {
            return Err(Fault::new(format!("it states {codes_per_sec} time codes per second; expected more than 0")));
        }
        let mut scene = Self {
            metres_per_unit: number("metersPerUnit")?,
            up: up_axis(stage, findings)?,
            codes_per_sec,
            frames_per_sec: number("framesPerSecond")?,
            range: [number("startTimeCode")?, number("endTimeCode")?],
            skeletons: Vec::new(),
            animations: Vec::new(),
            meshes: Vec::new(),
        };
        let all = prims.all()?;
        let mut faults = Vec::new();
        for prim in &all {
            let read = match prims.kind(prim)?.as_str() {
                "Skeleton" => read_skeleton(prims, prim, findings).map(|read| scene.skeletons.push(read)),
                "SkelAnimation" => read_animation(prims, prim).map(|read| scene.animations.push(read)),
                _ => Ok(()),
            };
            faults.extend(read.map_err(prims::at(prim)).err().map(|fault| (prims::name(prim), fault)));
        }
        if scene.skeletons.is_empty() && !faults.is_empty() {
            return Err(faults.swap_remove(0).1);
        }
        tell_apart(&mut scene.skeletons);
        for prim in &all {
            if prims.kind(prim)? == "Mesh" {
                match MeshPrim::read(prims, prim, &scene.skeletons, findings).map_err(prims::at(prim)) {
                    Ok(mesh) => scene.meshes.push(mesh),
                    Err(fault) => faults.push((prims::name(prim), fault)),
                }
            }
        }
        findings.extend(faults.into_iter().map(|(name, fault)| {
            Finding::warning(name, format!("the prim cannot be used: {fault}"), "It was left out; the others are read.")
        }));
        findings.extend(not_read(prims, &all)?);
        Ok(scene)
    }
}

/// Names skeletons of one name by their paths.
fn tell_apart(skeletons: &mut [SkeletonPrim]) {
    let names: Vec<String> = skeletons.iter().map(|skeleton| skeleton.name.clone()).collect();
    for skeleton in skeletons {
        if names.iter().filter(|name| **name == skeleton.name).count() > 1 {
            skeleton.name = readable(skeleton.path.trim_start_matches('/'));
        }
    }
}

fn metadata<T: FromValue>(stage: &Stage, name: &str) -> Result<Option<T>, Fault> {
    let value: Option<Value> = stage.stage_metadata(name).map_err(damaged)?;
    Ok(value.and_then(T::from_value))
}

fn up_axis(stage: &Stage, findings: &mut Vec<Finding>) -> Result<UpAxis, Fault> {
    Ok(match metadata::<String>(stage, "upAxis")?.as_deref() {
        Some("Z") => UpAxis::Z,
        None | Some("Y") => UpAxis::Y,
        Some(axis) => {
            let what = format!("its up axis is '{}'; expected Y or Z", readable(axis));
            findings.push(Finding::warning("file", what, "Y was taken. Choose the axis on import."));
            UpAxis::Y
        }
    })
}

/// A note about things that move or show characters and are not read.
fn not_read(prims: &Prims<'_>, all: &[Prim]) -> Result<Vec<Finding>, Fault> {
    let (mut clips, mut looks) = (Vec::new(), 0);
    for prim in all {
        if prim.has_clips().map_err(damaged)? {
            clips.push(prims::name(prim));
        }
        looks += usize::from(prims.kind(prim)? == "Material");
    }
    let of_clips = (!clips.is_empty()).then(|| {
        Finding::warning(
            text::listed(&clips),
            "value clips are not read",
            "Motion that lies in their files is missing.",
        )
    });
    let of_looks = (looks > 0).then(|| {
        let what = format!(
            "{} not read",
            if looks == 1 { "its material is".into() } else { format!("its {looks} materials are") }
        );
        Finding::note("meshes", what, "Meshes are shown in one colour, or in their vertex colours.")
    });
    Ok(of_clips.into_iter().chain(of_looks).collect())
}

fn read_skeleton(prims: &Prims<'_>, prim: &Prim, findings: &mut Vec<Finding>) -> Result<SkeletonPrim, Fault> {
    let joints: Vec<String> = prims.value(prim, "joints")?.unwrap_or_default();
    if joints.is_empty() {
        return Err(Fault::new("the skeleton has no joints"));
    }
    let parents = parents(&joints)?;
    let name = prims::name(prim);
    let whole = |matrices: &Vec<DMat4>| matrices.len() == joints.len();
    let bind = prims.value(prim, "bindTransforms")?.filter(whole);
    let rest = prims.value(prim, "restTransforms")?.filter(whole);
    let what = match (&bind, &rest) {
        (Some(_), Some(_)) => None,
        (None, Some(_)) => Some("its bind transforms are missing or of another number: the rest pose was taken"),
        (Some(_), None) => Some("its rest transforms are missing or of another number: the bind pose was taken"),
        (None, None) => return Err(Fault::new("the skeleton has neither bind nor rest transforms, one per joint")),
    };
    findings.extend(what.map(|what| {
        Finding::warning(&name, what, "Joints without keys, and meshes, may stand elsewhere in other programs.")
    }));
    let bind = bind.unwrap_or_else(|| composed(rest.as_deref().unwrap_or_default(), &parents));
    let rest = rest.unwrap_or_else(|| locals(&bind, &parents));
    let (placement, animation) = (Placement::read(prims, prim, findings)?, animation_of(prims, prim, &name, findings)?);
    let path = prim.path().as_str().to_owned();
    let names = joint_names(prims, prim, &joints)?;
    Ok(SkeletonPrim { path, name, joints, names, parents, bind, rest, placement, animation })
}

fn joint_names(prims: &Prims<'_>, prim: &Prim, joints: &[String]) -> Result<Vec<String>, Fault> {
    let names: Option<Vec<String>> = prims.value(prim, "jointNames")?;
    let names = names.filter(|names| names.len() == joints.len());
    let last = |joint: &String| readable(joint.rsplit('/').next().unwrap_or_default());
    Ok(names.map_or_else(|| joints.iter().map(last).collect(), |names| names.iter().map(|n| readable(n)).collect()))
}

/// The path of the animation that a skeleton inherits.
fn animation_of(
    prims: &Prims<'_>,
    prim: &Prim,
    name: &str,
    findings: &mut Vec<Finding>,
) -> Result<Option<String>, Fault> {
    let Some((owner, target)) = prims.bound(prim, "skel:animationSource")? else { return Ok(None) };
    if !owner.has_api_schema("SkelBindingAPI").map_err(damaged)? {
        let what = "its animation is bound without the schema SkelBindingAPI";
        findings.push(Finding::warning(
            name,
            what,
            "It was read. Newer programs ignore such a binding: add the schema.",
        ));
    }
    Ok(target)
}

/// The parent of each joint: the nearest joint above it in its path.
fn parents(joints: &[String]) -> Result<Vec<Option<usize>>, Fault> {
    let places: std::collections::HashMap<&str, usize> =
        joints.iter().enumerate().map(|(place, joint)| (joint.as_str(), place)).collect();
    let parent = |(place, joint): (usize, &String)| {
        let above = std::iter::successors(joint.rsplit_once('/'), |(above, _)| above.rsplit_once('/'));
        let parent = above.map(|(above, _)| above).find_map(|above| places.get(above).copied());
        match parent {
            Some(parent) if parent >= place => {
                let what = format!("the joint '{}' comes before its parent; expected parents first", readable(joint));
                Err(Fault::new(what))
            }
            parent => Ok(parent),
        }
    };
    joints.iter().enumerate().map(parent).collect()
}

/// The maps from joints to the skeleton.
pub(super) fn composed(locals: &[DMat4], parents: &[Option<usize>]) -> Vec<DMat4> {
    let mut all: Vec<DMat4> = Vec::with_capacity(locals.len());
    for (local, parent) in locals.iter().zip(parents) {
        all.push(parent.map_or(*local, |parent| all[parent] * *local));
    }
    all
}

fn locals(composed: &[DMat4], parents: &[Option<usize>]) -> Vec<DMat4> {
    let local = |(own, parent): (&DMat4, &Option<usize>)| parent.map_or(*own, |p| composed[p].inverse() * *own);
    composed.iter().zip(parents).map(local).collect()
}

fn read_animation(prims: &Prims<'_>, prim: &Prim) -> Result<AnimationPrim, Fault> {
    let joints: Vec<String> = prims.value(prim, "joints")?.unwrap_or_default();
    let translations = prims.track(prim, "translations")?;
    let (rotations, scales) = (prims.track(prim, "rotations")?, prims.track(prim, "scales")?);
    let moves = match (translations, rotations, scales) {
        (Some(translations), Some(rotations), Some(scales)) => Some(Moves { translations, rotations, scales }),
        _ => None,
    };
    if let Some(moves) = &moves {
        counted("translations", &moves.translations, joints.len())?;
        counted("rotations", &moves.rotations, joints.len())?;
        counted("scales", &moves.scales, joints.len())?;
    }
    let shapes: Vec<String> = prims.value(prim, "blendShapes")?.unwrap_or_default();
    let weights = prims.track(prim, "blendShapeWeights")?;
    if let Some(weights) = &weights {
        counted("blendShapeWeights", weights, shapes.len())?;
    }
    Ok(AnimationPrim { path: prim.path().as_str().to_owned(), name: prims::name(prim), joints, moves, shapes, weights })
}

fn counted<T>(name: &str, track: &Track<Vec<T>>, expected: usize) -> Result<(), Fault> {
    match track.values.iter().find(|values| values.len() != expected) {
        Some(values) => {
            Err(Fault::new(format!("'{name}' has {} values in a sample; expected {expected}", values.len())))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parent_is_the_nearest_joint_above_in_the_path() {
        let joints = ["a", "a/b", "a/x/c", "d/e"].map(str::to_owned);
        assert_eq!(parents(&joints).unwrap(), [None, Some(0), Some(0), None]);
        let fault = parents(&["a/b", "a"].map(str::to_owned)).unwrap_err().to_string();
        assert!(fault.contains("'a/b' comes before its parent"), "{fault}");
    }
}
