use crate::model::{Rig, Skeleton};
use std::collections::BTreeSet;

/// A name that USD allows for prims and joints: letters and digits of ASCII, and `_`.
pub fn identifier(name: &str) -> String {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let plain: String = name.chars().map(|c| if is_allowed(c) { c } else { '_' }).collect();
    match plain.chars().next() {
        Some(first) if !first.is_ascii_digit() => plain,
        _ => format!("_{plain}"),
    }
}

/// Paths of the joints: `hips/spine`. Different joints have different paths.
pub fn joint_paths(skeleton: &Skeleton) -> Vec<String> {
    let mut paths: Vec<String> = Vec::with_capacity(skeleton.len());
    let mut taken = BTreeSet::new();
    for joint in 0..skeleton.len() {
        let above = skeleton.parent(joint).map(|parent| format!("{}/", paths[parent])).unwrap_or_default();
        let path = format!("{above}{}", identifier(skeleton.name(joint)));
        let numbered = (1..).map(|number| format!("{path}_{number}"));
        let free = std::iter::once(path.clone()).chain(numbered).find(|path| !taken.contains(path));
        let path = free.unwrap_or(path);
        taken.insert(path.clone());
        paths.push(path);
    }
    paths
}

/// Names of blend shapes: the last part of a track's name, or all of it if another track has that part too.
pub fn shapes(rig: &Rig, tracks: usize) -> Vec<String> {
    let name = |track: usize| rig.float_names.get(track).cloned().unwrap_or_else(|| format!("shape_{track}"));
    let names: Vec<String> = (0..tracks).map(name).collect();
    let last = |name: &String| identifier(name.rsplit('.').next().unwrap_or_default());
    let is_alone = |own: &str| names.iter().filter(|name| last(name) == own).count() == 1;
    let shape = |name: &String| Some(last(name)).filter(|own| is_alone(own)).unwrap_or_else(|| identifier(name));
    names.iter().map(shape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::model::Joint;

    #[test]
    fn paths_are_identifiers_and_differ() {
        let joint = |name: &str, parent| Joint { name: name.into(), parent, bind: Transform::IDENTITY };
        let joints = [joint("mix:Hips", None), joint("1 leg", Some(0)), joint("1-leg", Some(0)), joint("toe", Some(2))];
        let paths = joint_paths(&Skeleton::new(joints.into()).unwrap());
        assert_eq!(paths, ["mix_Hips", "mix_Hips/_1_leg", "mix_Hips/_1_leg_1", "mix_Hips/_1_leg_1/toe"]);
    }

    #[test]
    fn shapes_have_short_names_unless_they_are_shared() {
        let joint = Joint { name: "a".into(), parent: None, bind: Transform::IDENTITY };
        let mut rig = Rig::from_skeleton("a", Skeleton::new(vec![joint]).unwrap());
        rig.float_names = ["head.smile", "head.blink", "brow.blink"].map(str::to_owned).into();
        assert_eq!(shapes(&rig, 4), ["smile", "head_blink", "brow_blink", "shape_3"]);
    }
}
