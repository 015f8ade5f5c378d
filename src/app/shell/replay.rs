//! Replays a recording without a window.

use crate::commands::{Command, ExportCommand, FileCommand, ProjectCommand};
use crate::files::{DialogAnswer, Files, Picker, Watch};
use crate::persist::Marking;
use crate::state::{LeavingAnswer, Start, View};
use crate::update::{self, Done, Line, Model};
use posepress_core::text;
use posepress_core::workspace::Workspace;
use std::path::PathBuf;
use std::time::Duration;
use thiserror::Error;

/// Interval between polls.
const POLL_EVERY: Duration = Duration::from_millis(5);
/// Interval between checks of files, so long that open files are not read again.
const WATCH_EVERY: Duration = Duration::from_secs(3600);

/// Result of a replay.
#[derive(Debug, Clone, PartialEq)]
pub struct Replayed {
    /// Commands that were carried out.
    pub commands: usize,
    /// Commands that were left out because they write files.
    pub left_out: usize,
    /// Final results per slot, as text.
    pub slots: Vec<String>,
}

/// Why a replay stopped before its end.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// A line is not part of a recording.
    #[error("line {line}: {error}; expected a line written by 'posepress --record' of this version")]
    Line {
        /// Counted from one.
        line: usize,
        /// The parse error.
        error: serde_json::Error,
    },
    /// The first line is not a start.
    #[error("the first line does not contain the start state; expected a file written by 'posepress --record'")]
    NoStart,
    /// There are two starts.
    #[error("line {line}: a second start; expected one recording per file")]
    SecondStart {
        /// Counted from one.
        line: usize,
    },
    /// After a command the document differs from the recorded one.
    #[error("line {line}: after {command} the document differs: digest {found}, recorded {recorded}{}", hint(*.settled))]
    Differs {
        /// Counted from one.
        line: usize,
        /// The recorded command.
        command: String,
        /// Digest of the document.
        found: String,
        /// The recorded digest.
        recorded: String,
        /// True if no work was in progress in the recorded window.
        settled: bool,
    },
}

fn hint(settled: bool) -> &'static str {
    match settled {
        true => "",
        false => ". The window was busy when it was recorded: record again and wait until the status line is empty",
    }
}

impl ReplayError {
    /// True if the recording was read, but its result differs.
    pub fn is_difference(&self) -> bool {
        matches!(self, Self::Differs { .. })
    }
}

/// Replays a recording. With `compare` it stops at the first command after which the document differs from the recorded
/// one.
///
/// # Errors
/// [`ReplayError`].
pub fn replay(recording: &str, compare: bool) -> Result<Replayed, ReplayError> {
    let lines = recording.lines().enumerate().filter(|(_, text)| !text.trim().is_empty());
    let mut lines = lines.map(|(at, text)| {
        let line = serde_json::from_str::<Line>(text).map_err(|error| ReplayError::Line { line: at + 1, error });
        Ok((at + 1, line?))
    });
    let Some((_, Line::Start { with, .. })) = lines.next().transpose()? else { return Err(ReplayError::NoStart) };
    let mut model = begin(*with);
    let (mut commands, mut left_out) = (0, 0);
    for line in lines {
        let (at, line) = line?;
        let Line::Done(done) = line else { return Err(ReplayError::SecondStart { line: at }) };
        match do_again(&mut model, &done) {
            true => commands += 1,
            false => left_out += 1,
        }
        let found = update::digest(&model);
        if compare && found != done.digest {
            let Done { command, digest: recorded, settled, .. } = *done;
            let command = serde_json::to_string(&command).unwrap_or_default();
            return Err(ReplayError::Differs { line: at, command, found, recorded, settled });
        }
    }
    settle(&mut model);
    Ok(Replayed { commands, left_out, slots: slots(&model.workspace) })
}

fn begin(start: Start) -> Model {
    let ctx = egui::Context::default();
    let files = Files::new(Box::new(NobodyAnswers), ctx.clone());
    let watch = Watch::start(WATCH_EVERY, ctx);
    let workspace = Workspace::new(start.document.clone(), || {});
    let mut model = Model::new(workspace, &start, files, watch, Marking::begin(None).0);
    update::begin(&mut model, start);
    model
}

/// Carries out a recorded command. Returns false if the part that writes a file was left out.
fn do_again(model: &mut Model, done: &Done) -> bool {
    if !done.command.is_gesture() {
        settle(model);
    }
    model.view.transport.time_secs = done.at_secs;
    let ctx = model.files.context().clone();
    let (command, is_whole) = without_writing(&done.command, &mut model.view);
    command.into_iter().for_each(|command| update::dispatch(model, &ctx, vec![command]));
    is_whole
}

/// The part of a command that changes the document, without writing files. False if the command was cut.
fn without_writing(command: &Command, view: &mut View) -> (Option<Command>, bool) {
    match command {
        Command::Export(ExportCommand::ExportTo { .. } | ExportCommand::SaveSeenTo(..)) => (None, false),
        Command::Project(ProjectCommand::SaveProject) if view.project.is_some() => (None, false),
        Command::Project(ProjectCommand::LeaveProject(LeavingAnswer::Save)) => {
            (Some(ProjectCommand::LeaveProject(LeavingAnswer::Discard).into()), false)
        }
        Command::File(FileCommand::TakePath { .. }) => {
            let is_to_write = view.sheets.path.take_if(|sheet| sheet.purpose.writes()).is_some();
            ((!is_to_write).then(|| command.clone()), !is_to_write)
        }
        _ => (Some(command.clone()), true),
    }
}

/// Waits until no work is in progress.
fn settle(model: &mut Model) {
    loop {
        update::take_in(model);
        update::advance(model, 0.0);
        if update::is_settled(model) {
            return;
        }
        std::thread::sleep(POLL_EVERY);
    }
}

fn slots(workspace: &Workspace) -> Vec<String> {
    let slot = |slot: usize| {
        let totals = workspace.totals(slot);
        let (clips, bytes) = (text::count(totals.measured, "clip"), totals.file_size().bytes);
        format!("{}: {clips}, {bytes} bytes, {} failing", workspace.slot_letter(slot), totals.failing)
    };
    (0..workspace.document().slots().count()).map(slot).collect()
}

/// Cancels every dialog. The recording has their answers as commands.
struct NobodyAnswers;

impl Picker for NobodyAnswers {
    fn open(&self, _: &[&str], answer: Box<dyn FnOnce(DialogAnswer<Vec<PathBuf>>) + Send>) {
        answer(DialogAnswer::Cancelled);
    }

    fn save(&self, _: &str, _: &str, answer: Box<dyn FnOnce(DialogAnswer<PathBuf>) + Send>) {
        answer(DialogAnswer::Cancelled);
    }
}
