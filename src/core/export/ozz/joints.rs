use crate::export::ExportError;
use crate::model::Skeleton;

/// Most joints of an ozz skeleton.
const MAX_JOINTS: usize = 1024;
/// Number of joints that ozz plays at a time.
const LANES: usize = 4;

/// The rig's joints in the order of ozz: depth first, each before its children.
#[derive(Debug, Clone, PartialEq)]
pub struct Joints {
    order: Vec<usize>,
}

impl Joints {
    /// Orders the joints of a skeleton. Siblings keep their order.
    pub fn of(skeleton: &Skeleton) -> Result<Self, ExportError> {
        if skeleton.len() > MAX_JOINTS {
            let joints = skeleton.len();
            let what = format!("an ozz skeleton has at most {MAX_JOINTS} joints, but the rig has {joints}");
            return Err(ExportError::Unsupported(what));
        }
        let mut order = Vec::with_capacity(skeleton.len());
        let mut open: Vec<usize> =
            (0..skeleton.len()).filter(|joint| skeleton.parent(*joint).is_none()).rev().collect();
        while let Some(joint) = open.pop() {
            order.push(joint);
            open.extend(skeleton.children(joint).iter().rev());
        }
        Ok(Self { order })
    }

    /// The rig's joint at each ozz index.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// The rig's joint at each ozz index, padded with `None` to a whole number of lanes.
    pub fn lanes(&self) -> impl Iterator<Item = Option<usize>> {
        let padded = self.order.len().next_multiple_of(LANES);
        self.order.iter().copied().map(Some).chain(std::iter::repeat(None)).take(padded)
    }

    /// The ozz index of each of the rig's joints.
    pub fn places(&self) -> Vec<usize> {
        let mut places = vec![0; self.order.len()];
        self.order.iter().enumerate().for_each(|(place, joint)| places[*joint] = place);
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::model::Joint;

    fn skeleton(parents: &[Option<usize>]) -> Skeleton {
        let joint = |(index, parent): (usize, &Option<usize>)| Joint {
            name: format!("j{index}"),
            parent: *parent,
            bind: Transform::IDENTITY,
        };
        Skeleton::new(parents.iter().enumerate().map(joint).collect()).unwrap()
    }

    #[test]
    fn joints_come_depth_first_and_four_at_a_time() {
        // Breadth first: two roots, two children of the first, one of the second, one of the first child.
        let joints = Joints::of(&skeleton(&[None, None, Some(0), Some(0), Some(1), Some(2)])).unwrap();
        assert_eq!(joints.order(), [0, 2, 5, 3, 1, 4]);
        assert_eq!(joints.places(), [0, 4, 1, 3, 5, 2]);
        assert_eq!(joints.lanes().count(), 8);
        assert_eq!(joints.lanes().last(), Some(None));
    }

    #[test]
    fn as_many_joints_as_ozz_has_room_for() {
        let chain = |joints: usize| skeleton(&(0..joints).map(|j| j.checked_sub(1)).collect::<Vec<_>>());
        assert!(Joints::of(&chain(1024)).is_ok());
        let error = Joints::of(&chain(1025)).unwrap_err().to_string();
        assert!(error.contains("1024 joints") && error.contains("has 1025"), "{error}");
    }
}
