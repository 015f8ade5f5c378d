//! Recipes read from files, and written to them.

use posepress_core::export::{ExportError, write_atomically};
use posepress_core::files::read_text;
use posepress_core::recipe::Recipe;
use std::path::PathBuf;

/// What became of a recipe's file.
#[derive(Debug)]
pub enum RecipeEvent {
    /// It was read.
    Read(PathBuf, Box<Recipe>),
    /// It was not; why, without its name.
    NotRead(PathBuf, String),
    /// It was written.
    Written(PathBuf),
    /// It was not.
    NotWritten(ExportError),
    /// The system has nothing to ask for a file with.
    NoDialog,
}

/// How their files end.
pub const RECIPE_EXTENSION: &str = "toml";

/// Reads one.
pub fn read_recipe(path: PathBuf) -> RecipeEvent {
    let text = read_text(&path).map_err(|error| error.to_string());
    match text.and_then(|text| Recipe::from_toml(&text).map_err(|error| error.to_string())) {
        Ok(recipe) => RecipeEvent::Read(path, Box::new(recipe)),
        Err(reason) => RecipeEvent::NotRead(path, reason),
    }
}

/// Writes one.
pub fn write_recipe(path: PathBuf, text: &str) -> RecipeEvent {
    match write_atomically(&path, text.as_bytes()) {
        Ok(()) => RecipeEvent::Written(path),
        Err(error) => RecipeEvent::NotWritten(error),
    }
}
