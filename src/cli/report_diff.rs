use super::diff::print_diff;
use super::{Console, Exit, Failure};
use clap::{Args, Subcommand};
use posepress_core::batch::{Manifest, ManifestDiff};
use posepress_core::files;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Other work on reports.
#[derive(Debug, Subcommand)]
pub enum ReportCommand {
    /// Compare two results of the same clips: what got worse, worst first.
    Diff(ReportDiffArgs),
}

/// `posepress report diff`.
#[derive(Debug, Args)]
pub struct ReportDiffArgs {
    /// The older result: a manifest of `batch`, or the output of `report --json`.
    #[arg(value_name = "OLDER.json")]
    pub older: PathBuf,
    /// The newer result.
    #[arg(value_name = "NEWER.json")]
    pub newer: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Prints what differs.
pub fn run(args: &ReportDiffArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let diff = ManifestDiff::between(&read(&args.older)?, &read(&args.newer)?);
    if args.json {
        #[derive(Serialize)]
        struct Document<'a> {
            schema: u32,
            #[serde(flatten)]
            diff: &'a ManifestDiff,
        }
        console.json(&Document { schema: 1, diff: &diff })?;
    } else {
        print_diff(&diff, console)?;
    }
    Ok(Exit::Done)
}

fn read(path: &Path) -> Result<Manifest, Failure> {
    let text = files::read_text(path).map_err(|error| Failure::file(path, error))?;
    Manifest::read_results(&text).map_err(|error| Failure::file(path, error))
}
