use crate::model::{ModelPose, Rig};

/// The joints of a rig, those that reach farthest first: limbs before hands, hands before fingers. Parents come before their children, so
/// any first part of the list is a skeleton.
///
/// A joint reaches as far as its farthest vertex, along its chain of children; without a mesh, as far as the ends of its bones.
pub fn joints_by_reach(rig: &Rig) -> Vec<usize> {
    let skeleton = &rig.skeleton;
    let model = ModelPose::new(skeleton, &skeleton.bind_pose(0).joints).joints;
    let mut reach_m = rig.reach_m();
    for tip in &rig.tips {
        reach_m[tip.joint] = reach_m[tip.joint].max(tip.offset.length());
    }
    for joint in (0..skeleton.len()).rev() {
        if let Some(parent) = skeleton.parent(joint) {
            let bone_m = model[joint].translation.distance(model[parent].translation);
            reach_m[parent] = reach_m[parent].max(bone_m + reach_m[joint]);
        }
    }
    let mut joints: Vec<usize> = (0..skeleton.len()).collect();
    joints.sort_by(|a, b| reach_m[*b].total_cmp(&reach_m[*a]).then(a.cmp(b)));
    joints
}
