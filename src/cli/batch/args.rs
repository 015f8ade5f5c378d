use super::memory::size as memory_size;
use super::part::{PartOf, task_key};
use crate::cli::store_folder::shared_store;
use crate::cli::{ProgressForm, RecipeArgs, SourceArgs};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use posepress_core::batch::{BatchConfig, GATE_KEYS, Gate, OnePer, OutputRules};
use posepress_core::pipeline::{CONTAINER, EXPORT_FORMATS, FormatKey};
use posepress_core::settings::Choice;
use posepress_core::store::ResultKey;
use posepress_core::threads::thread_count;
use std::path::{Path, PathBuf};

/// Folder of the results in the output folder, unless the options name another one.
const STORE: &str = ".posepress-store";

/// Options about the result of a whole run, which a plan and a share of the work do not have.
const OF_RESULT: [&str; 9] =
    ["csv", "markdown", "junit", "sarif", "github", "html", "gate", "baseline", "update_baseline"];

/// `posepress batch`.
#[derive(Debug, Args)]
pub struct BatchArgs {
    /// Files, folders with all files below them, patterns such as 'lib/**/*.glb', and a project, which stands for its files.
    #[arg(required_unless_present = "why", value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// Folder of the outputs and of the manifest posepress-batch.json.
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Folder of the results. Runs and windows with the same store share them, also at the same time [default: POSEPRESS_STORE, else
    /// .posepress-store in OUT]
    #[arg(long, value_name = "DIR")]
    pub store: Option<PathBuf>,
    /// Print what is new, changed, done or orphaned, and stop.
    #[arg(long, conflicts_with_all = OF_RESULT)]
    pub plan: bool,
    /// Print the rules of posepress.toml that apply to a clip, and the recipe that they make.
    #[arg(long, value_name = "FILE#CLIP", conflicts_with_all = ["inputs", "plan", "part", "claim", "merge"])]
    pub why: Option<String>,
    /// Read every file, also those whose size and time did not change.
    #[arg(long)]
    pub hash: bool,
    /// Files in work at the same time. Each takes the memory of its clips [default: one per thread]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub jobs: Option<u64>,
    /// Largest estimated memory of the files and clips in work. A file waits until there is room; a clip that needs more than all of it has
    /// no result.
    #[arg(long, value_name = "SIZE", value_parser = memory_size)]
    pub memory: Option<u64>,
    /// Remove the outputs of earlier runs that no input has any more, if they are as this program wrote them.
    #[arg(long, conflicts_with_all = ["plan", "part", "claim", "why"])]
    pub prune: bool,
    /// Compress only a part of the library, such as the third of 16. Outputs and manifest are left to --merge.
    #[arg(long, value_name = "I/N", value_parser = PartOf::parse, conflicts_with_all = ["plan", "claim"],
        conflicts_with_all = OF_RESULT)]
    pub part: Option<PartOf>,
    /// Compress only the tasks with these keys, which --plan --json prints. Outputs and manifest are left to --merge.
    #[arg(long, value_name = "KEY,...", value_delimiter = ',', value_parser = task_key, conflicts_with = "plan",
        conflicts_with_all = OF_RESULT)]
    pub claim: Vec<ResultKey>,
    /// Compress nothing: write outputs and manifest from the results that other runs left in the store.
    #[arg(long, conflicts_with_all = ["plan", "part", "claim"])]
    pub merge: bool,
    /// Formats of the outputs, such as container,glb [default: that of posepress.toml, else container]
    #[arg(long = "format", value_name = "FORMAT,...", value_delimiter = ',', value_parser = format_key())]
    pub formats: Vec<FormatKey>,
    /// Clips of one container [default: that of posepress.toml, else file]
    #[arg(long, value_name = "WHAT", value_parser = one_per())]
    pub one_per: Option<OnePer>,
    /// Replace the result of an earlier run into the output folder only by one that is smaller and has no larger error. The source of the
    /// clip must be the same.
    #[arg(long)]
    pub only_better: bool,
    /// After the run, wait until a file of the library changes, and run again. Ctrl-C ends it.
    #[arg(long, conflicts_with_all = ["plan", "part", "claim", "merge"])]
    pub watch: bool,
    /// Limits such as max-error=0.2mm,total=80MB. They replace those of posepress.toml. Status 3 if one is not kept.
    #[arg(long, value_name = "KEY=VALUE,...", value_parser = gate_text, long_help = gate_help())]
    pub gate: Option<Gate>,
    /// Compare with the manifest of an earlier run: what got worse, worst first. It replaces the one of posepress.toml.
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write the manifest of this run to the baseline, unless a row has no result or a limit of the gate is not kept.
    #[arg(long)]
    pub update_baseline: bool,
    /// Also write a web page: all clips, worst first, with curves and pictures of the twelve worst, which are compressed once more for it.
    #[arg(long, value_name = "PAGE", help_heading = "Output")]
    pub html: Option<PathBuf>,
    /// Also write a project that the window opens: every file, and every clip with its recipe. Review then has the worst clips first.
    #[arg(long, value_name = "PROJECT", help_heading = "Output",
        conflicts_with_all = ["plan", "part", "claim", "rig", "fix", "additive", "make_additive"])]
    pub review: Option<PathBuf>,
    /// Form of the progress on standard error.
    #[arg(long, value_name = "FORM", default_value = "auto", help_heading = "Output")]
    pub progress: ProgressForm,
    #[command(flatten)]
    pub format: TableFormat,
    #[command(flatten)]
    pub recipe: RecipeArgs,
    #[command(flatten)]
    pub source: SourceArgs,
}

/// Form of the result on standard output.
#[derive(Debug, Clone, Copy, Default, Args)]
#[command(next_help_heading = "Output")]
#[group(multiple = false)]
pub struct TableFormat {
    /// Print the manifest, or the plan, as JSON.
    #[arg(long)]
    pub json: bool,
    /// Print one row per clip as CSV.
    #[arg(long)]
    pub csv: bool,
    /// Print a summary as Markdown, worst first.
    #[arg(long)]
    pub markdown: bool,
    /// Print JUnit XML: a suite per file with a test per clip, and one for the library with a test per limit.
    #[arg(long)]
    pub junit: bool,
    /// Print SARIF 2.1: one result per clip that fails.
    #[arg(long)]
    pub sarif: bool,
    /// Print annotations of GitHub Actions for the worst ten.
    #[arg(long)]
    pub github: bool,
}

fn format_key() -> impl TypedValueParser<Value = FormatKey> {
    let known = |key: String| EXPORT_FORMATS.iter().map(|format| format.key).find(|known| *known == key);
    let values = EXPORT_FORMATS.iter().map(|format| PossibleValue::new(format.key).help(format.name));
    PossibleValuesParser::new(values).map(move |key| known(key).unwrap_or(CONTAINER))
}

fn one_per() -> impl TypedValueParser<Value = OnePer> {
    let values = OnePer::OPTIONS.iter().map(|option| PossibleValue::new(option.key).help(option.help));
    PossibleValuesParser::new(values).map(|key| OnePer::by_key(&key).unwrap_or_default())
}

fn gate_text(text: &str) -> Result<Gate, String> {
    Gate::parse(text).map_err(|error| error.to_string())
}

fn gate_help() -> String {
    let mut help =
        "Limits of the library. They replace those of posepress.toml. Status 3 if one is not kept.\n".to_owned();
    for key in GATE_KEYS {
        let limit = format!("{}={}", key.key, key.example);
        help.push_str(&format!("\n  {limit:<18} {}", key.help));
    }
    help
}

impl BatchArgs {
    /// Folder of the store.
    pub fn store_folder(&self, output: &Path) -> PathBuf {
        self.store.clone().or_else(shared_store).unwrap_or_else(|| output.join(STORE))
    }

    /// Number of files in work at the same time.
    pub fn jobs(&self) -> usize {
        self.jobs.map_or_else(rayon::current_num_threads, |jobs| thread_count(Some(jobs)))
    }

    /// The outputs of the options and of `posepress.toml`. Every key is set.
    pub fn outputs(&self, config: Option<&BatchConfig>) -> OutputRules {
        let of_file = config.map(|config| config.output.clone()).unwrap_or_default();
        let lists = [&self.formats, &of_file.formats].into_iter().find(|formats| !formats.is_empty());
        let mut formats = lists.cloned().unwrap_or_else(|| vec![CONTAINER]);
        formats.sort_unstable();
        formats.dedup();
        let one_per = Some(self.one_per.or(of_file.one_per).unwrap_or_default());
        OutputRules { formats, one_per, only_better: self.only_better || of_file.only_better }
    }

    /// True if the run ends with outputs and a manifest.
    pub fn is_whole(&self) -> bool {
        !self.plan && self.part.is_none() && self.claim.is_empty()
    }
}
