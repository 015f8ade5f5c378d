use super::morph::{FloatTracks, shape_name};
use super::numbers::{affine, vec3};
use super::{Ask, Budget, Fault, Finding, JointMap, nodes};
use crate::import::weights::{Influences, strongest_four};
use crate::model::{MorphTarget, Rig, SkinJoint, SkinnedMesh};
use crate::text;
use glam::{Vec2, Vec3};
use std::collections::HashMap;
use ufbx::{Mesh, Node, Scene, SkinDeformer, SkinningMethod};

/// Adds every mesh that joints move to the rig, split by material.
pub(super) fn read_meshes(
    scene: &Scene,
    joints: &JointMap,
    floats: &FloatTracks,
    budget: &Budget,
    rig: &mut Rig,
    findings: &mut Vec<Finding>,
) -> Result<(), Fault> {
    let mut left_out = Vec::new();
    for node in &scene.nodes {
        let Some(mesh) = &node.mesh else { continue };
        let shown = Shown { scene, joints, floats, node, mesh };
        let at = |fault: Fault| fault.at(format!("mesh '{}'", nodes::name(node)));
        match shown.binding(budget).map_err(at)? {
            Some(binding) => rig.meshes.extend(shown.read(&binding, budget, findings).map_err(at)?),
            None => left_out.push(nodes::name(node)),
        }
    }
    findings.extend(Finding::not_carried(&left_out));
    Ok(())
}

/// A mesh and the node that shows it.
struct Shown<'a> {
    scene: &'a Scene,
    joints: &'a JointMap,
    floats: &'a FloatTracks,
    node: &'a Node,
    mesh: &'a Mesh,
}

/// The joints that move a mesh.
struct Binding<'a> {
    palette: Vec<SkinJoint>,
    skin: Option<&'a SkinDeformer>,
    /// Palette index of the joint that moves the node. Vertices without weights follow it.
    carrier: Option<u32>,
}

/// A corner of a face: its vertex in the file, and the bits of its normal, texture coordinates and colour.
type Corner = (u32, [u32; 9]);

/// The part of a mesh with one material. Corners share a vertex if their vertex in the file, normal, texture coordinates and colour agree.
#[derive(Default)]
struct Part {
    corners: Vec<u32>,
    sources: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    places: HashMap<Corner, u32>,
}

impl<'a> Shown<'a> {
    fn binding(&self, budget: &Budget) -> Result<Option<Binding<'a>>, Fault> {
        let skin = self.mesh.skin_deformers.first().filter(|skin| !skin.clusters.is_empty()).map(|skin| &**skin);
        let clusters = skin.map_or(0, |skin| skin.clusters.len());
        budget.claim(Ask::Palette, clusters as u64 + 1)?;
        let mut palette = Vec::with_capacity(clusters + 1);
        for cluster in skin.iter().flat_map(|skin| &skin.clusters) {
            let joint = cluster.bone_node.as_ref().and_then(|bone| self.joints.of_node[nodes::id(bone)]);
            let joint = joint.ok_or_else(|| Fault::new("its skin names a bone that is not in the scene"))?;
            palette.push(self.joints.skin_joint(joint, affine(&cluster.geometry_to_bone)));
        }
        let carrier = self.joints.carrier(self.scene, nodes::id(self.node)).map(|(joint, joint_from_node)| {
            palette.push(self.joints.skin_joint(joint, joint_from_node * affine(&self.node.geometry_to_node)));
            palette.len() as u32 - 1
        });
        match palette.iter().all(|joint| joint.joint_from_mesh.is_finite()) {
            true if palette.is_empty() => Ok(None),
            true if palette.len() > usize::from(u16::MAX) => {
                Err(Fault::new(format!("it has {} joints; expected at most {}", palette.len(), u16::MAX)))
            }
            true => Ok(Some(Binding { palette, skin, carrier })),
            false => Err(Fault::new("an inverse bind matrix is not finite")),
        }
    }

    fn read(
        &self,
        binding: &Binding<'_>,
        budget: &Budget,
        findings: &mut Vec<Finding>,
    ) -> Result<Vec<SkinnedMesh>, Fault> {
        let name = nodes::name(self.node);
        budget.claim(Ask::Vertices, (self.mesh.num_indices as u64).max(1))?;
        let (influences, fixes) = self.influences(binding)?;
        findings.extend(fixes.finding(&name));
        findings.extend(self.skinning(&name));
        let mut meshes = Vec::new();
        for material in &self.mesh.material_parts {
            let part = self.part(&material.face_indices)?;
            if part.triangles.is_empty() {
                continue;
            }
            let name = if meshes.is_empty() { name.clone() } else { format!("{name}.{}", meshes.len()) };
            let material = self.node.materials.get(material.index as usize).map(|m| m.element.typed_id as usize);
            meshes.push(self.mesh_of(&part, name, material, &binding.palette, &influences, budget)?);
        }
        Ok(meshes)
    }

    /// Joints and weights per vertex of the file.
    fn influences(&self, binding: &Binding<'_>) -> Result<(Influences, crate::import::weights::WeightFixes), Fault> {
        let of_carrier = |all: &mut Vec<(u32, f32)>| all.extend(binding.carrier.map(|joint| (joint, 1.0)));
        strongest_four(self.mesh.num_vertices, binding.palette.len(), |vertex, all| {
            let Some(skin) = binding.skin else { return of_carrier(all) };
            let vertex = skin.vertices.get(vertex);
            let first = vertex.map_or(0, |v| v.weight_begin as usize);
            let weights = skin.weights.iter().skip(first).take(vertex.map_or(0, |v| v.num_weights as usize));
            all.extend(weights.map(|weight| (weight.cluster_index, weight.weight as f32)));
            if all.is_empty() {
                of_carrier(all);
            }
        })
    }

    fn skinning(&self, name: &str) -> Option<Finding> {
        let [skin, more @ ..] = self.mesh.skin_deformers.as_ref() else { return None };
        let dual = matches!(skin.skinning_method, SkinningMethod::DualQuaternion | SkinningMethod::BlendedDqLinear);
        let what = match (more.len(), dual) {
            (0, false) => return None,
            (0, true) => "its skin blends dual quaternions".to_owned(),
            (more, _) => format!("it has {} in addition to the first", text::count(more, "skin")),
        };
        Some(Finding::warning(
            name,
            what,
            "It is shown with the first skin, blended linearly: twisted limbs may look thinner.",
        ))
    }

    /// The triangles of faces, with their vertices.
    fn part(&self, faces: &[u32]) -> Result<Part, Fault> {
        let mut part = Part::default();
        let mut corners = vec![0; self.mesh.max_face_triangles * 3];
        for &face in faces {
            let face =
                self.mesh.faces.get(face as usize).ok_or_else(|| Fault::new(format!("it has no face {face}")))?;
            if face.num_indices < 3 {
                continue; // points and lines are not shown
            }
            let triangles = ufbx::triangulate_face(&mut corners, self.mesh, *face) as usize;
            for triangle in corners[..triangles * 3].as_chunks::<3>().0 {
                let triangle = triangle.map(|corner| self.place(&mut part, corner));
                part.triangles.push(triangle);
            }
        }
        Ok(part)
    }

    fn place(&self, part: &mut Part, corner: u32) -> u32 {
        let index = corner as usize;
        let source = self.mesh.vertex_indices[index];
        let (normal, uv, color) = (self.normal(index), self.uv(index), self.color(index));
        let look = [normal.x, normal.y, normal.z, uv.x, uv.y, color[0], color[1], color[2], color[3]].map(f32::to_bits);
        let next = part.corners.len() as u32;
        let place = *part.places.entry((source, look)).or_insert(next);
        if place == next {
            part.corners.push(corner);
            part.sources.push(source);
        }
        place
    }

    fn normal(&self, corner: usize) -> Vec3 {
        let normals = &self.mesh.vertex_normal;
        if normals.exists { vec3(normals[corner]).try_normalize().unwrap_or(Vec3::Y) } else { Vec3::Y }
    }

    /// FBX counts texture rows from the bottom.
    fn uv(&self, corner: usize) -> Vec2 {
        let uvs = &self.mesh.vertex_uv;
        if uvs.exists { Vec2::new(uvs[corner].x as f32, 1.0 - uvs[corner].y as f32) } else { Vec2::ZERO }
    }

    fn color(&self, corner: usize) -> [f32; 4] {
        let colors = &self.mesh.vertex_color;
        if !colors.exists {
            return [1.0; 4];
        }
        let color = &colors[corner];
        [color.x as f32, color.y as f32, color.z as f32, color.w as f32]
    }

    fn mesh_of(
        &self,
        part: &Part,
        name: String,
        material: Option<usize>,
        palette: &[SkinJoint],
        influences: &Influences,
        budget: &Budget,
    ) -> Result<SkinnedMesh, Fault> {
        let sources = || part.sources.iter().map(|&source| source as usize);
        let corners = || part.corners.iter().map(|&corner| corner as usize);
        let positions: Vec<Vec3> = sources().map(|source| vec3(self.mesh.vertices[source])).collect();
        if let Some(bad) = positions.iter().position(|p| !p.is_finite()) {
            return Err(Fault::new(format!("the position of vertex {} is not a finite number", part.sources[bad])));
        }
        Ok(SkinnedMesh {
            targets: self.targets(part, budget)?,
            normals: corners().map(|corner| self.normal(corner)).collect(),
            uvs: corners().map(|corner| self.uv(corner)).collect(),
            colors: corners().map(|corner| self.color(corner)).collect(),
            influences: sources().map(|source| influences.joints[source]).collect(),
            weights: sources().map(|source| influences.weights[source]).collect(),
            triangles: part.triangles.clone(),
            palette: palette.to_vec(),
            name,
            material,
            positions,
        })
    }

    /// The blend shapes. The file lists only the vertices that move, so all other offsets are zero.
    fn targets(&self, part: &Part, budget: &Budget) -> Result<Vec<MorphTarget>, Fault> {
        let mut targets = Vec::new();
        for channel in self.mesh.blend_deformers.iter().flat_map(|deformer| &deformer.channels) {
            let Some(first_track) = self.floats.of_channel(channel) else { continue };
            budget.claim(Ask::Offsets, (channel.keyframes.len() as u64).saturating_mul(part.sources.len() as u64))?;
            for (index, key) in channel.keyframes.iter().enumerate() {
                let offsets = &key.shape.position_offsets;
                let moved: HashMap<u32, Vec3> = key
                    .shape
                    .offset_vertices
                    .iter()
                    .zip(offsets)
                    .map(|(&vertex, &offset)| (vertex, vec3(offset)))
                    .collect();
                let positions: Vec<Vec3> =
                    part.sources.iter().map(|source| moved.get(source).copied().unwrap_or(Vec3::ZERO)).collect();
                let name = shape_name(channel, index);
                if positions.iter().any(|offset| !offset.is_finite()) {
                    return Err(Fault::new("an offset is not a finite number").at(format!("blend shape '{name}'")));
                }
                targets.push(MorphTarget { name, float_track: first_track + index, positions, normals: Vec::new() });
            }
        }
        Ok(targets)
    }
}
