use super::load::{choose_clips, load_all, on_one_rig};
use super::output::{check_loaded, check_output, is_stdout, write_output};
use super::report::{FormatArgs, print_reports};
use super::work::{compress_all, conclude};
use super::{ClipArgs, Console, Exit, Failure, RecipeArgs, SourceArgs};
use clap::Args;
use posepress_core::session::archive_to_write;
use std::path::PathBuf;

/// `posepress compress`.
#[derive(Debug, Args)]
pub struct CompressArgs {
    /// Source files; their clips go on the rig of the first, matched by joint names.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The container to write; - is standard output, where no table is then printed.
    #[arg(short, long, value_name = "OUT.posepress")]
    pub output: PathBuf,
    #[command(flatten)]
    pub recipe: RecipeArgs,
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub clips: ClipArgs,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// Compresses every clip into one container and prints what was measured.
pub fn run(args: &CompressArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    check_output(&args.output, args.files.iter().map(PathBuf::as_path))?;
    let recipe = args.recipe.recipe()?;
    let files = on_one_rig(load_all(&args.files, &args.source, console)?, console)?;
    check_loaded(&args.output, &files)?;
    let clips = choose_clips(&files, &args.clips)?;
    let rig = clips.first().map(|c| c.rig.clone()).ok_or_else(|| Failure::input("the files hold no clip"))?;
    let (worked, failed) = compress_all("compressed", &clips, &[recipe], console, |c, w| (c.name.clone(), w));
    if failed > 0 {
        return Err(Failure::input(format!("{failed} clips could not be compressed; nothing was written")));
    }
    let entries: Vec<_> = worked.iter().map(|(name, w)| (name.as_str(), &*w.outcome)).collect();
    write_output(&args.output, &archive_to_write(&rig, &entries), console)?;
    let reports: Vec<_> = worked.into_iter().map(|(_, w)| w.report).collect();
    if !is_stdout(&args.output) {
        print_reports(&reports, &args.format, console)?;
    }
    conclude(&reports, 0, None)
}
