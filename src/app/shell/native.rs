//! The window on the desktop.

use super::app::App;
use super::options::Options;
use super::{background, lost_device};
#[cfg(unix)]
use crate::persist::save_first;
use crate::persist::{Autosave, Kept};
use crate::render;
use crate::state::MIN_WINDOW_POINTS;
use eframe::CreationContext;

/// Opens the window and runs until it is closed. Where the driver loses its device (it was updated, it hung, the card was
/// unplugged) the program starts anew with what was kept.
///
/// # Errors
/// The words of the window system or the graphics driver, with what to do.
pub fn run(options: Options) -> Result<(), String> {
    background::yield_to_window(options.threads);
    // Before anything opens: a window without pictures helps nobody.
    render::find_adapter(render::AdapterChoice::Fastest).map_err(|error| error.to_string())?;
    let mut kept = options.state_folder.as_deref().map(Kept::open).unwrap_or_default();
    kept.problems.extend(lost_device::problem());
    let layout = kept.settings().layout;
    let title = match kept.window_number() {
        1 => "Posepress".to_owned(),
        number => format!("Posepress {number}"),
    };
    let native = eframe::NativeOptions {
        wgpu_options: wgpu_options(),
        viewport: egui::ViewportBuilder::default()
            .with_title(title)
            .with_app_id("posepress")
            .with_inner_size(layout.window_size())
            .with_maximized(layout.maximized)
            .with_min_inner_size(MIN_WINDOW_POINTS)
            .with_drag_and_drop(true),
        ..Default::default()
    };
    let create = |cc: &CreationContext<'_>| {
        let app = App::go_on(cc, options, kept);
        #[cfg(unix)]
        if let Some(autosave) = &app.autosave {
            save_first(autosave.inbox())?;
        }
        if let Some(state) = &cc.wgpu_render_state {
            lost_device::start_anew(&state.device, app.autosave.as_ref().map(Autosave::inbox));
        }
        Ok(Box::new(app) as Box<dyn eframe::App>)
    };
    eframe::run_native("posepress", native, Box::new(create)).map_err(|error| explain(&error))
}

/// A device that has as large buffers as the adapter gives.
fn wgpu_options() -> egui_wgpu::WgpuConfiguration {
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

const COMMANDS_HELP: &str = "Without a display use the subcommands: info, codecs, report, compress, decode, verify, \
     export, render (see posepress --help)";

fn explain(error: &eframe::Error) -> String {
    match error {
        eframe::Error::Wgpu(_) => {
            format!("{} ({error})", render::RenderError::NoAdapter)
        }
        eframe::Error::WinitEventLoop(_) => {
            format!("no display was found: neither Wayland nor X11 answers. {COMMANDS_HELP}")
        }
        _ => format!("no window can be opened: {error}. {COMMANDS_HELP}"),
    }
}
