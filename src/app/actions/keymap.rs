//! Sets of keys as text: a TOML table with a list of keys per action, such as `toggle-play = ["Space", "Alt+V"]`.

use super::actions;
use crate::state::{Keymap, KeymapChoice};
use egui::{Key, KeyboardShortcut, Modifiers};
use posepress_core::text;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The keys of a choice; `None` for the user's file.
pub fn preset(choice: KeymapChoice) -> Option<&'static str> {
    match choice {
        KeymapChoice::Posepress => Some(""),
        KeymapChoice::Maya => Some(include_str!("../assets/keymaps/maya.toml")),
        KeymapChoice::Blender => Some(include_str!("../assets/keymaps/blender.toml")),
        KeymapChoice::Own => None,
    }
}

/// Reads a set of keys.
///
/// # Errors
/// The action or key that is unknown, or the key that two actions have, as a sentence.
pub fn parse(toml: &str) -> Result<Keymap, String> {
    let table: BTreeMap<String, Vec<String>> = toml::from_str(toml).map_err(|error| error.to_string())?;
    let ids: Vec<String> = actions().iter().map(|action| action.id()).collect();
    let mut taken: Vec<(KeyboardShortcut, &String)> = Vec::new();
    let mut keys = BTreeMap::new();
    for (id, names) in &table {
        if !ids.contains(id) {
            let known: Vec<&str> = ids.iter().map(String::as_str).collect();
            return Err(format!("there is no action '{id}'{}", text::perhaps(id, &known)));
        }
        let parsed: Result<Vec<KeyboardShortcut>, String> =
            names.iter().map(|name| shortcut(name).ok_or_else(|| format!("{id}: '{name}' is not a key"))).collect();
        for key in parsed? {
            if let Some((_, other)) = taken.iter().find(|(known, _)| *known == key) {
                return Err(format!("{id} and {other} have the same key, {}", written(&key)));
            }
            taken.push((key, id));
            keys.entry(id.clone()).or_insert_with(Vec::new).push(key);
        }
        keys.entry(id.clone()).or_default();
    }
    Ok(Keymap::new(keys))
}

/// A key with its modifiers: `Ctrl+Shift+Z`, `Alt+.`, `Ctrl++`. Ctrl is Cmd on macOS.
fn shortcut(name: &str) -> Option<KeyboardShortcut> {
    let (mut rest, mut modifiers) = (name.trim(), Modifiers::NONE);
    for (prefix, modifier) in
        [("Ctrl+", Modifiers::COMMAND), ("Shift+", Modifiers::SHIFT), ("Alt+", Modifiers::ALT)].repeat(2)
    {
        if let Some(after) = rest.strip_prefix(prefix).filter(|after| !after.is_empty()) {
            (rest, modifiers) = (after, modifiers.plus(modifier));
        }
    }
    Some(KeyboardShortcut::new(modifiers, Key::from_name(rest)?))
}

/// A key as the files have it.
fn written(key: &KeyboardShortcut) -> String {
    let held = [(key.modifiers.command, "Ctrl+"), (key.modifiers.shift, "Shift+"), (key.modifiers.alt, "Alt+")];
    let held: String = held.into_iter().filter_map(|(is_held, name)| is_held.then_some(name)).collect();
    format!("{held}{}", key.logical_key.name())
}

/// A file of own keys to start from: every action with its usual keys, as comments.
pub fn template() -> String {
    let mut out = "# Keys of Posepress. Remove the # of a line and change its keys. Ctrl is Cmd on macOS.\n".to_owned();
    for action in actions() {
        let keys: Vec<String> = action.keys.iter().map(|key| format!("{:?}", written(key))).collect();
        let _ = writeln!(out, "# {} = [{}]", action.id(), keys.join(", ")); // a String takes everything
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_name_actions_and_keys_that_exist_and_no_key_twice() {
        for choice in KeymapChoice::ALL {
            let Some(text) = preset(choice) else { continue };
            let keymap = parse(text).unwrap_or_else(|error| panic!("{}: {error}", choice.name()));
            let mut seen = Vec::new();
            for action in actions() {
                for key in keymap.keys_of(&action.id(), &action.keys) {
                    assert!(!seen.contains(&key), "{}: {} has {}", choice.name(), action.id(), written(&key));
                    seen.push(key);
                }
            }
        }
    }

    #[test]
    fn the_template_is_the_usual_keys() {
        assert!(parse(&template()).unwrap().is_empty());
        let uncommented: String = template().lines().skip(1).map(|line| format!("{}\n", &line[2..])).collect();
        let keymap = parse(&uncommented).unwrap();
        for action in actions() {
            assert_eq!(keymap.keys_of(&action.id(), &[]), action.keys.to_vec(), "{}", action.id());
        }
    }

    #[test]
    fn mistakes_are_named() {
        let error = |text: &str| parse(text).unwrap_err();
        assert!(error("toggle-pay = [\"P\"]").contains("did you mean 'toggle-play'?"));
        assert_eq!(error("undo = [\"Ctrl+Hmm\"]"), "undo: 'Ctrl+Hmm' is not a key");
        assert_eq!(error("undo = [\"Z\"]\nredo = [\"Z\"]"), "undo and redo have the same key, Z");
        assert!(error("undo = 3").contains("line 1"));
    }
}
