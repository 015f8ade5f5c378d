//! File dialogs, and reading and writing in the background.

mod asks;
mod film;
mod folder;
#[cfg(not(target_family = "wasm"))]
mod native;
mod projects;
mod recipes;
mod reveal;
mod watch;

pub use asks::{DialogAnswer, FetchedSample, FileEvent, Files, Picker, files_and_folders};
pub use film::{FilmError, save_film};
pub use folder::describe;
#[cfg(not(target_family = "wasm"))]
pub use native::NativePicker;
pub use projects::{Incoming, ProjectEvent, UnreadProject, write_project};
pub use recipes::{RECIPE_EXTENSION, RecipeEvent, read_recipe, write_recipe};
pub use reveal::reveal;
pub use watch::{Of, USUAL_INTERVAL, Watch};
