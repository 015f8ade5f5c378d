use super::args::read_recipe;
use super::report::{FormatArgs, report_files};
use super::{ClipArgs, Console, Exit, Failure, LimitArgs, SourceArgs};
use clap::Args;
use std::path::PathBuf;

/// `posepress compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Source files.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// A recipe file; give it once for each recipe.
    #[arg(long, required = true, value_name = "FILE.toml", help_heading = "Recipe")]
    pub recipe: Vec<PathBuf>,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub clips: ClipArgs,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// Prints one row a clip and recipe.
pub fn run(args: &CompareArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let read = |path: &PathBuf| args.limits.apply(read_recipe(path)?).validated().map_err(Failure::usage);
    let recipes = args.recipe.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    report_files(&args.files, &recipes, &args.source, &args.clips, &args.format, console)
}
