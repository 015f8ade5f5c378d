//! The command line: the engine without a window, for build machines and scripts.
//!
//! Results go to standard output: a table for people, JSON or CSV for programs. Progress and messages go to standard error.
//! Exit status: 0 done, 1 bad input or I/O, 2 usage, 3 a quality gate was not met.

mod args;
mod batch;
mod bench;
mod candidates;
mod codecs;
mod compare;
mod compress;
mod console;
mod decode;
mod diff;
mod evidence;
mod export;
mod failure;
mod generate;
mod html;
mod info;
mod info_tier;
mod load;
mod lod;
mod log;
#[cfg(feature = "mcp")]
pub mod mcp;
mod measure;
mod notes;
mod open_project;
mod output;
mod patterns;
mod pictures;
mod player;
mod plots;
mod render;
#[cfg(feature = "gui")]
mod render_scene;
mod report;
mod report_diff;
mod report_page;
mod setting_args;
mod settings;
mod signoff;
mod stopwatch;
mod store;
mod store_folder;
mod study;
mod table;
mod tiers;
mod verify;
mod version;
mod work;

pub use args::{AdditiveRule, ClipArgs, LimitArgs, RecipeArgs, Size, SourceArgs, SpaceArgs};
pub use console::{Console, Output, ProgressForm, Ticker, say};
pub use evidence::Painter;
#[cfg(feature = "gui")]
pub use evidence::{Moment, PictureForm, PictureFormat, Thumbnail};
pub use failure::{Exit, Failure};
pub use log::start_log;
pub use output::check_output;
#[cfg(feature = "gui")]
pub use output::{try_output, write_output};
pub use render::RenderArgs;
#[cfg(feature = "gui")]
pub use render_scene::{Film, RenderScene};
use report_diff::ReportCommand;
#[cfg(feature = "gui")]
pub use store_folder::{shared_store, store_of_windows};
pub use version::Version;

use clap::{CommandFactory, Parser, Subcommand};
use posepress_core::threads::thread_count;
use posepress_core::view::SharedView;
use std::path::PathBuf;

const EXIT_STATUS: &str = "Exit status: 0 done; 1 bad input or I/O; 2 usage; 3 a quality gate was not met (a clip over its \
tolerance, a failing contact).";
const LOD_STATUS: &str = "Exit status: 0 every level is within its limit; 1 bad input or I/O; 2 usage; 3 a level is over its limit, or a clip \
has no such level.";
const SIGNOFF_STATUS: &str = "Exit status: 0 every decision stands; 1 bad input or I/O; 2 usage; 3 a clip was rejected, has changed \
since its decision, or is undecided.";

/// Tunes skeletal animation compression. Without a subcommand the window opens on FILES, or on the bundled sample.
#[derive(Debug, Parser)]
#[command(name = "posepress", version, disable_version_flag = true, args_conflicts_with_subcommands = true, after_help = EXIT_STATUS)]
pub struct Cli {
    /// The command to run without a window.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Files to open in the window.
    #[arg(value_name = "FILES")]
    pub files: Vec<PathBuf>,
    /// Show a view that 'Copy view' made: its text, or a file that holds it. Without FILES the window opens the file that the view names.
    #[arg(long, visible_alias = "view", value_name = "TEXT|FILE", value_parser = args::view_text)]
    pub view_text: Option<SharedView>,
    /// Record the commands of the window in a file, which --replay runs again.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Run a recording without a window. Status 3 at the first command after which recipes, marks or decisions differ from the recorded
    /// ones. With --record nothing is compared: the recording is written again.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["files", "view_text", "rig"])]
    pub replay: Option<PathBuf>,
    /// Folder of the results that the window keeps, and shares with 'posepress batch' [default: POSEPRESS_STORE, else one in the folder of
    /// caches]
    #[arg(long, value_name = "DIR")]
    pub store: Option<PathBuf>,
    /// Worker threads; 0 chooses a number, more than 256 is lowered [default: RAYON_NUM_THREADS, else one per core]
    #[arg(long, global = true, value_name = "N")]
    pub threads: Option<u64>,
    /// Print the version; with --json also the commit, the features and the system it was built for.
    #[arg(short = 'V', long, conflicts_with_all = ["files", "view_text", "record", "replay"])]
    pub version: bool,
    /// Print the version as JSON.
    #[arg(long, requires = "version")]
    pub json: bool,
    /// Import options.
    #[command(flatten)]
    pub source: SourceArgs,
}

impl Cli {
    /// Starts the worker threads of commands.
    ///
    /// # Errors
    /// [`Failure::Input`]: the system cannot start that many.
    pub fn start_threads(&self) -> Result<(), Failure> {
        let threads = thread_count(self.threads);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build_global()
            .map_err(|e| Failure::input(format!("{threads} threads cannot be started: {e}; give fewer with --threads")))
    }

    /// Names of the subcommands.
    pub fn subcommands() -> Vec<String> {
        Self::command().get_subcommands().map(|c| c.get_name().to_owned()).collect()
    }

    /// Replaces patterns among the files by their files. `batch` does so itself, because its outputs lie as their files lie below the folder of a pattern.
    ///
    /// # Errors
    /// [`Failure::Usage`]: a pattern cannot be read.
    pub fn expand_patterns(&mut self) -> Result<(), Failure> {
        match &mut self.command {
            None => patterns::expand(&mut self.files),
            Some(
                Command::Info(info::InfoArgs { files, .. })
                | Command::Report(report::ReportArgs { files, .. })
                | Command::Compress(compress::CompressArgs { files, .. })
                | Command::Compare(compare::CompareArgs { files, .. })
                | Command::Lod(lod::LodArgs { files, .. })
                | Command::Bench(bench::BenchArgs { files, .. })
                | Command::Study(study::StudyArgs { projects: files, .. }),
            ) => patterns::expand(files),
            Some(_) => Ok(()),
        }
    }

    /// Refuses a mistyped subcommand: an argument without an extension that is not a file.
    ///
    /// # Errors
    /// [`Failure::Usage`].
    pub fn check_files(&self) -> Result<(), Failure> {
        match self.files.iter().find(|f| f.extension().is_none() && !f.exists()) {
            None => Ok(()),
            Some(unknown) => Err(Failure::usage(format!(
                "'{}' is neither a file nor a subcommand; expected a file or one of: {}",
                unknown.display(),
                Self::subcommands().join(", ")
            ))),
        }
    }
}

/// The commands that need no window.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Describe files: rigs, clips, rates, tracks, meshes, and the findings of the import checks.
    Info(info::InfoArgs),
    /// List every codec, or one with its parameters.
    Codecs(codecs::CodecsArgs),
    /// List the settings of recipes, contacts and import with their ranges and defaults.
    Settings(settings::SettingsArgs),
    /// Compress, decode and measure, without writing clips.
    #[command(after_help = EXIT_STATUS)]
    Report(report::ReportArgs),
    /// Compress, measure and write a container. It is written even if a gate is not met.
    #[command(after_help = EXIT_STATUS)]
    Compress(compress::CompressArgs),
    /// Print the local transforms that a container decodes to.
    Decode(decode::DecodeArgs),
    /// Compress a library: many files, by rules, and only what changed since the last run.
    #[command(after_help = EXIT_STATUS)]
    Batch(Box<batch::BatchArgs>),
    /// List, check or clean a store of results.
    Store(store::StoreArgs),
    /// Decode a container and measure it against its source.
    #[command(after_help = EXIT_STATUS)]
    Verify(verify::VerifyArgs),
    /// Write the clips of a container or of a source file in another format.
    Export(export::ExportArgs),
    /// Draw a frame of a clip, or an animation, without a window or a display.
    Render(Box<render::RenderArgs>),
    /// Report several recipes, one row per clip and recipe; or judge an external file against its source.
    #[command(after_help = EXIT_STATUS)]
    Compare(compare::CompareArgs),
    /// Measure clips at the levels of detail of a platform: fewer joints, updates and tiers at a distance.
    #[command(after_help = LOD_STATUS)]
    Lod(lod::LodArgs),
    /// Time every codec on a clip: encoding, and decoding in order, at random, with cold caches, one joint alone.
    Bench(bench::BenchArgs),
    /// Measure every codec at several tolerances on the folders of a corpus, and write the tables as Markdown.
    Measure(measure::MeasureArgs),
    /// Print the record of a project's review: who approved which clip, with which numbers, and if the decision still stands.
    #[command(after_help = SIGNOFF_STATUS)]
    Signoff(signoff::SignoffArgs),
    /// Merge notes that were written in the page of a report into a project.
    Notes(notes::NotesArgs),
    /// Print the trials of the blind tests of one or more projects as CSV, and the pooled result per clip and recipe.
    Study(study::StudyArgs),
    /// Serve the program as a tool of assistants, by the Model Context Protocol on standard input and output.
    #[cfg(feature = "mcp")]
    Mcp(mcp::McpArgs),
    /// Write manual pages or shell completions, for packages and for your own shell.
    Generate(generate::GenerateArgs),
}

impl Command {
    /// True if the command writes a page with pictures.
    pub fn writes_page(&self) -> bool {
        match self {
            Self::Report(report::ReportArgs { format, .. })
            | Self::Compress(compress::CompressArgs { format, .. })
            | Self::Verify(verify::VerifyArgs { format, .. })
            | Self::Compare(compare::CompareArgs { format, .. }) => format.html.is_some(),
            Self::Signoff(args) => args.html.is_some(),
            Self::Batch(args) => args.html.is_some(),
            Self::Info(_)
            | Self::Codecs(_)
            | Self::Settings(_)
            | Self::Decode(_)
            | Self::Export(_)
            | Self::Render(_)
            | Self::Store(_)
            | Self::Lod(_)
            | Self::Bench(_)
            | Self::Measure(_)
            | Self::Notes(_)
            | Self::Study(_)
            | Self::Generate(_) => false,
            #[cfg(feature = "mcp")]
            Self::Mcp(_) => false,
        }
    }
}

/// Runs a subcommand other than `render`, which needs the renderer of the window.
///
/// # Errors
/// A [`Failure`] holds the reason and the exit status.
pub fn run(command: &Command, console: &mut Console<'_>) -> Result<Exit, Failure> {
    match command {
        Command::Info(args) => info::run(args, console),
        Command::Codecs(args) => codecs::run(args, console),
        Command::Settings(args) => settings::run(args, console),
        Command::Report(args) => match &args.what {
            Some(ReportCommand::Diff(args)) => report_diff::run(args, console),
            None => report::run(args, console),
        },
        Command::Compress(args) => compress::run(args, console),
        Command::Batch(args) => batch::run(args, console),
        Command::Store(args) => store::run(args, console),
        Command::Decode(args) => decode::run(args, console),
        Command::Verify(args) => verify::run(args, console),
        Command::Export(args) => export::run(args, console),
        Command::Compare(args) => compare::run(args, console),
        Command::Lod(args) => lod::run(args, console),
        Command::Bench(args) => bench::run(args, console),
        Command::Measure(args) => measure::run(args, console),
        Command::Signoff(args) => signoff::run(args, console),
        Command::Notes(args) => notes::run(args, console),
        Command::Study(args) => study::run(args, console),
        Command::Generate(args) => generate::run(args, Cli::command(), console),
        Command::Render(_) => Err(Failure::usage("'render' needs the window's renderer")),
        #[cfg(feature = "mcp")]
        Command::Mcp(_) => Err(Failure::usage("'mcp' serves instead of printing a result")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of a subcommand that reads the files of a pattern, with its required options.
    fn line(command: &clap::Command) -> Vec<String> {
        let options =
            command.get_arguments().filter(|argument| argument.is_required_set() && !argument.is_positional());
        let options = options.filter_map(clap::Arg::get_long).flat_map(|long| [format!("--{long}"), "x".into()]);
        ["posepress", command.get_name(), "none-[.bvh"].map(str::to_owned).into_iter().chain(options).collect()
    }

    #[test]
    fn every_command_of_many_files_takes_patterns() {
        let command = Cli::command();
        let takes_many = |command: &&clap::Command| {
            command.get_positionals().any(|files| matches!(files.get_action(), clap::ArgAction::Append))
        };
        let mut refused = 0;
        for command in command.get_subcommands().filter(takes_many).filter(|command| command.get_name() != "batch") {
            let mut cli = Cli::try_parse_from(line(command)).unwrap_or_else(|error| panic!("{error}"));
            let error = cli.expand_patterns().expect_err(command.get_name()).to_string();
            assert!(error.contains("'none-[.bvh'"), "{error}");
            refused += 1;
        }
        assert!(refused >= 6, "{refused} commands");
    }
}
