//! The graphics of the window, on the desktop and in a web page.

use crate::render::{self, AdapterChoice, RenderError};
use std::sync::Arc;

/// Options for an adapter that was found to work, else for the best one, and a device with buffers as large as it allows.
pub fn wgpu_options(found: Option<wgpu::AdapterInfo>) -> egui_wgpu::WgpuConfiguration {
    let descriptor = |adapter: &wgpu::Adapter| wgpu::DeviceDescriptor {
        label: Some("window"),
        required_limits: render::limits(adapter),
        ..Default::default()
    };
    let mut options = egui_wgpu::WgpuConfiguration::default();
    if let egui_wgpu::WgpuSetup::CreateNew(setup) = &mut options.wgpu_setup {
        setup.device_descriptor = Arc::new(descriptor);
        setup.native_adapter_selector = Some(Arc::new(move |adapters, surface| {
            let shows = |adapter: &&wgpu::Adapter| surface.is_none_or(|surface| adapter.is_surface_supported(surface));
            let known = adapters.iter().filter(shows).find(|adapter| found.as_ref() == Some(&adapter.get_info()));
            let best = || render::best_adapter(adapters.iter().filter(shows), AdapterChoice::Fastest);
            known.cloned().or_else(best).ok_or_else(|| RenderError::NoAdapter.to_string())
        }));
    }
    options
}
