//! The command line: the engine without a window, for build machines and scripts.
//!
//! Standard output carries the result, a table for people or JSON and CSV for programs; standard error carries progress
//! and messages. Exit status: 0 done, 1 bad input or I/O, 2 usage, 3 a quality gate was not met.

mod args;
mod bench;
mod candidates;
mod codecs;
mod compare;
mod compress;
mod console;
mod decode;
mod evidence;
mod export;
mod failure;
mod html;
mod info;
mod info_tier;
mod load;
mod log;
mod measure;
mod output;
mod pictures;
mod plots;
mod render;
#[cfg(feature = "gui")]
mod render_scene;
mod report;
mod report_page;
mod setting_args;
mod settings;
mod signoff;
mod stopwatch;
mod table;
mod tiers;
mod verify;
mod work;

pub use args::{ClipArgs, LimitArgs, RecipeArgs, Size, SourceArgs, SpaceArgs};
#[cfg(feature = "gui")]
pub use console::Ticker;
pub use console::{Console, Output, say};
pub use evidence::Painter;
#[cfg(feature = "gui")]
pub use evidence::{Moment, Thumbnail};
pub use failure::{Exit, Failure};
pub use log::start_log;
pub use output::check_output;
#[cfg(feature = "gui")]
pub use output::{try_output, write_output};
pub use render::RenderArgs;
#[cfg(feature = "gui")]
pub use render_scene::{Film, RenderScene};

use clap::{CommandFactory, Parser, Subcommand};
use posepress_core::threads::thread_count;
use posepress_core::view::SharedView;
use std::path::PathBuf;

const EXIT_STATUS: &str = "Exit status: 0 done; 1 bad input or I/O; 2 usage; 3 a quality gate was not met (a clip over its \
tolerance, a failing plant).";
const SIGNOFF_STATUS: &str = "Exit status: 0 every decision stands; 1 bad input or I/O; 2 usage; 3 something was rejected, what was \
judged has changed since, or a clip is undecided.";

/// Tunes skeletal animation compression. Without a subcommand the window opens on FILES, or on the bundled sample.
#[derive(Debug, Parser)]
#[command(name = "posepress", version, args_conflicts_with_subcommands = true, after_help = EXIT_STATUS)]
pub struct Cli {
    /// What to do without a window.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Files to open in the window.
    #[arg(value_name = "FILES")]
    pub files: Vec<PathBuf>,
    /// Show what this text says, which 'Copy view' makes, or the file that holds it. Without FILES the file that it names is
    /// opened, if it is here.
    #[arg(long, visible_alias = "view", value_name = "TEXT|FILE", value_parser = args::view_text)]
    pub view_text: Option<SharedView>,
    /// Write what is done in the window to a file, from which --replay does it again.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Do again what was recorded, without a window; end with status 3 at the first command after which recipes, marks or decisions are
    /// others than recorded. With --record nothing is compared: the recording is made anew.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["files", "view_text", "rig"])]
    pub replay: Option<PathBuf>,
    /// Threads that work; 0 and more than 256 are as many as make sense [default: what RAYON_NUM_THREADS says, else one per core]
    #[arg(long, global = true, value_name = "N")]
    pub threads: Option<u64>,
    /// How they are read.
    #[command(flatten)]
    pub source: SourceArgs,
}

impl Cli {
    /// Starts the threads on which commands work.
    ///
    /// # Errors
    /// [`Failure::Input`]: the system does not start as many.
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

    /// Tells a mistyped subcommand from a file: what has no extension and does not exist is none.
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

/// Everything that needs no window.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Say what is in files: rigs, clips, rates, tracks, meshes, and what the import checks found.
    Info(info::InfoArgs),
    /// List every codec, or one with its parameters.
    Codecs(codecs::CodecsArgs),
    /// List the settings of recipes, contacts and import with their ranges and defaults.
    Settings(settings::SettingsArgs),
    /// Compress, decode and measure; write no clip.
    #[command(after_help = EXIT_STATUS)]
    Report(report::ReportArgs),
    /// Compress, measure and write a container; it is written even when a gate is not met.
    #[command(after_help = EXIT_STATUS)]
    Compress(compress::CompressArgs),
    /// Print the local transforms that a container decodes to.
    Decode(decode::DecodeArgs),
    /// Decode a container and measure it against its source.
    #[command(after_help = EXIT_STATUS)]
    Verify(verify::VerifyArgs),
    /// Write the clips of a container or of a source file in another format.
    Export(export::ExportArgs),
    /// Draw one moment of a clip into a picture, without a window or an X server.
    Render(Box<render::RenderArgs>),
    /// Report several recipes side by side, one row a clip and recipe.
    #[command(after_help = EXIT_STATUS)]
    Compare(compare::CompareArgs),
    /// Time every codec on a clip: encoding, and decoding in order, anywhere, with cold caches, one joint alone.
    Bench(bench::BenchArgs),
    /// Measure every codec at several tolerances on the folders of a corpus, and write the tables as Markdown.
    Measure(measure::MeasureArgs),
    /// The record of a project's review: who decided what about which clip, with which numbers, and whether it still holds.
    #[command(after_help = SIGNOFF_STATUS)]
    Signoff(signoff::SignoffArgs),
}

impl Command {
    /// True for what writes a page with pictures.
    pub fn writes_page(&self) -> bool {
        match self {
            Self::Report(report::ReportArgs { format, .. })
            | Self::Compress(compress::CompressArgs { format, .. })
            | Self::Verify(verify::VerifyArgs { format, .. })
            | Self::Compare(compare::CompareArgs { format, .. }) => format.html.is_some(),
            Self::Signoff(args) => args.html.is_some(),
            Self::Info(_)
            | Self::Codecs(_)
            | Self::Settings(_)
            | Self::Decode(_)
            | Self::Export(_)
            | Self::Render(_)
            | Self::Bench(_)
            | Self::Measure(_) => false,
        }
    }
}

/// Runs a subcommand other than `render`, whose picture the window's renderer draws.
///
/// # Errors
/// [`Failure`] says what was wrong and which exit status it means.
pub fn run(command: &Command, console: &mut Console<'_>) -> Result<Exit, Failure> {
    match command {
        Command::Info(args) => info::run(args, console),
        Command::Codecs(args) => codecs::run(args, console),
        Command::Settings(args) => settings::run(args, console),
        Command::Report(args) => report::run(args, console),
        Command::Compress(args) => compress::run(args, console),
        Command::Decode(args) => decode::run(args, console),
        Command::Verify(args) => verify::run(args, console),
        Command::Export(args) => export::run(args, console),
        Command::Compare(args) => compare::run(args, console),
        Command::Bench(args) => bench::run(args, console),
        Command::Measure(args) => measure::run(args, console),
        Command::Signoff(args) => signoff::run(args, console),
        Command::Render(_) => Err(Failure::usage("'render' needs the window's renderer")),
    }
}
