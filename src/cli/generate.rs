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
    /// Instructions for assistants that run programs: SKILL.md.
    Skill,
}

/// Writes the files of a command line and says how many.
pub fn run(args: &GenerateArgs, program: Command, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let folder = &args.output;
    let failed = |error| Failure::file(folder, error);
    std::fs::create_dir_all(folder).map_err(failed)?;
    let files = match args.what {
        Generated::Man => write_man(program, folder),
        Generated::Completions => write_completions(program, folder),
        Generated::Skill => write_skill(&program, folder),
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

/// The start of SKILL.md. The commands follow.
const SKILL: &str = "\
---
name: posepress
description: Measures, tunes and exports compressed skeletal animation (glTF, FBX, BVH and others). Use it to find clips whose feet slide or whose error is too large, to fit clips into a size, and to write them for an engine.
---

# Posepress

1. `posepress info FILES --json`: clips, rates, and findings of the import checks with their fixes.
2. `posepress report FILES --json`: compresses with the default recipe and measures, without writing clips. Read `verdict` (good, warn, fail) and `judged`: each error with its limits in millimetres, its joint and its time.
3. Change the recipe for clips that do not pass: `--codec`, `--tolerance-mm`, or keys of a recipe file with `--recipe FILE.toml`. `posepress settings --json` and `posepress codecs --json` list all of them.
4. `posepress compress FILES -o OUT.posepress`, with `--fit-kb KB` for a size, or `posepress export` for other formats.

Choose clips with `--clip 'Walk*'`. If lengths look wrong, give `--unit cm`. Exit status: 0 done, 1 bad input, 2 usage, 3 a clip is over a limit; with 3 the output is complete. Messages on standard error say the file, the place and the advice.

Do not judge a result by its size alone, and do not raise a tolerance to make a clip pass: a person decides that.

| command | what it does |
|---|---|
";

fn write_skill(program: &Command, folder: &Path) -> std::io::Result<usize> {
    let row = |command: &Command| {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        format!("| `posepress {}` | {about} |\n", command.get_name())
    };
    let rows: String = program.get_subcommands().map(row).collect();
    std::fs::write(folder.join("SKILL.md"), format!("{SKILL}{rows}"))?;
    Ok(1)
}
