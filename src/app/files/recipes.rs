//! Recipes read from files, and written to them.

use posepress_core::export::{ExportError, write_atomically};
use posepress_core::files::{ReadError, read_text};
use posepress_core::recipe::{Recipe, RecipeError};
use std::path::PathBuf;
use thiserror::Error;

/// Result of writing a recipe.
#[derive(Debug)]
pub enum RecipeEvent {
    /// It was read.
    Read(PathBuf, Box<Recipe>),
    /// It was not; why, without its name.
    NotRead(PathBuf, UnreadRecipe),
    /// It was written.
    Written(PathBuf),
    /// It was not.
    NotWritten(ExportError),
    /// The system has nothing to ask for a file with.
    NoDialog,
}

/// Why a file is no recipe.
#[derive(Debug, Error)]
pub enum UnreadRecipe {
    /// It cannot be read as text.
    #[error(transparent)]
    File(#[from] ReadError),
    /// It holds something else.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
}

/// How their files end.
pub const RECIPE_EXTENSION: &str = "toml";

/// Reads one.
pub fn read_recipe(path: PathBuf) -> RecipeEvent {
    let read = || Ok(Recipe::from_toml(&read_text(&path)?)?);
    match read() {
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
