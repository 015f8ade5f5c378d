use super::keys::{in_use, key_text};
use crate::commands::*;
use crate::state::{MainTab, State};
use egui::KeyboardShortcut;
use posepress_core::workspace::ExportScope;
use std::borrow::Cow;

/// Why an action cannot run now, as a sentence that says what to do first.
pub type Reason = &'static str;

/// A menu of the top bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Menu {
    /// Files, export and quit.
    File,
    /// Recipes, comparison, marks and review.
    Edit,
    /// View and cameras.
    View,
    /// Playback.
    Playback,
    /// Help.
    Help,
}

impl Menu {
    /// In display order.
    pub const ALL: [Self; 5] = [Self::File, Self::Edit, Self::View, Self::Playback, Self::Help];

    /// Label.
    pub const fn name(self) -> &'static str {
        match self {
            Self::File => "File",
            Self::Edit => "Edit",
            Self::View => "View",
            Self::Playback => "Playback",
            Self::Help => "Help",
        }
    }
}

/// A named action.
pub struct Action {
    pub(super) id: Cow<'static, str>,
    /// Menu that holds it.
    pub menu: Menu,
    /// Label.
    pub label: Cow<'static, str>,
    /// Help text.
    pub help: Cow<'static, str>,
    /// Words of other programs by which the palette finds it.
    pub also: &'static str,
    /// Usual keys; the first is shown. [`Self::keys_now`] has those in use.
    pub keys: Cow<'static, [KeyboardShortcut]>,
    /// Main tab in which the keys act; `None` for all.
    pub(super) keyed_at: Option<MainTab>,
    pub(super) can_run: fn(&State<'_>) -> Result<(), Reason>,
    /// The exact effect now, if it says more than the help.
    pub(super) now: fn(&State<'_>) -> Option<String>,
    /// State of a switch; `None` for other actions.
    pub(super) on: fn(&State<'_>) -> Option<bool>,
    pub(super) command: Command,
}

/// The submenu of tours.
pub const TOURS_MENU: &str = "Tours";
/// The submenu of results that curves can show beside the current ones.
pub const FAINT_CURVES: &str = "Faint curves";

impl Action {
    /// Stable id in lower case, with dashes between words.
    pub fn id(&self) -> String {
        self.id.to_lowercase().replace('_', "-")
    }

    /// Its command.
    pub fn command(&self) -> &Command {
        &self.command
    }

    /// Its id in commands.
    pub fn key(&self) -> ActionId {
        ActionId(self.id())
    }

    /// True if a held key runs it only once. A decision is about the clip that was seen when the key went down.
    pub fn runs_once(&self) -> bool {
        matches!(self.command, Command::Review(_))
    }

    /// True if it exports clips.
    pub fn exports(&self) -> bool {
        matches!(self.command, Command::Export(ExportCommand::ExportDialog { .. }))
    }

    /// True if it exports approved clips.
    pub fn exports_approved(&self) -> bool {
        matches!(self.command, Command::Export(ExportCommand::ExportDialog { scope: ExportScope::Approved, .. }))
    }

    /// The submenu that holds it, if any.
    pub fn submenu(&self) -> Option<&'static str> {
        match self.command {
            Command::Window(WindowCommand::ShowPanel(_)) => Some("Panels"),
            Command::Window(WindowCommand::StartTour(_)) => Some(TOURS_MENU),
            Command::Draw(DrawCommand::ToggleLayer(_)) => Some("Layers"),
            Command::Draw(DrawCommand::SetMode(_)) => Some("Pictures"),
            Command::Draw(DrawCommand::StepDifference(_)) => Some("Difference"),
            Command::Window(WindowCommand::StepZoom(_) | WindowCommand::ActualSize) => Some("Size of text"),
            Command::Camera(CameraCommand::LookFrom(_)) => Some("Look from"),
            Command::Mark(_) => Some("Loop and additive"),
            Command::Play(PlayCommand::Step(_) | PlayCommand::Seek(_)) => Some("Step"),
            Command::Clip(ClipCommand::SelectBy(_) | ClipCommand::SelectFailing(_)) => Some("Clips"),
            Command::Recipe(RecipeCommand::UseCodec(_)) => Some("Codec"),
            Command::Compare(CompareCommand::CompareTo(_)) => Some("Reference"),
            Command::Curve(CurveCommand::ShowGhost(_)) => Some(FAINT_CURVES),
            Command::Compare(_) => Some("Compare"),
            Command::Export(ExportCommand::ExportDialog { .. }) => Some("Export"),
            Command::Export(ExportCommand::SetExport(..)) => Some("Export options"),
            _ => None,
        }
    }

    /// Ok if it can run now, else the reason.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn can_run(&self, state: &State<'_>) -> Result<(), Reason> {
        (self.can_run)(state)
    }

    /// State of a switch or choice; `None` for other actions.
    pub fn is_on(&self, state: &State<'_>) -> Option<bool> {
        let State { workspace, view } = state;
        match &self.command {
            Command::Draw(DrawCommand::ToggleLayer(layer)) => Some(view.settings.layers.is_on(*layer)),
            Command::Draw(DrawCommand::SetMode(mode)) => Some(view.settings.mode == *mode),
            Command::Window(WindowCommand::ShowMainTab(main_tab)) => Some(view.settings.main_tab == *main_tab),
            Command::Recipe(RecipeCommand::UseCodec(codec)) => Some(workspace.active_recipe().codec == *codec),
            Command::Recipe(RecipeCommand::ActivateSlot(slot)) => Some(workspace.active_slot() == *slot),
            Command::Export(ExportCommand::SetExport(key, choice)) => {
                Some(workspace.document().export.chosen(key) == Some(&**choice))
            }
            Command::Compare(CompareCommand::CompareTo(reference)) => Some(workspace.reference() == *reference),
            Command::Curve(CurveCommand::ShowGhost(ghost)) => Some(view.settings.ghost == *ghost),
            Command::Mark(MarkCommand::MarkLoop(mark)) => Some(workspace.loop_mark(workspace.selected()?) == *mark),
            _ => (self.on)(state),
        }
    }

    /// Main tab in which its keys act; `None` for all.
    pub fn keyed_at(&self) -> Option<MainTab> {
        self.keyed_at
    }

    /// Its keys in the set of keys that is in use.
    pub fn keys_now(&self, ctx: &egui::Context) -> Cow<'_, [KeyboardShortcut]> {
        match in_use(ctx) {
            Some(keymap) => keymap.keys_of(&self.id(), &self.keys).into(),
            None => Cow::Borrowed(&self.keys),
        }
    }

    /// The keys that act in a main tab.
    pub fn keys_at(&self, ctx: &egui::Context, main_tab: MainTab) -> Cow<'_, [KeyboardShortcut]> {
        if self.keyed_at.is_none_or(|only| only == main_tab) { self.keys_now(ctx) } else { Cow::Borrowed(&[]) }
    }

    /// Name of the first key that acts in a main tab; empty without one.
    pub fn key_text_at(&self, ctx: &egui::Context, main_tab: MainTab) -> String {
        self.keys_at(ctx, main_tab).first().map(|key| key_text(ctx, key)).unwrap_or_default()
    }

    /// Name of its first key; empty without one.
    pub fn key_text(&self, ctx: &egui::Context) -> String {
        self.keys_now(ctx).first().map(|key| key_text(ctx, key)).unwrap_or_default()
    }

    /// Its help, or its exact effect now.
    pub fn description(&self, state: &State<'_>) -> Cow<'_, str> {
        (self.now)(state).map_or(Cow::Borrowed(&*self.help), Cow::Owned)
    }

    /// Its help and key.
    pub fn tooltip(&self, ctx: &egui::Context) -> String {
        format!("{} {}", self.help, self.key_text(ctx)).trim_end().to_owned()
    }
}

impl PartialEq for Action {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl std::fmt::Debug for Action {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.id)
    }
}
