use super::evidence::Evidence;
use super::load::{NamedClip, choose_clips, left_out, load_files, on_one_rig};
use super::output::{check_loaded, check_output, is_stdout, try_output, write_output};
use super::report::{FormatArgs, print_reports};
use super::setting_args::{Containers, SettingArgs, Tiers};
use super::tiers::levels_of;
use super::work::{compress_all, conclude, unfinished};
use super::{ClipArgs, Console, Exit, Failure, RecipeArgs, SourceArgs};
use clap::Args;
use posepress_core::codecs::Progress;
use posepress_core::export::{ExportOptions, ExportRecipes, FileToWrite, write_together};
use posepress_core::format::{ContainerToWrite, FileBytes};
use posepress_core::model::Rig;
use posepress_core::pipeline::{
    BudgetClip, BudgetLimits, BudgetRig, FileSize, FittedBudget, Outcome, TierLevel, TierSettings, archive_to_write,
    fit_budget, tier_path, tiered_files,
};
use posepress_core::recipe::Recipe;
use posepress_core::report::{ClipReport, TierRow};
use posepress_core::text;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// `posepress compress`.
#[derive(Debug, Args)]
pub struct CompressArgs {
    /// Source files. Their clips play on the rig of the first, matched by joint names.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The container to write; - is standard output, without a table.
    #[arg(short, long, value_name = "OUT.posepress")]
    pub output: PathBuf,
    /// Budget of the container, in KB of 1024 bytes. Each clip gets its own tolerance, so that the largest ratio of error to
    /// limit is as small as it can be.
    #[arg(long, value_name = "KB")]
    pub fit_kb: Option<f64>,
    /// Budget of the memory that the opened clips take, in KB of 1024 bytes; alone or beside --fit-kb.
    #[arg(long, value_name = "KB")]
    pub fit_memory_kb: Option<f64>,
    #[command(flatten)]
    pub recipe: RecipeArgs,
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub clips: ClipArgs,
    #[command(flatten)]
    pub tiers: SettingArgs<Tiers>,
    #[command(flatten)]
    pub container: SettingArgs<Containers>,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// Compresses every clip into one container and prints the measurements.
pub fn run(args: &CompressArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    check_output(&args.output, args.files.iter().map(PathBuf::as_path))?;
    let tiers = args.tiers.apply(TierSettings::default());
    let recipes = args.container.apply(ExportOptions::default()).recipes;
    if tiers.on && is_stdout(&args.output) {
        return Err(Failure::usage("tier files need a name: write the container with -o NAME.posepress"));
    }
    let recipe = args.recipe.recipe()?;
    std::iter::once(&args.output).chain(&args.format.html).try_for_each(|path| try_output(path))?;
    let (clips, missing) = load_clips(args, &tiers, console)?;
    let rig = clips.first().map(|c| c.rig.clone()).ok_or_else(|| Failure::input("the files hold no clip"))?;
    let mut failed = Vec::new();
    let limits = limits(args)?;
    let (clips, chosen) = match limits == BudgetLimits::default() {
        false => fitted(clips, &recipe, (limits, recipes), &mut failed, console)?,
        true => (clips.clone(), vec![recipe; clips.len()]),
    };
    let (written, shown) = compress_clips(args, &tiers, (&clips, &chosen), &mut failed, console);
    if let (true, Some(failure)) = (written.is_empty(), unfinished(&failed, None)) {
        return Err(Failure::input(format!("{failure}; nothing was written")));
    }
    let size = write_files(&args.output, (&tiers, recipes), &rig, &written, console)?;
    let (reports, evidence): (Vec<_>, Vec<_>) = shown.into_iter().unzip();
    if is_stdout(&args.output) {
        console.say(format!("file: {}", size.words()));
    } else {
        print_reports(&reports, &evidence, Some(size), &args.format, console)?;
    }
    let missing = (!missing.is_empty()).then(|| left_out(&missing, args.files.len()));
    conclude(&reports, &failed, missing)
}

/// Loads the chosen clips of all files on the rig of the first. Also returns the skipped files.
fn load_clips(
    args: &CompressArgs,
    tiers: &TierSettings,
    console: &mut Console<'_>,
) -> Result<(Vec<NamedClip>, Vec<PathBuf>), Failure> {
    let (files, mut missing) = load_files(&args.files, &args.source, console)?;
    let (files, others) = on_one_rig(files, console);
    missing.extend(others);
    if files.is_empty() {
        return Err(left_out(&missing, args.files.len()));
    }
    check_loaded(&args.output, &files)?;
    tiers.tiers().iter().try_for_each(|(name, _)| check_loaded(&tier_path(&args.output, name), &files))?;
    Ok((choose_clips(&files, &args.clips)?, missing))
}

/// A clip to write: name, outcome, levels of tiers.
type ClipToWrite = (String, Arc<Outcome>, Vec<TierLevel>);

/// Compresses each clip with its recipe. Returns the clips to write and the rows to show. Prints errors, and adds the clip's
/// name to `failed`.
fn compress_clips(
    args: &CompressArgs,
    tiers: &TierSettings,
    (clips, recipes): (&[NamedClip], &[Recipe]),
    failed: &mut Vec<String>,
    console: &mut Console<'_>,
) -> (Vec<ClipToWrite>, Vec<(ClipReport, Option<Evidence>)>) {
    let of_clip = |place: usize| std::slice::from_ref(&recipes[place]);
    let (worked, others) = compress_all("compressed", clips, of_clip, console, |clip, worked| {
        let evidence = args.format.evidence(&worked.sides.source, &worked.sides.outcome);
        let levels = levels_of(tiers, &clip.name, &worked.sides.source, &worked.sides.outcome);
        (clip.name.clone(), (worked.sides.outcome, levels), (worked.report, evidence))
    });
    failed.extend(others);
    let (mut written, mut shown) = (Vec::new(), Vec::new());
    for (name, (outcome, levels), (report, evidence)) in worked {
        match levels {
            Ok(levels) => {
                shown.push((ClipReport { tiers: TierRow::of(&levels), ..report }, evidence));
                written.push((name, outcome, levels));
            }
            Err(error) => {
                console.say(format!("error: {error}"));
                failed.push(name);
            }
        }
    }
    (written, shown)
}

/// Writes the container and its tier files: all of them, or none. Returns the size of the container.
fn write_files(
    output: &Path,
    (settings, recipes): (&TierSettings, ExportRecipes),
    rig: &Rig,
    clips: &[ClipToWrite],
    console: &mut Console<'_>,
) -> Result<FileSize, Failure> {
    let size = |container: &ContainerToWrite<'_>| {
        FileSize::new(container.clips_len(), container.len() - container.clips_len())
    };
    if !settings.on {
        let entries: Vec<_> = clips.iter().map(|(name, outcome, _)| (name.as_str(), &**outcome)).collect();
        let container = archive_to_write(rig, &entries, recipes);
        write_output(output, &container, console)?;
        return Ok(size(&container));
    }
    let entries: Vec<_> = clips.iter().map(|(name, _, levels)| (name.as_str(), &levels[..])).collect();
    let files = tiered_files(rig, &entries, settings, recipes);
    let mut together: Vec<FileToWrite<'_>> = vec![(output.to_owned(), &files.container)];
    together.extend(files.tiers.iter().map(|(name, file)| (tier_path(output, name), file as &dyn FileBytes)));
    write_together(&together).map_err(Failure::input)?;
    for (name, file) in &files.tiers {
        console.say(format!("{}: {}", tier_path(output, name).display(), text::bytes(file.len() as u64)));
    }
    Ok(size(&files.container))
}

/// The limits of the options.
fn limits(args: &CompressArgs) -> Result<BudgetLimits, Failure> {
    let bytes = |option: &str, kilobytes: Option<f64>| match kilobytes {
        Some(kilobytes) if !(kilobytes.is_finite() && kilobytes > 0.0) => {
            Err(Failure::usage(format!("--{option} {kilobytes}: give a number of KB above zero")))
        }
        kilobytes => Ok(kilobytes.map(|kilobytes| (kilobytes * 1024.0) as usize)),
    };
    Ok(BudgetLimits { file: bytes("fit-kb", args.fit_kb)?, memory: bytes("fit-memory-kb", args.fit_memory_kb)? })
}

/// Returns the clips that can be compressed, each with its recipe, so that they keep to the budget. Prints the errors
/// of other clips, and adds their names to `failed`.
fn fitted(
    mut clips: Vec<NamedClip>,
    recipe: &Recipe,
    (limits, recipes): (BudgetLimits, ExportRecipes),
    failed: &mut Vec<String>,
    console: &mut Console<'_>,
) -> Result<(Vec<NamedClip>, Vec<Recipe>), Failure> {
    let fitted = loop {
        let clip = |clip: &NamedClip| BudgetClip {
            name: clip.name.clone(),
            rig: BudgetRig::of(&clip.rig),
            recipe: recipe.clone(),
            is_fixed: false,
            file: 0,
        };
        let of_budget: Vec<BudgetClip> = clips.iter().map(clip).collect();
        let sources: Arc<[_]> = clips.iter().map(|clip| (clip.rig.clone(), clip.clip.clone())).collect();
        match fit_budget((&of_budget, &sources), limits, recipes, &(), &Progress::new()) {
            Ok(fitted) => break fitted,
            Err(error) => {
                let Some(at) = error.clip_at() else { return Err(Failure::input(error)) };
                console.say(format!("error: {error}"));
                failed.push(clips.remove(at).name);
            }
        }
    };
    say_fitted(&clips, &fitted, limits, console);
    Ok((clips, fitted.shares.into_iter().map(|share| share.recipe).collect()))
}

fn say_fitted(clips: &[NamedClip], fitted: &FittedBudget, limits: BudgetLimits, console: &mut Console<'_>) {
    let tolerances = || fitted.shares.iter().map(|share| share.recipe.tolerance_m);
    let worst = clips.iter().zip(&fitted.shares).max_by(|a, b| a.1.worst.total_cmp(&b.1.worst));
    let Some((clip, share)) = worst else { return };
    console.say(format!(
        "fits: {} ({}), {} of memory; limit {}; tolerances from {} to {}; '{}' has the largest error, {:.2} times its limit",
        text::bytes(fitted.size.bytes as u64),
        fitted.size.words(),
        text::bytes(fitted.memory_bytes as u64),
        limits.words(),
        text::length(tolerances().fold(f32::MAX, f32::min)),
        text::length(tolerances().fold(0.0, f32::max)),
        clip.name,
        share.worst,
    ));
}
