//! The program behind the window: work per frame, and saving.

use super::blind_keys::blind_keys;
use super::options::Options;
use super::plan::Plan;
use super::pressed::{EscapeOf, pressed};
use super::type_ahead::{Patience, TypeAhead};
use super::{given, layout};
use crate::actions::use_keymap;
use crate::commands::RecipeCommand;
use crate::files::{Files, Watch};
use crate::persist::{Autosave, DELAY, SavedWindow, State as SavedState, not_kept};
use crate::render::{self, RigState};
use crate::state::{Leaving, Panel, Problem, Start, View, file_name};
use crate::theme::Theme;
use crate::update::{self, Model};
use crate::widgets;
use eframe::CreationContext;
use posepress_core::project::StateFile;
use posepress_core::tasks::Crew;
use posepress_core::view::ViewMode;
use posepress_core::workspace::Workspace;

/// The program behind the window.
pub struct App {
    pub(super) autosave: Option<Autosave>,
    model: Model,
    gpu_errors: Option<render::GpuErrors>,
    applied: Option<(bool, f32)>,
    /// At the end of the last frame.
    escape_of: EscapeOf,
    /// Keys that wait for a field.
    type_ahead: TypeAhead,
    patience: Patience,
}

impl App {
    /// Starts the workspace and reads the first files in the background.
    pub fn new(cc: &CreationContext<'_>, options: Options) -> Self {
        let kept = match (&options.state_folder, &options.saved) {
            (Some(folder), _) => SavedWindow::open(folder),
            (None, Some(text)) => SavedWindow::of_text(text),
            (None, None) => SavedWindow::default(),
        };
        Self::go_on(cc, options, kept)
    }

    /// Same as [`Self::new`], with the saved state.
    pub(super) fn go_on(cc: &CreationContext<'_>, options: Options, kept: SavedWindow) -> Self {
        let Plan { start, marking, left, external, problems, file } = Plan::of(kept, &options);
        let own_keys = options.state_folder.as_deref().map(|folder| folder.join("keys.toml"));
        let wake = cc.egui_ctx.clone();
        let files = Files::new(options.picker, wake.clone());
        let watch = Watch::start(options.watch_every, wake.clone());
        let workspace = workspace(&start, options.in_turns, options.crew, wake);
        let mut model = Model::new(workspace, &start, files, watch, marking);
        (model.view.timings, model.view.in_page) = (options.timings, options.in_turns);
        problems.into_iter().for_each(|problem| model.view.messages.report(problem));
        start.settings.layout.folded.iter().for_each(|title| widgets::fold(&cc.egui_ctx, title));
        left.into_iter().for_each(|left| update::offer_left_out(&mut model.view, left));
        update::begin(&mut model, start);
        (model.view.own_keys, model.view.results_folder) = (own_keys, options.results_folder);
        update::use_results(&model.workspace, &mut model.view);
        update::restore_keys(&mut model.view);
        external.into_iter().for_each(|file| update::leave_out_external(&mut model.view, file));
        let mut app = Self {
            autosave: None,
            model,
            gpu_errors: cc.wgpu_render_state.as_ref().map(render::install),
            applied: None,
            escape_of: EscapeOf::Window,
            type_ahead: TypeAhead::default(),
            patience: Patience::default(),
        };
        if let Some(file) = file {
            app.start_autosave(file, cc.egui_ctx.clone());
        }
        app
    }

    /// Files, recipes and results, for tests.
    pub fn workspace(&self) -> &Workspace {
        &self.model.workspace
    }

    /// Selection, playhead and settings, for tests.
    pub fn view(&self) -> &View {
        &self.model.view
    }

    /// True if nothing is being read, compressed or written, and something is open or missing.
    pub fn is_settled(&self) -> bool {
        let pending = &self.model.view.pending;
        let has_some = !self.model.workspace.library().sources().is_empty()
            || self.model.view.project.is_some()
            || pending.absent().next().is_some();
        update::is_settled(&self.model) && has_some
    }

    fn apply_theme(&mut self, ctx: &egui::Context) {
        let room = ctx.content_rect().size() * ctx.zoom_factor();
        let wanted = (self.model.view.settings.dark, self.model.view.settings.zoom_within(room.into()));
        if self.applied != Some(wanted) {
            Theme::of(wanted.0).apply(ctx);
            ctx.set_zoom_factor(wanted.1);
            self.applied = Some(wanted);
        }
    }

    /// The part of the window that Escape belongs to. Sheets with a field have the focus while they are open, and Escape closes them.
    fn escape_of(&self, ctx: &egui::Context) -> EscapeOf {
        let is_sheet = self.model.view.sheets.palette.is_some() || self.model.view.sheets.path.is_some();
        let has_focus = || ctx.memory(|m| m.focused()).is_some() || egui::Popup::is_any_open(ctx);
        match ctx.dragged_id() {
            Some(_) => EscapeOf::Drag,
            None if !is_sheet && has_focus() => EscapeOf::Control,
            None => EscapeOf::Window,
        }
    }

    /// Updates the keys that act while they are held, and blinking.
    fn hold_keys(&mut self, ctx: &egui::Context) {
        let is_off = ctx.text_edit_focused() || self.model.view.blind.is_some();
        let held = |key| !is_off && ctx.input(|i| i.key_down(key) && !i.modifiers.command);
        let view = &mut self.model.view;
        view.held.original = held(egui::Key::R);
        view.held.divider = held(egui::Key::V);
        let (now_secs, rate_hz) = (ctx.input(|i| i.time), view.settings.blink_hz);
        let is_mode = view.settings.mode == ViewMode::Blink && view.blind.is_none();
        let blinks = (is_mode || held(egui::Key::B)) && !view.held.original;
        view.blink.update(blinks, now_secs, rate_hz);
        if let Some(wait_secs) = view.blink.next_change_secs(now_secs, rate_hz) {
            ctx.request_repaint_after_secs(wait_secs as f32);
        }
    }

    /// True while a requested sheet, field or dialog does not have the focus yet. Until then keys run no actions.
    fn awaits_field(&mut self, ctx: &egui::Context) -> bool {
        let is_over = ctx.input(|input| !input.focused || input.key_pressed(egui::Key::Escape));
        if is_over {
            self.model.files.dialog_came();
        }
        let (review, sheets) = (&mut self.model.view.review, &self.model.view.sheets);
        let is_wanted = review.wants_note || review.wants_moment_note || review.reason.is_some();
        let is_asked = is_wanted || sheets.path.is_some() || sheets.palette.is_some();
        // The sheet for the reviewer's name has buttons that can have the focus.
        let has_no_focus = sheets.author.is_some() && ctx.memory(|memory| memory.focused()).is_none();
        let is_late = is_asked && !ctx.text_edit_focused() || has_no_focus;
        if self.patience.is_over(is_late) || is_late && is_over {
            // The field does not appear: its panel is folded, or there is no clip.
            review.note_focused();
            review.reason = None;
            return self.model.files.is_asking();
        }
        is_late || self.model.files.is_asking()
    }

    /// Updates the reason why the selected rig cannot be drawn. It is known after the frame that tried to draw it.
    fn ask_renderer(&mut self, ctx: &egui::Context, frame: &eframe::Frame) {
        let rig = self.model.workspace.selected().and_then(|id| Some(self.model.workspace.library().clip(id)?.0));
        let state = rig.zip(frame.wgpu_render_state()).map(|(rig, state)| render::rig_state(state, rig));
        if state == Some(RigState::Unknown) {
            ctx.request_repaint();
        }
        self.model.view.refusal = match state {
            Some(RigState::Refused(refusal)) => Some(refusal),
            _ => None,
        };
    }

    fn show_gpu_errors(&mut self) {
        for detail in self.gpu_errors.iter().flat_map(render::GpuErrors::take) {
            self.model.view.messages.report_once(Problem::error("The graphics driver refused a command", detail));
        }
    }

    /// Starts to save changes to this file.
    fn start_autosave(&mut self, file: StateFile, wake: egui::Context) {
        match Autosave::start(file, DELAY, move || wake.request_repaint()) {
            Ok(autosave) => self.autosave = Some(autosave),
            Err(error) => self.model.view.messages.report(not_kept(&error.to_string())),
        }
        self.keep_work();
    }

    /// The work, to save it. `None` in a tour, whose work is not a person's.
    fn state(&self) -> Option<SavedState> {
        self.model.view.touring.is_none().then(|| SavedState {
            settings: self.model.view.settings.clone(),
            session: update::session(&self.model),
            document: update::document(&self.model.workspace, &self.model.view),
        })
    }

    /// The work as text, for [`Options::saved`]. `None` in a tour.
    pub fn work(&self) -> Option<String> {
        self.state()?.to_toml().ok()
    }

    /// Says that the place where [`Self::work`] is kept takes no more.
    pub fn tell_not_kept(&mut self, reason: &str) {
        self.model.view.messages.report_once(not_kept(reason));
    }

    /// Says that something went wrong outside of the window.
    pub fn tell(&mut self, title: &str, detail: &str) {
        self.model.view.messages.report_once(Problem::error(title, detail));
    }

    /// Passes the current work to the autosave, and reports if it cannot be saved.
    fn keep_work(&mut self) {
        if self.autosave.is_none() {
            return;
        }
        let state = self.state();
        let Some((autosave, state)) = self.autosave.as_mut().zip(state) else { return };
        autosave.hand_over(state);
        if let Some(reason) = autosave.failure() {
            self.model.view.messages.report(not_kept(&reason));
        }
    }

    /// Stores the window's size and the folded sections in the settings.
    fn keep_layout(&mut self, ctx: &egui::Context) {
        let layout = &mut self.model.view.settings.layout;
        layout.folded = widgets::folded(ctx, Panel::ALL.iter().map(|panel| panel.title()));
        let zoom = ctx.zoom_factor();
        ctx.input(|input| {
            let window = input.viewport();
            layout.maximized = window.maximized.unwrap_or(layout.maximized);
            if let Some(inside) = window.inner_rect.filter(|_| !layout.maximized && window.fullscreen != Some(true)) {
                layout.window_points = Some([inside.width() * zoom, inside.height() * zoom]);
            }
        });
    }

    /// Sets the window's title: the project, with a mark for unsaved changes.
    fn name_window(&mut self, ctx: &egui::Context) {
        update::compare_with_file(&mut self.model);
        let view = &mut self.model.view;
        let mark = if update::is_unsaved(view) { "\u{2022} " } else { "" };
        let name = view.project.as_deref().map(|path| format!("{mark}{}", file_name(path)));
        if view.window_named != name {
            let title = name.as_deref().map_or("Posepress".to_owned(), |name| format!("{name} \u{2013} Posepress"));
            ctx.send_viewport_cmd(egui::ViewportCommand::Title(title));
            view.window_named = name;
        }
    }

    /// Asks about unsaved changes before the window closes.
    fn ask_before_closing(&mut self, ctx: &egui::Context) {
        let view = &mut self.model.view;
        let wants_to_close = ctx.input(|input| input.viewport().close_requested());
        let may_close = wants_to_close && std::mem::take(&mut view.unsaved.may_close);
        if wants_to_close && !may_close && !update::may_leave(view, Leaving::Quit) {
            ctx.send_viewport_cmd(egui::ViewportCommand::CancelClose);
            ctx.request_repaint();
        }
    }
}

fn workspace(start: &Start, in_turns: bool, crew: Option<Crew>, wake: egui::Context) -> Workspace {
    let wake = move || wake.request_repaint();
    match in_turns {
        true => Workspace::in_turns(start.document.clone(), wake, crew),
        false => Workspace::new(start.document.clone(), wake),
    }
}

impl eframe::App for App {
    fn logic(&mut self, ctx: &egui::Context, frame: &mut eframe::Frame) {
        self.model.view.frame_times.begin();
        update::take_in(&mut self.model);
        self.show_gpu_errors();
        self.ask_renderer(ctx, frame);
        let elapsed_secs = ctx.input(|i| i.stable_dt).min(0.1);
        update::advance(&mut self.model, elapsed_secs);
        let commands = update::advance_tour(&mut self.model, elapsed_secs);
        if !commands.is_empty() {
            update::dispatch(&mut self.model, ctx, commands);
        }
        let Model { workspace, view, .. } = &mut self.model;
        if view.touring.is_some()
            || view.transport.playing && update::duration_secs(workspace) > 0.0
            || workspace.activity().is_some()
        {
            ctx.request_repaint();
        }
        if update::keep_mark(&mut self.model) {
            ctx.request_repaint();
        }
        self.keep_work();
    }

    fn on_exit(&mut self) {
        update::stop_tour(&mut self.model.workspace, &mut self.model.view);
        self.keep_work();
        self.model.marking.end();
    }

    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut eframe::Frame) {
        let ctx = ui.ctx().clone();
        self.apply_theme(&ctx);
        use_keymap(&ctx, &self.model.view.keymap);
        self.name_window(&ctx);
        self.ask_before_closing(&ctx);
        // While one of these sheets is open, the window behind it gets no keys.
        let sheets = &self.model.view.sheets;
        let is_sheet = sheets.path.is_some() || sheets.author.is_some() || sheets.blind;
        let is_sheet = is_sheet || sheets.common_fixes || sheets.approve_again;
        let is_covered = is_sheet || self.model.view.unsaved.asked.is_some();
        let (is_waiting, is_typing) = (self.awaits_field(&ctx), ctx.text_edit_focused());
        ctx.input_mut(|input| self.type_ahead.begin(input, is_waiting, is_typing));
        let mut commands = Vec::new();
        let testing = self.model.view.blind.as_ref();
        if let Some(testing) = testing.filter(|_| !is_covered) {
            commands = blind_keys(&ctx, testing, self.escape_of != EscapeOf::Window);
        } else if !is_covered && !is_waiting {
            let pressed = pressed(&ctx, self.model.view.settings.main_tab, self.escape_of);
            self.type_ahead.keep(pressed.behind);
            self.type_ahead.spend(pressed.key);
            commands = pressed.commands;
        }
        self.hold_keys(&ctx);
        if self.model.view.blind.is_none() {
            commands.extend(given::dropped(&ctx));
            commands.extend(given::from_clipboard(&ctx));
        }
        let viewport = layout::show(ui, &self.model.workspace, &self.model.view, &mut commands);
        if self.model.view.cameras.resized(viewport, self.model.view.written_below()) {
            ctx.request_repaint();
        }
        if ctx.drag_started_id().is_some() && self.model.workspace.history().is_open() {
            commands.insert(0, RecipeCommand::Settle.into()); // Escape takes back the drag and nothing before it
        }
        if !commands.is_empty() {
            let commands = update::leave_tour(&mut self.model, commands);
            update::dispatch(&mut self.model, &ctx, commands);
            ctx.request_repaint();
        }
        self.escape_of = self.escape_of(&ctx);
        if !self.type_ahead.is_empty() {
            ctx.request_repaint();
        }
        self.keep_layout(&ctx);
        self.model.view.frame_times.end(frame.info().cpu_usage, self.model.workspace.activity().is_some());
    }

    fn clear_color(&self, _: &egui::Visuals) -> [f32; 4] {
        Theme::of(self.model.view.settings.dark).app.to_normalized_gamma_f32()
    }
}
