//! The graphics of the window, on the desktop and in a web page.

use crate::render;

/// Options for a device with buffers as large as the adapter allows.
pub fn wgpu_options() -> egui_wgpu::WgpuConfiguration {
    let descriptor = |adapter: &wgpu::Adapter| wgpu::DeviceDescriptor {
        label: Some("window"),
        required_limits: render::limits(adapter),
        ..Default::default()
    };
    let mut options = egui_wgpu::WgpuConfiguration::default();
    if let egui_wgpu::WgpuSetup::CreateNew(setup) = &mut options.wgpu_setup {
        setup.device_descriptor = std::sync::Arc::new(descriptor);
    }
    options
}
