use super::args::read_recipe;
use super::console::Ticker;
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
    ForeignClip, MeasuredClip, NoCounterpart, Outcome, TierSettings, counterpart, guard, measure_vertices,
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
    /// With recipes: source files. Without: a source, and what another tool made of it (glTF, FBX, BVH, ozz, .anm or a container).
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
    /// How the source is read.
    #[command(flatten)]
    pub source: SourceArgs,
    /// How the other file is read, where it is not as the source or as what Posepress writes.
    #[command(flatten)]
    pub other: SettingArgs<Other>,
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
    report_files(&args.files, &recipes, &args.source, &args.clips, (&args.format, TierSettings::default()), console)
}

/// Clips without a counterpart that are named; of the rest the number is said.
const MISSING_NAMED: usize = 3;

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
    let mut source = with_rig(loader.load_any(source)?)?;
    say_findings(&source, console);
    let other = loader.load_other(other, &source, &args.other)?;
    put_on_bases(std::slice::from_mut(&mut source), console);
    say_findings(&other, console);
    let lost: Vec<PathBuf> =
        [&source, &other].into_iter().filter(|file| !say_lost(file, console)).map(|file| file.path.clone()).collect();
    if !lost.is_empty() {
        return Err(left_out(&lost, 2));
    }
    if let Some(page) = &args.format.html {
        check_loaded(page, &[source.clone(), other.clone()])?;
    }
    let chosen = choose_clips(&[source], &args.clips)?;
    let found = |clip: &NamedClip| counterpart(clip.clip.name(), chosen.len(), &other.clips);
    let (pairs, missing): (Vec<_>, Vec<_>) =
        chosen.iter().map(|clip| (clip, found(clip))).partition(|(_, found)| found.is_some());
    let file: Arc<str> = other.path.file_name().unwrap_or_default().to_string_lossy().into();
    for (clip, _) in missing.iter().take(MISSING_NAMED) {
        console.say(format!("error: {}", NoCounterpart::among(&file, clip.clip.name(), &other.clips)));
    }
    if missing.len() > MISSING_NAMED {
        let more = text::count(missing.len() - MISSING_NAMED, "more clip");
        console.say(format!("error: {file}: no counterpart of {more}; --clip says which are to be compared"));
    }
    let ticker = Ticker::new("judged", pairs.len());
    let judged: Vec<Result<_, (String, Failure)>> = pairs
        .par_iter()
        .filter_map(|(clip, found)| {
            let found = (*found)?;
            let judged = guard(|| {
                let (source, outcome) = judge_clip(clip, &file, &other, found, args.offset, &recipe);
                let report = ClipReport::new(&clip.source, &clip.name, &source, &outcome);
                Ok((report, args.format.evidence(&source, &outcome)))
            });
            ticker.step(&clip.name);
            let failure = |e: Failure| Failure::input(format!("{}: clip '{}': {e}", clip.source, clip.name));
            Some(judged.map_err(|e| (clip.name.clone(), failure(e))))
        })
        .collect();
    drop(ticker);
    let (judged, faults): (Vec<_>, Vec<_>) = judged.into_iter().partition(Result::is_ok);
    let (reports, evidence): (Vec<_>, Vec<_>) = judged.into_iter().flatten().unzip();
    let mut failed = Vec::with_capacity(faults.len());
    for (clip, error) in faults.into_iter().filter_map(Result::err) {
        console.say(format!("error: {error}"));
        failed.push(clip);
    }
    print_reports(&reports, &evidence, None, &args.format, console)?;
    let missing = (!missing.is_empty())
        .then(|| Failure::input(format!("{} of {} clips have no counterpart", missing.len(), chosen.len())));
    conclude(&reports, &failed, missing)
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
    let foreign = ForeignClip::beside(&clip.clip, (file.clone(), theirs), bytes, offset_secs);
    let mut outcome = foreign.judge(&source, recipe);
    // Nobody stops it.
    let _ = measure_vertices(&source, &mut outcome, &Progress::new());
    (source, outcome)
}
