//! The bundled character.

use super::model::Model;
use posepress_core::import::ImportOptions;
use posepress_core::tasks::SourceFile;

/// The bundled character.
const SAMPLE: SourceFile = SourceFile::Bundled { name: "sample.glb", bytes: include_bytes!("../assets/sample.glb") };

/// Starts reading the bundled character.
pub fn open_sample(model: &mut Model) {
    model.marking.add(|opening| opening.sample = true);
    model.workspace.open(SAMPLE, ImportOptions::default());
}
