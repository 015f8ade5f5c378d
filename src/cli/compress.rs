use super::load::{NamedClip, choose_clips, load_all, on_one_rig};
use super::output::{check_loaded, check_output, is_stdout, write_output};
use super::report::{FormatArgs, print_reports};
use super::setting_args::{SettingArgs, Tiers};
use super::tiers::levels_of;
use super::work::{compress_all, conclude};
use super::{ClipArgs, Console, Exit, Failure, RecipeArgs, SourceArgs};
use clap::Args;
use posepress_core::codecs::Progress;
use posepress_core::model::Rig;
use posepress_core::session::{
    BudgetClip, ClipReport, Outcome, Recipe, TierLevel, TierRow, TierSettings, archive_to_write, fit_budget, tier_path,
    tiered_files,
};
use posepress_core::text;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// `posepress compress`.
#[derive(Debug, Args)]
pub struct CompressArgs {
    /// Source files; their clips go on the rig of the first, matched by joint names.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The container to write; - is standard output, where no table is then printed.
    #[arg(short, long, value_name = "OUT.posepress")]
    pub output: PathBuf,
    /// So much for all clips together, in KB of 1024 bytes, without the rig: each gets the tolerance with which the worst of
    /// them fares best. Errors count as parts of what the recipe's own tolerance lets pass.
    #[arg(long, value_name = "KB")]
    pub fit_kb: Option<f64>,
    #[command(flatten)]
    pub recipe: RecipeArgs,
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub clips: ClipArgs,
    #[command(flatten)]
    pub tiers: SettingArgs<Tiers>,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// Compresses every clip into one container and prints what was measured.
pub fn run(args: &CompressArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    check_output(&args.output, args.files.iter().map(PathBuf::as_path))?;
    let tiers = args.tiers.apply(TierSettings::default());
    if tiers.on && is_stdout(&args.output) {
        return Err(Failure::usage("tiers are files beside the container: give it a name with -o NAME.posepress"));
    }
    let recipe = args.recipe.recipe()?;
    let files = on_one_rig(load_all(&args.files, &args.source, console)?, console)?;
    check_loaded(&args.output, &files)?;
    tiers.tiers().iter().try_for_each(|(name, _)| check_loaded(&tier_path(&args.output, name), &files))?;
    let clips = choose_clips(&files, &args.clips)?;
    let rig = clips.first().map(|c| c.rig.clone()).ok_or_else(|| Failure::input("the files hold no clip"))?;
    let recipes = match args.fit_kb {
        Some(kilobytes) => fitted(&clips, &recipe, kilobytes, console)?,
        None => vec![recipe; clips.len()],
    };
    let of_clip = |place: usize| std::slice::from_ref(&recipes[place]);
    let (worked, failed) = compress_all("compressed", &clips, of_clip, console, |clip, worked| {
        let evidence = args.format.evidence(&worked.sides.source, &worked.sides.outcome);
        let levels = levels_of(&tiers, &clip.name, &worked.sides.source, &worked.sides.outcome);
        (clip.name.clone(), (worked.sides.outcome, levels), (worked.report, evidence))
    });
    if failed > 0 {
        return Err(Failure::input(format!("{failed} clips could not be compressed; nothing was written")));
    }
    let mut written = Vec::new();
    let mut shown = Vec::new();
    for (name, (outcome, levels), (report, evidence)) in worked {
        let levels = levels.map_err(|e| Failure::input(format!("{e}; nothing was written")))?;
        shown.push((ClipReport { tiers: TierRow::of(&levels), ..report }, evidence));
        written.push((name, outcome, levels));
    }
    write_files(&args.output, &tiers, &rig, &written, console)?;
    let (reports, evidence): (Vec<_>, Vec<_>) = shown.into_iter().unzip();
    if !is_stdout(&args.output) {
        print_reports(&reports, &evidence, &args.format, console)?;
    }
    conclude(&reports, 0, None)
}

/// Writes the container, and beside it the files of its tiers.
fn write_files(
    output: &Path,
    settings: &TierSettings,
    rig: &Rig,
    clips: &[(String, Arc<Outcome>, Vec<TierLevel>)],
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    if !settings.on {
        let entries: Vec<_> = clips.iter().map(|(name, outcome, _)| (name.as_str(), &**outcome)).collect();
        return write_output(output, &archive_to_write(rig, &entries), console);
    }
    let entries: Vec<_> = clips.iter().map(|(name, _, levels)| (name.as_str(), &levels[..])).collect();
    let files = tiered_files(rig, &entries, settings);
    // A container without its tiers can be played; tiers without their container are nothing.
    write_output(output, &files.container, console)?;
    for (name, file) in &files.tiers {
        let path = tier_path(output, name);
        write_output(&path, file, console)?;
        console.say(format!("{}: {}", path.display(), text::bytes(file.len() as u64)));
    }
    Ok(())
}

/// The recipe of every clip with which all of them fit.
fn fitted(
    clips: &[NamedClip],
    recipe: &Recipe,
    kilobytes: f64,
    console: &mut Console<'_>,
) -> Result<Vec<Recipe>, Failure> {
    if !(kilobytes.is_finite() && kilobytes > 0.0) {
        return Err(Failure::usage(format!("--fit-kb {kilobytes}: give a number of KB above zero")));
    }
    let limit_bytes = (kilobytes * 1024.0) as usize;
    let clip = |clip: &NamedClip| BudgetClip {
        name: clip.name.clone(),
        rig: clip.rig.clone(),
        clip: clip.clip.clone(),
        recipe: recipe.clone(),
        is_fixed: false,
    };
    let of_budget: Vec<BudgetClip> = clips.iter().map(clip).collect();
    let shares = fit_budget(&of_budget, limit_bytes, &Progress::new()).map_err(Failure::input)?;
    let taken: usize = shares.iter().map(|share| share.bytes).sum();
    let tolerances = || shares.iter().map(|share| share.recipe.tolerance_m);
    let worst = clips.iter().zip(&shares).max_by(|a, b| a.1.worst.total_cmp(&b.1.worst));
    if let Some((clip, share)) = worst {
        console.say(format!(
            "fits: {} of {}; tolerances from {} to {}; '{}' fares worst, at {:.2} times what the recipe lets pass",
            text::bytes(taken as u64),
            text::bytes(limit_bytes as u64),
            text::length(tolerances().fold(f32::MAX, f32::min)),
            text::length(tolerances().fold(0.0, f32::max)),
            clip.name,
            share.worst,
        ));
    }
    Ok(shares.into_iter().map(|share| share.recipe).collect())
}
