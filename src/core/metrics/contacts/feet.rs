use super::names::JointName;
use super::sole::BindSkin;
use super::{ContactSettings, FootPart};
use crate::model::{Rig, Skeleton};

/// Hip height of a person. The distances of the settings are for that size.
const PERSON_HIP_M: f32 = 0.9;
/// Hip height of a standing person, divided by the length of the leg down to the ankle. The ankle is about 8 cm above the ground.
const HIP_OVER_LEG: f32 = 1.1;
/// A leaf joint is low if it lies within this share of the leg's length above the lowest point of the named feet.
const LOW_LEAF_SHARE: f32 = 0.1;
/// The same as a share of the rig's height, for rigs without named feet.
const LOW_LEAF_HEIGHT_SHARE: f32 = 0.06;
/// A heel is a hock if its skin ends more than this share of the leg's length above the lowest toe.
const HOCK_SHARE: f32 = 0.12;
/// Fewest bones from the root to the end of a leg.
const LEG_BONES: usize = 2;

/// The joints of a foot at the end of a leg. At least one of both is there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Leg {
    pub(super) heel: Option<usize>,
    pub(super) toe: Option<usize>,
    /// True if the user marked the joint, which is then in `heel`.
    pub(super) marked: bool,
}

impl Leg {
    /// The ankle, or the toe of a leg without one.
    pub(super) fn joint(&self) -> usize {
        self.joints().next().unwrap_or(0)
    }

    /// Heel and toe, as far as they are there.
    pub(super) fn joints(&self) -> impl Iterator<Item = usize> + use<> {
        self.heel.into_iter().chain(self.toe)
    }

    pub(super) fn toe(joint: usize) -> Self {
        Self { heel: None, toe: Some(joint), marked: false }
    }
}

/// Legs that may touch the ground. They are found before the height of the ground is known.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct FootJoints {
    /// Feet by name, or marked by the user.
    pub(super) certain: Vec<Leg>,
    /// Low ends of chains. They count as feet if they are also low in the clip.
    pub(super) low_leaves: Vec<usize>,
    /// Hip height / 0.9 m.
    pub(super) scale: f32,
    /// The joint where the legs meet, or the root if they do not.
    pub(super) hips: usize,
    /// Height of the lowest sole in the bind pose. `None` for rigs without skin.
    pub(super) bind_ground_m: Option<f32>,
}

impl FootJoints {
    /// Finds feet by names, the bind pose and the user's marks.
    pub(super) fn find(rig: &Rig, skin: &BindSkin<'_>, settings: &ContactSettings) -> Self {
        let skeleton = &rig.skeleton;
        let names: Vec<_> = skeleton.joints().iter().map(|j| JointName::new(&j.name)).collect();
        let mut feet = named_feet(skeleton, &names, skin);
        let leg_m = leg_length(skeleton, skin, &feet);
        drop_hocks(skin, &mut feet, leg_m);
        let mut low_leaves = low_leaves(skeleton, &names, skin, &feet, leg_m);
        let leg_m = leg_m.or_else(|| leg_length(skeleton, skin, &as_heels(&low_leaves)));
        let scale = leg_m.map_or(1.0, |leg_m| leg_m * HIP_OVER_LEG / PERSON_HIP_M);
        let legs: Vec<_> = feet.iter().map(|f| f.0).chain(low_leaves.iter().copied()).collect();
        let hips = hips(skeleton, &legs);
        let skinned = legs.iter().filter(|&&j| skin.vertices(j) > 0);
        let bind_ground_m = skinned.map(|&j| skin.lowest_m(j)).reduce(f32::min);
        let mut certain = legs_of(skeleton, &feet);
        for joint in settings.extra_joints.iter().filter_map(|name| skeleton.find(name)) {
            if !certain.iter().any(|leg| leg.joints().any(|j| j == joint)) {
                certain.push(Leg { heel: Some(joint), toe: None, marked: true });
                low_leaves.retain(|&j| j != joint);
            }
        }
        Self { certain, low_leaves, scale, hips, bind_ground_m }
    }
}

/// Heels with the toes below them, and toes alone.
fn legs_of(skeleton: &Skeleton, feet: &[(usize, FootPart)]) -> Vec<Leg> {
    let of = |part: FootPart| feet.iter().filter(move |foot| foot.1 == part).map(|foot| foot.0);
    let below = |heel: usize| move |toe: &usize| skeleton.ancestors(*toe).any(|a| a == heel);
    let heels = of(FootPart::Heel).map(|heel| Leg {
        heel: Some(heel),
        toe: of(FootPart::Toe).find(below(heel)),
        marked: false,
    });
    let mut legs: Vec<_> = heels.collect();
    let alone = |toe: &usize| !legs.iter().any(|leg| leg.toe == Some(*toe));
    let toes: Vec<_> = of(FootPart::Toe).filter(alone).map(Leg::toe).collect();
    legs.extend(toes);
    legs
}

/// The joint where the first leg meets another one, or the root.
fn hips(skeleton: &Skeleton, legs: &[usize]) -> usize {
    let Some(&first) = legs.first() else {
        return 0;
    };
    let on_other = |joint: usize| {
        legs.iter().any(|&l| {
            !skeleton.ancestors(l).any(|a| a == first) && l != first && skeleton.ancestors(l).any(|a| a == joint)
        })
    };
    skeleton.ancestors(first).find(|&a| on_other(a)).or_else(|| skeleton.ancestors(first).last()).unwrap_or(first)
}

/// Removes hocks. Animals' hocks often have the names of feet, but their skin ends clearly above the lowest toe.
fn drop_hocks(skin: &BindSkin<'_>, feet: &mut Vec<(usize, FootPart)>, leg_m: Option<f32>) {
    let skinned = |kind: FootPart| move |f: &&(usize, FootPart)| f.1 == kind && skin.vertices(f.0) > 0;
    let toe_m = feet.iter().filter(skinned(FootPart::Toe)).map(|f| skin.lowest_m(f.0)).reduce(f32::min);
    if let (Some(toe_m), Some(leg_m)) = (toe_m, leg_m) {
        let is_hock =
            |f: &(usize, FootPart)| skinned(FootPart::Heel)(&f) && skin.lowest_m(f.0) > toe_m + leg_m * HOCK_SHARE;
        feet.retain(|f| !is_hock(f));
    }
}

fn as_heels(joints: &[usize]) -> Vec<(usize, FootPart)> {
    joints.iter().map(|&j| (j, FootPart::Heel)).collect()
}

/// Finds one heel and one toe per leg. If some named joints have skin below them, those without are dropped.
fn named_feet(skeleton: &Skeleton, names: &[JointName], skin: &BindSkin<'_>) -> Vec<(usize, FootPart)> {
    let mut kinds: Vec<_> = names.iter().map(JointName::foot).collect();
    let skinned = |joint: usize| skeleton.subtree(joint).into_iter().any(|j| skin.vertices(j) > 0);
    let carries: Vec<_> = (0..names.len()).map(|j| kinds[j].is_some() && skinned(j)).collect();
    if carries.contains(&true) {
        kinds.iter_mut().zip(&carries).filter(|(_, carries)| !**carries).for_each(|(kind, _)| *kind = None);
    }
    let is_top = |joint: usize| kinds[joint].is_some() && skeleton.ancestors(joint).all(|a| kinds[a].is_none());
    let mut feet = Vec::new();
    for top in (0..names.len()).filter(|&j| is_top(j)) {
        let members: Vec<_> =
            skeleton.subtree(top).into_iter().filter_map(|j| kinds[j].map(|kind| (j, kind))).collect();
        let heel = members.iter().copied().find(|m| m.1 == FootPart::Heel);
        feet.extend(heel);
        feet.extend(toe_of(skeleton, skin, &members, heel).map(|joint| (joint, FootPart::Toe)));
    }
    feet
}

/// Finds the toe of a leg. Joints named as toes come first, then joints named as feet below the heel. The one nearest the root is taken.
/// Ties go to the joint that moves most vertices.
fn toe_of(
    skeleton: &Skeleton,
    skin: &BindSkin<'_>,
    members: &[(usize, FootPart)],
    heel: Option<(usize, FootPart)>,
) -> Option<usize> {
    let called_toe = members.iter().filter(|m| m.1 == FootPart::Toe).map(|m| m.0);
    let below_heel = members.iter().map(|m| m.0).filter(|&j| heel.is_some_and(|h| h.0 != j));
    let first = |joints: &mut dyn Iterator<Item = usize>| {
        joints.min_by_key(|&j| (skeleton.depth(j), std::cmp::Reverse(skin.vertices(j)), j))
    };
    first(&mut called_toe.into_iter()).or_else(|| first(&mut below_heel.into_iter()))
}

/// Median length of the straight legs, metres. A leg has the bones from below the joint that it shares with another leg to the heel.
///
/// It replaces the height of the hips because it is the same in every pose and every clip. So a character that lies down keeps its scale.
/// The bind pose need not stand, either, as in many motion-capture rigs.
fn leg_length(skeleton: &Skeleton, skin: &BindSkin<'_>, feet: &[(usize, FootPart)]) -> Option<f32> {
    let heels: Vec<_> = feet.iter().filter(|f| f.1 == FootPart::Heel).map(|f| f.0).collect();
    let ends = if heels.is_empty() { feet.iter().map(|f| f.0).collect() } else { heels };
    let mut lengths: Vec<_> = ends.iter().map(|&end| straight_length(skeleton, skin, end, &ends)).collect();
    lengths.retain(|m| m.is_finite() && *m > 0.0);
    lengths.sort_by(f32::total_cmp);
    lengths.get(lengths.len() / 2).copied()
}

/// Length of the bones from just below the nearest ancestor shared with another leg (or below the root) to `end`.
fn straight_length(skeleton: &Skeleton, skin: &BindSkin<'_>, end: usize, ends: &[usize]) -> f32 {
    let is_shared = |joint: usize| {
        skeleton.parent(joint).is_none()
            || ends.iter().any(|&other| other != end && skeleton.ancestors(other).any(|a| a == joint))
    };
    let mut joint = end;
    let mut length_m = 0.0;
    while let Some(parent) = skeleton.parent(joint).filter(|&p| !is_shared(p)) {
        length_m += (skin.origin(joint) - skin.origin(parent)).length();
        joint = parent;
    }
    length_m
}

/// Finds ends of limbs that are as low as the feet in the bind pose, such as paws with names of hands, and legs with other names.
fn low_leaves(
    skeleton: &Skeleton,
    names: &[JointName],
    skin: &BindSkin<'_>,
    feet: &[(usize, FootPart)],
    leg_m: Option<f32>,
) -> Vec<usize> {
    let on_leg = |joint: usize| feet.iter().any(|f| f.0 == joint || skeleton.ancestors(joint).any(|a| a == f.0));
    let helper = |joint: usize| names[joint].is_helper() || (skin.has_mesh() && skin.vertices(joint) == 0);
    let hangs = |joint: usize| names[joint].hangs() || skeleton.ancestors(joint).any(|a| names[a].hangs());
    let is_end = |joint: usize| skeleton.children(joint).iter().all(|&child| helper(child));
    let ends = (0..names.len())
        .filter(|&j| is_end(j) && !helper(j) && !hangs(j) && !on_leg(j) && skeleton.depth(j) >= LEG_BONES);
    let Some(limit_m) = low_limit(skeleton, skin, feet, leg_m) else {
        return Vec::new();
    };
    let low: Vec<_> = ends.filter(|&j| skin.lowest_m(j) <= limit_m).collect();
    // Several toes of one paw are replaced by their parent.
    let has_siblings = |joint: usize| low.iter().any(|&o| o != joint && skeleton.parent(o) == skeleton.parent(joint));
    let mut feet: Vec<_> =
        low.iter().map(|&j| if has_siblings(j) { skeleton.parent(j).unwrap_or(j) } else { j }).collect();
    feet.sort_unstable();
    feet.dedup();
    feet
}

/// Height in the bind pose below which a leaf joint is low.
fn low_limit(skeleton: &Skeleton, skin: &BindSkin<'_>, feet: &[(usize, FootPart)], leg_m: Option<f32>) -> Option<f32> {
    let lowest = |joints: &mut dyn Iterator<Item = usize>| joints.map(|j| skin.lowest_m(j)).reduce(f32::min);
    if let (Some(floor), Some(leg_m)) = (lowest(&mut feet.iter().map(|f| f.0)), leg_m) {
        return Some(floor + leg_m * LOW_LEAF_SHARE);
    }
    let floor = lowest(&mut (0..skeleton.len()))?;
    let top = (0..skeleton.len()).map(|j| skin.origin(j).y).fold(floor, f32::max);
    Some(floor + (top - floor) * LOW_LEAF_HEIGHT_SHARE)
}
