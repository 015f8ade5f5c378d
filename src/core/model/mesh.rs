use super::{Human, JointConstraints, Skeleton};
use glam::{Affine3A, Vec2, Vec3};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A joint that moves vertices, with the map from mesh space to it in the bind pose.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SkinJoint {
    /// Index into the skeleton.
    pub joint: usize,
    /// Inverse bind matrix: `joint_from_mesh`.
    pub joint_from_mesh: Affine3A,
}

/// Offsets of every vertex, blended in by a float track.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MorphTarget {
    /// Name in the source.
    pub name: String,
    /// Index of the rig's float track that is its weight.
    pub float_track: usize,
    /// Offsets in mesh space, metres, one per vertex.
    #[serde(with = "super::bytes")]
    pub positions: Vec<Vec3>,
    /// Offsets of normals, one per vertex, or empty.
    #[serde(with = "super::bytes")]
    pub normals: Vec<Vec3>,
}

/// Triangles moved by joints. A rigid mesh is one whose vertices all follow one joint.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SkinnedMesh {
    /// Name in the source.
    pub name: String,
    /// The joints that `influences` index.
    pub palette: Vec<SkinJoint>,
    /// Metres in mesh space.
    #[serde(with = "super::bytes")]
    pub positions: Vec<Vec3>,
    /// Unit normals, one per vertex.
    #[serde(with = "super::bytes")]
    pub normals: Vec<Vec3>,
    /// Texture coordinates, one per vertex; zero if the source has none.
    #[serde(with = "super::bytes")]
    pub uvs: Vec<Vec2>,
    /// Linear RGBA, one per vertex; white if the source has none.
    #[serde(with = "super::bytes")]
    pub colors: Vec<[f32; 4]>,
    /// Four palette indices per vertex.
    #[serde(with = "super::bytes")]
    pub influences: Vec<[u16; 4]>,
    /// Four weights per vertex with sum 1.
    #[serde(with = "super::bytes")]
    pub weights: Vec<[f32; 4]>,
    /// Vertex indices, counter-clockwise seen from outside.
    #[serde(with = "super::bytes")]
    pub triangles: Vec<[u32; 3]>,
    /// Blend shapes.
    pub targets: Vec<MorphTarget>,
    /// Index into the rig's materials.
    pub material: Option<usize>,
}

impl SkinnedMesh {
    /// Skins one vertex: `sum_i w_i M_i B_i v`, with morph targets added first.
    pub fn skin_vertex(&self, vertex: usize, model_from_joint: &[Affine3A], floats: &[f32]) -> Vec3 {
        let local = self.morphed(vertex, floats);
        let (influences, weights) = (self.influences[vertex], self.weights[vertex]);
        (0..4)
            .filter(|&i| weights[i] > 0.0)
            .map(|i| {
                let skin = &self.palette[usize::from(influences[i])];
                let bound = skin.joint_from_mesh.transform_point3(local);
                model_from_joint[skin.joint].transform_point3(bound) * weights[i]
            })
            .sum()
    }

    /// Skinned unit normal of a vertex; zero if the source has none. It ignores morph targets.
    pub fn skin_normal(&self, vertex: usize, model_from_joint: &[Affine3A]) -> Vec3 {
        let local = self.normals.get(vertex).copied().unwrap_or_default();
        let (influences, weights) = (self.influences[vertex], self.weights[vertex]);
        let blended: Vec3 = (0..4)
            .filter(|&i| weights[i] > 0.0)
            .map(|i| {
                let skin = &self.palette[usize::from(influences[i])];
                let bound = skin.joint_from_mesh.transform_vector3(local);
                model_from_joint[skin.joint].transform_vector3(bound) * weights[i]
            })
            .sum();
        blended.normalize_or_zero()
    }

    /// The joints that move a vertex.
    pub fn joints_of(&self, vertex: usize) -> impl Iterator<Item = usize> + '_ {
        let influences = self.influences[vertex].iter().zip(self.weights[vertex]);
        influences.filter(|(_, weight)| *weight > 0.0).map(|(slot, _)| self.palette[usize::from(*slot)].joint)
    }

    /// Position of a vertex in mesh space after its morph targets.
    pub fn morphed(&self, vertex: usize, floats: &[f32]) -> Vec3 {
        self.targets.iter().fold(self.positions[vertex], |p, target| {
            let weight = floats.get(target.float_track).copied().unwrap_or(0.0);
            if weight == 0.0 { p } else { p + target.positions[vertex] * weight }
        })
    }
}

/// A surface material, in the terms of glTF.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// Name in the source.
    pub name: String,
    /// Linear RGBA factor.
    pub base_color: [f32; 4],
    /// Index into the rig's images.
    pub base_color_image: Option<usize>,
    /// Use of alpha.
    pub alpha: Alpha,
    /// Normal map in tangent space: index into the rig's images, and scale.
    pub normal_image: Option<(usize, f32)>,
    /// Emitted light, linear RGB.
    pub emissive: [f32; 3],
    /// Index into the rig's images.
    pub emissive_image: Option<usize>,
    /// True to draw both sides.
    pub double_sided: bool,
}

impl Default for Material {
    /// A white, opaque surface.
    fn default() -> Self {
        Self {
            name: String::new(),
            base_color: [1.0; 4],
            base_color_image: None,
            alpha: Alpha::Opaque,
            normal_image: None,
            emissive: [0.0; 3],
            emissive_image: None,
            double_sided: false,
        }
    }
}

/// Use of a surface's alpha.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub enum Alpha {
    /// Ignored.
    #[default]
    Opaque,
    /// Pixels below this alpha are cut out.
    Mask(f32),
    /// Alpha is opacity.
    Blend,
}

/// A texture with 8 bits per channel: sRGB, or linear for normal maps.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Image {
    /// Width, pixels.
    pub width: u32,
    /// Height, pixels.
    pub height: u32,
    /// `width x height x 4` bytes, row by row from the top.
    #[serde(with = "serde_bytes")]
    pub rgba: Vec<u8>,
}

impl std::fmt::Debug for Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Image {} x {}", self.width, self.height)
    }
}

/// A point fixed to a joint, such as a BVH end site. It is drawn as the end of a bone and used as a toe tip, and is never compressed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Tip {
    /// The joint that carries it.
    pub joint: usize,
    /// Metres in the joint's space.
    pub offset: Vec3,
}

/// A character: joints and meshes. Y is up, lengths are metres.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rig {
    /// File stem or the source's own name.
    pub name: String,
    /// The joints.
    pub skeleton: Skeleton,
    /// The meshes. Without any, bones are drawn.
    pub meshes: Vec<SkinnedMesh>,
    /// Surfaces of the meshes.
    pub materials: Vec<Material>,
    /// Textures of the materials. Messages and digests of rigs leave them out: nothing is measured of them.
    #[serde(skip)]
    pub images: Vec<Image>,
    /// Bone ends that are not joints.
    pub tips: Vec<Tip>,
    /// Names of the float tracks that every clip of this rig carries.
    pub float_names: Vec<String>,
    /// The humanoid bones, if the file names them.
    pub human: Option<Human>,
    /// Constraints between joints.
    pub constraints: Arc<JointConstraints>,
}

impl Rig {
    /// A vertex with a smaller weight counts as nearer to the joint, in proportion to its weight. So a vertex that a joint hardly moves
    /// does not enlarge the joint's reach.
    pub const REACH_WEIGHT: f32 = 0.1;
    /// Factor on the weight of such vertices. A point at the shell's distance can have almost three times the shell error. With this
    /// factor, the joint's weighted part in the vertex's error stays below the shell error.
    const LIGHT_TIMES: f32 = 3.0;

    /// A rig of joints only.
    pub fn from_skeleton(name: impl Into<String>, skeleton: Skeleton) -> Self {
        Self {
            name: name.into(),
            skeleton,
            meshes: Vec::new(),
            materials: Vec::new(),
            images: Vec::new(),
            tips: Vec::new(),
            float_names: Vec::new(),
            human: None,
            constraints: Arc::default(),
        }
    }

    /// Distance from each joint to its farthest vertex in the bind pose, in the joint's units (metres without scale); 0 without vertices. A
    /// vertex with a weight below [`Self::REACH_WEIGHT`] counts as nearer, in proportion to its weight.
    pub fn reach_m(&self) -> Vec<f32> {
        let mut reach_m = vec![0.0f32; self.skeleton.len()];
        for mesh in &self.meshes {
            for (vertex, (influences, weights)) in mesh.positions.iter().zip(mesh.influences.iter().zip(&mesh.weights))
            {
                for (influence, weight) in influences.iter().zip(weights).filter(|(_, w)| **w > 0.0) {
                    let skin = &mesh.palette[usize::from(*influence)];
                    let distance_m = skin.joint_from_mesh.transform_point3(*vertex).length();
                    let counts = if *weight < Self::REACH_WEIGHT { weight * Self::LIGHT_TIMES } else { 1.0 };
                    reach_m[skin.joint] = reach_m[skin.joint].max(distance_m * counts);
                }
            }
        }
        reach_m
    }

    /// Vertices of all meshes.
    pub fn vertex_count(&self) -> usize {
        self.meshes.iter().map(|m| m.positions.len()).sum()
    }
}
