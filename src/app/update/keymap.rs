//! Sets of keys.

use crate::actions::keymap::{parse, preset, template};
use crate::state::{KeymapChoice, Problem, View};
use posepress_core::files;
use std::path::Path;
use std::sync::Arc;

/// Uses the set of keys of the last session.
pub fn restore_keys(view: &mut View) {
    match view.settings.keymap {
        KeymapChoice::Posepress => {}
        choice => use_keys(view, choice),
    }
}

/// Uses a set of keys. If the user's file has an error, the keys in use stay.
pub fn use_keys(view: &mut View, choice: KeymapChoice) {
    let read = match (preset(choice), view.own_keys.clone()) {
        (Some(text), _) => parse(text),
        (None, Some(path)) => own(&path).map_err(|error| format!("{}: {error}", path.display())),
        (None, None) => Err("this window has no folder for settings".to_owned()),
    };
    match read {
        Ok(keymap) => {
            (view.keymap, view.settings.keymap) = (Arc::new(keymap), choice);
            view.messages.status = match (choice, &view.own_keys) {
                (KeymapChoice::Own, Some(path)) => format!("Keys of {}", path.display()),
                _ => format!("Keys of {}", choice.name()),
            };
        }
        Err(error) => view.messages.report(Problem::error("The keys were not changed", error)),
    }
}

/// Reads the user's file. Makes it first if it is not there.
fn own(path: &Path) -> Result<crate::state::Keymap, String> {
    if !path.exists() {
        std::fs::write(path, template()).map_err(|error| error.to_string())?;
    }
    parse(&files::read_text(path).map_err(|error| error.to_string())?)
}
