use crate::model::Rig;
use glam::{Affine3A, Vec3};
use serde::{Deserialize, Serialize};

/// The rear or the front of a foot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FootPart {
    /// Rear of the sole, below and behind the ankle.
    Heel,
    /// Ball and toes, and the whole paw or hoof of a leg that has no separate foot.
    Toe,
}

/// A point of the sole.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SolePoint {
    /// The joint that it belongs to.
    pub joint: usize,
    /// The part of the foot in which it lies.
    pub part: FootPart,
    /// Its position.
    pub place: SolePlace,
}

/// The position of a sole point.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum SolePlace {
    /// A vertex of the skin.
    Vertex {
        /// Index of the mesh in the rig.
        mesh: usize,
        /// Index of the vertex in the mesh.
        vertex: usize,
    },
    /// A point fixed to the joint, metres in joint space.
    Offset(Vec3),
}

/// A foot, paw or marked joint that can touch the ground.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Foot {
    /// Index of the joint: the ankle, or the toe of a leg without one.
    pub joint: usize,
    /// True if the user marked the joint. Its contacts need not be near the ground.
    pub marked: bool,
    /// Points of the sole, never empty. Vertices are spread over the sole so that their convex hull is its outline.
    pub sole: Vec<SolePoint>,
}

impl Foot {
    /// Positions of the sole points, metres in object space, in the order of [`Self::sole`].
    ///
    /// `model_from_joint` is a pose of the rig and `floats` its float values.
    pub fn sole_positions(&self, rig: &Rig, model_from_joint: &[Affine3A], floats: &[f32]) -> Vec<Vec3> {
        let position = |point: &SolePoint| match point.place {
            SolePlace::Vertex { mesh, vertex } => rig.meshes[mesh].skin_vertex(vertex, model_from_joint, floats),
            SolePlace::Offset(offset) => model_from_joint[point.joint].transform_point3(offset),
        };
        self.sole.iter().map(position).collect()
    }

    /// The joints that carry points of the sole, in ascending order.
    pub fn sole_joints(&self) -> Vec<usize> {
        let mut joints: Vec<_> = self.sole.iter().map(|point| point.joint).collect();
        joints.sort_unstable();
        joints.dedup();
        joints
    }
}
