//! Budgets: tolerances for clips that share a number of bytes, by the same search as in the window.

use super::guarded::guarded;
use super::job::{import, load};
use super::planner::{Library, PlannedClip, PlannedFile, Planner};
use crate::cli::load::NamedClip;
use crate::cli::say;
use posepress_core::batch::{BatchConfig, BudgetRow, BudgetRule, StoredBudget, StoredHead, StoredNumbers, clip_key};
use posepress_core::codecs::Progress;
use posepress_core::export::ExportRecipes;
use posepress_core::pipeline::{BudgetClip, BudgetError, FittedBudget, KnownNumbers, fit_budget};
use posepress_core::recipe::Recipe;
use posepress_core::store::ResultKey;
use posepress_core::text;
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};

/// Indices of a file and of a clip in it.
type ClipAt = (usize, usize);

/// Chooses the tolerances of all clips that share a budget. A clip that an earlier budget chose for keeps its tolerance.
pub fn fit_budgets(planner: &Planner, library: &mut Library) {
    let Some(config) = planner.config().filter(|config| !config.budgets.is_empty()) else { return };
    list_all(planner, library);
    planner.share_containers(library);
    let mut fixed = approved(library);
    for budget in &config.budgets {
        let mut members = members(config, budget, library);
        if members.is_empty() {
            continue;
        }
        match fitted(planner, budget, library, (&mut members, &fixed)) {
            Ok(fit) => {
                library.budgets.push(row(budget, library, &members, &fit));
                apply(library, &members, &fit);
                fixed.extend(members);
            }
            Err(why) => {
                let why = format!("budget {}: {why}", budget.number);
                members.iter().for_each(|at| clip_mut(library, *at).recipe = Err(why.clone()));
            }
        }
    }
}

/// The clips that the project approves. They keep their tolerance.
fn approved(library: &Library) -> HashSet<ClipAt> {
    let of_file = |(at, file): (usize, &PlannedFile)| {
        let clips = file.clips().iter().enumerate().filter(|(_, clip)| clip.is_approved);
        clips.map(|(clip, _)| (at, clip)).collect::<Vec<_>>()
    };
    library.files.iter().enumerate().flat_map(of_file).collect()
}

/// Imports the files whose clips are not known. One that cannot be read is left to the run, which says why.
fn list_all(planner: &Planner, library: &mut Library) {
    let unknown: Vec<&mut PlannedFile> = library.files.iter_mut().filter(|file| file.listed.is_none()).collect();
    let listed = unknown.into_par_iter().filter_map(|file| {
        let job = load(planner, file).ok().filter(|job| job.dropped.is_empty())?;
        file.listed = Some(job.listed);
        Some((file.input.absolute.to_string_lossy().into_owned(), job.record?))
    });
    let records: Vec<_> = listed.collect();
    library.records.extend(records);
}

fn members(config: &BatchConfig, budget: &BudgetRule, library: &Library) -> Vec<ClipAt> {
    let of_file = |(at, file): (usize, &PlannedFile)| {
        let below = config.path_below(&file.input.absolute);
        let is_about = |clip: &PlannedClip, below| budget.is_about(below, &clip.name, &clip.tags);
        let is_one =
            |clip: &PlannedClip| clip.recipe.is_ok() && below.as_ref().is_some_and(|below| is_about(clip, below));
        let clips = file.clips().iter().enumerate().filter(|(_, clip)| is_one(clip));
        clips.map(|(clip, _)| (at, clip)).collect::<Vec<_>>()
    };
    library.files.iter().enumerate().flat_map(of_file).collect()
}

fn clip_of(library: &Library, (file, clip): ClipAt) -> &PlannedClip {
    &library.files[file].clips()[clip]
}

fn clip_mut(library: &mut Library, (file, clip): ClipAt) -> &mut PlannedClip {
    &mut library.files[file].clips_mut()[clip]
}

fn title(library: &Library, at: ClipAt) -> String {
    format!("{}#{}", library.files[at.0].input.label, clip_of(library, at).name)
}

/// The tolerances of a budget, or the reason why there are none: from the store, else by a search. Clips that cannot be compressed leave the
/// budget.
fn fitted(
    planner: &Planner,
    budget: &BudgetRule,
    library: &Library,
    (members, fixed): (&mut Vec<ClipAt>, &HashSet<ClipAt>),
) -> Result<StoredBudget, String> {
    let key = key(budget, library, members, fixed);
    if let Some(known) = stored(planner, &key) {
        return known.inspect(|known| leave_out(members, &known.without));
    }
    let (all, mut without) = (members.clone(), Vec::new());
    say(format!("budget {}: choosing tolerances for {}", budget.number, text::count(members.len(), "clip")));
    let mut clips = budget_clips(planner, library, members, fixed)?;
    let fit = loop {
        let limit_bytes = usize::try_from(budget.most_bytes).unwrap_or(usize::MAX);
        let known = numbers(planner, library, members);
        match fit_budget(&clips, limit_bytes, ExportRecipes::Kept, &known, &Progress::new()) {
            Err(BudgetError::Compress { clip, error }) if clips.len() > 1 => {
                let at = clips.iter().position(|one| one.name == clip).unwrap_or_default();
                say(format!("budget {}: without {}: {error}", budget.number, title(library, members[at])));
                let lost = members.remove(at);
                without.extend(all.iter().position(|one| *one == lost));
                clips.remove(at);
            }
            fit => break fit,
        }
    };
    let head = match fit {
        Ok(fit) => StoredHead::Budget(stored_form(&fit, without)),
        Err(refused @ (BudgetError::TooSmall { .. } | BudgetError::NothingToFit { .. })) => {
            StoredHead::RefusedBudget { why: refused.to_string() }
        }
        Err(error @ BudgetError::Compress { .. }) => return Err(error.to_string()),
    };
    planner.store.put(&key, &head.entry(Vec::new())).map_err(|error| error.to_string())?;
    decided(head).expect("this is about a budget")
}

/// The numbers of clips at other tolerances, from runs with another size or with other clips.
fn numbers(planner: &Planner, library: &Library, members: &[ClipAt]) -> impl KnownNumbers + use<> {
    let clip = |at: &ClipAt| {
        let clip = clip_of(library, *at);
        (clip.subject.clone(), clip.name.clone())
    };
    // A store that takes nothing is reported when the budget itself is kept.
    StoredNumbers::new(planner.store.clone(), members.iter().map(clip).collect(), |_| ())
}

fn stored(planner: &Planner, key: &ResultKey) -> Option<Result<StoredBudget, String>> {
    decided(StoredHead::of(&planner.store.get(key).ok()??).ok()?)
}

/// The result that an entry about a budget describes.
fn decided(head: StoredHead) -> Option<Result<StoredBudget, String>> {
    match head {
        StoredHead::Budget(fit) => Some(Ok(fit)),
        StoredHead::RefusedBudget { why } => Some(Err(why)),
        StoredHead::Listing(_) | StoredHead::Clip { .. } | StoredHead::Numbers { .. } => None,
    }
}

/// Removes the clips with these indices.
fn leave_out(members: &mut Vec<ClipAt>, without: &[usize]) {
    let mut at = 0..;
    members.retain(|_| at.next().is_some_and(|at| !without.contains(&at)));
}

fn stored_form(fit: &FittedBudget, without: Vec<usize>) -> StoredBudget {
    StoredBudget {
        without,
        bytes: fit.size.bytes as u64,
        tolerances_m: fit.shares.iter().map(|share| share.recipe.tolerance_m).collect(),
        worst: fit.shares.iter().map(|share| share.worst).collect(),
    }
}

/// The number of each member's container.
fn containers(library: &Library, members: &[ClipAt]) -> Vec<usize> {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let number = |(file, _): &ClipAt| {
        let next = numbers.len();
        *numbers.entry(&library.files[*file].place.container).or_insert(next)
    };
    members.iter().map(number).collect()
}

/// Digest of all that decides the tolerances.
fn key(budget: &BudgetRule, library: &Library, members: &[ClipAt], fixed: &HashSet<ClipAt>) -> ResultKey {
    let clip = |(at, container): (&ClipAt, usize)| {
        let kind = if fixed.contains(at) { "fixed" } else { "free" };
        (kind, format!("{} {container}", clip_of(library, *at).key))
    };
    let clips: Vec<_> = members.iter().zip(containers(library, members)).map(clip).collect();
    let most = budget.most_bytes.to_string();
    let clips = clips.iter().map(|(kind, text)| (*kind, text.as_str()));
    ResultKey::of(&[("kind", "budget"), ("most", &*most)].into_iter().chain(clips).collect::<Vec<_>>())
}

fn budget_clips(
    planner: &Planner,
    library: &Library,
    members: &[ClipAt],
    fixed: &HashSet<ClipAt>,
) -> Result<Vec<BudgetClip>, String> {
    let mut files: Vec<usize> = members.iter().map(|(file, _)| *file).collect();
    files.dedup();
    let imported = files.par_iter().map(|at| {
        let input = &library.files[*at].input;
        Ok((*at, guarded(|| import(planner, input).map_err(|error| error.to_string()))?.clips))
    });
    let imported: HashMap<usize, Vec<NamedClip>> = imported.collect::<Result<_, String>>()?;
    let clip = |(at, file): (&ClipAt, usize)| {
        let planned = clip_of(library, *at);
        let named = imported[&at.0].iter().find(|clip| clip.name == planned.name);
        let named = named.ok_or_else(|| format!("{} is gone. Run again", title(library, *at)))?;
        let (name, rig, clip) = (named.name.clone(), named.rig.clone(), named.clip.clone());
        Ok(BudgetClip { name, rig, clip, recipe: planned.recipe.clone()?, is_fixed: fixed.contains(at), file })
    };
    members.iter().zip(containers(library, members)).map(clip).collect()
}

fn row(budget: &BudgetRule, library: &Library, members: &[ClipAt], fit: &StoredBudget) -> BudgetRow {
    let worst = members.iter().zip(&fit.worst).max_by(|a, b| a.1.total_cmp(b.1));
    let (worst_clip, worst) = worst.map_or((String::new(), 0.0), |(at, worst)| (title(library, *at), *worst));
    BudgetRow {
        budget: budget.words(),
        clips: members.len(),
        most_bytes: budget.most_bytes,
        bytes: fit.bytes,
        worst_clip,
        worst,
    }
}

fn apply(library: &mut Library, members: &[ClipAt], fit: &StoredBudget) {
    for (at, tolerance_m) in members.iter().zip(&fit.tolerances_m) {
        let clip = clip_mut(library, *at);
        if let Ok(recipe) = &clip.recipe {
            let recipe = Recipe { tolerance_m: *tolerance_m, ..recipe.clone() };
            clip.key = clip_key(&clip.subject, &clip.name, Some(&recipe));
            clip.recipe = Ok(recipe);
            clip.numbers = None;
        }
    }
}
