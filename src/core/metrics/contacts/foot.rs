use super::ContactSettings;
use crate::model::Rig;
use glam::{Affine3A, Vec3};

/// The kind of a foot joint. It selects the height limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FootKind {
    /// Ankle, foot or heel.
    Heel,
    /// Toe or ball, and the paw or hoof at the end of a leg that has no separate foot.
    Toe,
    /// Marked by the user. Uses the limit of the heel.
    Marked,
}

impl FootKind {
    /// The foot is down while its height above ground is below this.
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

/// A joint that can touch the ground.
#[derive(Debug, Clone, PartialEq)]
pub struct Foot {
    /// Index of the joint.
    pub joint: usize,
    /// Kind of the foot.
    pub kind: FootKind,
    /// Points of the sole, never empty. Vertices are spread over the sole so that their convex hull is its outline.
    pub sole: Vec<SolePoint>,
    /// Height of the lowest sole point above ground during contact, metres. It is close to zero on a mesh. Without skin it is the height of
    /// the joint (about 8 cm for an ankle).
    pub rest_height_m: f32,
}

impl Foot {
    /// Positions of the sole points, metres in object space, in the order of [`Self::sole`].
    ///
    /// `model_from_joint` is a pose of the rig and `floats` its float values.
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
