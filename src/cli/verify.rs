use super::evidence::Evidence;
use super::load::{NamedClip, choose_clips, left_out, load_all, on_one_rig};
use super::report::{FormatArgs, print_reports};
use super::tiers::TierFileArgs;
use super::work::conclude;
use super::{ClipArgs, Console, Exit, Failure, SourceArgs, console::Ticker};
use clap::Args;
use posepress_core::files;
use posepress_core::pipeline::{Archive, ArchiveClip, MeasuredClip, guard, measure_archived};
use posepress_core::recipe::Recipe;
use posepress_core::report::ClipReport;
use posepress_core::text;
use rayon::prelude::*;
use std::path::PathBuf;

/// `posepress verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// A container.
    #[arg(value_name = "FILE.posepress")]
    pub file: PathBuf,
    #[command(flatten)]
    pub tiers: TierFileArgs,
    /// A source file of the container. Repeatable.
    #[arg(long, required = true, value_name = "SOURCE")]
    pub against: Vec<PathBuf>,
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub clips: ClipArgs,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// Measures the decoded clips of a container against their sources, by its stored recipes.
pub fn run(args: &VerifyArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let bytes = files::read(&args.file).map_err(|e| Failure::file(&args.file, format!("cannot be read: {e}")))?;
    let (files, missing) = on_one_rig(load_all(&args.against, &args.source, console)?, console);
    if !missing.is_empty() {
        return Err(left_out(&missing, args.against.len()));
    }
    let sources = choose_clips(&files, &ClipArgs::default())?;
    let rig = &sources.first().ok_or_else(|| Failure::input("the source holds no clip"))?.rig;
    // The digest of the rig is checked here: a container of another rig is refused before any result.
    let archive =
        Archive::open_joined(&bytes, &args.tiers.read()?, Some(rig)).map_err(|e| Failure::file(&args.file, e))?;
    let wanted = args.clips.filter();
    let pairs = archive
        .clips()
        .iter()
        .filter(|c| wanted(&c.name))
        .map(|c| Ok((c, find_source(c, &sources)?)))
        .collect::<Result<Vec<_>, Failure>>()?;
    say_without_recipe(args, &pairs, console);
    if pairs.is_empty() {
        return Err(Failure::file(&args.file, format!("holds no clip that matches {}", args.clips.patterns())));
    }
    let ticker = Ticker::new("verified", pairs.len());
    let verified = pairs
        .par_iter()
        .map(|(clip, source)| {
            let report = guard(|| verify(clip, source, &args.format));
            let at = |e| Failure::input(format!("{}: clip '{}': {e}", source.source, clip.name));
            let report = report.map_err(at);
            ticker.step(&clip.name);
            report
        })
        .collect::<Result<Vec<_>, Failure>>();
    drop(ticker);
    let (reports, evidence): (Vec<_>, Vec<_>) = verified?.into_iter().unzip();
    print_reports(&reports, &evidence, None, &args.format, console)?;
    conclude(&reports, &[], None)
}

/// Reports clips without a stored recipe. They are judged by the tolerance in the file and the default settings.
fn say_without_recipe(args: &VerifyArgs, pairs: &[(&ArchiveClip, &NamedClip)], console: &mut Console<'_>) {
    let without = pairs.iter().filter(|(clip, _)| !clip.has_recipe()).count();
    if without > 0 {
        let (file, clips) = (args.file.display(), text::count(without, "clip"));
        console.say(format!(
            "{file}: {clips} without a recipe (written with --recipes none): judged by the tolerance in the file and \
             the default settings"
        ));
    }
}

fn find_source<'a>(clip: &ArchiveClip, sources: &'a [NamedClip]) -> Result<&'a NamedClip, Failure> {
    let names = || sources.iter().map(|c| c.name.as_str()).collect::<Vec<_>>().join(", ");
    sources
        .iter()
        .find(|s| s.name == clip.name)
        .ok_or_else(|| Failure::input(format!("the source has no clip '{}'; it has: {}", clip.name, names())))
}

fn verify(
    clip: &ArchiveClip,
    source: &NamedClip,
    format: &FormatArgs,
) -> Result<(ClipReport, Option<Evidence>), Failure> {
    let recipe: &Recipe = &clip.recipe();
    let measured = MeasuredClip::new(source.rig.clone(), source.clip.clone(), recipe);
    let outcome = measure_archived(&measured, clip).map_err(Failure::input)?;
    let report = ClipReport::new(&source.source, &clip.name, &measured, &outcome);
    Ok((report, format.evidence(&measured, &outcome)))
}
