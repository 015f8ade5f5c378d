//! Everything that lives on the GPU.

mod buffers;
mod capsule;
mod memory;
mod pipelines;
mod rig;
mod shaders;
mod side;
mod target;
mod texture;
mod vertex_error;
mod view_data;
#[cfg(test)]
pub(in crate::render) mod wgsl;

pub use memory::GpuRefusal;
pub use shaders::shader_sources;

use super::overlay::{OverlayBatch, PixelSpace};
use super::{Show, Side, ViewScene};
use buffers::GrowingBuffer;
use glam::Vec2;
use pipelines::{Blit, Pipelines};
use posepress_core::model::Rig;
use posepress_core::view::{Layer, Layers};
use rig::{RigGpu, RigStore};
use side::{Figure, SideGpu};
use std::collections::HashMap;
use std::sync::Arc;
use target::Target;
use view_data::ViewData;

/// Columns that each side of a wipe draws beyond the line.
const WIPE_MARGIN_PX: u32 = 8;

/// Id of a viewport rectangle. Two rectangles of one window need different ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ViewportId(pub u64);

/// How a renderer is set up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RenderOptions {
    /// Samples per pixel: 1 or 4. With 1, pictures are smoothed when they are copied into the window.
    pub samples: u32,
    /// Format of egui's target, if pictures are copied there.
    pub blit_format: Option<wgpu::TextureFormat>,
}

/// Draws scenes into pictures: pipelines, rigs and viewports of one device.
#[derive(Debug)]
pub struct Renderer {
    options: RenderOptions,
    pipelines: Pipelines,
    blit: Option<Blit>,
    crossfade: Blit,
    rigs: RigStore,
    viewports: HashMap<ViewportId, ViewportGpu>,
}

/// One rectangle: its picture and what was last drawn into it.
#[derive(Debug)]
struct ViewportGpu {
    target: Target,
    /// The compressed side, drawn separately for wipe and onion skin. A wipe copies columns, because copies are exact,
    /// while drivers round the edge of a scissor differently with several samples per pixel. An onion skin fades it in.
    second: Option<Second>,
    blit: Option<wgpu::BindGroup>,
    joints: GrowingBuffer,
    scalars: GrowingBuffer,
    sides: Vec<SideGpu>,
    drawn: Option<Drawn>,
}

/// A picture of the compressed side alone.
#[derive(Debug)]
struct Second {
    target: Target,
    bind_group: wgpu::BindGroup,
}

/// Inputs of a picture. Equal inputs need no redraw.
#[derive(Debug, Clone, PartialEq)]
struct Drawn {
    scene: Arc<ViewScene>,
    show: Show,
    pixels_per_point: f32,
}

impl Renderer {
    /// Compiles all pipelines.
    pub fn new(device: &wgpu::Device, options: RenderOptions) -> Self {
        Self {
            pipelines: Pipelines::new(device, options.samples),
            blit: options.blit_format.map(|format| Blit::new(device, format, options.samples == 1)),
            crossfade: Blit::crossfade(device),
            rigs: RigStore::default(),
            viewports: HashMap::new(),
            options,
        }
    }

    /// Records the commands that update a viewport's picture. Returns false if nothing changed, if the size is not 1 to
    /// the device's largest texture, or if the rig does not fit into memory.
    #[allow(clippy::too_many_arguments)] // device, queue and encoder come apart from egui
    pub fn prepare(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        encoder: &mut wgpu::CommandEncoder,
        id: ViewportId,
        size_px: [u32; 2],
        pixels_per_point: f32,
        scene: &Arc<ViewScene>,
        show: Show,
    ) -> bool {
        let drawable = 1..=device.limits().max_texture_dimension_2d;
        if !size_px.iter().all(|side| drawable.contains(side)) {
            return false;
        }
        self.rigs.ensure(device, queue, &self.pipelines, scene);
        let Some(rig) = self.rigs.get(&scene.rig.0) else { return false };
        let viewport = self.viewports.entry(id).or_insert_with(|| ViewportGpu::new(device, size_px, &self.options));
        viewport.resize(device, size_px, &self.options, self.blit.as_ref());
        let wanted = Drawn { scene: scene.clone(), show, pixels_per_point };
        if viewport.drawn.as_ref() == Some(&wanted) {
            return false;
        }
        viewport.second = (!matches!(show, Show::Side(_))).then(|| {
            let new = || Second::new(device, size_px, self.options.samples, &self.crossfade);
            viewport.second.take().unwrap_or_else(new)
        });
        viewport.write((device, queue, &self.pipelines), rig, &wanted);
        viewport.draw(encoder, (&self.pipelines, &self.crossfade), rig, &wanted);
        viewport.drawn = Some(wanted);
        true
    }

    /// Copies a viewport's picture into egui's pass. The pass's viewport must be the rectangle.
    pub fn paint(&self, id: ViewportId, pass: &mut wgpu::RenderPass<'_>) {
        let picture = self.viewports.get(&id).filter(|v| v.drawn.is_some()).and_then(|v| v.blit.as_ref());
        if let (Some(blit), Some(picture)) = (&self.blit, picture) {
            blit.draw(pass, picture);
        }
    }

    /// The picture of a viewport: `Rgba8Unorm` holding sRGB bytes.
    pub fn picture(&self, id: ViewportId) -> Option<&wgpu::Texture> {
        self.viewports.get(&id).map(|viewport| &viewport.target.picture)
    }

    /// State of a rig; `None` until it is drawn.
    ///
    /// # Errors
    /// Why it cannot be.
    pub fn rig_state(&self, rig: &Arc<Rig>) -> Option<Result<(), &GpuRefusal>> {
        self.rigs.state(rig)
    }

    /// Number of rigs on the GPU.
    pub fn rigs_kept(&self) -> usize {
        self.rigs.len()
    }
}

impl ViewportGpu {
    fn new(device: &wgpu::Device, size_px: [u32; 2], options: &RenderOptions) -> Self {
        use wgpu::BufferUsages as Usage;
        Self {
            target: Target::new(device, size_px, options.samples),
            second: None,
            blit: None,
            joints: GrowingBuffer::new(device, "joints", Usage::STORAGE),
            scalars: GrowingBuffer::new(device, "scalars", Usage::STORAGE),
            sides: Vec::new(),
            drawn: None,
        }
    }

    fn resize(&mut self, device: &wgpu::Device, size_px: [u32; 2], options: &RenderOptions, blit: Option<&Blit>) {
        if self.target.size_px != size_px {
            self.target = Target::new(device, size_px, options.samples);
            (self.second, self.blit, self.drawn) = (None, None, None);
        }
        if let (None, Some(blit), Some(format)) = (&self.blit, blit, options.blit_format) {
            self.blit = Some(blit.bind_group(device, &self.target.view_for(format)));
        }
    }

    /// Uploads the data that changes per picture: matrices, camera, overlays.
    fn write(&mut self, gpu: (&wgpu::Device, &wgpu::Queue, &Pipelines), rig: &RigGpu, wanted: &Drawn) {
        let (device, queue, pipelines) = gpu;
        let scene = &*wanted.scene;
        let size_px = Vec2::new(self.target.size_px[0] as f32, self.target.size_px[1] as f32);
        let clip_from_world = scene.camera.clip_from_world(size_px.x / size_px.y);
        let space = PixelSpace { clip_from_world, size_px, pixels_per_point: wanted.pixels_per_point };
        let joints_moved = self.joints.write(device, queue, &view_data::joint_rows(scene));
        let scalars_moved = self.scalars.write(device, queue, &view_data::scalars(scene));
        if joints_moved || scalars_moved {
            // All sides, also those that this picture does not show.
            self.sides.iter_mut().for_each(SideGpu::unbind);
        }
        let columns = wanted.show.columns(self.target.size_px[0]);
        for (index, (side, _)) in columns.into_iter().enumerate() {
            if self.sides.len() == index {
                self.sides.push(SideGpu::new(device, pipelines));
            }
            let view = ViewData::new(scene, (wanted.show, side), clip_from_world, size_px, rig.reach_m);
            let poses = [self.joints.buffer(), self.scalars.buffer()];
            self.sides[index].write(gpu, &view, &batch(scene, side, rig, &space), poses);
        }
    }

    fn draw(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        (pipelines, crossfade): (&Pipelines, &Blit),
        rig: &RigGpu,
        wanted: &Drawn,
    ) {
        let layers = wanted.scene.layers;
        let figure = Figure { rig, hidden: &wanted.scene.hidden_meshes, members: wanted.scene.members() };
        let columns = wanted.show.columns(self.target.size_px[0]);
        if layers.is_on(Layer::Ground) {
            self.sides.iter().zip(&columns).for_each(|(side, _)| side.draw_shadow(encoder, pipelines, &figure));
        }
        for (gpu, (side, columns)) in self.sides.iter().zip(columns) {
            if columns.is_empty() {
                continue;
            }
            let margin = columns.start.saturating_sub(WIPE_MARGIN_PX)
                ..columns.end.saturating_add(WIPE_MARGIN_PX).min(self.target.size_px[0]);
            let second = self.second.as_ref().filter(|_| side == Side::Compressed);
            let target = second.map_or(&self.target, |second| &second.target);
            let ghost = layers.is_on(Layer::Mesh) && side == Side::Compressed && wanted.scene.is_exaggerated();
            draw_side(encoder, target, margin, (pipelines, gpu, figure), layers, ghost);
            match (wanted.show, second) {
                (Show::Wipe { .. }, Some(second)) => self.target.copy_columns(encoder, &second.target, columns),
                (Show::Onion { mix }, Some(second)) => {
                    let mut pass = self.target.begin_over(encoder);
                    let mix = f64::from(mix.clamp(0.0, 1.0));
                    pass.set_blend_constant(wgpu::Color { r: mix, g: mix, b: mix, a: mix });
                    crossfade.draw(&mut pass, &second.bind_group);
                }
                _ => {}
            }
        }
    }
}

impl Second {
    fn new(device: &wgpu::Device, size_px: [u32; 2], samples: u32, crossfade: &Blit) -> Self {
        let target = Target::new(device, size_px, samples);
        let bind_group = crossfade.bind_group(device, &target.picture_view);
        Self { target, bind_group }
    }
}

/// Draws one side. The ghost is behind the whole character, so depth is cleared after it.
fn draw_side(
    encoder: &mut wgpu::CommandEncoder,
    target: &Target,
    columns: std::ops::Range<u32>,
    (pipelines, side, figure): (&Pipelines, &SideGpu, Figure<'_>),
    layers: Layers,
    ghost: bool,
) {
    let mut pass = target.begin(encoder, columns.clone(), false);
    side.draw_backdrop(&mut pass, pipelines, layers);
    if ghost {
        side.draw_ghost(&mut pass, pipelines, &figure);
        drop(pass);
        pass = target.begin(encoder, columns, true);
    }
    side.draw_figure(&mut pass, pipelines, &figure, layers);
}

/// Overlay and skeleton of a side.
fn batch(scene: &ViewScene, side: Side, rig: &RigGpu, space: &PixelSpace) -> OverlayBatch {
    let mut batch = OverlayBatch::default();
    batch.add_overlay(scene.overlay(side), scene.layers.is_on(Layer::Contacts), &scene.theme, space);
    if scene.layers.is_on(Layer::Skeleton) {
        batch.add_skeleton(&rig.bones, &scene.drawn_joints(side), scene.selected_joint, &scene.theme, space);
    }
    batch
}
