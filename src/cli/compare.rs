use super::args::read_recipe;
use super::console::Ticker;
use super::evidence::Evidence;
use super::load::{
    LoadedFile, Loader, NamedClip, choose_clips, left_out, put_on_bases, say_findings, say_lost, with_rig,
};
use super::output::check_loaded;
use super::report::{FormatArgs, print_reports, report_files};
use super::setting_args::{Other, SettingArgs};
use super::work::conclude;
use super::{ClipArgs, Console, Exit, Failure, LimitArgs, SourceArgs};
use clap::Args;
use posepress_core::codecs::{LOSSLESS, Progress};
use posepress_core::pipeline::{
    ExternalClip, MeasuredClip, NoCounterpart, Outcome, TierSettings, counterpart, guard, measure_vertices,
};
use posepress_core::recipe::Recipe;
use posepress_core::report::ClipReport;
use posepress_core::text;
use rayon::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// `posepress compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// With recipes: source files. Without: a source and an external result (glTF, FBX, BVH, USD, ozz, .anm or a container).
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// A recipe file. Repeatable.
    #[arg(long, value_name = "FILE.toml", help_heading = "Recipe")]
    pub recipe: Vec<PathBuf>,
    /// Time in the external file at which the source begins, seconds. Positive if the external file starts late.
    #[arg(long, value_name = "SECS", default_value_t = 0.0, allow_negative_numbers = true, conflicts_with = "recipe")]
    #[arg(help_heading = "Source")]
    pub offset: f64,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Import options of the source.
    #[command(flatten)]
    pub source: SourceArgs,
    /// Import options of the external file, if they differ from the source and from files of Posepress.
    #[command(flatten)]
    pub other: SettingArgs<Other>,
    #[command(flatten)]
    pub clips: ClipArgs,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// Prints one row per clip and recipe, or per clip and its external result.
pub fn run(args: &CompareArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    if args.recipe.is_empty() {
        return judge(args, console);
    }
    let read = |path: &PathBuf| args.limits.apply(read_recipe(path)?).validated().map_err(Failure::usage);
    let recipes = args.recipe.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    report_files(&args.files, &recipes, &args.source, &args.clips, (&args.format, TierSettings::default()), console)
}

/// Number of clips without a counterpart that get their own message. The others are only counted.
const MISSING_NAMED: usize = 3;

/// Judges the clips of an external file against the source clips of the same names, with the same limits as our own codecs.
fn judge(args: &CompareArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let [source, other] = args.files.as_slice() else {
        let found = args.files.len();
        let what = "expected --recipe FILE.toml, or two files: a source and an external result";
        return Err(Failure::usage(format!("{what}; found {found} files and no recipe")));
    };
    if !args.offset.is_finite() {
        return Err(Failure::usage(format!("--offset {} is not a time in seconds", args.offset)));
    }
    let recipe = args.limits.apply(Recipe::of(LOSSLESS)).validated().map_err(Failure::usage)?;
    let (source, other) = load_both(args, (source, other), console)?;
    if let Some(page) = &args.format.html {
        check_loaded(page, &[source.clone(), other.clone()])?;
    }
    let chosen = choose_clips(&[source], &args.clips)?;
    let found = |clip: &NamedClip| counterpart(clip.clip.name(), chosen.len(), &other.clips);
    let (missing, present): (Vec<_>, Vec<_>) = chosen.iter().partition(|clip| found(clip).is_none());
    let file: Arc<str> = other.path.file_name().unwrap_or_default().to_string_lossy().into();
    say_missing(&missing, (&file, &other), console);
    let pairs: Vec<_> = present.into_iter().filter_map(|clip| Some((clip, found(clip)?))).collect();
    let (judged, failed) = judge_all(args, &recipe, &pairs, (&file, &other), console);
    let (reports, evidence): (Vec<_>, Vec<_>) = judged.into_iter().unzip();
    print_reports(&reports, &evidence, None, &args.format, console)?;
    let missing = (!missing.is_empty())
        .then(|| Failure::input(format!("{} of {} clips have no counterpart", missing.len(), chosen.len())));
    conclude(&reports, &failed, missing)
}

/// Loads the source on its bases, and the external file on the source's rig. Findings of both go to `console`.
fn load_both(
    args: &CompareArgs,
    (source, other): (&PathBuf, &PathBuf),
    console: &mut Console<'_>,
) -> Result<(LoadedFile, LoadedFile), Failure> {
    let loader = Loader::new(&args.source)?;
    let mut source = with_rig(loader.load_any(source)?)?;
    say_findings(&source, console);
    let other = loader.load_other(other, &source, &args.other)?;
    put_on_bases(std::slice::from_mut(&mut source), console);
    say_findings(&other, console);
    let lost: Vec<PathBuf> =
        [&source, &other].into_iter().filter(|file| !say_lost(file, console)).map(|file| file.path.clone()).collect();
    if lost.is_empty() { Ok((source, other)) } else { Err(left_out(&lost, 2)) }
}

/// Reports clips without a counterpart: the first few by name.
fn say_missing(missing: &[&NamedClip], (file, other): (&Arc<str>, &LoadedFile), console: &mut Console<'_>) {
    for clip in missing.iter().take(MISSING_NAMED) {
        console.say(format!("error: {}", NoCounterpart::among(file, clip.clip.name(), &other.clips)));
    }
    if missing.len() > MISSING_NAMED {
        let more = text::count(missing.len() - MISSING_NAMED, "more clip");
        console.say(format!("error: {file}: no counterpart of {more}; choose clips with --clip"));
    }
}

/// Judges all pairs on all cores. Errors go to `console`.
fn judge_all(
    args: &CompareArgs,
    recipe: &Recipe,
    pairs: &[(&NamedClip, usize)],
    (file, other): (&Arc<str>, &LoadedFile),
    console: &mut Console<'_>,
) -> (Vec<(ClipReport, Option<Evidence>)>, Vec<String>) {
    let ticker = Ticker::new("judged", pairs.len());
    let judge_one = |(clip, found): &(&NamedClip, usize)| {
        let judged = guard(|| {
            let (source, outcome) = judge_clip(clip, file, other, *found, args.offset, recipe);
            let report = ClipReport::new(&clip.source, &clip.name, &source, &outcome);
            Ok::<_, Failure>((report, args.format.evidence(&source, &outcome)))
        });
        ticker.step(&clip.name);
        judged.map_err(|e| (clip.name.clone(), format!("{}: clip '{}': {e}", clip.source, clip.name)))
    };
    let judged: Vec<_> = pairs.par_iter().map(judge_one).collect();
    drop(ticker);
    let (mut kept, mut failed) = (Vec::new(), Vec::new());
    for judged in judged {
        match judged {
            Ok(judged) => kept.push(judged),
            Err((clip, error)) => {
                console.say(format!("error: {error}"));
                failed.push(clip);
            }
        }
    }
    (kept, failed)
}

fn judge_clip(
    clip: &NamedClip,
    file: &Arc<str>,
    other: &LoadedFile,
    found: usize,
    offset_secs: f64,
    recipe: &Recipe,
) -> (MeasuredClip, Outcome) {
    let source = MeasuredClip::new(clip.rig.clone(), clip.clip.clone(), recipe);
    let (theirs, bytes) = (other.clips[found].clone(), other.clip_bytes[found]);
    let external = ExternalClip::beside(&clip.clip, (file.clone(), theirs), bytes, offset_secs);
    let mut outcome = external.judge(&source, recipe);
    // The command line has no cancel.
    let _ = measure_vertices(&source, &mut outcome, &Progress::new());
    (source, outcome)
}
