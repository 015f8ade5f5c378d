//! Reading and writing of recipe files.

use posepress_core::export::{ExportError, write_atomically};
use posepress_core::files::{ReadError, read_text};
use posepress_core::recipe::{Recipe, RecipeError};
use std::path::PathBuf;
use thiserror::Error;

/// Result of reading or writing a recipe.
#[derive(Debug)]
pub enum RecipeEvent {
    /// It was read.
    Read(PathBuf, Box<Recipe>),
    /// It was not read: path and reason.
    NotRead(PathBuf, UnreadRecipe),
    /// It was written.
    Written(PathBuf),
    /// It was not written.
    NotWritten(ExportError),
    /// The system has no file dialog.
    NoDialog,
}

/// Why a file was not read as a recipe.
#[derive(Debug, Error)]
pub enum UnreadRecipe {
    /// It cannot be read as text.
    #[error(transparent)]
    File(#[from] ReadError),
    /// It is not a valid recipe.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
}

/// Extension of recipe files.
pub const RECIPE_EXTENSION: &str = "toml";

/// Reads a recipe.
pub fn read_recipe(path: PathBuf) -> RecipeEvent {
    let read = || Ok(Recipe::from_toml(&read_text(&path)?)?);
    match read() {
        Ok(recipe) => RecipeEvent::Read(path, Box::new(recipe)),
        Err(reason) => RecipeEvent::NotRead(path, reason),
    }
}

/// Writes a recipe.
pub fn write_recipe(path: PathBuf, text: &str) -> RecipeEvent {
    match write_atomically(&path, text.as_bytes()) {
        Ok(()) => RecipeEvent::Written(path),
        Err(error) => RecipeEvent::NotWritten(error),
    }
}
