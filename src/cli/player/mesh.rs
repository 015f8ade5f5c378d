use super::morph::PackedMorph;
use super::pack::{deflate, planes, zigzag};
use super::texture::PackedTextures;
use posepress_core::model::{Image, Rig, SkinnedMesh};
use serde::Serialize;

/// The meshes of a rig as one, packed.
pub struct PackedMesh {
    /// Matrices, triangles, positions, joints, normals, colours and weights, one after the other.
    pub packed: Vec<u8>,
    /// Its counts.
    pub row: MeshRow,
    /// Its morph targets.
    pub morph: Option<PackedMorph>,
    /// Its textures. Without them, the colours of vertices are also those of their texels.
    pub textures: Option<PackedTextures>,
}

/// The counts of a mesh, as the script reads them.
#[derive(Debug, Clone, Serialize)]
pub struct MeshRow {
    vertices: usize,
    triangles: usize,
    /// Joint of each matrix.
    palette: Vec<usize>,
}

/// The arrays of a mesh.
#[derive(Default)]
struct Arrays {
    palette: Vec<usize>,
    /// Three rows of four per entry of the palette: `joint_from_mesh` after the scale of the positions.
    matrices: Vec<f32>,
    positions: Vec<u16>,
    normals: Vec<i8>,
    colors: Vec<u8>,
    influences: Vec<u16>,
    weights: Vec<u8>,
    triangles: Vec<u32>,
}

impl PackedMesh {
    /// The meshes of a rig: positions with 16 bits of the mesh's longest side, normals with 16 bits, weights with 8. `None` without a
    /// triangle.
    pub fn of(rig: &Rig) -> Option<Self> {
        let textures = PackedTextures::of(rig);
        let (packed, row) = Arrays::of(rig, textures.is_some());
        (row.triangles > 0).then(|| Self { packed, row, morph: PackedMorph::of(rig), textures })
    }

    /// Leaves out the textures of the rig's meshes. `None` if there are none.
    pub fn leave_out_textures(&mut self, rig: &Rig) -> Option<()> {
        self.textures.take()?;
        (self.packed, self.row) = Arrays::of(rig, false);
        Some(())
    }
}

impl Arrays {
    /// All meshes of a rig, packed.
    fn of(rig: &Rig, is_textured: bool) -> (Vec<u8>, MeshRow) {
        let mut arrays = Self::default();
        rig.meshes.iter().for_each(|mesh| arrays.add(mesh, rig, is_textured));
        let (vertices, triangles) = (arrays.positions.len() / 3, arrays.triangles.len() / 3);
        (deflate(&arrays.bytes()), MeshRow { vertices, triangles, palette: arrays.palette })
    }

    fn add(&mut self, mesh: &SkinnedMesh, rig: &Rig, is_textured: bool) {
        let first_vertex = (self.positions.len() / 3) as u32;
        let first_slot = self.palette.len() as u16;
        let Some((lowest, size)) = bounds(mesh) else { return };
        for slot in &mesh.palette {
            let map = slot.joint_from_mesh;
            let origin = map.transform_point3(lowest.into());
            let columns = [map.matrix3.x_axis * size, map.matrix3.y_axis * size, map.matrix3.z_axis * size];
            for row in 0..3 {
                self.matrices.extend(columns.map(|column| column[row]));
                self.matrices.push(origin[row]);
            }
            self.palette.push(slot.joint);
        }
        for (vertex, position) in mesh.positions.iter().enumerate() {
            let place = |axis: usize| (position[axis] - lowest[axis]) / size;
            self.positions.extend([0, 1, 2].map(|axis| (place(axis) * 65535.0).round() as u16));
            let normal = mesh.normals.get(vertex).map_or([0.0, 1.0, 0.0], |n| [n.x, n.y, n.z]);
            self.normals.extend(octahedral(normal));
            self.colors.extend(color(mesh, vertex, rig, is_textured));
            self.influences.extend(mesh.influences[vertex].map(|slot| slot + first_slot));
            self.weights.extend(whole(mesh.weights[vertex]));
        }
        self.triangles.extend(mesh.triangles.iter().flatten().map(|vertex| vertex + first_vertex));
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.matrices.iter().flat_map(|value| value.to_le_bytes()).collect();
        let before = std::iter::once(&0).chain(&self.triangles);
        let steps = self.triangles.iter().zip(before).map(|(vertex, before)| zigzag(*vertex as i32 - *before as i32));
        bytes.extend(planes(&steps.collect::<Vec<_>>()));
        bytes.extend(self.positions.iter().chain(&self.influences).flat_map(|value| value.to_le_bytes()));
        bytes.extend(self.normals.iter().map(|value| *value as u8));
        bytes.extend(&self.colors);
        bytes.extend(&self.weights);
        bytes
    }
}

/// The lowest corner of a mesh and its longest side. `None` without a vertex.
pub fn bounds(mesh: &SkinnedMesh) -> Option<([f32; 3], f32)> {
    let lowest = mesh.positions.iter().copied().reduce(|a, b| a.min(b))?;
    let highest = mesh.positions.iter().copied().fold(lowest, |a, b| a.max(b));
    Some((lowest.to_array(), (highest - lowest).max_element().max(f32::MIN_POSITIVE)))
}

/// A unit vector on an octahedron that is folded into a square, with 8 bits per side.
fn octahedral([x, y, z]: [f32; 3]) -> [i8; 2] {
    let sum = (x.abs() + y.abs() + z.abs()).max(f32::MIN_POSITIVE);
    let (u, v) = (x / sum, y / sum);
    let fold = |a: f32, b: f32| (1.0 - b.abs()) * if a < 0.0 { -1.0 } else { 1.0 };
    let (u, v) = if z < 0.0 { (fold(u, v), fold(v, u)) } else { (u, v) };
    [u, v].map(|side| (side * 127.0).round() as i8)
}

/// Weights in 255ths, with sum 255.
fn whole(weights: [f32; 4]) -> [u8; 4] {
    let mut parts = weights.map(|weight| (weight.clamp(0.0, 1.0) * 255.0).round() as i32);
    let largest = (0..4).max_by(|a, b| weights[*a].total_cmp(&weights[*b])).unwrap_or(0);
    parts[largest] += 255 - parts.iter().sum::<i32>();
    parts.map(|part| part.clamp(0, 255) as u8)
}

/// The surface's colour at a vertex, sRGB; beside textures, without that of the texel.
fn color(mesh: &SkinnedMesh, vertex: usize, rig: &Rig, is_textured: bool) -> [u8; 3] {
    let material = mesh.material.and_then(|material| rig.materials.get(material));
    let factor = material.map_or([1.0; 4], |material| material.base_color);
    let own = mesh.colors.get(vertex).copied().unwrap_or([1.0; 4]);
    let image = material.filter(|_| !is_textured).and_then(|material| rig.images.get(material.base_color_image?));
    let texel = image.zip(mesh.uvs.get(vertex)).and_then(|(image, uv)| texel(image, uv.x, uv.y)).unwrap_or([255; 3]);
    std::array::from_fn(|part| to_srgb(to_linear(texel[part]) * factor[part] * own[part]))
}

fn texel(image: &Image, u: f32, v: f32) -> Option<[u8; 3]> {
    let at =
        |part: f32, size: u32| ((part.rem_euclid(1.0) * size as f32) as usize).min(size.saturating_sub(1) as usize);
    let place = 4 * (at(v, image.height) * image.width as usize + at(u, image.width));
    image.rgba.get(place..place + 3)?.try_into().ok()
}

fn to_linear(srgb: u8) -> f32 {
    (f32::from(srgb) / 255.0).powf(2.2)
}

fn to_srgb(linear: f32) -> u8 {
    (linear.clamp(0.0, 1.0).powf(1.0 / 2.2) * 255.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_keep_their_sum() {
        for weights in [[0.25; 4], [1.0, 0.0, 0.0, 0.0], [0.334, 0.333, 0.333, 0.0]] {
            assert_eq!(whole(weights).iter().map(|part| u32::from(*part)).sum::<u32>(), 255);
        }
    }

    #[test]
    fn axes_are_corners_and_the_middle_of_the_square() {
        assert_eq!(octahedral([0.0, 0.0, 1.0]), [0, 0]);
        assert_eq!(octahedral([1.0, 0.0, 0.0]), [127, 0]);
        assert_eq!(octahedral([0.0, -1.0, 0.0]), [0, -127]);
        assert_eq!(octahedral([0.0, 0.0, -1.0]).map(i8::abs), [127, 127]);
    }
}
