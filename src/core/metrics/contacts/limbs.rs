use super::names::JointName;
use crate::model::Skeleton;

/// Joints at the ends of arms and legs, found by name, in ascending order.
///
/// Of a chain of feet and toes, or of wrists and hands, only the joint nearest the root is returned. Empty if no name matches.
pub fn limb_ends(skeleton: &Skeleton) -> Vec<usize> {
    let is_end = |joint: &crate::model::Joint| {
        let name = JointName::new(&joint.name);
        name.foot().is_some() || name.is_hand()
    };
    let named: Vec<bool> = skeleton.joints().iter().map(is_end).collect();
    (0..skeleton.len()).filter(|&j| named[j] && skeleton.ancestors(j).all(|a| !named[a])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::model::Joint;

    #[test]
    fn ankles_and_wrists_end_limbs_and_toes_and_fingers_do_not() {
        let names =
            [("hips", None), ("LeftLeg", Some(0)), ("LeftFoot", Some(1)), ("LeftToeBase", Some(2)), ("arm.r", Some(0))];
        let more = [("wrist.r", Some(4)), ("hand.r", Some(5)), ("HandThumb1.r", Some(6)), ("paw_l", Some(0))];
        let joint =
            |(name, parent): (&str, Option<usize>)| Joint { name: name.into(), parent, bind: Transform::IDENTITY };
        let skeleton = Skeleton::new(names.into_iter().chain(more).map(joint).collect()).unwrap();
        assert_eq!(limb_ends(&skeleton), [2, 5, 8]);
    }
}
