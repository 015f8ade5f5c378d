use super::ContactSettings;
use crate::model::Rig;
use glam::{Affine3A, Vec3};

/// Which height limit a foot joint takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FootKind {
    /// Ankle, foot, heel.
    Heel,
    /// Toe, ball, and the paw or hoof at the end of a leg without a foot of its own.
    Toe,
    /// Marked by the user; takes the heel's limit.
    Marked,
}

impl FootKind {
    /// A foot of this kind is down below this height above ground.
    pub(super) fn height_m(self, settings: &ContactSettings) -> f32 {
        match self {
            Self::Heel | Self::Marked => settings.heel_height_m,
            Self::Toe => settings.toe_height_m,
        }
    }
}

/// A point of the sole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SolePoint {
    /// A skinned vertex.
    Vertex {
        /// Mesh of the rig.
        mesh: usize,
        /// Vertex of the mesh.
        vertex: usize,
    },
    /// A point carried by the joint, metres in joint space.
    Offset(Vec3),
}

/// A joint that can stand on the ground.
#[derive(Debug, Clone, PartialEq)]
pub struct Foot {
    /// Joint.
    pub joint: usize,
    /// Heel or toe.
    pub kind: FootKind,
    /// Where it touches the ground; never empty. Vertices are spread over the sole, so that their convex hull is its
    /// outline.
    pub sole: Vec<SolePoint>,
    /// Height of the lowest sole point above ground while the foot stands, metres: next to nothing on a mesh, the
    /// height of an ankle (some 8 cm) where there is only a joint.
    pub rest_height_m: f32,
}

impl Foot {
    /// Where the points of the sole are, metres in object space, in their order. `model_from_joint` is a pose of the
    /// rig, `floats` its float values.
    pub fn sole_positions(&self, rig: &Rig, model_from_joint: &[Affine3A], floats: &[f32]) -> Vec<Vec3> {
        self.sole_points(rig, model_from_joint, floats).collect()
    }

    pub(super) fn sole_points<'a>(
        &'a self,
        rig: &'a Rig,
        model_from_joint: &'a [Affine3A],
        floats: &'a [f32],
    ) -> impl Iterator<Item = Vec3> + 'a {
        self.sole.iter().map(move |point| match *point {
            SolePoint::Vertex { mesh, vertex } => rig.meshes[mesh].skin_vertex(vertex, model_from_joint, floats),
            SolePoint::Offset(offset) => model_from_joint[self.joint].transform_point3(offset),
        })
    }
}
