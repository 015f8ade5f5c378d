//! Outputs that no input has any more.

use super::exports::export_plans;
use super::outputs::stamp_of;
use super::planner::{Library, PlannedFile, Planner};
use crate::cli::Console;
use posepress_core::batch::OutputRecord;
use posepress_core::pipeline::CONTAINER;
use posepress_core::text;
use std::collections::{BTreeMap, HashSet};
use std::fs;

/// Outputs that a run wrote, by place.
pub type Outputs = BTreeMap<String, OutputRecord>;

/// The outputs of earlier runs that no file of the library has any more. An output of a file that cannot be used now is not among them.
pub fn orphaned(planner: &Planner, library: &Library) -> Outputs {
    // The outputs of a file whose clips are not known yet may stay as they are.
    let unknown = library.files.iter().filter(|file| file.listed.is_none()).map(|file| &*file.input.label);
    let failing: HashSet<&str> = library.errors.iter().map(|(source, _)| &**source).chain(unknown).collect();
    let of_failing = planner.last.values().filter(|row| failing.contains(&*row.source));
    let mut kept: HashSet<String> = of_failing.flat_map(|row| row.files()).map(str::to_owned).collect();
    kept.extend(library.files.iter().flat_map(|file| places(planner, file)));
    let is_orphaned = |(place, _): &(&String, &OutputRecord)| !kept.contains(place.as_str());
    let orphaned = planner.index.outputs.iter().filter(is_orphaned);
    orphaned.map(|(place, record)| (place.clone(), record.clone())).collect()
}

/// The places of all outputs of a file.
fn places(planner: &Planner, file: &PlannedFile) -> Vec<String> {
    let container = planner.outputs.formats.contains(&CONTAINER).then(|| file.place.container.clone());
    let all: Vec<usize> = (0..file.clips().len()).collect();
    let exports = export_plans(planner, file, &all).into_iter().map(|plan| plan.place);
    container.into_iter().chain(exports).collect()
}

/// Removes orphaned outputs, and folders that are empty then. Returns those that stay: an output that changed since it was written is not
/// this program's any more.
pub fn prune(planner: &Planner, orphaned: Outputs, console: &mut Console<'_>) -> Outputs {
    let (mut kept, mut removed) = (Outputs::new(), 0);
    for (place, record) in orphaned {
        let path = planner.output.join(&place);
        match stamp_of(&path) {
            None => {} // it is gone
            Some(stamp) if stamp == record.stamp => match fs::remove_file(&path) {
                Ok(()) => {
                    removed += 1;
                    let folders = path.ancestors().skip(1).take_while(|folder| *folder != planner.output);
                    // A folder with other files stays, and so do those above it.
                    folders.take_while(|folder| fs::remove_dir(folder).is_ok()).for_each(drop);
                }
                Err(error) => {
                    console.say(format!("{}: cannot be removed: {error}", path.display()));
                    kept.insert(place, record);
                }
            },
            Some(_) => {
                console.say(format!(
                    "{}: no input has this output, but it changed since it was written. It stays",
                    path.display()
                ));
                kept.insert(place, record);
            }
        }
    }
    console.say(format!("{} without an input removed", text::count(removed, "output")));
    kept
}
