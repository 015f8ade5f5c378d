//! Named actions. Each one is an entry of `list.rs`, or is made from a list in `families.rs`. Menus, keys, key sheet,
//! palette and buttons use [`actions`]. An action runs its command.

mod action;
mod conditions;
mod families;
pub mod keymap;
mod keys;
pub mod list;
mod tours;

pub use action::{Action, FAINT_CURVES, Menu, Reason, TOURS_MENU};
pub use keys::{command_key, held_keys, key_text, use_keymap};
pub use list::{action_named, action_of, actions, groups};
pub use tours::{TOUR_SECS, TOURS, TourStep};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::*;
    use crate::state::{Panel, State, View};
    use egui::os::OperatingSystem;
    use posepress_core::codecs::CODECS;
    use posepress_core::pipeline::EXPORT_FORMATS;
    use posepress_core::project::SLOT_LETTERS;
    use posepress_core::view::{Layer, ViewMode};
    use posepress_core::workspace::{ExportScope, Workspace};
    use std::collections::HashSet;

    #[test]
    fn every_entry_of_the_lists_that_actions_are_made_from_has_one() {
        let found = |command: Command| action_of(&command).map(|action| &*action.label);
        for mode in ViewMode::ALL {
            assert_eq!(found(Command::Draw(DrawCommand::SetMode(mode))), Some(mode.info().label));
        }
        for layer in Layer::ALL {
            assert_eq!(found(Command::Draw(DrawCommand::ToggleLayer(layer))), Some(layer.info().label));
        }
        for (slot, letter) in SLOT_LETTERS.iter().enumerate() {
            assert!(
                found(Command::Recipe(RecipeCommand::ActivateSlot(slot))).is_some_and(|label| label.ends_with(letter))
            );
        }
        for panel in Panel::ALL {
            assert!(
                found(Command::Window(WindowCommand::ShowPanel(*panel)))
                    .is_some_and(|label| label.ends_with(panel.title()))
            );
        }
        for codec in CODECS {
            assert!(
                found(Command::Recipe(RecipeCommand::UseCodec(*codec)))
                    .is_some_and(|label| label.ends_with(codec.name()))
            );
        }
        for format in EXPORT_FORMATS.iter() {
            for scope in ExportScope::ALL {
                let command = Command::Export(ExportCommand::ExportDialog { exporter: format.key, scope });
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
    fn a_group_of_a_menu_has_seven_entries_at_most() {
        for group in groups() {
            let parts = group.chunk_by(|a, b| a.submenu().is_some() && a.submenu() == b.submenu());
            let entries: Vec<_> = parts.map(|part| part[0].submenu().unwrap_or(&part[0].label)).collect();
            assert!((1..=7).contains(&entries.len()), "{entries:?}");
            assert!(group.iter().all(|action| action.menu == group[0].menu), "{entries:?}");
        }
    }

    #[test]
    fn what_needs_a_file_says_so_while_none_is_open() {
        let workspace = Workspace::new(Default::default(), || {});
        let view = View::new(Default::default());
        let state = State { workspace: &workspace, view: &view };
        assert_eq!(list::TOGGLE_PLAY.can_run(&state), Err("Open a file first."));
        assert_eq!(list::GO_WORST.can_run(&state), Err("Open a file first."));
        assert_eq!(list::BLIND_TEST.can_run(&state), Err("Open a file first."));
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
