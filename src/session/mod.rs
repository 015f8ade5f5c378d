//! What a person works on: recipes, and the one path from clip to numbers.

mod compress;
mod recipe;

pub use compress::{CompressError, MeasuredClip, Outcome, compress, compress_shell, measure_vertices};
pub use recipe::{JointOverride, Recipe, RecipeError};
