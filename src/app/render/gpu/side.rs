use super::buffers::GrowingBuffer;
use super::pipelines::{Pipelines, SHADOW_FORMAT};
use super::rig::{MeshGpu, RigGpu};
use super::target::texture;
use super::view_data::ViewData;
use crate::render::overlay::OverlayBatch;
use posepress_core::view::{Layer, Layers};
use std::collections::BTreeSet;
use std::ops::Range;

/// GPU data of one side of a viewport: camera, colours, shadow, overlay.
#[derive(Debug)]
pub(super) struct SideGpu {
    pub view: GrowingBuffer,
    frame: Option<wgpu::BindGroup>,
    shadow_view: wgpu::TextureView,
    ground: wgpu::BindGroup,
    fills: GrowingBuffer,
    fill_vertices: u32,
    lines: GrowingBuffer,
    /// Instances on the ground, and over everything.
    line_ranges: [Range<u32>; 2],
}

const SHADOW_SIDE_PX: u32 = 384;

impl SideGpu {
    pub fn new(device: &wgpu::Device, pipelines: &Pipelines) -> Self {
        use wgpu::BufferUsages as Usage;
        let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING;
        let shadow = texture(device, "shadow", [SHADOW_SIDE_PX; 2], 1, SHADOW_FORMAT, usage);
        let shadow_view = shadow.create_view(&wgpu::TextureViewDescriptor::default());
        Self {
            view: GrowingBuffer::new(device, "view", Usage::STORAGE),
            frame: None,
            ground: pipelines.ground_bind_group(device, &shadow_view),
            shadow_view,
            fills: GrowingBuffer::new(device, "areas", Usage::VERTEX),
            fill_vertices: 0,
            lines: GrowingBuffer::new(device, "lines", Usage::VERTEX),
            line_ranges: [0..0, 0..0],
        }
    }

    /// Drops the bind group, because the buffers of the poses were replaced.
    pub fn unbind(&mut self) {
        self.frame = None;
    }

    /// Writes camera and overlay. `poses` are the buffers of matrices and scalars.
    pub fn write(
        &mut self,
        (device, queue, pipelines): (&wgpu::Device, &wgpu::Queue, &Pipelines),
        view: &ViewData,
        batch: &OverlayBatch,
        poses: [&wgpu::Buffer; 2],
    ) {
        let moved = self.view.write(device, queue, std::slice::from_ref(view));
        if moved || self.frame.is_none() {
            self.frame = Some(pipelines.frame_bind_group(device, [self.view.buffer(), poses[0], poses[1]]));
        }
        self.fills.write(device, queue, &batch.fills);
        self.fill_vertices = batch.fills.len() as u32;
        let lines = [&batch.ground[..], &batch.top].concat();
        self.lines.write(device, queue, &lines);
        let ground = batch.ground.len() as u32;
        self.line_ranges = [0..ground, ground..lines.len() as u32];
    }

    /// Draws the mask of the character's shadow: of the first one, if there is a crowd.
    pub fn draw_shadow(&self, encoder: &mut wgpu::CommandEncoder, pipelines: &Pipelines, figure: &Figure<'_>) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("shadow"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &self.shadow_view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store: wgpu::StoreOp::Store },
            })],
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_bind_group(0, &self.frame, &[]);
        let first = Figure { members: 1, ..*figure };
        first.draw(&mut pass, [&pipelines.mesh_shadow, &pipelines.mesh_shadow], &pipelines.bone_shadow);
    }

    /// Draws background, ground and overlays on the ground, into the pixels of the scissor.
    pub fn draw_backdrop(&self, pass: &mut wgpu::RenderPass<'_>, pipelines: &Pipelines, layers: Layers) {
        pass.set_bind_group(0, &self.frame, &[]);
        pass.set_pipeline(&pipelines.background);
        pass.draw(0..3, 0..1);
        if layers.is_on(Layer::Ground) {
            pass.set_pipeline(&pipelines.ground);
            pass.set_bind_group(1, &self.ground, &[]);
            pass.draw(0..4, 0..1);
        }
        self.draw_fills(pass, pipelines);
        self.draw_lines(pass, pipelines, 0);
    }

    /// Draws the original's ghost. The next pass covers it.
    pub fn draw_ghost(&self, pass: &mut wgpu::RenderPass<'_>, pipelines: &Pipelines, figure: &Figure<'_>) {
        pass.set_bind_group(0, &self.frame, &[]);
        let [one_sided, two_sided] = &pipelines.mesh_ghost;
        figure.draw(pass, [one_sided, two_sided], &pipelines.bone_ghost);
    }

    /// Draws the character, and lines over it.
    pub fn draw_figure(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        pipelines: &Pipelines,
        figure: &Figure<'_>,
        layers: Layers,
    ) {
        pass.set_bind_group(0, &self.frame, &[]);
        if layers.is_on(Layer::Mesh) {
            let [one_sided, two_sided] = &pipelines.mesh;
            figure.draw(pass, [one_sided, two_sided], &pipelines.bone);
        }
        self.draw_lines(pass, pipelines, 1);
    }

    /// Bind group of camera and poses; `None` until they are written.
    pub fn frame(&self) -> Option<&wgpu::BindGroup> {
        self.frame.as_ref()
    }

    fn draw_fills(&self, pass: &mut wgpu::RenderPass<'_>, pipelines: &Pipelines) {
        if self.fill_vertices > 0 {
            pass.set_pipeline(&pipelines.fill);
            pass.set_vertex_buffer(0, self.fills.buffer().slice(..));
            pass.draw(0..self.fill_vertices, 0..1);
        }
    }

    fn draw_lines(&self, pass: &mut wgpu::RenderPass<'_>, pipelines: &Pipelines, layer: usize) {
        let range = self.line_ranges[layer].clone();
        if !range.is_empty() {
            pass.set_pipeline(&pipelines.line);
            pass.set_vertex_buffer(0, self.lines.buffer().slice(..));
            pass.draw(0..4, range);
        }
    }
}

/// A rig without its hidden meshes.
#[derive(Clone, Copy)]
pub struct Figure<'a> {
    /// The whole rig.
    pub rig: &'a RigGpu,
    /// Names of meshes that are not drawn.
    pub hidden: &'a BTreeSet<String>,
    /// Number of characters.
    pub members: u32,
}

impl Figure<'_> {
    /// Draws the rig. The `mesh` pipelines are for one-sided and two-sided surfaces.
    fn draw(&self, pass: &mut wgpu::RenderPass<'_>, mesh: [&wgpu::RenderPipeline; 2], bone: &wgpu::RenderPipeline) {
        let is_drawn = |part: &&MeshGpu| part.index_count > 0 && !self.hidden.contains(&part.name);
        for part in self.rig.meshes.iter().filter(is_drawn) {
            pass.set_pipeline(mesh[usize::from(part.double_sided)]);
            pass.set_bind_group(1, &part.bind_group, &[]);
            pass.set_vertex_buffer(0, part.vertices.slice(..));
            pass.set_index_buffer(part.indices.slice(..), wgpu::IndexFormat::Uint32);
            pass.draw_indexed(0..part.index_count, 0, 0..self.members);
        }
        if let Some(capsules) = &self.rig.capsules {
            pass.set_pipeline(bone);
            pass.set_vertex_buffer(0, capsules.vertices.slice(..));
            pass.set_vertex_buffer(1, capsules.instances.slice(..));
            pass.set_index_buffer(capsules.indices.slice(..), wgpu::IndexFormat::Uint32);
            pass.draw_indexed(0..capsules.index_count, 0, 0..capsules.instance_count(self.members));
        }
    }
}
