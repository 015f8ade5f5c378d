//! The bundled character.

use super::model::Model;
use super::pending::{search_begins, search_ended};
use crate::files::FetchedSample;
use crate::state::Problem;
use posepress_core::import::ImportOptions;
use posepress_core::tasks::SourceFile;

/// Starts reading the bundled character. Where the program does not hold it, it is fetched first.
pub fn open_sample(model: &mut Model) {
    model.marking.add(|opening| opening.sample = true);
    match model.files.sample() {
        Some(bytes) => read(model, bytes),
        None if model.files.fetch_sample() => search_begins(&mut model.view, &[]),
        None => {} // it is on its way
    }
}

/// Reads the bundled character, which was fetched, or says why it is not there. At a first start, a file that a person opened meanwhile
/// takes its place.
pub fn sample_fetched(model: &mut Model, fetched: FetchedSample) {
    search_ended(&mut model.view);
    let has_files = !model.workspace.library().sources().is_empty() || model.workspace.reading().next().is_some();
    match fetched {
        _ if model.sample_at_start && has_files => {}
        Ok(bytes) => read(model, bytes),
        Err(reason) => {
            let detail = format!("{reason}\nWhat to do: open it again when the network is back, or open a file.");
            model.view.messages.report(Problem::error("The sample cannot be fetched", detail));
        }
    }
}

fn read(model: &mut Model, bytes: &'static [u8]) {
    model.workspace.open(SourceFile::Bundled { name: "sample.glb", bytes }, ImportOptions::default());
}
