//! Import checks that do not depend on the format. They report findings.

use super::{Finding, ImportOptions, LengthUnit, Reading, ReadingPart, clip_checks};
use crate::math::Transform;
use crate::model::{Additive, Clip, ModelPose, Rig};
use crate::text;
use glam::Vec3;
use std::borrow::Borrow;

/// Plausible sizes of a character, longest side, metres.
const PLAUSIBLE_SIZES_M: std::ops::RangeInclusive<f32> = 0.3..=5.0;
/// Plausible sizes of a captured person with arms, longest side, metres.
const PERSON_SIZES_M: std::ops::RangeInclusive<f32> = 1.4..=2.1;
/// Typical size of a person. Among plausible units the nearest to it is suggested.
const TYPICAL_SIZE_M: f32 = 1.7;

/// Runs the checks. `unit_m` is the length unit of the import, metres.
pub(super) fn check(rig: &Rig, clips: &[Clip], options: &ImportOptions, unit_m: f32, findings: &mut Vec<Finding>) {
    if options.unit.is_none() && options.scale.is_none() {
        findings.extend(implausible_size(rig, clips, unit_m));
    }
    findings.extend(joints_without_vertices(rig));
    findings.extend(clips.iter().filter_map(|clip| differences(rig, clip)));
    findings.extend(clips.iter().filter_map(|clip| added_scales(rig, clip)));
    clip_checks::examine(rig, clips, size_m(rig, clips), findings);
    for clip in clips.iter().filter(|c| c.samples() == 1) {
        findings.push(Finding::note(clip.name(), "the clip is a pose of one sample", "It has no motion to compress."));
    }
    if clips.is_empty() {
        findings.push(Finding::note(
            &rig.name,
            "the file has no clips",
            "Its rig can be used with clips of other files.",
        ));
    }
}

/// Finds an unmarked additive clip, whose joints collapse at the origin.
fn differences(rig: &Rig, clip: &Clip) -> Option<Finding> {
    (clip.additive().is_none() && clip.looks_like_differences(&rig.skeleton)).then(|| {
        let what = "all joints coincide with their parents: the clip looks additive";
        let meaning = format!(
            "It is probably an additive clip. Choose its base: the bind pose or another clip (--additive '{}=bind'). Until then it is measured \
             and shown on a character without bones.",
            clip.name()
        );
        Finding::decide(clip.name(), what, meaning).with_base(Additive::TO_BIND)
    })
}

/// Finds additive scales that would shrink the character to nothing if they were factors.
fn added_scales(rig: &Rig, clip: &Clip) -> Option<Finding> {
    let is_additive = match clip.additive() {
        Some(_) => clip.holds_differences(),
        None => clip.looks_like_differences(&rig.skeleton),
    };
    (is_additive && clip.adds_scales(&rig.skeleton)).then(|| {
        let what = "its scales are near 0, as in differences from Unreal";
        let meaning = "On a base they are added to 1, so that 0 means no change. Exports write them as factors, where 1 means no change.";
        Finding::note(clip.name(), what, meaning)
    })
}

/// Longest side of the character, metres; 0 without one.
pub(super) fn size_m<C: Borrow<Clip>>(rig: &Rig, clips: &[C]) -> f32 {
    longest_side_m(rig, clips).unwrap_or(0.0)
}

/// Finds a wrong unit: a file that states metres, or no unit, and means centimetres.
fn implausible_size(rig: &Rig, clips: &[Clip], unit_m: f32) -> Option<Finding> {
    let size_m = longest_side_m(rig, clips)?;
    let size_in = |unit: LengthUnit| size_m / unit_m * unit.metres();
    if size_m <= 0.0 || PLAUSIBLE_SIZES_M.contains(&size_m) {
        return None;
    }
    let what = format!("the rig is {} long at its longest side", length(size_m));
    let log_distance = |unit: LengthUnit| (size_in(unit) / TYPICAL_SIZE_M).ln().abs();
    let is_plausible = |unit: &LengthUnit| match unit {
        // Only captures by CMU have this unit, and they show people.
        LengthUnit::Cmu => PERSON_SIZES_M.contains(&size_in(*unit)),
        _ => PLAUSIBLE_SIZES_M.contains(&size_in(*unit)),
    };
    let plausible = LengthUnit::ALL.into_iter().filter(is_plausible);
    // In inches, many rigs in centimetres would have the size of a person. Files in inches are very rare, so any other unit comes first.
    let unit = plausible.min_by(|&a, &b| {
        (a == LengthUnit::Inch).cmp(&(b == LengthUnit::Inch)).then(log_distance(a).total_cmp(&log_distance(b)))
    });
    Some(match unit {
        Some(unit) => {
            let then = length(size_in(unit));
            let others =
                LengthUnit::ALL.into_iter().filter(|u| *u != unit && *u != LengthUnit::Inch && is_plausible(u));
            let others: Vec<LengthUnit> = others.collect();
            let also = others.iter().map(|u| format!(" In {} it is {}.", u.name(), length(size_in(*u))));
            let meaning = format!(
                "Read the file as {}? Then it is {then}.{} Errors are absolute lengths.",
                unit.name(),
                also.collect::<String>()
            );
            let reading = |unit: LengthUnit| Reading {
                label: format!("as {}: {} long", unit.name(), length(size_in(unit))),
                part: ReadingPart::Lengths(unit),
            };
            Finding::decide(&rig.name, what, meaning).with_unit(unit).with_readings(others.into_iter().map(reading))
        }
        None => Finding::warning(
            &rig.name,
            what,
            "No common unit makes that the size of a character. Check the scale of the export: tolerances are absolute lengths.",
        ),
    })
}

fn length(metres: f32) -> String {
    if metres >= 0.1 { format!("{metres:.2} m") } else { format!("{:.2} mm", metres * 1000.0) }
}

/// Longest side of the bounding box of the skinned mesh in the bind pose. Without meshes, of the joints and tips of the body in the first
/// sample, since offsets alone may not form a body.
fn longest_side_m<C: Borrow<Clip>>(rig: &Rig, clips: &[C]) -> Option<f32> {
    let bind = rig.skeleton.bind_pose(rig.float_names.len());
    if !rig.meshes.is_empty() {
        let pose = ModelPose::new(&rig.skeleton, &bind.joints);
        let vertices = rig.meshes.iter().flat_map(|mesh| {
            let pose = &pose;
            (0..mesh.positions.len()).map(move |v| mesh.skin_vertex(v, &pose.joints, &[]))
        });
        return longest_side(vertices);
    }
    let locals = clips.first().map_or(bind.joints.as_slice(), |clip| clip.borrow().pose(0));
    let pose = ModelPose::new(&rig.skeleton, locals);
    let is_body = body(rig, clips);
    let joints = (0..rig.skeleton.len()).filter(|j| is_body[*j]).map(|j| pose.origin(j));
    let tips =
        rig.tips.iter().filter(|tip| is_body[tip.joint]).map(|tip| pose.joints[tip.joint].transform_point3(tip.offset));
    longest_side(joints.chain(tips))
}

/// The joints of the body, from the first joint that moves or branches. A root at the origin of a capture stage is a place, not a limb. A
/// child that rotates at its parent is a limb.
fn body<C: Borrow<Clip>>(rig: &Rig, clips: &[C]) -> Vec<bool> {
    let skeleton = &rig.skeleton;
    let children = |parent: usize| (0..skeleton.len()).filter(move |&j| skeleton.parent(j) == Some(parent));
    let changes = |joint: usize, is_same: fn(&Transform, &Transform) -> bool| {
        clips.iter().map(Borrow::borrow).any(|clip| {
            let first = clip.pose(0)[joint];
            (1..clip.samples()).any(|sample| !is_same(&clip.pose(sample)[joint], &first))
        })
    };
    let moves = |joint: usize| changes(joint, |a, b| a == b);
    let travels = |joint: usize| changes(joint, |a, b| a.translation == b.translation);
    let mut is_body = vec![true; skeleton.len()];
    for root in (0..skeleton.len()).filter(|&j| skeleton.parent(j).is_none()) {
        let mut above = vec![root];
        while let &[.., last] = above.as_slice()
            && !moves(last)
            && let (Some(child), 1) = (children(last).next(), children(last).count())
        {
            above.push(child);
        }
        // In a chain without any motion, no joint differs from the others, so all belong to the body.
        let is_place = |&joint: &usize| if moves(joint) { travels(joint) } else { children(joint).next().is_some() };
        let first = above.pop().filter(is_place);
        first.into_iter().for_each(|_| above.iter().for_each(|&joint| is_body[joint] = false));
    }
    is_body
}

fn longest_side(points: impl Iterator<Item = Vec3>) -> Option<f32> {
    let bounds = points.map(|p| (p, p)).reduce(|(low, high), (p, _)| (low.min(p), high.max(p)));
    bounds.map(|(low, high)| (high - low).max_element()).filter(|size| size.is_finite())
}

/// Finds joints that move no vertex, directly or through descendants, but cost bytes.
fn joints_without_vertices(rig: &Rig) -> Option<Finding> {
    if rig.meshes.is_empty() {
        return None;
    }
    let mut moves = vec![false; rig.skeleton.len()];
    for mesh in &rig.meshes {
        for (joints, weights) in mesh.influences.iter().zip(&mesh.weights) {
            for (&joint, _) in joints.iter().zip(weights).filter(|(_, w)| **w > 0.0) {
                moves[mesh.palette[usize::from(joint)].joint] = true;
            }
        }
    }
    for joint in (0..rig.skeleton.len()).rev() {
        if let (true, Some(parent)) = (moves[joint], rig.skeleton.parent(joint)) {
            moves[parent] = true;
        }
    }
    let idle: Vec<&str> = (0..moves.len()).filter(|&j| !moves[j]).map(|j| rig.skeleton.name(j)).collect();
    (!idle.is_empty()).then(|| {
        let count = idle.len();
        let what = format!("{count} of {} joints move no vertex: {}", moves.len(), text::listed(&idle));
        Finding::note(&rig.name, what, "They may be sockets or helpers. They cost bytes in every clip.")
    })
}
