use super::{Console, Exit, Failure};
use clap::{Args, Command, ValueEnum};
use clap_complete::Shell;
use posepress_core::text;
use std::path::{Path, PathBuf};

/// `posepress generate`.
#[derive(Debug, Args)]
pub struct GenerateArgs {
    /// The files to write.
    #[arg(value_enum)]
    pub what: Generated,
    /// Folder for the files. It is made if it does not exist.
    #[arg(short, long, value_name = "FOLDER")]
    pub output: PathBuf,
}

/// Files that packages bring along, made from the options of the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Generated {
    /// Manual pages, one per command.
    Man,
    /// Completions for bash, elvish, fish, PowerShell and zsh.
    Completions,
}

/// Writes the files of a command line and says how many.
pub fn run(args: &GenerateArgs, program: Command, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let folder = &args.output;
    let failed = |error| Failure::file(folder, error);
    std::fs::create_dir_all(folder).map_err(failed)?;
    let files = match args.what {
        Generated::Man => write_man(program, folder),
        Generated::Completions => write_completions(program, folder),
    };
    console.say(format!("{}: {}", folder.display(), text::count(files.map_err(failed)?, "file")));
    Ok(Exit::Done)
}

fn write_man(program: Command, folder: &Path) -> std::io::Result<usize> {
    let program = program.disable_help_subcommand(true);
    let count = pages(&program);
    clap_mangen::generate_to(program, folder)?;
    Ok(count)
}

/// Pages of a command: its own, and those of its subcommands.
fn pages(command: &Command) -> usize {
    1 + command.get_subcommands().map(pages).sum::<usize>()
}

fn write_completions(mut program: Command, folder: &Path) -> std::io::Result<usize> {
    for shell in Shell::value_variants() {
        clap_complete::generate_to(*shell, &mut program, "posepress", folder)?;
    }
    Ok(Shell::value_variants().len())
}
