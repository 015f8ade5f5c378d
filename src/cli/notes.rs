use super::open_project::open_project;
use super::{Console, Exit, Failure};
use clap::{Args, Subcommand};
use posepress_core::export::write_atomically;
use posepress_core::files;
use posepress_core::project::NotesFile;
use posepress_core::text;
use std::path::PathBuf;

/// `posepress notes`.
#[derive(Debug, Args)]
pub struct NotesArgs {
    #[command(subcommand)]
    pub what: NotesCommand,
}

/// The subcommands of `posepress notes`.
#[derive(Debug, Subcommand)]
pub enum NotesCommand {
    /// Add the notes of a file that a page of a report wrote to a project. Notes that the project has are skipped.
    Merge(MergeArgs),
}

/// `posepress notes merge`.
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// A file of notes.
    #[arg(value_name = "NOTES.json")]
    pub notes: PathBuf,
    /// The project, as the window saves it. Close it in the window first.
    #[arg(value_name = "NAME.posepress.toml")]
    pub project: PathBuf,
}

/// Merges notes into a project and prints the number of notes.
pub fn run(args: &NotesArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let NotesCommand::Merge(MergeArgs { notes, project: path }) = &args.what;
    let json = files::read_text(notes).map_err(|error| Failure::file(notes, error))?;
    let file = NotesFile::from_json(&json).map_err(|error| Failure::file(notes, error))?;
    let (mut project, folder) = open_project(path)?;
    let merged = file.merge(&project.sources, &mut project.document);
    project.document = project.document.validated().map_err(|error| Failure::file(notes, error))?;
    if merged.added > 0 {
        write_atomically(path, project.to_toml(&folder).as_bytes()).map_err(Failure::input)?;
    }
    writeln!(console.out, "{} added, {} already there", text::count(merged.added, "note"), merged.known)?;
    for one in &merged.unplaced {
        console.say(format!("error: the project has no file '{}', or several: '{}'", one.file, one.note.text));
    }
    match merged.unplaced.len() {
        0 => Ok(Exit::Done),
        skipped => Err(Failure::input(format!("{} could not be added", text::count(skipped, "note")))),
    }
}
