//! The window: panels over a [`posepress_core::workspace::Workspace`]. Panels read state and push commands. Only
//! `update` changes state.

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

pub use actions::{Action, actions, held_keys, key_text};
pub use files::{DialogAnswer, NativePicker, Picker};
pub use shell::{App, Options, ReplayError, Replayed, WindowError, replay, run};
pub use state::{CurveKind, MainTab, Panel, View};
pub use update::COMMANDS;
