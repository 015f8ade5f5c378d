use super::Pose;
use crate::math::Transform;
use posepress_runtime::{BindPose, NoMemory};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// One joint of a rig: a name, its parent and its bind pose relative to that parent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Joint {
    /// Unique within the skeleton.
    pub name: String,
    /// Index of the parent, always smaller than the joint's own; `None` for a root.
    pub parent: Option<usize>,
    /// Bind (rest) pose, local.
    pub bind: Transform,
}

/// An error in the joints of a skeleton.
#[derive(Debug, Error, PartialEq)]
pub enum SkeletonError {
    /// No joints at all.
    #[error("the rig has no joints; expected at least one")]
    Empty,
    /// More joints than codecs can address.
    #[error("the rig has {found} joints; at most {max} are supported")]
    TooMany {
        /// Joints found.
        found: usize,
        /// Largest count.
        max: usize,
    },
    /// A parent that does not come before its child.
    #[error("joint {joint} '{name}' names parent {parent}, which does not come before it")]
    ParentOrder {
        /// Offending joint.
        joint: usize,
        /// Its name.
        name: String,
        /// The parent that it names.
        parent: usize,
    },
    /// A NaN or infinity in the bind pose.
    #[error("the bind pose of joint {joint} '{name}' holds a number that is not finite")]
    NotFinite {
        /// Offending joint.
        joint: usize,
        /// Its name.
        name: String,
    },
}

/// The joints of a rig, parents before children. They are checked once, by [`Skeleton::new`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Skeleton {
    joints: Vec<Joint>,
    children: Vec<Vec<usize>>,
}

impl Skeleton {
    /// Largest number of joints. Riot's format stores joint indices in 14 bits, and no known game rig needs more.
    pub const MAX_JOINTS: usize = 1 << 14;

    /// Checks order and numbers and makes names unique (a second "arm" becomes "arm.1").
    ///
    /// # Errors
    /// See [`SkeletonError`].
    pub fn new(mut joints: Vec<Joint>) -> Result<Self, SkeletonError> {
        if joints.is_empty() {
            return Err(SkeletonError::Empty);
        }
        if joints.len() > Self::MAX_JOINTS {
            return Err(SkeletonError::TooMany { found: joints.len(), max: Self::MAX_JOINTS });
        }
        let mut children = vec![Vec::new(); joints.len()];
        for (index, joint) in joints.iter().enumerate() {
            if let Some(parent) = joint.parent {
                if parent >= index {
                    return Err(SkeletonError::ParentOrder { joint: index, name: joint.name.clone(), parent });
                }
                children[parent].push(index);
            }
            if !joint.bind.is_finite() {
                return Err(SkeletonError::NotFinite { joint: index, name: joint.name.clone() });
            }
        }
        make_names_unique(&mut joints);
        Ok(Self { joints, children })
    }

    /// The bind pose as a [`Pose`], with `floats` float values of zero.
    pub fn bind_pose(&self, floats: usize) -> Pose {
        Pose { joints: self.joints.iter().map(|j| j.bind).collect(), floats: vec![0.0; floats] }
    }

    /// The bind pose for decoders. Clips that are opened with it, or with its clones, share it.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn shared_bind(&self) -> Result<BindPose, NoMemory> {
        BindPose::new(self.joints.iter().map(|joint| joint.bind))
    }

    /// Number of joints, at least 1.
    #[allow(clippy::len_without_is_empty)] // never empty
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// All joints, parents first.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// One joint; panics when out of range, as slices do.
    pub fn joint(&self, index: usize) -> &Joint {
        &self.joints[index]
    }

    /// Name of a joint.
    pub fn name(&self, index: usize) -> &str {
        &self.joints[index].name
    }

    /// Parent of a joint.
    pub fn parent(&self, index: usize) -> Option<usize> {
        self.joints[index].parent
    }

    /// Direct children, in joint order.
    pub fn children(&self, index: usize) -> &[usize] {
        &self.children[index]
    }

    /// Bind pose, local.
    pub fn bind(&self, index: usize) -> Transform {
        self.joints[index].bind
    }

    /// The joint of that exact name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|j| j.name == name)
    }

    /// Number of ancestors of the joint.
    pub fn depth(&self, index: usize) -> usize {
        self.ancestors(index).count()
    }

    /// Number of ancestors of each joint.
    pub fn depths(&self) -> Vec<usize> {
        let mut depths = Vec::with_capacity(self.len());
        for joint in &self.joints {
            depths.push(joint.parent.map_or(0, |parent| depths[parent] + 1));
        }
        depths
    }

    /// Parent, grandparent, ... up to the root.
    pub fn ancestors(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.parent(index), |&j| self.parent(j))
    }

    /// The joint and its descendants, parents first.
    pub fn subtree(&self, index: usize) -> Vec<usize> {
        let mut inside = vec![false; self.len()];
        inside[index] = true;
        (index..self.len())
            .filter(|&j| {
                inside[j] |= self.parent(j).is_some_and(|p| inside[p]);
                inside[j]
            })
            .collect()
    }
}

fn make_names_unique(joints: &mut [Joint]) {
    // The value is the last number added to that name, so that ten thousand equal names take little time.
    let mut seen = std::collections::HashMap::<String, usize>::new();
    for joint in joints {
        let base = joint.name.clone();
        while seen.contains_key(&joint.name) {
            let count = seen.entry(base.clone()).or_default();
            *count += 1;
            joint.name = format!("{base}.{count}");
        }
        seen.insert(joint.name.clone(), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joint(name: &str, parent: Option<usize>) -> Joint {
        Joint { name: name.into(), parent, bind: Transform::IDENTITY }
    }

    #[test]
    fn rejects_children_before_parents_and_cycles() {
        let error = Skeleton::new(vec![joint("a", Some(1)), joint("b", Some(0))]).unwrap_err();
        assert_eq!(error, SkeletonError::ParentOrder { joint: 0, name: "a".into(), parent: 1 });
        assert_eq!(Skeleton::new(vec![]).unwrap_err(), SkeletonError::Empty);
    }

    #[test]
    fn names_become_unique_and_subtrees_hold_descendants_only() {
        let rig = Skeleton::new(vec![joint("a", None), joint("b", Some(0)), joint("b", Some(1)), joint("c", Some(0))]);
        let rig = rig.unwrap();
        assert_eq!(rig.name(2), "b.1");
        assert_eq!(rig.subtree(1), [1, 2]);
        assert_eq!(rig.ancestors(2).collect::<Vec<_>>(), [1, 0]);
        assert_eq!(rig.children(0), [1, 3]);
    }
}
