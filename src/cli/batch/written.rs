//! The outputs of a run.

use posepress_core::batch::OutputRecord;
use std::collections::HashMap;

/// Outputs that were written, or the reasons why not.
#[derive(Debug, Default)]
pub struct Written {
    outputs: HashMap<String, Result<OutputRecord, String>>,
    /// Why a file has no part in an output, by its label and the place.
    refused: HashMap<(String, String), String>,
}

impl Written {
    /// Adds an output by its place.
    pub fn add(&mut self, place: String, record: Result<OutputRecord, String>) {
        self.outputs.insert(place, record);
    }

    /// Adds the reason why a file has no part in an output.
    pub fn refuse(&mut self, label: &str, place: &str, why: String) {
        self.refused.insert((label.to_owned(), place.to_owned()), why);
    }

    /// The output of a file at a place, or why it has none there. `None` for a place that no file has.
    pub fn of(&self, label: &str, place: &str) -> Option<Result<&OutputRecord, &str>> {
        match self.refused.get(&(label.to_owned(), place.to_owned())) {
            Some(why) => Some(Err(why)),
            None => Some(self.outputs.get(place)?.as_ref().map_err(String::as_str)),
        }
    }

    /// The outputs that are on the disk.
    pub fn records(self) -> impl Iterator<Item = (String, OutputRecord)> {
        self.outputs.into_iter().filter_map(|(place, record)| Some((place, record.ok()?)))
    }
}
