//! Choice of the keys.

use egui::KeyboardShortcut;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A set of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
pub enum KeymapChoice {
    /// The keys of the list of actions.
    #[default]
    Posepress,
    /// Keys as in Maya.
    Maya,
    /// Keys as in Blender.
    Blender,
    /// Keys of the user's file.
    Own,
}

impl KeymapChoice {
    /// In display order.
    pub const ALL: [Self; 4] = [Self::Posepress, Self::Maya, Self::Blender, Self::Own];

    /// Label.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Posepress => "Posepress",
            Self::Maya => "Maya",
            Self::Blender => "Blender",
            Self::Own => "Own file",
        }
    }
}

/// Keys that differ from those of the list of actions, by the action's id.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Keymap(BTreeMap<String, Vec<KeyboardShortcut>>);

impl Keymap {
    /// These keys.
    pub fn new(keys: BTreeMap<String, Vec<KeyboardShortcut>>) -> Self {
        Self(keys)
    }

    /// True if no key differs.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The keys of an action, whose usual keys are `usual`. A key that another action has here is no longer among them.
    pub fn keys_of(&self, id: &str, usual: &[KeyboardShortcut]) -> Vec<KeyboardShortcut> {
        match self.0.get(id) {
            Some(keys) => keys.clone(),
            None => usual.iter().filter(|key| !self.0.values().flatten().any(|taken| taken == *key)).copied().collect(),
        }
    }
}
