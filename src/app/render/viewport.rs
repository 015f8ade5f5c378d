use super::{GpuErrors, GpuRefusal, RenderOptions, Renderer, Show, ViewScene, ViewportId};
use egui_wgpu::{CallbackResources, CallbackTrait, RenderState, ScreenDescriptor};
use posepress_core::model::Rig;
use std::sync::Arc;

/// A rectangle of the window that shows a scene. Cheap to create per frame; it redraws only after a change.
#[derive(Debug, Clone)]
pub struct Viewport {
    /// Id of the rectangle.
    pub id: ViewportId,
    /// Position, points.
    pub rect: egui::Rect,
    /// The scene. Share it between the two sides.
    pub scene: Arc<ViewScene>,
    /// The side, or both.
    pub show: Show,
}

/// Samples per pixel on a graphics card. A CPU draws one, because four cost it four times the work.
const CARD_SAMPLES: u32 = 4;

/// Makes the renderer of a window and stores it with egui's. Call it once, when the window opens. The result collects
/// errors that would otherwise end the program.
pub fn install(state: &RenderState) -> GpuErrors {
    let errors = GpuErrors::watch(&state.device);
    let on_cpu = state.adapter.get_info().device_type == wgpu::DeviceType::Cpu;
    let options =
        RenderOptions { samples: if on_cpu { 1 } else { CARD_SAMPLES }, blit_format: Some(state.target_format) };
    let renderer = Renderer::new(&state.device, options);
    state.renderer.write().callback_resources.insert(renderer);
    errors
}

/// State of a rig in the viewports of a window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RigState {
    /// It was not drawn yet.
    Unknown,
    /// It is drawn.
    Drawn,
    /// It cannot be drawn, for this reason.
    Refused(GpuRefusal),
}

/// Returns the state of a rig in the viewports of a window.
pub fn rig_state(state: &RenderState, rig: &Arc<Rig>) -> RigState {
    let renderer = state.renderer.read();
    match renderer.callback_resources.get::<Renderer>().and_then(|renderer| renderer.rig_state(rig)) {
        None => RigState::Unknown,
        Some(Ok(())) => RigState::Drawn,
        Some(Err(refusal)) => RigState::Refused(refusal.clone()),
    }
}

/// The shape that draws a viewport, to be added to a painter. Draws nothing unless [`install`] was called.
pub fn viewport(viewport: Viewport) -> egui::PaintCallback {
    egui_wgpu::Callback::new_paint_callback(viewport.rect, viewport)
}

impl CallbackTrait for Viewport {
    fn prepare(
        &self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        screen: &ScreenDescriptor,
        encoder: &mut wgpu::CommandEncoder,
        resources: &mut CallbackResources,
    ) -> Vec<wgpu::CommandBuffer> {
        // The same rounding as egui's, so that every pixel of the picture matches one of the screen.
        let px =
            egui::epaint::ViewportInPixels::from_points(&self.rect, screen.pixels_per_point, screen.size_in_pixels);
        let size_px = [px.width_px, px.height_px].map(|side| u32::try_from(side).unwrap_or(0));
        if let Some(renderer) = resources.get_mut::<Renderer>() {
            let scale = screen.pixels_per_point;
            renderer.prepare(device, queue, encoder, self.id, size_px, scale, &self.scene, self.show);
        }
        Vec::new()
    }

    fn paint(
        &self,
        _info: egui::PaintCallbackInfo,
        pass: &mut wgpu::RenderPass<'static>,
        resources: &CallbackResources,
    ) {
        if let Some(renderer) = resources.get::<Renderer>() {
            renderer.paint(self.id, pass);
        }
    }
}
