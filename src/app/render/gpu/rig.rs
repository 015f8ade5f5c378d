use super::buffers::fixed;
use super::capsule::{self, BoneInstance};
use super::memory::{self, GpuRefusal};
use super::pipelines::Pipelines;
use super::texture::{self, Texels};
use super::view_data::{Rows, rows};
use crate::render::ViewScene;
use posepress_core::model::{Alpha, Bone, Image, Material, Rig, SkinnedMesh, bones};
use std::collections::HashMap;
use std::sync::{Arc, Weak};

/// GPU data of a rig. It is written once and drawn with any pose.
#[derive(Debug)]
pub(super) struct RigGpu {
    pub meshes: Vec<MeshGpu>,
    /// Capsules, for a rig without meshes.
    pub capsules: Option<CapsulesGpu>,
    pub bones: Vec<Bone>,
    /// Largest distance of a vertex or bone tip from the joint that moves it most, in the bind pose.
    pub reach_m: f32,
}

/// One mesh.
#[derive(Debug)]
pub(super) struct MeshGpu {
    /// Name by which it is shown or hidden.
    pub name: String,
    pub vertices: wgpu::Buffer,
    pub vertex_count: u32,
    pub indices: wgpu::Buffer,
    pub index_count: u32,
    pub double_sided: bool,
    pub bind_group: wgpu::BindGroup,
}

/// The bones of a rig without meshes, as instances of one capsule.
#[derive(Debug)]
pub(super) struct CapsulesGpu {
    pub vertices: wgpu::Buffer,
    pub indices: wgpu::Buffer,
    pub index_count: u32,
    bones: Vec<BoneInstance>,
    /// The bones of each character of the largest crowd so far.
    pub instances: wgpu::Buffer,
    members: u32,
}

/// A vertex as the shaders read it: 18 words.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Vertex {
    position: [f32; 3],
    normal: [f32; 3],
    uv: [f32; 2],
    color: [f32; 4],
    influences: [u16; 4],
    weights: [f32; 4],
}

pub(super) const VERTEX_BYTES: u64 = size_of::<Vertex>() as u64;

pub(super) const VERTEX_ATTRIBUTES: [wgpu::VertexAttribute; 6] = wgpu::vertex_attr_array![
    0 => Float32x3, 1 => Float32x3, 2 => Float32x2, 3 => Float32x4, 4 => Uint16x4, 5 => Float32x4
];

#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct PaletteEntry {
    joint_from_mesh: Rows,
    joint: u32,
    padding: [u32; 3],
}

#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct MeshInfo {
    base_color: [f32; 4],
    emissive: [f32; 3],
    normal_scale: f32,
    vertex_count: u32,
    target_count: u32,
    clay: u32,
    alpha_cutoff: f32,
}

/// Rigs on the GPU, one per shared rig. They are dropped with the last owner of the rig.
#[derive(Debug, Default)]
pub(super) struct RigStore {
    // A `Weak` keeps the address from being reused for another rig.
    rigs: HashMap<usize, (Weak<Rig>, Result<RigGpu, GpuRefusal>)>,
}

impl RigStore {
    /// Uploads the rig if needed, and drops rigs without owners.
    pub fn ensure(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, pipelines: &Pipelines, scene: &ViewScene) {
        let rig = &scene.rig.0;
        self.rigs.retain(|_, (owner, _)| owner.strong_count() > 0);
        let (_, gpu) = self.rigs.entry(key(rig)).or_insert_with(|| {
            let gpu = RigGpu::upload(device, queue, pipelines, rig);
            (Arc::downgrade(rig), gpu)
        });
        if let Ok(RigGpu { capsules: Some(capsules), .. }) = gpu {
            capsules.ensure(device, queue, scene.members());
        }
    }

    pub fn get(&self, rig: &Arc<Rig>) -> Option<&RigGpu> {
        self.rigs.get(&key(rig))?.1.as_ref().ok()
    }

    /// Ok if it is uploaded, else the reason; `None` if it was not tried.
    pub fn state(&self, rig: &Arc<Rig>) -> Option<Result<(), &GpuRefusal>> {
        Some(self.rigs.get(&key(rig))?.1.as_ref().map(drop))
    }

    pub fn len(&self) -> usize {
        self.rigs.values().filter(|(_, gpu)| gpu.is_ok()).count()
    }
}

fn key(rig: &Arc<Rig>) -> usize {
    Arc::as_ptr(rig) as usize
}

impl RigGpu {
    /// Uploads a rig. Refuses one that exceeds the device, before allocation if possible.
    fn upload(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        pipelines: &Pipelines,
        rig: &Rig,
    ) -> Result<Self, GpuRefusal> {
        memory::check(device, rig)?;
        if cfg!(target_family = "wasm") {
            return Ok(Self::create(device, queue, pipelines, rig)); // a page cannot wait for the answer of a scope
        }
        let scope = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let gpu = Self::create(device, queue, pipelines, rig);
        match pollster::block_on(scope.pop()) {
            None => Ok(gpu),
            Some(error) => {
                tracing::warn!("graphics: {error}");
                let (wanted_bytes, adapter) = (memory::total_bytes(rig), device.adapter_info().name);
                Err(GpuRefusal::Whole { wanted_bytes, adapter })
            }
        }
    }

    fn create(device: &wgpu::Device, queue: &wgpu::Queue, pipelines: &Pipelines, rig: &Rig) -> Self {
        let textures = Textures::upload(device, queue, rig);
        let usable = rig.meshes.iter().filter(|mesh| !mesh.palette.is_empty() && !mesh.positions.is_empty());
        let meshes: Vec<_> = usable
            .map(|mesh| {
                let material = mesh.material.and_then(|m| rig.materials.get(m));
                MeshGpu::upload((device, queue, pipelines), rig, mesh, material, &textures)
            })
            .collect();
        let capsules = meshes.is_empty().then(|| CapsulesGpu::upload(device, queue, &capsule::instances(rig)));
        Self { meshes, capsules, bones: bones(rig), reach_m: reach_m(rig) }
    }
}

/// Textures of a rig's images, and a white one for materials without an image.
struct Textures {
    colors: Vec<wgpu::TextureView>,
    /// Linear textures of normal maps; `None` for other images.
    normals: Vec<Option<wgpu::TextureView>>,
    white: wgpu::TextureView,
}

impl Textures {
    fn upload(device: &wgpu::Device, queue: &wgpu::Queue, rig: &Rig) -> Self {
        let is_map =
            |index: usize| rig.materials.iter().any(|m| m.normal_image.is_some_and(|(image, _)| image == index));
        let normals = |(index, image)| is_map(index).then(|| texture::upload(device, queue, image, Texels::Numbers));
        let white = Image { width: 1, height: 1, rgba: vec![0xFF; 4] };
        Self {
            colors: rig.images.iter().map(|image| texture::upload(device, queue, image, Texels::Colors)).collect(),
            normals: rig.images.iter().enumerate().map(normals).collect(),
            white: texture::upload(device, queue, &white, Texels::Colors),
        }
    }

    fn color(&self, image: Option<usize>) -> &wgpu::TextureView {
        image.and_then(|image| self.colors.get(image)).unwrap_or(&self.white)
    }

    /// Textures of base colour, emission and normals.
    fn of(&self, material: Option<&Material>) -> [&wgpu::TextureView; 3] {
        let normals = material.and_then(|m| self.normals.get(m.normal_image?.0)?.as_ref());
        let color = |image: fn(&Material) -> Option<usize>| self.color(material.and_then(image));
        [color(|m| m.base_color_image), color(|m| m.emissive_image), normals.unwrap_or(&self.white)]
    }
}

/// The value that the shader compares with alpha: 0 for opaque, 2 for blended materials.
fn alpha_cutoff(alpha: Alpha) -> f32 {
    match alpha {
        Alpha::Opaque => 0.0,
        Alpha::Mask(cutoff) => cutoff.clamp(0.0, 1.0),
        Alpha::Blend => 2.0,
    }
}

impl MeshGpu {
    fn upload(
        (device, queue, pipelines): (&wgpu::Device, &wgpu::Queue, &Pipelines),
        rig: &Rig,
        mesh: &SkinnedMesh,
        material: Option<&Material>,
        textures: &Textures,
    ) -> Self {
        use wgpu::BufferUsages as Usage;
        let vertices = vertices(mesh);
        let count = vertices.len() as u32;
        let inside = mesh.triangles.iter().filter(|t| t.iter().all(|&i| i < count));
        let indices: Vec<u32> = inside.flatten().copied().collect();
        let last_joint = rig.skeleton.len() - 1;
        let palette: Vec<_> = mesh
            .palette
            .iter()
            .map(|skin| PaletteEntry {
                joint_from_mesh: rows(skin.joint_from_mesh),
                joint: skin.joint.min(last_joint) as u32,
                padding: [0; 3],
            })
            .collect();
        let targets: Vec<_> = mesh.targets.iter().filter(|t| t.float_track < rig.float_names.len()).collect();
        let tracks: Vec<u32> = targets.iter().map(|t| t.float_track as u32).collect();
        let offsets: Vec<f32> = targets.iter().flat_map(|t| target_offsets(t, vertices.len())).collect();
        let info = MeshInfo {
            base_color: material.map_or([1.0; 4], |m| m.base_color),
            emissive: material.map_or([0.0; 3], |m| m.emissive),
            normal_scale: material.and_then(|m| m.normal_image).map_or(0.0, |(_, scale)| scale),
            vertex_count: count,
            target_count: tracks.len() as u32,
            clay: u32::from(material.is_none() && mesh.colors.iter().all(|c| *c == [1.0; 4])),
            alpha_cutoff: alpha_cutoff(material.map_or(Alpha::Opaque, |m| m.alpha)),
        };
        let info = fixed(device, queue, "mesh info", Usage::UNIFORM, &[info]);
        let palette = fixed(device, queue, "palette", Usage::STORAGE, &palette);
        let tracks = fixed(device, queue, "target tracks", Usage::STORAGE, &tracks);
        let offsets = fixed(device, queue, "target offsets", Usage::STORAGE, &offsets);
        Self {
            name: mesh.name.clone(),
            vertices: fixed(device, queue, "vertices", Usage::VERTEX | Usage::STORAGE, &vertices),
            vertex_count: count,
            indices: fixed(device, queue, "indices", Usage::INDEX, &indices),
            index_count: indices.len() as u32,
            double_sided: material.is_some_and(|m| m.double_sided),
            bind_group: pipelines.mesh_bind_group(device, [&info, &palette, &tracks, &offsets], textures.of(material)),
        }
    }
}

impl CapsulesGpu {
    fn upload(device: &wgpu::Device, queue: &wgpu::Queue, instances: &[BoneInstance]) -> Self {
        use wgpu::BufferUsages as Usage;
        let (vertices, indices) = capsule::unit_capsule();
        Self {
            vertices: fixed(device, queue, "capsule vertices", Usage::VERTEX, &vertices),
            indices: fixed(device, queue, "capsule indices", Usage::INDEX, &indices),
            index_count: indices.len() as u32,
            instances: fixed(device, queue, "bones", Usage::VERTEX, instances),
            bones: instances.to_vec(),
            members: 1,
        }
    }

    /// Number of instances of a crowd.
    pub fn instance_count(&self, members: u32) -> u32 {
        self.bones.len() as u32 * members
    }

    /// Makes room for a crowd.
    fn ensure(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, members: u32) {
        if members > self.members {
            let instances = capsule::of_crowd(&self.bones, members);
            self.instances = fixed(device, queue, "bones", wgpu::BufferUsages::VERTEX, &instances);
            self.members = members;
        }
    }
}

/// All vertices. Missing attributes get neutral values, and influences outside the palette become its last entry.
fn vertices(mesh: &SkinnedMesh) -> Vec<Vertex> {
    let last = (mesh.palette.len().max(1) - 1).min(usize::from(u16::MAX)) as u16;
    (0..mesh.positions.len())
        .map(|i| Vertex {
            position: mesh.positions[i].to_array(),
            normal: mesh.normals.get(i).map_or([0.0, 1.0, 0.0], |n| n.to_array()),
            uv: mesh.uvs.get(i).map_or([0.0; 2], |uv| uv.to_array()),
            color: mesh.colors.get(i).copied().unwrap_or([1.0; 4]),
            influences: mesh.influences.get(i).copied().unwrap_or_default().map(|j| j.min(last)),
            weights: mesh.weights.get(i).copied().unwrap_or([1.0, 0.0, 0.0, 0.0]),
        })
        .collect()
}

/// Position and normal offset of every vertex, interleaved.
fn target_offsets(target: &posepress_core::model::MorphTarget, vertices: usize) -> impl Iterator<Item = f32> + '_ {
    (0..vertices).flat_map(|v| {
        let part = |offsets: &[glam::Vec3]| offsets.get(v).copied().unwrap_or_default().to_array();
        part(&target.positions).into_iter().chain(part(&target.normals))
    })
}

/// Largest distance of a vertex from its joint with the largest weight, or of a bone tip from its joint, metres; 0
/// without either.
fn reach_m(rig: &Rig) -> f32 {
    let mesh_reach = |mesh: &SkinnedMesh| {
        let distances = (0..mesh.positions.len()).filter_map(|v| {
            let (influences, weights) = (mesh.influences.get(v)?, mesh.weights.get(v)?);
            let heaviest = (0..4).max_by(|&a, &b| weights[a].total_cmp(&weights[b]))?;
            let skin = mesh.palette.get(usize::from(influences[heaviest]))?;
            Some(skin.joint_from_mesh.transform_point3(mesh.positions[v]).length())
        });
        distances.filter(|d| d.is_finite()).fold(0.0, f32::max)
    };
    let tips = rig.tips.iter().map(|tip| tip.offset.length());
    rig.meshes.iter().map(mesh_reach).chain(tips).fold(0.0, f32::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::gpu::memory::{OFFSET_BYTES, PALETTE_BYTES};
    use crate::render::gpu::shaders::{MESH, VERTEX_ERROR};
    use crate::render::gpu::wgsl::{assert_inputs, assert_struct, constant, fields_of};

    #[test]
    fn meshes_are_what_the_shaders_read() {
        let info =
            fields_of!(MeshInfo { base_color, emissive, normal_scale, vertex_count, target_count, clay, alpha_cutoff });
        let entry = fields_of!(PaletteEntry { joint_from_mesh, joint, padding });
        for source in [MESH, VERTEX_ERROR] {
            assert_struct(source, "MeshInfo", &info, size_of::<MeshInfo>());
            assert_struct(source, "PaletteEntry", &entry, size_of::<PaletteEntry>());
        }
        let vertex = fields_of!(Vertex { position, normal, uv, color, influences, weights });
        assert_inputs(MESH, "vertex", &[(&vertex, &VERTEX_ATTRIBUTES)]);
        assert_eq!(u64::from(constant(VERTEX_ERROR, "WORDS")) * 4, VERTEX_BYTES);
        assert_eq!(size_of::<PaletteEntry>() as u64, PALETTE_BYTES);
        assert_eq!(size_of::<[glam::Vec3; 2]>() as u64, OFFSET_BYTES);
    }
}
