//! The window: panels over a [`posepress_core::session::Workspace`]. Panels read and push commands; `dispatch` is the one writer.

mod actions;
mod asking;
mod background;
mod blink;
mod cameras;
mod commands;
mod dispatch;
mod files;
mod focus;
mod frame_times;
mod framing;
mod layout;
mod looping;
mod messages;
mod panels;
mod path_sheet;
mod recipe_edit;
pub mod render;
mod saved;
mod selection;
mod settings;
mod theme;
mod transport;
mod view;
mod viewports;
mod widgets;

pub use actions::{Action, Menu, Reason, State, actions};
pub use blink::{BLINK_RANGE_HZ, Blink};
pub use cameras::Cameras;
pub use commands::Command;
pub use files::{Asked, NativePicker, Picker};
pub use frame_times::FrameFigures;
pub use messages::{Messages, Problem};
pub use panels::{PANELS, Panel, Place};
pub use recipe_edit::RecipeEdit;
pub use selection::Selection;
pub use settings::{CurveKind, LeftTab, RightTab, Settings, TimelineTab};
pub use transport::Transport;
pub use view::{Filters, Held, Imports, Palette, Sheets, View};

use eframe::CreationContext;
use files::Files;
use posepress_core::import::ImportOptions;
use posepress_core::session::{Document, ViewMode, Workspace};
use render::RigState;
use std::path::PathBuf;
use theme::Theme;

/// How the window starts.
pub struct Options {
    /// Files to open; none opens the bundled sample.
    pub files: Vec<PathBuf>,
    /// What the user said about them.
    pub import: ImportOptions,
    /// Asks for files.
    pub picker: Box<dyn Picker>,
    /// Settings and recipes of the last session are read.
    pub restore: bool,
    /// Times of this machine are shown; pictures that are compared leave them out.
    pub timings: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            files: Vec::new(),
            import: ImportOptions::default(),
            picker: Box::new(NativePicker),
            restore: true,
            timings: true,
        }
    }
}

/// The program behind the window.
pub struct App {
    workspace: Workspace,
    view: View,
    files: Files,
    import_options: ImportOptions,
    gpu_errors: Option<render::GpuErrors>,
    applied: Option<(bool, f32)>,
    /// A control had the focus, or a menu was open, when the last frame ended: Escape is theirs.
    had_focus: bool,
    /// The sample was just opened by itself: the playhead goes to its worst plant as soon as that is known.
    first_look: bool,
    /// Of the last session, to be kept beside what this one saves.
    unread: Vec<saved::Unread>,
}

const SETTINGS_KEY: &str = "settings";
const DOCUMENT_KEY: &str = "document";

impl App {
    /// Starts the workspace and reads the first files in the background.
    pub fn new(cc: &CreationContext<'_>, options: Options) -> Self {
        let storage = cc.storage.filter(|_| options.restore);
        let (settings, bad_settings) = saved::read(storage, SETTINGS_KEY, |text| serde_json::from_str(text));
        let (document, bad_document) = saved::read(storage, DOCUMENT_KEY, Document::from_toml);
        let wake = cc.egui_ctx.clone();
        let mut app = Self {
            workspace: Workspace::new(document, move || wake.request_repaint()),
            view: View { timings: options.timings, ..View::new(settings) },
            files: Files::new(options.picker, cc.egui_ctx.clone()),
            import_options: options.import,
            gpu_errors: cc.wgpu_render_state.as_ref().map(render::install),
            applied: None,
            had_focus: false,
            first_look: false,
            unread: Vec::new(),
        };
        let unread = [("The settings", bad_settings), ("The recipes", bad_document)];
        for (what, unread) in unread.into_iter().filter_map(|(what, unread)| Some((what, unread?))) {
            app.view.messages.report(unread.problem(what));
            app.unread.push(unread);
        }
        if options.files.is_empty() {
            app.first_look = true;
            app.open_sample();
        } else {
            app.open(options.files);
        }
        app
    }

    /// Files, recipes and answers, for tests.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Selection, playhead and settings, for tests.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Nothing is being read, compressed or written.
    pub fn is_settled(&self) -> bool {
        self.workspace.is_settled() && !self.workspace.library().sources().is_empty()
    }

    fn apply_theme(&mut self, ctx: &egui::Context) {
        let wanted = (self.view.settings.dark, self.view.settings.zoom);
        if self.applied != Some(wanted) {
            Theme::of(wanted.0).apply(ctx);
            ctx.set_zoom_factor(wanted.1);
            self.applied = Some(wanted);
        }
    }

    /// Keys that matter as long as they are held, and what blinks by the clock.
    fn hold_keys(&mut self, ctx: &egui::Context) {
        let typing = ctx.text_edit_focused();
        let held = |key| !typing && ctx.input(|i| i.key_down(key) && !i.modifiers.command);
        let view = &mut self.view;
        view.held.original = held(egui::Key::R);
        view.held.divider = held(egui::Key::V);
        let (now_secs, rate_hz) = (ctx.input(|i| i.time), view.settings.blink_hz);
        let blinks = (view.settings.mode == ViewMode::Blink || held(egui::Key::B)) && !view.held.original;
        view.blink.update(blinks, now_secs, rate_hz);
        if let Some(wait_secs) = view.blink.next_change_secs(now_secs, rate_hz) {
            ctx.request_repaint_after_secs(wait_secs as f32);
        }
    }

    /// Whether the rig that is looked at can be drawn: known as soon as it was tried, in the frame before.
    fn ask_renderer(&mut self, ctx: &egui::Context, frame: &eframe::Frame) {
        let rig = self.workspace.selected().and_then(|id| Some(self.workspace.library().clip(id)?.0));
        let state = rig.zip(frame.wgpu_render_state()).map(|(rig, state)| render::rig_state(state, rig));
        if state == Some(RigState::Unknown) {
            ctx.request_repaint();
        }
        self.view.refusal = match state {
            Some(RigState::Refused(refusal)) => Some(refusal),
            _ => None,
        };
    }

    fn show_gpu_errors(&mut self) {
        for detail in self.gpu_errors.iter().flat_map(render::GpuErrors::take) {
            self.view.messages.report_once(Problem::error("The graphics driver refused a command", detail));
        }
    }
}

impl eframe::App for App {
    fn logic(&mut self, ctx: &egui::Context, frame: &mut eframe::Frame) {
        self.view.frame_times.begin();
        self.take_in();
        self.show_gpu_errors();
        self.ask_renderer(ctx, frame);
        if self.first_look {
            self.look_at_worst_plant();
        }
        self.explain();
        let elapsed_secs = ctx.input(|i| i.stable_dt).min(0.1);
        let duration_secs = self.duration_secs();
        self.view.transport.advance(elapsed_secs, duration_secs);
        self.follow();
        if self.view.transport.playing && duration_secs > 0.0 || self.workspace.activity().is_some() {
            ctx.request_repaint();
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut eframe::Frame) {
        let ctx = ui.ctx().clone();
        self.apply_theme(&ctx);
        let mut commands = actions::pressed(&ctx, self.had_focus);
        self.hold_keys(&ctx);
        commands.extend(files::dropped(&ctx));
        let viewport = layout::show(ui, &self.workspace, &self.view, &mut commands);
        if self.view.cameras.resized(viewport, self.view.written_below()) {
            ctx.request_repaint();
        }
        if !commands.is_empty() {
            self.dispatch(&ctx, commands);
            ctx.request_repaint();
        }
        // Sheets with a field have the focus for as long as they are open: there Escape closes them.
        let is_sheet = self.view.sheets.palette.is_some() || self.view.sheets.path.is_some();
        self.had_focus = !is_sheet && (ctx.memory(|m| m.focused()).is_some() || egui::Popup::is_any_open(&ctx));
        self.view.frame_times.end(frame.info().cpu_usage, self.workspace.activity().is_some());
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        self.unread.drain(..).for_each(|unread| unread.keep(storage));
        storage.set_string(DOCUMENT_KEY, self.workspace.document().to_toml());
        match serde_json::to_string(&self.view.settings) {
            Ok(text) => storage.set_string(SETTINGS_KEY, text),
            Err(error) => tracing::error!("settings cannot be kept: {error}"),
        }
    }

    fn clear_color(&self, _: &egui::Visuals) -> [f32; 4] {
        Theme::of(self.view.settings.dark).app.to_normalized_gamma_f32()
    }
}

/// Opens the window and runs until it is closed.
///
/// # Errors
/// The words of the window system or the graphics driver, with what to do.
pub fn run(options: Options) -> Result<(), String> {
    background::yield_to_window();
    // Before anything opens: a window without pictures helps nobody.
    render::find_adapter(render::AdapterChoice::Fastest).map_err(|error| error.to_string())?;
    let native = eframe::NativeOptions {
        wgpu_options: wgpu_options(),
        viewport: egui::ViewportBuilder::default()
            .with_title("Posepress")
            .with_app_id("posepress")
            .with_inner_size([1600.0, 960.0])
            .with_min_inner_size([960.0, 600.0])
            .with_drag_and_drop(true),
        ..Default::default()
    };
    eframe::run_native("posepress", native, Box::new(|cc| Ok(Box::new(App::new(cc, options)))))
        .map_err(|error| explain(&error))
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
