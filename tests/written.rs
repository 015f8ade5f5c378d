//! Files as the window and the command line write them, in memory.
#![allow(dead_code)] // each test binary uses a part

use posepress_core::export::{ExportRecipes, ExportTarget};
use posepress_core::model::{Clip, Rig};
use posepress_core::pipeline::{ExportFailure, Outcome, archive_to_write, export_each};
use posepress_core::recipe::Recipe;
use std::sync::Arc;

/// A container of compressed clips on a rig.
pub fn archive(rig: &Rig, clips: &[(&str, &Outcome)]) -> Vec<u8> {
    archive_to_write(rig, clips, ExportRecipes::Kept).to_bytes()
}

/// Clips compressed with one recipe, in an export format.
pub fn export(
    rig: &Arc<Rig>,
    clips: &[Arc<Clip>],
    recipe: &Recipe,
    format: &str,
    target: &ExportTarget,
) -> Result<Vec<u8>, ExportFailure> {
    let recipe = Arc::new(recipe.clone());
    let clips: Vec<_> = clips.iter().map(|clip| (clip.clone(), recipe.clone())).collect();
    Ok(export_each(rig, &clips, format, target, &Default::default())?.whole()?.bytes)
}
