//! Meshes of a rig, from meshes of a stage.

use super::mesh::{Corner, MeshPrim, Shape, Skin};
use super::rig::RigMap;
use super::{Ask, Budget, Fault, Finding};
use crate::import::normals::smooth_normals;
use crate::import::weights::strongest_four;
use crate::model::{Material, MorphTarget, Rig, SkinJoint, SkinnedMesh};
use glam::{Affine3A, DAffine3, Vec2, Vec3};
use std::collections::HashMap;

/// Adds every mesh that joints move to the rig. `tracks` has the float track of the first shape per mesh.
pub(super) fn add_meshes(
    meshes: &[MeshPrim],
    map: &RigMap,
    tracks: &[Option<usize>],
    budget: &Budget,
    rig: &mut Rig,
    findings: &mut Vec<Finding>,
) -> Result<(), Fault> {
    let mut left_out = Vec::new();
    for (mesh, first_track) in meshes.iter().zip(tracks) {
        let Some(skin) = &mesh.skin else {
            left_out.push(mesh.name.clone());
            continue;
        };
        let at = |fault: Fault| fault.at(format!("mesh '{}'", mesh.name));
        let Some(palette) = palette(skin, map, budget).map_err(at)? else { continue };
        let shown = Shown { mesh, skin, palette, map, first_track: *first_track };
        let made = shown.build(budget, findings).map_err(at)?;
        let material = mesh.is_double_sided.then(|| double_sided(rig));
        rig.meshes.push(SkinnedMesh { material, ..made });
    }
    findings.extend(Finding::not_carried(&left_out));
    Ok(())
}

/// Index of the material for meshes that are seen from both sides.
fn double_sided(rig: &mut Rig) -> usize {
    if rig.materials.is_empty() {
        rig.materials.push(Material { name: "double sided".into(), double_sided: true, ..Material::default() });
    }
    0
}

/// The joints of a skin; `None` if its skeleton is not read.
fn palette(skin: &Skin, map: &RigMap, budget: &Budget) -> Result<Option<Vec<SkinJoint>>, Fault> {
    let Some(figure) = map.figure(skin.skeleton) else { return Ok(None) };
    budget.claim(Ask::Palette, skin.joints.len() as u64)?;
    if skin.joints.len() > usize::from(u16::MAX) {
        return Err(Fault::new(format!("it has {} joints; expected at most {}", skin.joints.len(), u16::MAX)));
    }
    let joint = |&joint: &usize| {
        let joint_from_mesh = DAffine3::from_mat4(figure.bind[joint].inverse() * skin.geom_bind);
        let mut joint_from_mesh: Affine3A = joint_from_mesh.as_affine3a();
        joint_from_mesh.translation *= map.metres;
        let joint_from_mesh = Affine3A::from_scale(Vec3::splat(figure.scale)) * joint_from_mesh;
        SkinJoint { joint: figure.first + joint, joint_from_mesh }
    };
    let palette: Vec<SkinJoint> = skin.joints.iter().map(joint).collect();
    match palette.iter().all(|joint| joint.joint_from_mesh.is_finite()) {
        true => Ok(Some(palette)),
        false => Err(Fault::new("an inverse bind matrix is not finite")),
    }
}

/// A mesh and the joints that move it.
struct Shown<'a> {
    mesh: &'a MeshPrim,
    skin: &'a Skin,
    palette: Vec<SkinJoint>,
    map: &'a RigMap,
    first_track: Option<usize>,
}

/// Vertices of a mesh: corners of faces that agree in everything are one.
#[derive(Default)]
struct Vertices {
    points: Vec<usize>,
    normals: Vec<Option<Vec3>>,
    uvs: Vec<Vec2>,
    colors: Vec<[f32; 4]>,
    triangles: Vec<[u32; 3]>,
    places: HashMap<(usize, [u32; 9]), u32>,
}

impl Shown<'_> {
    fn build(self, budget: &Budget, findings: &mut Vec<Finding>) -> Result<SkinnedMesh, Fault> {
        let vertices = self.vertices()?;
        let (influences, fixes) = self.influences()?;
        findings.extend(fixes.finding(&self.mesh.name));
        let positions: Vec<Vec3> = vertices.points.iter().map(|&p| self.mesh.points[p] * self.map.metres).collect();
        let smooth = smooth_normals(&positions, &vertices.triangles);
        let normal = |(said, smooth): (&Option<Vec3>, Vec3)| said.unwrap_or(smooth).try_normalize().unwrap_or(Vec3::Y);
        Ok(SkinnedMesh {
            name: self.mesh.name.clone(),
            normals: vertices.normals.iter().zip(smooth).map(normal).collect(),
            influences: vertices.points.iter().map(|&point| influences.joints[point]).collect(),
            weights: vertices.points.iter().map(|&point| influences.weights[point]).collect(),
            targets: self.targets(&vertices, budget)?,
            palette: self.palette,
            uvs: vertices.uvs,
            colors: vertices.colors,
            triangles: vertices.triangles,
            positions,
            material: None,
        })
    }

    /// Triangles are fans around the first corner of each face.
    fn vertices(&self) -> Result<Vertices, Fault> {
        let mesh = self.mesh;
        let mut out = Vertices::default();
        let mut first = 0;
        for (face, &count) in mesh.faces.iter().enumerate() {
            let count = usize::try_from(count).unwrap_or(0);
            let corners = mesh.corners.get(first..first + count);
            let corners = corners.ok_or_else(|| Fault::new(format!("face {face} has more corners than the mesh")))?;
            let mut places = Vec::with_capacity(count);
            for (index, &point) in corners.iter().enumerate() {
                let point = usize::try_from(point).ok().filter(|&point| point < mesh.points.len());
                let point = point.ok_or_else(|| {
                    Fault::new(format!("face {face} names a point that is out of range of {}", mesh.points.len()))
                })?;
                places.push(out.place(mesh, Corner { face, point, corner: first + index }));
            }
            first += count;
            for pair in places.get(1..).unwrap_or_default().windows(2) {
                let [a, b] = if mesh.is_left_handed { [pair[1], pair[0]] } else { [pair[0], pair[1]] };
                out.triangles.push([places[0], a, b]);
            }
        }
        Ok(out)
    }

    fn influences(&self) -> Result<(crate::import::weights::Influences, crate::import::weights::WeightFixes), Fault> {
        let skin = self.skin;
        strongest_four(self.mesh.points.len(), self.palette.len(), |point, all| {
            let first = if skin.is_rigid { 0 } else { point * skin.each };
            let pairs = skin.indices[first..][..skin.each].iter().zip(&skin.weights[first..][..skin.each]);
            all.extend(pairs.map(|(&joint, &weight)| (u32::try_from(joint).unwrap_or(u32::MAX), weight)));
        })
    }

    fn targets(&self, vertices: &Vertices, budget: &Budget) -> Result<Vec<MorphTarget>, Fault> {
        let Some(first_track) = self.first_track else { return Ok(Vec::new()) };
        let all = self.mesh.shapes.iter().enumerate();
        all.map(|(index, shape)| {
            budget.claim(Ask::Offsets, vertices.points.len() as u64)?;
            let offsets = self.offsets(shape, &shape.offsets)?;
            let positions = vertices.points.iter().map(|&p| offsets[p] * self.map.metres).collect();
            let normals = match shape.normals.is_empty() {
                true => Vec::new(),
                false => {
                    let offsets = self.offsets(shape, &shape.normals)?;
                    vertices.points.iter().map(|&point| offsets[point]).collect()
                }
            };
            Ok(MorphTarget { name: shape.name.clone(), float_track: first_track + index, positions, normals })
        })
        .collect()
    }

    /// The offset of every point. Only points that a shape moves stand in it.
    fn offsets(&self, shape: &Shape, offsets: &[Vec3]) -> Result<Vec<Vec3>, Fault> {
        let points = self.mesh.points.len();
        let count = shape.points.as_ref().map_or(points, Vec::len);
        if offsets.len() != count || offsets.iter().any(|offset| !offset.is_finite()) {
            let what =
                format!("the shape '{}' has {} offsets; expected {count}, all finite", shape.name, offsets.len());
            return Err(Fault::new(what));
        }
        let Some(moved) = &shape.points else { return Ok(offsets.to_vec()) };
        let mut all = vec![Vec3::ZERO; points];
        for (&point, &offset) in moved.iter().zip(offsets) {
            let place = usize::try_from(point).ok().and_then(|point| all.get_mut(point));
            *place
                .ok_or_else(|| Fault::new(format!("the shape '{}' moves point {point} of {points}", shape.name)))? =
                offset;
        }
        Ok(all)
    }
}

impl Vertices {
    fn place(&mut self, mesh: &MeshPrim, corner: Corner) -> u32 {
        let normal = mesh.normals.as_ref().and_then(|normals| normals.at(corner)).filter(|n| n.is_finite());
        // USD counts texture rows from the bottom.
        let uv = mesh.uvs.as_ref().and_then(|uvs| uvs.at(corner)).map_or(Vec2::ZERO, |uv| Vec2::new(uv.x, 1.0 - uv.y));
        let [r, g, b] =
            mesh.colors.as_ref().and_then(|colors| colors.at(corner)).map_or([1.0; 3], |color| color.to_array());
        let n = normal.unwrap_or(Vec3::ZERO);
        let look = [n.x, n.y, n.z, uv.x, uv.y, r, g, b, 1.0].map(f32::to_bits);
        let next = self.points.len() as u32;
        let place = *self.places.entry((corner.point, look)).or_insert(next);
        if place == next {
            self.points.push(corner.point);
            self.normals.push(normal);
            self.uvs.push(uv);
            self.colors.push([r, g, b, 1.0]);
        }
        place
    }
}
