//! The window of Posepress: original and compressed animation side by side, with their errors over time.
//!
//! It shows a [`posepress_core::workspace::Workspace`] and changes it by commands. The numbers and files are those of the command line,
//! because both call [`posepress_core`].
//!
//! # Example
//!
//! Open the window on a file. It returns when the window is closed:
//!
//! ```no_run
//! use posepress_app::{Options, run};
//!
//! run(Options { files: vec!["knight.glb".into()], ..Options::default() })?;
//! # Ok::<(), posepress_app::WindowError>(())
//! ```
//!
//! Menus, keys and the command palette come from one list of actions:
//!
//! ```
//! use posepress_app::actions;
//!
//! let action = actions().iter().find(|action| action.id() == "go-worst-contact").unwrap();
//! println!("{}: {}", action.label, action.help);
//! assert_eq!(action.keys.len(), 1);
//! ```
//!
//! # Map
//!
//! A row uses only the rows above it. A test checks that.
//!
//! | module | contents |
//! |---|---|
//! | [`render`], `theme`, `widgets` | pictures by wgpu, also without a window; colours and sizes; controls |
//! | `manual` | the pages of the book |
//! | `state` | view, selection, transport, cameras and sheets as plain data |
//! | `commands`, `actions` | what can be asked; its label, keys and whether it can run |
//! | `files`, `persist` | file dialogs, projects and watched files; what survives a restart |
//! | `panels`, `viewports` | read the state, draw it, and push commands |
//! | `update` | the only module that changes the state: one function per command |
//! | `shell` | the window, its frame, recordings and their replay |

mod actions;
mod commands;
mod files;
mod manual;
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
#[cfg(not(target_family = "wasm"))]
pub use files::NativePicker;
pub use files::{DialogAnswer, FetchedSample, Picker};
pub use shell::{App, Options, ReplayError, Replayed, replay, wgpu_options};
#[cfg(not(target_family = "wasm"))]
pub use shell::{WindowError, run};
pub use state::{CurveKind, MainTab, Panel, ResultsFolder, View};
pub use update::COMMANDS;
