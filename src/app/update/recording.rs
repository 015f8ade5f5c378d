//! The log of all commands. Written to a file, it is a recording, which can be replayed.

use super::answers::is_settled;
use super::model::Model;
use super::project::document;
use crate::commands::Command;
use crate::state::Start;
use posepress_core::model::SourceDigest;
use serde::{Deserialize, Serialize};
use tracing::Level;

/// Target of the log. Each event is the JSON of a line.
pub const COMMANDS: &str = "posepress::commands";

/// A line of a recording.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// The first line: the state at the start.
    Start {
        /// Version of the program.
        version: String,
        /// State at the start.
        with: Box<Start>,
    },
    /// A command, after it was carried out.
    Done(Box<Done>),
}

/// A command and its result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Done {
    /// The command.
    pub command: Command,
    /// Time of the playhead, seconds.
    pub at_secs: f32,
    /// True if no work was in progress before the command.
    pub settled: bool,
    /// Digest of the document after it.
    pub digest: String,
}

impl Line {
    /// The first line of a recording by this version.
    pub fn start(with: Start) -> Self {
        Self::Start { version: env!("CARGO_PKG_VERSION").into(), with: Box::new(with) }
    }
}

/// Writes a line to the log, if the log is on.
pub fn log(line: impl FnOnce() -> Line) {
    if is_on() {
        match serde_json::to_string(&line()) {
            Ok(text) => tracing::info!(target: COMMANDS, "{text}"),
            Err(error) => tracing::error!("a command cannot be recorded: {error}"),
        }
    }
}

/// True if the log is on.
pub fn is_on() -> bool {
    tracing::enabled!(target: COMMANDS, Level::INFO)
}

/// The entry of a command that is about to be carried out, without the digest.
pub fn done(model: &Model, command: Command) -> Done {
    let at_secs = model.view.transport.time_secs;
    Done { command, at_secs, settled: is_settled(model), digest: String::new() }
}

/// Digest of the document, without the times of decisions, notes and blind tests.
pub fn digest(model: &Model) -> String {
    let mut document = document(&model.workspace, &model.view);
    for decision in document.decisions.values_mut() {
        decision.time.clear();
        decision.earlier.iter_mut().for_each(|earlier| earlier.time.clear());
    }
    document.notes.values_mut().flatten().for_each(|note| note.time.clear());
    document.blind_tests.values_mut().flatten().for_each(|test| test.time.clear());
    SourceDigest::of(&serde_json::to_vec(&document).unwrap_or_default()).to_string()
}
