//! The window: panels over a [`posepress_core::session::Workspace`]. Panels read and push commands; `dispatch` is the one writer.

mod actions;
mod commands;
mod files;
mod panels;
mod persist;
pub mod render;
mod shell;
mod state;
mod theme;
mod update;
mod viewports;
mod widgets;

pub use actions::{Action, Menu, Reason, State, actions};
pub use commands::Command;
pub use files::{Asked, NativePicker, Picker};
pub use panels::{PANELS, Panel, Place};
pub use persist::{Again, LeftOut, Opening};
pub use shell::run;
pub use state::{
    BLINK_RANGE_HZ, Blink, Cameras, CurveKind, Desk, Filters, FrameFigures, Held, Imports, Layout, LeftTab, Messages,
    Palette, Problem, Reviewing, RightTab, Selection, Settings, Sheets, TimelineTab, Transport, View,
};
pub use update::{OpenClip, Pending, PendingSource, PendingState, RecipeEdit, Session};

use eframe::CreationContext;
use files::Files;
use files::Watch;
use persist::{Autosave, Kept, Marking, State as SavedState};
use posepress_core::import::ImportOptions;
use posepress_core::session::{Document, SharedView, StateFile, ViewMode, Workspace};
use render::RigState;
use shell::{Patience, TypeAhead, layout};
use std::path::PathBuf;
use std::time::Duration;
use theme::Theme;

/// How the window starts.
pub struct Options {
    /// Files to open; none opens the bundled sample.
    pub files: Vec<PathBuf>,
    /// What the user said about them.
    pub import: ImportOptions,
    /// What is shown of them, as soon as they are open.
    pub view: Option<SharedView>,
    /// Asks for files.
    pub picker: Box<dyn Picker>,
    /// Folder in which windows keep their work; without one nothing is read and nothing is kept.
    pub state_folder: Option<PathBuf>,
    /// How often open files are looked at for changes.
    pub watch_every: Duration,
    /// Times of this machine are shown; pictures that are compared leave them out.
    pub timings: bool,
    /// Threads that compress and measure; `None`: as the environment says, else one per core.
    pub threads: Option<usize>,
    /// Who decides; `None`: as it was answered before, else it is asked at the first decision.
    pub author: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            files: Vec::new(),
            import: ImportOptions::default(),
            view: None,
            picker: Box::new(NativePicker),
            state_folder: persist::folder(),
            watch_every: files::USUAL_INTERVAL,
            timings: true,
            threads: None,
            author: None,
        }
    }
}

/// The program behind the window.
pub struct App {
    autosave: Option<Autosave>,
    workspace: Workspace,
    view: View,
    files: Files,
    watch: Watch,
    import_options: ImportOptions,
    gpu_errors: Option<render::GpuErrors>,
    applied: Option<(bool, f32)>,
    /// A control had the focus, or a menu was open, when the last frame ended: Escape is theirs.
    had_focus: bool,
    /// The sample was just opened by itself: the playhead goes to its worst plant as soon as that is known.
    first_look: bool,
    /// The last session, until all of its files are open again.
    reopening: Option<Session>,
    /// What is to be shown as soon as its file is open.
    awaited_view: Option<update::AwaitedView>,
    /// Says on the disk what is being opened.
    marking: Marking,
    /// Keys that wait for a field.
    type_ahead: TypeAhead,
    patience: Patience,
}

impl App {
    /// Starts the workspace and reads the first files in the background.
    pub fn new(cc: &CreationContext<'_>, options: Options) -> Self {
        let kept = options.state_folder.as_deref().map(Kept::open).unwrap_or_default();
        Self::go_on(cc, options, kept)
    }

    /// As [`Self::new`], with what was kept.
    fn go_on(cc: &CreationContext<'_>, options: Options, mut kept: Kept) -> Self {
        let (mut settings, offer) = (kept.settings(), kept.offer());
        settings.author = options.author.clone().unwrap_or(settings.author);
        let (mut marking, last) = Marking::begin(kept.file.as_ref().map(StateFile::opening_mark));
        let left = kept.leave_out(last);
        let Kept { file, state, problems } = kept;
        let mut files = options.files;
        let is_told_files = !files.is_empty();
        let is_first_start = state.is_none() && !is_told_files && left.is_none();
        let SavedState { session, mut document, .. } = state.unwrap_or_default();
        if is_first_start {
            document = Document::of_sample();
        }
        if is_told_files && session.is_empty() {
            document.leave_sample();
        }
        let foreign = left.as_ref().and_then(|left| left.take_foreign(&mut document));
        files.retain(|file| !left.as_ref().is_some_and(|left| left.has(file)));
        let opens_sample = !is_told_files && session.is_empty() && left.is_none();
        // Before it is read: if it ends the program, the next start knows which file did.
        let kept_files = session.files.iter().map(|source| &source.path).filter(|_| !is_told_files);
        let told_files = files.iter().filter_map(|file| std::path::absolute(file).ok());
        let is_left_out = |path: &PathBuf| left.as_ref().is_some_and(|left| left.has(path));
        let other_tools = document.foreign.iter().map(|file| file.path.clone());
        let opened: Vec<PathBuf> =
            kept_files.cloned().chain(told_files).chain(other_tools).filter(|path| !is_left_out(path)).collect();
        marking.add(|opening| (opening.files, opening.sample) = (opened, opens_sample));
        let wake = cc.egui_ctx.clone();
        let mut app = Self {
            autosave: None,
            workspace: Workspace::new(document, move || wake.request_repaint()),
            view: View { timings: options.timings, ..View::new(settings) },
            files: Files::new(options.picker, cc.egui_ctx.clone()),
            watch: Watch::start(options.watch_every, cc.egui_ctx.clone()),
            import_options: options.import,
            gpu_errors: cc.wgpu_render_state.as_ref().map(render::install),
            applied: None,
            had_focus: false,
            first_look: false,
            reopening: None,
            awaited_view: None,
            marking,
            type_ahead: TypeAhead::default(),
            patience: Patience::default(),
        };
        problems.into_iter().chain(offer).for_each(|problem| app.view.messages.report(problem));
        app.view.settings.layout.folded.iter().for_each(|title| widgets::fold(&cc.egui_ctx, title));
        left.into_iter().for_each(|left| app.offer_left_out(left));
        if !files.is_empty() {
            app.open(files);
        } else if opens_sample {
            app.first_look = true;
            app.open_sample();
        } else if !is_told_files && !session.is_empty() {
            app.reopen(session);
        }
        foreign.into_iter().for_each(|file| app.leave_out_foreign(file));
        options.view.into_iter().for_each(|view| app.take_view(view));
        if let Some(file) = file {
            app.start_autosave(file, cc.egui_ctx.clone());
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
        let pending = &self.view.pending;
        let has_some = !self.workspace.library().sources().is_empty()
            || self.view.project.is_some()
            || pending.absent().next().is_some();
        self.workspace.is_settled() && !pending.is_searching() && has_some
    }

    fn apply_theme(&mut self, ctx: &egui::Context) {
        let room = ctx.content_rect().size() * ctx.zoom_factor();
        let wanted = (self.view.settings.dark, self.view.settings.zoom_within(room.into()));
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

    /// A sheet or a field was asked for and has no keys yet: until then they run nothing.
    fn awaits_field(&mut self, ctx: &egui::Context) -> bool {
        let is_over = ctx.input(|input| !input.focused || input.key_pressed(egui::Key::Escape));
        if is_over {
            self.files.dialog_came();
        }
        let (review, sheets) = (&mut self.view.review, &self.view.sheets);
        let is_wanted = review.wants_note || review.wants_moment_note || review.reason.is_some();
        let is_asked = is_wanted || sheets.path.is_some() || sheets.palette.is_some();
        // The sheet for the author has buttons that are reached by keys.
        let has_no_focus = sheets.author.is_some() && ctx.memory(|memory| memory.focused()).is_none();
        let is_late = is_asked && !ctx.text_edit_focused() || has_no_focus;
        if self.patience.is_over(is_late) || is_late && is_over {
            // It does not come: its panel is folded, or there is no clip.
            review.note_focused();
            review.reason = None;
            return self.files.is_asking();
        }
        is_late || self.files.is_asking()
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
        self.keep_to_clip();
        self.show_gpu_errors();
        self.ask_renderer(ctx, frame);
        if self.first_look {
            self.look_at_worst_plant();
        }
        self.look_at_reviewed();
        self.keep_ghost();
        self.explain();
        let elapsed_secs = ctx.input(|i| i.stable_dt).min(0.1);
        let duration_secs = self.duration_secs();
        self.view.transport.advance(elapsed_secs, duration_secs);
        self.follow();
        if self.view.transport.playing && duration_secs > 0.0 || self.workspace.activity().is_some() {
            ctx.request_repaint();
        }
        if self.keep_mark() {
            ctx.request_repaint();
        }
        self.keep_work();
    }

    fn on_exit(&mut self) {
        self.keep_work();
        self.marking.end();
    }

    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut eframe::Frame) {
        let ctx = ui.ctx().clone();
        self.apply_theme(&ctx);
        self.name_window(&ctx);
        self.ask_before_closing(&ctx);
        // The sheets for paths and the author, and what is asked before a project is left: what lies behind gets no key.
        let sheets = &self.view.sheets;
        let is_covered = sheets.path.is_some() || sheets.author.is_some() || self.view.unsaved.asked.is_some();
        let (is_waiting, is_typing) = (self.awaits_field(&ctx), ctx.text_edit_focused());
        ctx.input_mut(|input| self.type_ahead.begin(input, is_waiting, is_typing));
        let mut commands = Vec::new();
        if !is_covered && !is_waiting {
            let pressed = actions::pressed(&ctx, self.view.settings.desk, self.had_focus);
            self.type_ahead.keep(pressed.behind);
            self.type_ahead.spend(pressed.key);
            commands = pressed.commands;
        }
        self.hold_keys(&ctx);
        commands.extend(files::dropped(&ctx));
        commands.extend(update::from_clipboard(&ctx));
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
        if !self.type_ahead.is_empty() {
            ctx.request_repaint();
        }
        self.keep_layout(&ctx);
        self.view.frame_times.end(frame.info().cpu_usage, self.workspace.activity().is_some());
    }

    fn clear_color(&self, _: &egui::Visuals) -> [f32; 4] {
        Theme::of(self.view.settings.dark).app.to_normalized_gamma_f32()
    }
}
