use super::buffers::GrowingBuffer;
use super::pipelines::{Pipelines, bind, buffer_type, entry, module, pipeline_layout};
use super::rig::MeshGpu;
use super::{Renderer, SideGpu, shaders, view_data};
use crate::render::overlay::OverlayBatch;
use crate::render::{Show, Side, ViewScene};
use glam::{Mat4, Vec2};
use std::sync::Arc;
use wgpu::{BufferBindingType, BufferUsages, ShaderStages};

/// Vertices per workgroup.
const WORKGROUP: u32 = 64;

impl Renderer {
    /// Records the skinned-vertex errors of a scene. Returns one buffer of f32 metres per mesh that has vertices and a
    /// palette, in order. The buffers can be mapped after the commands have run.
    pub fn record_vertex_errors(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        encoder: &mut wgpu::CommandEncoder,
        scene: &Arc<ViewScene>,
    ) -> Vec<wgpu::Buffer> {
        self.rigs.ensure(device, queue, &self.pipelines, scene);
        let Some(rig) = self.rigs.get(&scene.rig.0) else { return Vec::new() };
        let side = self.side_of(device, queue, scene, rig.reach_m);
        let pass = ErrorPass::new(device, &self.pipelines);
        rig.meshes.iter().map(|mesh| pass.record(device, encoder, &side, mesh)).collect()
    }

    /// Both poses of a scene, as the shader reads them.
    fn side_of(&self, device: &wgpu::Device, queue: &wgpu::Queue, scene: &Arc<ViewScene>, reach_m: f32) -> SideGpu {
        let mut joints = GrowingBuffer::new(device, "joints", BufferUsages::STORAGE);
        let mut scalars = GrowingBuffer::new(device, "scalars", BufferUsages::STORAGE);
        joints.write(device, queue, &view_data::joint_rows(scene));
        scalars.write(device, queue, &view_data::scalars(scene));
        let mut side = SideGpu::new(device, &self.pipelines);
        let shown = (Show::Side(Side::Compressed), Side::Compressed);
        let view = view_data::ViewData::new(scene, shown, Mat4::IDENTITY, Vec2::ONE, reach_m);
        let poses = [joints.buffer(), scalars.buffer()];
        side.write((device, queue, &self.pipelines), &view, &OverlayBatch::default(), poses);
        side
    }
}

struct ErrorPass {
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::ComputePipeline,
}

impl ErrorPass {
    fn new(device: &wgpu::Device, pipelines: &Pipelines) -> Self {
        let storage = |read_only| buffer_type(BufferBindingType::Storage { read_only });
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("vertex errors"),
            entries: &[entry(0, ShaderStages::COMPUTE, storage(true)), entry(1, ShaderStages::COMPUTE, storage(false))],
        });
        let groups = [Some(&pipelines.frame_layout), Some(&pipelines.mesh_layout), Some(&layout)];
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("vertex errors"),
            layout: Some(&pipeline_layout(device, &groups)),
            module: &module(device, shaders::VERTEX_ERROR),
            entry_point: Some("vertex_errors"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        Self { layout, pipeline }
    }

    /// The errors of a mesh, in a buffer that can be mapped.
    fn record(
        &self,
        device: &wgpu::Device,
        encoder: &mut wgpu::CommandEncoder,
        side: &SideGpu,
        mesh: &MeshGpu,
    ) -> wgpu::Buffer {
        let size = u64::from(mesh.vertex_count) * 4;
        let out = buffer(device, size, BufferUsages::STORAGE | BufferUsages::COPY_SRC);
        let resources = [mesh.vertices.as_entire_binding(), out.as_entire_binding()];
        let io = bind(device, "vertex errors", &self.layout, &resources);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, side.frame(), &[]);
        pass.set_bind_group(1, &mesh.bind_group, &[]);
        pass.set_bind_group(2, &io, &[]);
        pass.dispatch_workgroups(mesh.vertex_count.div_ceil(WORKGROUP), 1, 1);
        drop(pass);
        let readable = buffer(device, size, BufferUsages::MAP_READ | BufferUsages::COPY_DST);
        encoder.copy_buffer_to_buffer(&out, 0, &readable, 0, size);
        readable
    }
}

fn buffer(device: &wgpu::Device, size: u64, usage: BufferUsages) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("vertex errors"),
        size,
        usage,
        mapped_at_creation: false,
    })
}
