//! The window on the desktop: opened, and opened again where the graphics device is lost.

use super::messages::Problem;
use super::render::GpuErrors;
use super::saved::Kept;
use super::{App, Options, background, render, settings};
use eframe::CreationContext;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// A device that is lost twice within this time will be lost again.
const TOO_SOON: Duration = Duration::from_secs(30);

/// Opens the window and runs until it is closed. Where the driver loses its device (it was updated, it hung, the card was
/// unplugged) the window is opened again with what was kept.
///
/// # Errors
/// The words of the window system or the graphics driver, with what to do.
pub fn run(mut options: Options) -> Result<(), String> {
    background::yield_to_window();
    let mut lost: Option<(Instant, Problem)> = None;
    loop {
        let (import, state_folder, timings) = (options.import, options.state_folder.clone(), options.timings);
        let Some(reason) = open(options, lost.as_ref().map(|(_, problem)| problem.clone()))? else { return Ok(()) };
        tracing::error!("graphics: the device was lost: {reason}");
        if lost.is_some_and(|(when, _)| when.elapsed() < TOO_SOON) {
            return Err(format!(
                "the graphics driver lost its device again and again: {reason}. Your work is kept: update the driver, \
                 then start again"
            ));
        }
        let title = "The graphics driver lost its device: the window was opened again";
        lost = Some((Instant::now(), Problem::error(title, reason)));
        options = Options { import, state_folder, timings, ..Options::default() };
    }
}

/// Opens the window and runs until it is closed; the answer is why its device was lost, if it was.
fn open(options: Options, problem: Option<Problem>) -> Result<Option<String>, String> {
    // Before anything opens: a window without pictures helps nobody.
    render::find_adapter(render::AdapterChoice::Fastest).map_err(|error| error.to_string())?;
    let mut kept = options.state_folder.as_deref().map(Kept::open).unwrap_or_default();
    kept.problems.extend(problem);
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
            .with_min_inner_size(settings::MIN_WINDOW_POINTS)
            .with_drag_and_drop(true),
        ..Default::default()
    };
    let errors: Rc<RefCell<Option<GpuErrors>>> = Rc::default();
    let watched = errors.clone();
    let create = |cc: &CreationContext<'_>| {
        let app = App::go_on(cc, options, kept);
        #[cfg(unix)]
        if let Some(autosave) = &app.autosave {
            super::signals::save_first(autosave.inbox())?;
        }
        watched.replace(app.gpu_errors.clone());
        Ok(Box::new(app) as Box<dyn eframe::App>)
    };
    eframe::run_native("posepress", native, Box::new(create)).map_err(|error| explain(&error))?;
    Ok(errors.take().and_then(|errors| errors.lost()))
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
