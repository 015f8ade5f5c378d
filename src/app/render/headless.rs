use super::{
    Arrangement, Camera, GpuErrors, RenderError, RenderOptions, Renderer, Show, Side, ViewScene, ViewportId, other,
};
use image::RgbaImage;
use std::sync::Arc;

/// The graphics adapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AdapterChoice {
    /// A software driver if there is one: the same bytes on every machine that has it.
    #[default]
    Reproducible,
    /// A graphics card if there is one.
    Fastest,
}

/// A picture to be drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct RenderJob {
    /// Width and height, pixels.
    pub size_px: [u32; 2],
    /// Pixels per point: 2 draws lines twice as wide.
    pub pixels_per_point: f32,
    /// How the two sides share the picture.
    pub arrangement: Arrangement,
    /// The scene.
    pub scene: Arc<ViewScene>,
    /// The compressed side's own camera, side by side.
    pub compressed_camera: Option<Camera>,
}

/// A device without a window, for many pictures.
#[derive(Debug)]
pub struct Headless {
    device: wgpu::Device,
    queue: wgpu::Queue,
    adapter: String,
    errors: GpuErrors,
    renderer: Renderer,
}

/// Samples per pixel. These pictures need not be fast, so quality comes first even on a CPU.
const SAMPLES: u32 = 4;
/// Gap between two viewports, pixels.
const GAP_PX: u32 = 2;
/// Left edge of the right one of two viewports, pixels.
pub(super) fn right_half(width: u32) -> u32 {
    let left_px = (width.saturating_sub(GAP_PX) / 2).max(1);
    (left_px + GAP_PX).min(width.saturating_sub(1))
}

const ONLY: ViewportId = ViewportId(0);

impl Headless {
    /// Opens a device.
    ///
    /// # Errors
    /// [`RenderError::NoAdapter`], [`RenderError::NoDevice`].
    pub fn new(choice: AdapterChoice) -> Result<Self, RenderError> {
        let adapter = find_adapter(choice)?;
        let name = adapter.get_info().name;
        let (device, queue) =
            open(&adapter).map_err(|e| RenderError::NoDevice { adapter: name.clone(), reason: e.to_string() })?;
        let errors = GpuErrors::watch(&device);
        let renderer = Renderer::new(&device, RenderOptions { samples: SAMPLES, blit_format: None });
        let headless = Self { device, queue, adapter: name, errors, renderer };
        headless.check()?;
        Ok(headless)
    }

    /// Device and queue, for callers that record their own commands.
    pub fn device_and_queue(&self) -> (&wgpu::Device, &wgpu::Queue) {
        (&self.device, &self.queue)
    }

    /// Draws one picture.
    ///
    /// # Errors
    /// [`RenderError::Size`], [`RenderError::Gpu`].
    pub fn render(&mut self, job: &RenderJob) -> Result<RgbaImage, RenderError> {
        match job.arrangement {
            Arrangement::SideBySide { left } => self.render_both(job, left),
            Arrangement::One(show) => self.render_one(job, show, job.size_px),
        }
    }

    /// Error of every skinned vertex between raw and lossy pose, metres, measured with the same skinning as pictures.
    /// One list per mesh that has vertices and joints.
    ///
    /// # Errors
    /// [`RenderError::Gpu`].
    pub fn vertex_errors_m(&mut self, scene: &Arc<ViewScene>) -> Result<Vec<Vec<f32>>, RenderError> {
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let buffers = self.renderer.record_vertex_errors(&self.device, &self.queue, &mut encoder, scene);
        self.queue.submit([encoder.finish()]);
        buffers.iter().map(|buffer| Ok(bytemuck::pod_collect_to_vec(&self.read(buffer)?))).collect()
    }

    fn render_both(&mut self, job: &RenderJob, left: Side) -> Result<RgbaImage, RenderError> {
        let [width, height] = job.size_px;
        self.check_size(job.size_px)?;
        let left_px = (width.saturating_sub(GAP_PX) / 2).max(1);
        let right_px = width - right_half(width);
        let gap = job.scene.theme.gap;
        let mut both = RgbaImage::from_pixel(width, height, image::Rgba(gap.with_alpha(0xFF)));
        let apart = job.compressed_camera.map(|camera| {
            let scene = Arc::new(ViewScene { camera, ..ViewScene::clone(&job.scene) });
            RenderJob { scene, ..job.clone() }
        });
        let seen_by = |side| match side {
            Side::Original => job,
            Side::Compressed => apart.as_ref().unwrap_or(job),
        };
        let right = other(left);
        let left = self.render_one(seen_by(left), Show::Side(left), [left_px, height])?;
        let right = self.render_one(seen_by(right), Show::Side(right), [right_px, height])?;
        image::imageops::replace(&mut both, &left, 0, 0);
        image::imageops::replace(&mut both, &right, i64::from(width - right_px), 0);
        Ok(both)
    }

    fn render_one(&mut self, job: &RenderJob, show: Show, size_px: [u32; 2]) -> Result<RgbaImage, RenderError> {
        self.check_size(size_px)?;
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let (device, queue, scale) = (&self.device, &self.queue, job.pixels_per_point);
        self.renderer.prepare(device, queue, &mut encoder, ONLY, size_px, scale, &job.scene, show);
        if let Some(Err(refusal)) = self.renderer.rig_state(&job.scene.rig.0) {
            return Err(RenderError::Memory(refusal.clone()));
        }
        self.download(encoder, size_px)
    }

    fn download(&self, mut encoder: wgpu::CommandEncoder, size: [u32; 2]) -> Result<RgbaImage, RenderError> {
        let [width, height] = size;
        let picture = self.renderer.picture(ONLY).ok_or_else(|| self.refused("it drew no picture"))?;
        let row_bytes = width * 4;
        let padded = row_bytes.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("download"),
            size: u64::from(padded) * u64::from(height),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(padded), rows_per_image: None };
        let target = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
        encoder.copy_texture_to_buffer(picture.as_image_copy(), target, picture.size());
        self.queue.submit([encoder.finish()]);
        let padded_rows = self.read(&buffer)?;
        let rows = padded_rows.chunks(padded as usize).flat_map(|row| &row[..row_bytes as usize]);
        RgbaImage::from_raw(width, height, rows.copied().collect())
            .ok_or_else(|| self.refused("it returned too few pixels"))
    }

    /// Waits for the GPU and copies a buffer out.
    fn read(&self, buffer: &wgpu::Buffer) -> Result<Vec<u8>, RenderError> {
        let (sender, receiver) = std::sync::mpsc::channel();
        buffer.map_async(wgpu::MapMode::Read, .., move |result| {
            // The receiver is gone only if this function has failed.
            let _ = sender.send(result);
        });
        self.device.poll(wgpu::PollType::wait_indefinitely()).map_err(|e| self.refused(&e.to_string()))?;
        let mapped = receiver.recv().map_err(|e| self.refused(&e.to_string()))?;
        // An earlier error of the driver explains why mapping failed.
        self.check()?;
        mapped.map_err(|e| self.refused(&e.to_string()))?;
        let view = buffer.get_mapped_range(..).map_err(|e| self.refused(&e.to_string()))?;
        let bytes = view.to_vec();
        drop(view);
        buffer.unmap();
        Ok(bytes)
    }

    fn check_size(&self, [width, height]: [u32; 2]) -> Result<(), RenderError> {
        let max = self.device.limits().max_texture_dimension_2d;
        let fits = (1..=max).contains(&width) && (1..=max).contains(&height);
        if fits { Ok(()) } else { Err(RenderError::Size { width, height, max }) }
    }

    /// Returns the first error of the driver since the last check.
    fn check(&self) -> Result<(), RenderError> {
        match self.errors.take().into_iter().next() {
            Some(reason) => Err(self.refused(&reason)),
            None => Ok(()),
        }
    }

    fn refused(&self, reason: &str) -> RenderError {
        RenderError::Gpu { adapter: self.adapter.clone(), reason: reason.to_owned() }
    }
}

fn open(adapter: &wgpu::Adapter) -> Result<(wgpu::Device, wgpu::Queue), wgpu::RequestDeviceError> {
    let descriptor = wgpu::DeviceDescriptor { required_limits: limits(adapter), ..Default::default() };
    pollster::block_on(adapter.request_device(&descriptor))
}

/// An adapter that can draw.
///
/// # Errors
/// [`RenderError::NoAdapter`].
pub fn find_adapter(choice: AdapterChoice) -> Result<wgpu::Adapter, RenderError> {
    if cfg!(target_family = "wasm") {
        return Err(RenderError::InPage); // it would wait for the browser, which waits for the page
    }
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    let ranked = ranked(&adapters, choice);
    first_that_opens(&ranked, |adapter| open(adapter).is_ok()).map(|best| (*best).clone()).ok_or(RenderError::NoAdapter)
}

/// Limits of a requested device: defaults, with the adapter's limits for buffers and textures.
pub fn limits(adapter: &wgpu::Adapter) -> wgpu::Limits {
    let most = adapter.limits();
    wgpu::Limits {
        max_buffer_size: most.max_buffer_size,
        max_storage_buffer_binding_size: most.max_storage_buffer_binding_size,
        max_texture_dimension_2d: most.max_texture_dimension_2d,
        ..wgpu::Limits::default()
    }
}

/// The best adapter that can draw. OpenGL cannot: it may lack storage buffers for vertices, and texture views in
/// another format.
pub fn best_adapter<'a>(
    adapters: impl IntoIterator<Item = &'a wgpu::Adapter>,
    choice: AdapterChoice,
) -> Option<wgpu::Adapter> {
    ranked(adapters, choice).first().map(|best| (*best).clone())
}

/// The adapters that can draw, the best first.
fn ranked<'a>(adapters: impl IntoIterator<Item = &'a wgpu::Adapter>, choice: AdapterChoice) -> Vec<&'a wgpu::Adapter> {
    let rank_of = |adapter: &wgpu::Adapter| {
        let info = adapter.get_info();
        rank(info.device_type, info.backend, choice)
    };
    let mut ranked: Vec<_> = adapters.into_iter().filter_map(|adapter| Some((rank_of(adapter)?, adapter))).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, adapter)| adapter).collect()
}

/// The best adapter whose driver gives a device, the first if none does. A card may be listed for an interface that its driver does not carry
/// out. An only one is not tried, because that takes time.
fn first_that_opens<T>(ranked: &[T], opens: impl Fn(&T) -> bool) -> Option<&T> {
    let works = if ranked.len() > 1 { ranked.iter().find(|one| opens(one)) } else { None };
    works.or(ranked.first())
}

/// The place of an adapter among others, the best first: by device, then by interface. Windows lists a card once for each interface. There
/// Direct3D comes first, since a card's Vulkan driver may be missing or old. `None` if it cannot draw.
fn rank(device: wgpu::DeviceType, backend: wgpu::Backend, choice: AdapterChoice) -> Option<(u8, u8)> {
    use wgpu::DeviceType as Kind;
    let of_device = match (device, choice) {
        (Kind::Cpu, AdapterChoice::Reproducible) | (Kind::DiscreteGpu, AdapterChoice::Fastest) => 0,
        (Kind::DiscreteGpu, _) | (Kind::IntegratedGpu, AdapterChoice::Fastest) => 1,
        (Kind::IntegratedGpu, _) => 2,
        (Kind::VirtualGpu | Kind::Other, _) => 3,
        (Kind::Cpu, _) => 4,
    };
    let of_backend = match backend {
        wgpu::Backend::Dx12 | wgpu::Backend::Metal => 0,
        wgpu::Backend::Vulkan => 1,
        wgpu::Backend::Gl | wgpu::Backend::BrowserWebGpu | wgpu::Backend::Noop => return None,
    };
    Some((of_device, of_backend))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wgpu::{Backend, DeviceType};

    /// The best of some adapters.
    fn best(choice: AdapterChoice, of: &[(DeviceType, Backend)]) -> Option<(DeviceType, Backend)> {
        let ranked = of.iter().filter_map(|one| Some((*one, rank(one.0, one.1, choice)?)));
        ranked.min_by_key(|(_, rank)| *rank).map(|(one, _)| one)
    }

    #[test]
    fn a_driver_that_gives_no_device_is_passed_over() {
        let of = |ranked: &[u8], broken: &[u8]| first_that_opens(ranked, |one| !broken.contains(one)).copied();
        assert_eq!(of(&[1, 2, 3], &[]), Some(1));
        assert_eq!(of(&[1, 2, 3], &[1, 2]), Some(3));
        assert_eq!(of(&[1, 2], &[1, 2]), Some(1), "its error is the one to say");
        assert_eq!((of(&[1], &[1]), of(&[], &[])), (Some(1), None));
    }

    #[test]
    fn a_card_with_several_interfaces_is_used_by_direct3d_and_the_device_decides_first() {
        use AdapterChoice::{Fastest, Reproducible};
        use DeviceType::{Cpu, DiscreteGpu, IntegratedGpu};
        let card = [(DiscreteGpu, Backend::Vulkan), (DiscreteGpu, Backend::Dx12), (DiscreteGpu, Backend::Gl)];
        assert_eq!(best(Fastest, &card), Some((DiscreteGpu, Backend::Dx12)));
        let laptop = [(IntegratedGpu, Backend::Dx12), (DiscreteGpu, Backend::Vulkan), (Cpu, Backend::Dx12)];
        assert_eq!(best(Fastest, &laptop), Some((DiscreteGpu, Backend::Vulkan)));
        assert_eq!(best(Reproducible, &laptop), Some((Cpu, Backend::Dx12)));
        assert_eq!(best(Fastest, &[(DiscreteGpu, Backend::Gl)]), None, "OpenGL cannot draw it");
    }
}
