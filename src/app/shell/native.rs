//! The window on the desktop.

use super::app::App;
use super::graphics::wgpu_options;
use super::options::Options;
use super::{background, lost_device};
#[cfg(unix)]
use crate::persist::save_first;
use crate::persist::{Autosave, SavedWindow};
use crate::render;
use crate::state::MIN_WINDOW_POINTS;
use eframe::CreationContext;
use thiserror::Error;

/// Opens the window and runs until it is closed. If the driver loses its device (it was updated or hung, or the card
/// was unplugged), the program restarts with the saved work.
///
/// # Errors
/// [`WindowError`], with the message of the window system or the graphics driver.
pub fn run(options: Options) -> Result<(), WindowError> {
    background::yield_to_window(options.threads);
    // Fail before anything opens, because the window is useless without graphics.
    let adapter = render::find_adapter(render::AdapterChoice::Fastest)?;
    let mut kept = options.state_folder.as_deref().map(SavedWindow::open).unwrap_or_default();
    kept.problems.extend(lost_device::problem());
    let layout = kept.settings().layout;
    let title = match kept.window_number() {
        1 => "Posepress".to_owned(),
        number => format!("Posepress {number}"),
    };
    let native = eframe::NativeOptions {
        wgpu_options: wgpu_options(Some(adapter.get_info())),
        viewport: egui::ViewportBuilder::default()
            .with_title(title)
            .with_app_id("posepress")
            .with_icon(icon())
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
            lost_device::restart(&state.device, app.autosave.as_ref().map(Autosave::inbox));
        }
        Ok(Box::new(app) as Box<dyn eframe::App>)
    };
    eframe::run_native("posepress", native, Box::new(create)).map_err(WindowError::from)
}

/// The picture of the program in task bars and window lists. On Wayland the desktop file names it.
fn icon() -> egui::IconData {
    eframe::icon_data::from_png_bytes(include_bytes!("../assets/icon.png")).unwrap_or_default()
}

const COMMANDS_HELP: &str = "Without a display use the subcommands: info, codecs, report, compress, decode, verify, \
     export, render (see posepress --help)";

/// Why no window opens, and what to do.
#[derive(Debug, Error)]
pub enum WindowError {
    /// Nothing can draw.
    #[error(transparent)]
    Render(#[from] render::RenderError),
    /// The graphics driver refused.
    #[error("{reason} ({0})", reason = render::RenderError::NoAdapter)]
    Driver(#[source] eframe::Error),
    /// There is no window system.
    #[error("no display was found: neither Wayland nor X11 answers. {COMMANDS_HELP}")]
    NoDisplay(#[source] eframe::Error),
    /// The window system refused.
    #[error("no window can be opened: {0}. {COMMANDS_HELP}")]
    Window(#[source] eframe::Error),
}

impl From<eframe::Error> for WindowError {
    fn from(error: eframe::Error) -> Self {
        match error {
            eframe::Error::Wgpu(_) => Self::Driver(error),
            eframe::Error::WinitEventLoop(_) => Self::NoDisplay(error),
            _ => Self::Window(error),
        }
    }
}
