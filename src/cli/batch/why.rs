//! `--why`: the rules that apply to a clip.

use super::args::BatchArgs;
use super::decided::Decided;
use crate::cli::load::{Loader, choose_clips};
use crate::cli::{ClipArgs, Console, Exit, Failure};
use posepress_core::batch::{BatchConfig, CONFIG_NAME, Sidecar};
use posepress_core::text;
use std::path::Path;

/// Prints the chain of rules of `FILE#CLIP`, and the recipe that they make.
pub fn run(args: &BatchArgs, place: &str, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let (file, clip) = split(place).ok_or_else(|| Failure::usage("--why: expected FILE#CLIP"))?;
    let start = args.recipe.recipe()?;
    let file = std::path::absolute(file).map_err(|error| Failure::file(Path::new(file), error))?;
    let sidecar = Sidecar::of(&file).map_err(Failure::input)?;
    let in_file = tags_in_file(args, &file, clip)?;
    let tags = sidecar.tags(clip, &in_file);
    if !in_file.is_empty() {
        writeln!(console.out, "tags in {}: {}", file.display(), in_file.join(", "))?;
    }
    let beside = sidecar.tags(clip, &[]);
    if !beside.is_empty() {
        writeln!(console.out, "tags of {}: {}", Sidecar::path_of(&file).display(), beside.join(", "))?;
    }
    let found = BatchConfig::find(file.parent().unwrap_or(Path::new("")));
    let Some(path) = found else {
        writeln!(console.out, "no {CONFIG_NAME} in the file's folder or above it: the recipe of the options\n")?;
        write!(console.out, "{}", start.to_toml())?;
        return Ok(Exit::Done);
    };
    let config = BatchConfig::read(&path).map_err(Failure::input)?;
    let decided = config.project.as_deref().map(Decided::read).transpose()?;
    let known = decided.as_ref().map_or(Ok(None), |decided| decided.known_now(&file))?;
    let start = known.map_or(start, |known| known.start(clip));
    let own = known.and_then(|known| known.own(clip));
    let below = config.path_below(&file).unwrap_or_default();
    writeln!(console.out, "rules of {} for {below}#{clip}; the last one wins:", path.display())?;
    let of_project = if known.is_some() { ", slot A of the project" } else { "" };
    writeln!(console.out, "  start   {}{of_project}", start.title())?;
    for rule in config.chain(&below, clip, &tags) {
        writeln!(console.out, "  rule {:<2} {}", rule.number, rule.words())?;
    }
    for budget in config.budgets.iter().filter(|budget| budget.is_about(&below, clip, &tags)) {
        let is_kept = own.as_ref().is_some_and(|own| own.is_approved);
        let does = if is_kept { "keeps the approved tolerance" } else { "chooses the tolerance" };
        writeln!(console.out, "  budget {} {does}: {}", budget.number, budget.words())?;
    }
    if let Some(own) = own {
        writeln!(console.out, "  project {}: {}", own.words, own.recipe.title())?;
        write!(console.out, "\n{}", own.recipe.to_toml())?;
        return Ok(Exit::Done);
    }
    let recipe = config.recipe(&start, (&below, clip), &tags).map_err(Failure::input)?;
    let recipe = known.map_or_else(|| recipe.clone(), |known| known.with_contacts(clip, recipe.clone()));
    write!(console.out, "\n{}", recipe.to_toml())?;
    Ok(Exit::Done)
}

/// The file and the clip. Both may have a `#` in their names: the file is the longest name of one that exists.
fn split(place: &str) -> Option<(&str, &str)> {
    let splits = || place.rmatch_indices('#').map(|(at, _)| (&place[..at], &place[at + 1..]));
    splits().find(|(file, _)| Path::new(file).is_file()).or_else(|| splits().next())
}

/// The tags that a file gives one of its clips.
fn tags_in_file(args: &BatchArgs, file: &Path, clip: &str) -> Result<Vec<String>, Failure> {
    let loaded = Loader::new(&args.source)?.load(file)?;
    let clips = choose_clips(std::slice::from_ref(&loaded), &ClipArgs::default())?;
    if let Some(found) = clips.iter().find(|found| found.name == clip) {
        return Ok(found.clip.tags().to_vec());
    }
    let names: Vec<&str> = clips.iter().map(|clip| &*clip.name).collect();
    let nearest = text::perhaps(clip, &names);
    let expected = text::listed(&names);
    Err(Failure::usage(format!("{} has no clip '{clip}'; expected one of {expected}{nearest}", file.display())))
}
