//! What a person can do by name: each action is one entry of `list.rs`, or one of a family that `families.rs` makes from the
//! list of its kind. Menus, keys, key sheet, palette and buttons take from [`actions`].

mod conditions;
mod families;
mod keys;
pub mod list;

pub use keys::{command_key, held_keys, key_text, pressed};

use crate::App;
use crate::commands::Command;
use crate::state::Desk;
use crate::state::View;
use egui::KeyboardShortcut;
use posepress_core::session::{ExportScope, Judgement, Workspace};
use std::borrow::Cow;
use std::sync::LazyLock;

/// What an action is asked by: whether it can run depends on nothing else.
#[derive(Clone, Copy)]
pub struct State<'a> {
    /// Files, recipes, answers.
    pub workspace: &'a Workspace,
    /// Selection, playhead, settings.
    pub view: &'a View,
}

/// Why an action cannot run now, as a sentence that says what to do first.
pub type Reason = &'static str;

/// A menu of the top bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Menu {
    /// Opening, exporting, leaving.
    File,
    /// What undo takes back.
    Edit,
    /// What is drawn, and from where.
    View,
    /// Where the playhead goes.
    Playback,
    /// Where to find more.
    Help,
}

impl Menu {
    /// In the order in which they stand.
    pub const ALL: [Self; 5] = [Self::File, Self::Edit, Self::View, Self::Playback, Self::Help];

    /// As people see it.
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

/// Something a person can do by name.
pub struct Action {
    id: Cow<'static, str>,
    /// Menu that holds it.
    pub menu: Menu,
    /// As people see it.
    pub label: Cow<'static, str>,
    /// What it does.
    pub help: Cow<'static, str>,
    /// Keys; the first is shown.
    pub keys: Cow<'static, [KeyboardShortcut]>,
    /// Where they act, where that is not everywhere.
    keyed_at: Option<Desk>,
    can_run: fn(&State<'_>) -> Result<(), Reason>,
    /// What exactly it would do now, where that says more than its help.
    now: fn(&State<'_>) -> Option<String>,
    /// Whether it is switched on, of what is a switch.
    on: fn(&State<'_>) -> Option<bool>,
    effect: Effect,
}

enum Effect {
    Do(fn(&mut App, &egui::Context)),
    Push(Command),
}

impl Effect {
    /// What is decided by it.
    fn judges(&self) -> Option<Judgement> {
        match self {
            Self::Push(Command::Judge(judgement)) => Some(*judgement),
            _ => None,
        }
    }
}

impl Action {
    /// Lower case, words joined by dashes; stays the same from version to version.
    pub fn id(&self) -> String {
        self.id.to_lowercase().replace('_', "-")
    }

    /// The action that asks for this.
    pub fn of(command: &Command) -> Option<&'static Self> {
        let asks = |action: &&Self| matches!(&action.effect, Effect::Push(pushed) if pushed == command);
        actions().iter().copied().find(asks)
    }

    /// It writes clips to a file.
    pub fn exports(&self) -> bool {
        matches!(self.effect, Effect::Push(Command::ExportDialog { .. }))
    }

    /// It writes what was approved.
    pub fn exports_approved(&self) -> bool {
        matches!(self.effect, Effect::Push(Command::ExportDialog { scope: ExportScope::Approved, .. }))
    }

    /// The menu within its menu that holds it.
    pub fn submenu(&self) -> Option<&'static str> {
        match self.effect {
            Effect::Push(Command::ShowPanel(_)) => Some("Panels"),
            Effect::Push(Command::UseCodec(_)) => Some("Codec"),
            Effect::Push(Command::CompareTo(_)) => Some("Reference"),
            Effect::Push(Command::SetExport(..)) => Some("Export options"),
            _ => None,
        }
    }

    /// Whether it can run now.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn can_run(&self, state: &State<'_>) -> Result<(), Reason> {
        (self.can_run)(state)
    }

    /// Whether it is switched on, or chosen of several; `None` for what is neither.
    pub fn is_on(&self, state: &State<'_>) -> Option<bool> {
        let State { workspace, view } = state;
        match &self.effect {
            Effect::Push(Command::ToggleLayer(layer)) => Some(view.settings.layers.is_on(*layer)),
            Effect::Push(Command::SetMode(mode)) => Some(view.settings.mode == *mode),
            Effect::Push(Command::ShowDesk(desk)) => Some(view.settings.desk == *desk),
            Effect::Push(Command::UseCodec(codec)) => Some(workspace.active_recipe().codec == *codec),
            Effect::Push(Command::ActivateSlot(slot)) => Some(workspace.active_slot() == *slot),
            Effect::Push(Command::SetExport(key, choice)) => {
                Some(workspace.document().export.chosen(key) == Some(*choice))
            }
            Effect::Push(Command::CompareTo(reference)) => Some(workspace.reference() == *reference),
            Effect::Push(Command::MarkLoop(mark)) => Some(workspace.loop_mark(workspace.selected()?) == *mark),
            _ => (self.on)(state),
        }
    }

    /// Carries it out, whether it can run or not: that is asked before.
    pub(super) fn run(&self, app: &mut App, ctx: &egui::Context) {
        match &self.effect {
            Effect::Do(effect) => effect(app, ctx),
            Effect::Push(command) => app.carry_out(ctx, command.clone()),
        }
    }

    /// Where its keys act, where that is not everywhere.
    pub fn keyed_at(&self) -> Option<Desk> {
        self.keyed_at
    }

    /// The keys that act while the window is arranged so.
    pub fn keys_at(&self, desk: Desk) -> &[KeyboardShortcut] {
        if self.keyed_at.is_none_or(|only| only == desk) { &self.keys } else { &[] }
    }

    /// What is written on the first key that acts while the window is arranged so; empty without one.
    pub fn key_text_at(&self, ctx: &egui::Context, desk: Desk) -> String {
        self.keys_at(desk).first().map(|key| key_text(ctx, key)).unwrap_or_default()
    }

    /// What is written on its first key; empty without one.
    pub fn key_text(&self, ctx: &egui::Context) -> String {
        self.keys.first().map(|key| key_text(ctx, key)).unwrap_or_default()
    }

    /// What it does, or would do now.
    pub fn description(&self, state: &State<'_>) -> Cow<'_, str> {
        (self.now)(state).map_or(Cow::Borrowed(&*self.help), Cow::Owned)
    }

    /// What it does, then its key.
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

/// Every action, in the order of the menus.
pub fn actions() -> &'static [&'static Action] {
    static ALL: LazyLock<Vec<&'static Action>> = LazyLock::new(list::all);
    &ALL
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::PANELS;
    use egui::os::OperatingSystem;
    use posepress_core::codecs::CODECS;
    use posepress_core::session::{EXPORT_FORMATS, Layer, SLOT_LETTERS, ViewMode};
    use std::collections::HashSet;

    #[test]
    fn every_entry_of_the_lists_that_actions_are_made_from_has_one() {
        let found = |command: Command| Action::of(&command).map(|action| &*action.label);
        for mode in ViewMode::ALL {
            assert_eq!(found(Command::SetMode(mode)), Some(mode.info().label));
        }
        for layer in Layer::ALL {
            assert_eq!(found(Command::ToggleLayer(layer)), Some(layer.info().label));
        }
        for (slot, letter) in SLOT_LETTERS.iter().enumerate() {
            assert!(found(Command::ActivateSlot(slot)).is_some_and(|label| label.ends_with(letter)));
        }
        for panel in PANELS {
            assert!(found(Command::ShowPanel(panel)).is_some_and(|label| label.ends_with(panel.title)));
        }
        for codec in CODECS {
            assert!(found(Command::UseCodec(*codec)).is_some_and(|label| label.ends_with(codec.name())));
        }
        for format in EXPORT_FORMATS.iter() {
            for scope in ExportScope::ALL {
                let command = Command::ExportDialog { exporter: format.key, scope };
                assert_eq!(found(command).is_some(), families::is_offered(format, scope), "{}", format.key);
            }
        }
    }

    #[test]
    fn ids_and_keys_mean_one_thing_and_every_action_says_what_it_does() {
        let (mut ids, mut keys) = (HashSet::new(), HashSet::new());
        for action in actions() {
            assert!(ids.insert(action.id()), "{action:?}");
            assert!(
                action.id().chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'),
                "{action:?}"
            );
            assert!(action.help.ends_with('.') && !action.label.is_empty(), "{action:?}");
            for key in action.keys.iter() {
                assert!(keys.insert(*key), "{action:?}");
            }
        }
    }

    #[test]
    fn menus_hold_their_actions_together() {
        let mut order: Vec<Menu> = actions().iter().map(|action| action.menu).collect();
        order.dedup();
        assert_eq!(order, Menu::ALL);
    }

    #[test]
    fn what_needs_a_file_says_so_while_none_is_open() {
        let workspace = Workspace::new(Default::default(), || {});
        let view = View::new(Default::default());
        let state = State { workspace: &workspace, view: &view };
        assert_eq!(list::TOGGLE_PLAY.can_run(&state), Err("Open a file first."));
        assert_eq!(list::GO_WORST.can_run(&state), Err("Open a file first."));
        assert_eq!(list::UNDO.can_run(&state), Err("Nothing to undo."));
        assert_eq!(list::OPEN.can_run(&state), Ok(()));
    }

    #[test]
    fn keys_are_written_as_the_system_writes_them() {
        let ctx = egui::Context::default();
        ctx.run_ui(egui::RawInput::default(), |_| {}).textures_delta.clear(); // fonts are there after it
        let written = |os| {
            ctx.set_os(os);
            [list::UNDO.key_text(&ctx), command_key(&ctx)]
        };
        assert_eq!(written(OperatingSystem::Nix), ["Ctrl+Z", "Ctrl"]);
        let signs = [&list::PREVIOUS_PEAK, &list::SMALLER_DIFFERENCE, &list::TEN_BACK].map(|a| a.key_text(&ctx));
        assert_eq!(signs, ["[", "-", "Shift+Left"]);
        let [undo, command] = written(OperatingSystem::Mac);
        assert!(["Cmd+Z", "\u{2318}Z"].contains(&&*undo) && command == "Cmd", "{undo} {command}");
        assert_eq!(list::GO_WORST.tooltip(&ctx).split(' ').next_back(), Some("W"));
    }
}
