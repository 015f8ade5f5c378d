use super::args::read_recipe;
use super::console::Ticker;
use super::load::{LoadedFile, Loader, NamedClip, choose_clips, load_container, put_on_rig, say_findings};
use super::output::check_loaded;
use super::report::{FormatArgs, print_reports, report_files};
use super::work::conclude;
use super::{ClipArgs, Console, Exit, Failure, LimitArgs, SourceArgs};
use clap::Args;
use posepress_core::codecs::LOSSLESS;
use posepress_core::session::{CONTAINER, ClipReport, ForeignClip, ForeignRow, MeasuredClip, Recipe, export_extension};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// `posepress compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// With recipes: source files. Without: a source, and what another tool made of it (glTF, FBX, BVH or a container).
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// A recipe file; give it once for each recipe.
    #[arg(long, value_name = "FILE.toml", help_heading = "Recipe")]
    pub recipe: Vec<PathBuf>,
    /// Time of the other file where the source begins, seconds: positive where it starts late.
    #[arg(long, value_name = "SECS", default_value_t = 0.0, allow_negative_numbers = true, conflicts_with = "recipe")]
    #[arg(help_heading = "Source")]
    pub offset: f64,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub clips: ClipArgs,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// Prints one row a clip and recipe, or a clip and what another tool made of it.
pub fn run(args: &CompareArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    if args.recipe.is_empty() {
        return judge(args, console);
    }
    let read = |path: &PathBuf| args.limits.apply(read_recipe(path)?).validated().map_err(Failure::usage);
    let recipes = args.recipe.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    report_files(&args.files, &recipes, &args.source, &args.clips, &args.format, console)
}

/// Judges the clips of a file against those of their names in another, as if a codec of ours had made them.
fn judge(args: &CompareArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let [source, other] = args.files.as_slice() else {
        let found = args.files.len();
        let what = "expected --recipe FILE.toml, or two files, a source and what another tool made of it";
        return Err(Failure::usage(format!("{what}; found {found} files and no recipe")));
    };
    if !args.offset.is_finite() {
        return Err(Failure::usage(format!("--offset {} is no time", args.offset)));
    }
    let recipe = args.limits.apply(Recipe::of(LOSSLESS)).validated().map_err(Failure::usage)?;
    let loader = Loader::new(&args.source)?;
    let load = |path: &PathBuf| match is_container(path) {
        true => load_container(path),
        false => loader.load(path),
    };
    let (source, other) = (load(source)?, load(other)?);
    say_findings(&source, console);
    let other = put_on_rig(other, &source).map_err(Failure::input)?;
    say_findings(&other, console);
    if let Some(page) = &args.format.html {
        check_loaded(page, &[source.clone(), other.clone()])?;
    }
    let chosen = choose_clips(&[source], &args.clips)?;
    let (pairs, missing): (Vec<_>, Vec<_>) =
        chosen.iter().map(|clip| (clip, counterpart(clip, &chosen, &other))).partition(|(_, found)| found.is_some());
    for (clip, _) in &missing {
        console.say(format!("error: {} has no clip '{}'", other.path.display(), clip.name));
    }
    let ticker = Ticker::new("judged", pairs.len());
    let reports: Vec<ClipReport> = pairs
        .par_iter()
        .filter_map(|(clip, found)| {
            let report = judge_clip(clip, &other, (*found)?, args.offset, &recipe);
            ticker.step(&clip.name);
            Some(report)
        })
        .collect();
    drop(ticker);
    print_reports(&reports, &args.format, console)?;
    let missing = (!missing.is_empty())
        .then(|| Failure::input(format!("{} of {} clips have no counterpart", missing.len(), chosen.len())));
    conclude(&reports, 0, missing)
}

fn is_container(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).map(str::to_lowercase);
    extension.is_some() && extension.as_deref() == export_extension(CONTAINER)
}

/// Place of a clip's counterpart: that of its name, or the only one where there is one on each side.
fn counterpart(clip: &NamedClip, chosen: &[NamedClip], other: &LoadedFile) -> Option<usize> {
    let of_name = other.clips.iter().position(|candidate| candidate.name() == clip.clip.name());
    of_name.or_else(|| (chosen.len() == 1 && other.clips.len() == 1).then_some(0))
}

fn judge_clip(clip: &NamedClip, other: &LoadedFile, found: usize, offset_secs: f64, recipe: &Recipe) -> ClipReport {
    let source = MeasuredClip::new(clip.rig.clone(), clip.clip.clone(), recipe);
    let theirs = &other.clips[found];
    let report = ForeignClip::new(theirs.clone(), offset_secs).judge(&source, recipe);
    let foreign = ForeignRow {
        file: other.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        clip: theirs.name().to_owned(),
        samples: theirs.samples(),
        rate_hz: theirs.grid().rate_hz(),
        offset_secs,
        bytes: other.clip_bytes[found],
    };
    ClipReport::of_foreign(&clip.source, &clip.name, &source, foreign, recipe, &report)
}
