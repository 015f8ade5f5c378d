use super::accessor::Reader;
use super::material::TextureMapping;
use super::mesh::Binding;
use super::morph::target_names;
use super::{Ask, Fault, Finding, readable};
use crate::import::normals::smooth_normals;
use crate::import::weights::{Influences, strongest_four};
use crate::model::{MorphTarget, SkinnedMesh};
use glam::{Vec2, Vec3};
use gltf_json as json;
use json::accessor::Type;
use json::mesh::{Mode, Primitive, Semantic};
use json::validation::Checked;

/// Extension for meshes compressed with Draco, which are not supported.
const DRACO: &str = "KHR_draco_mesh_compression";
/// Extension that allows integer attributes that are not fractions.
const QUANTIZED: &str = "KHR_mesh_quantization";

/// One `JOINTS_n` and `WEIGHTS_n`, with four values of each per vertex.
type WeightSet = (Vec<[u32; 4]>, Vec<[f32; 4]>);

/// A mesh and the node that shows it.
#[derive(Debug)]
pub(super) struct Shown<'a> {
    pub mesh: &'a json::Mesh,
    /// Index of the mesh in the document.
    pub index: usize,
    pub name: String,
    pub binding: Binding,
    /// Float track of its first morph target.
    pub first_track: Option<usize>,
}

/// Reads the primitives of meshes.
#[derive(Debug)]
pub(super) struct Primitives<'a> {
    pub reader: &'a Reader<'a>,
    pub metres: f32,
    pub findings: &'a mut Vec<Finding>,
}

impl Primitives<'_> {
    /// Reads one skinned mesh per primitive. Primitives that cannot be shown are skipped with a finding.
    pub fn read(&mut self, shown: &Shown<'_>) -> Result<Vec<SkinnedMesh>, Fault> {
        let targets = shown.mesh.primitives.iter().filter_map(|p| p.targets.as_ref()).map(Vec::len).max();
        let target_names = target_names(shown.mesh, targets.unwrap_or(0));
        let mut meshes = Vec::new();
        for (index, primitive) in shown.mesh.primitives.iter().enumerate() {
            let name = if index == 0 { shown.name.clone() } else { format!("{}.{index}", shown.name) };
            let in_file = shown.mesh.name.as_deref().map_or(shown.name.clone(), readable);
            let place = format!("mesh {} '{in_file}', primitive {index}", shown.index);
            let mesh = self.read_one(shown, primitive, name, &target_names).map_err(|f| f.at(place))?;
            meshes.extend(mesh);
        }
        Ok(meshes)
    }

    fn read_one(
        &mut self,
        shown: &Shown<'_>,
        primitive: &Primitive,
        name: String,
        target_names: &[String],
    ) -> Result<Option<SkinnedMesh>, Fault> {
        let position = attribute(primitive, Semantic::Positions);
        let vertices = position.map_or(Ok(0), |accessor| self.reader.count(accessor))?;
        self.reader.budget().claim(Ask::Vertices, vertices.max(1))?;
        if primitive.extensions.as_ref().is_some_and(|all| all.others.contains_key(DRACO)) {
            let what = "a part is compressed with Draco, which is not supported";
            let meaning =
                "It was skipped. Joints and clips are not affected. To see it, export without mesh compression.";
            self.findings.push(Finding::warning(name, what, meaning));
            return Ok(None);
        }
        let triangles =
            matches!(primitive.mode, Checked::Valid(Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan));
        let Some(position) = position.filter(|_| triangles) else {
            let what = if triangles { "a part has no positions" } else { "a part is drawn as points or lines" };
            self.findings.push(Finding::warning(name, what, "It was left out: only triangles are shown."));
            return Ok(None);
        };
        let positions = self.vectors(position)?;
        if let Some(bad) = positions.iter().position(|p| !p.is_finite()) {
            return Err(Fault::new(format!("the position of vertex {bad} is not a finite number")));
        }
        let mut triangles = self.triangles(primitive, positions.len())?;
        let (palette, influences) = self.influences(shown, primitive, positions.len(), &name)?;
        if let Binding::Rigid(joint) = &shown.binding
            && joint.joint_from_mesh.matrix3.determinant() < 0.0
        {
            // A mirroring node turns triangles inside out; glTF 2.0, section 3.7.4.
            triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
        Ok(Some(SkinnedMesh {
            normals: self.normals(primitive, &positions, &triangles)?,
            uvs: self.uvs(primitive, positions.len())?,
            colors: self.colors(primitive, positions.len())?,
            targets: self.targets(shown, primitive, target_names, positions.len())?,
            material: self.material(primitive)?,
            influences: influences.joints,
            weights: influences.weights,
            name,
            palette,
            positions,
            triangles,
        }))
    }

    /// Vectors in metres, one per vertex.
    fn vectors(&self, accessor: json::Index<json::Accessor>) -> Result<Vec<Vec3>, Fault> {
        let numbers = self.reader.floats(accessor, Type::Vec3, false)?;
        Ok(numbers.as_chunks::<3>().0.iter().map(|&v| Vec3::from(v) * self.metres).collect())
    }

    fn triangles(&mut self, primitive: &Primitive, vertices: usize) -> Result<Vec<[u32; 3]>, Fault> {
        let indices: Vec<u32> = match primitive.indices {
            Some(accessor) => self.reader.integers(accessor, Type::Scalar)?,
            None => (0..u32::try_from(vertices).unwrap_or(u32::MAX)).collect(),
        };
        if let Some(bad) = indices.iter().find(|&&i| i as usize >= vertices) {
            return Err(Fault::new(format!("vertex index {bad} is out of range; it has {vertices} vertices")));
        }
        let windows = indices.windows(3);
        Ok(match primitive.mode {
            Checked::Valid(Mode::TriangleStrip) => {
                // Every second triangle of a strip has the opposite winding.
                let turn = |(i, w): (usize, &[u32])| if i % 2 == 0 { [w[0], w[1], w[2]] } else { [w[0], w[2], w[1]] };
                windows.enumerate().map(turn).collect()
            }
            Checked::Valid(Mode::TriangleFan) => {
                indices.get(1..).unwrap_or_default().windows(2).map(|w| [w[0], w[1], indices[0]]).collect()
            }
            _ => indices.as_chunks::<3>().0.to_vec(),
        })
    }

    fn influences(
        &mut self,
        shown: &Shown<'_>,
        primitive: &Primitive,
        vertices: usize,
        name: &str,
    ) -> Result<(Vec<crate::model::SkinJoint>, Influences), Fault> {
        let palette = match &shown.binding {
            Binding::Rigid(joint) => return Ok((vec![*joint], Influences::rigid(vertices))),
            Binding::Skin(palette) => {
                self.reader.budget().claim(Ask::Palette, palette.len() as u64)?;
                palette.clone()
            }
        };
        let mut sets: Vec<WeightSet> = Vec::new();
        for set in 0.. {
            let joints = attribute(primitive, Semantic::Joints(set));
            let (Some(joints), Some(weights)) = (joints, attribute(primitive, Semantic::Weights(set))) else { break };
            let joints = self.reader.integers(joints, Type::Vec4)?.as_chunks::<4>().0.to_vec();
            let weights = self.reader.floats(weights, Type::Vec4, true)?.as_chunks::<4>().0.to_vec();
            check_count(&format!("JOINTS_{set}"), joints.len(), vertices)?;
            check_count(&format!("WEIGHTS_{set}"), weights.len(), vertices)?;
            sets.push((joints, weights));
        }
        let influences_of = |vertex: usize, all: &mut Vec<(u32, f32)>| {
            sets.iter().for_each(|(joints, weights)| all.extend(joints[vertex].into_iter().zip(weights[vertex])));
        };
        let (influences, fixes) = strongest_four(vertices, palette.len(), influences_of)?;
        self.findings.extend(fixes.finding(name));
        Ok((palette, influences))
    }

    fn normals(&self, primitive: &Primitive, positions: &[Vec3], triangles: &[[u32; 3]]) -> Result<Vec<Vec3>, Fault> {
        let normals: Vec<Vec3> = match attribute(primitive, Semantic::Normals) {
            Some(accessor) => {
                let numbers = self.reader.floats(accessor, Type::Vec3, false)?;
                numbers.as_chunks::<3>().0.iter().map(|&n| Vec3::from(n)).collect()
            }
            None => smooth_normals(positions, triangles),
        };
        check_count("NORMAL", normals.len(), positions.len())?;
        Ok(normals.into_iter().map(|n| n.try_normalize().unwrap_or(Vec3::Y)).collect())
    }

    fn uvs(&self, primitive: &Primitive, vertices: usize) -> Result<Vec<Vec2>, Fault> {
        let material = primitive.material.and_then(|m| self.reader.root().materials.get(m.value()));
        let TextureMapping { set, placed } = TextureMapping::of(material);
        let Some(accessor) = attribute(primitive, Semantic::TexCoords(set)) else {
            return Ok(vec![Vec2::ZERO; vertices]);
        };
        // Integers are fractions. With KHR_mesh_quantization they may be plain numbers, which a texture transform scales.
        let quantized = self.reader.root().extensions_used.iter().any(|name| name == QUANTIZED);
        let numbers = self.reader.floats(accessor, Type::Vec2, !quantized)?;
        let uvs: Vec<Vec2> = numbers.as_chunks::<2>().0.iter().map(|&uv| placed.transform_point2(uv.into())).collect();
        check_count(&format!("TEXCOORD_{set}"), uvs.len(), vertices)?;
        Ok(uvs)
    }

    fn colors(&self, primitive: &Primitive, vertices: usize) -> Result<Vec<[f32; 4]>, Fault> {
        let Some(accessor) = attribute(primitive, Semantic::Colors(0)) else {
            return Ok(vec![[1.0; 4]; vertices]);
        };
        let shape = self.reader.shape(accessor)?;
        let colors: Vec<[f32; 4]> = if shape == Type::Vec3 {
            let numbers = self.reader.floats(accessor, shape, true)?;
            numbers.as_chunks::<3>().0.iter().map(|&[r, g, b]| [r, g, b, 1.0]).collect()
        } else {
            self.reader.floats(accessor, Type::Vec4, true)?.as_chunks::<4>().0.to_vec()
        };
        check_count("COLOR_0", colors.len(), vertices)?;
        Ok(colors)
    }

    fn targets(
        &self,
        shown: &Shown<'_>,
        primitive: &Primitive,
        names: &[String],
        vertices: usize,
    ) -> Result<Vec<MorphTarget>, Fault> {
        let (Some(targets), Some(first_track)) = (&primitive.targets, shown.first_track) else {
            return Ok(Vec::new());
        };
        self.reader.budget().claim(Ask::Offsets, (targets.len() as u64).saturating_mul(vertices as u64))?;
        let mut out = Vec::with_capacity(targets.len());
        for (index, (target, name)) in targets.iter().zip(names).enumerate() {
            let positions = match target.positions {
                Some(accessor) => self.vectors(accessor)?,
                None => vec![Vec3::ZERO; vertices],
            };
            let normals: Vec<Vec3> = match target.normals {
                Some(accessor) => {
                    let numbers = self.reader.floats(accessor, Type::Vec3, false)?;
                    numbers.as_chunks::<3>().0.iter().map(|&n| Vec3::from(n)).collect()
                }
                None => Vec::new(),
            };
            let at = |fault: Fault| fault.at(format!("morph target {index}"));
            check_count("POSITION", positions.len(), vertices).map_err(at)?;
            if !normals.is_empty() {
                check_count("NORMAL", normals.len(), vertices).map_err(at)?;
            }
            if positions.iter().chain(&normals).any(|v| !v.is_finite()) {
                return Err(at(Fault::new("an offset is not a finite number")));
            }
            out.push(MorphTarget { name: name.clone(), float_track: first_track + index, positions, normals });
        }
        Ok(out)
    }

    fn material(&self, primitive: &Primitive) -> Result<Option<usize>, Fault> {
        let Some(index) = primitive.material else { return Ok(None) };
        super::get(&self.reader.root().materials, index, "material").map(|_| Some(index.value()))
    }
}

fn attribute(primitive: &Primitive, semantic: Semantic) -> Option<json::Index<json::Accessor>> {
    primitive.attributes.get(&Checked::Valid(semantic)).copied()
}

fn check_count(what: &str, found: usize, expected: usize) -> Result<(), Fault> {
    if found == expected {
        return Ok(());
    }
    Err(Fault::new(format!("{what} has {found} values for {expected} vertices")))
}
