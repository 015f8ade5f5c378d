//! Budgets: tolerances for clips that share a number of bytes, by the same search as in the window.

use super::imports::{FileFacts, Imports, Sharing};
use super::job::load;
use super::memory::SearchMemory;
use super::planner::{Library, PlannedClip, PlannedFile, Planner};
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
pub fn fit_budgets(planner: &Planner, memory: Option<u64>, library: &mut Library) {
    let Some(config) = planner.config().filter(|config| !config.budgets.is_empty()) else { return };
    list_all(planner, library);
    planner.share_containers(library);
    let mut fixed = approved(library);
    for budget in &config.budgets {
        let mut members = members(config, budget, library);
        if members.is_empty() {
            continue;
        }
        let memory = SearchMemory::of(memory);
        match fitted((planner, memory), (budget, library), &mut members, &fixed) {
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
        let job = load(planner, file).ok().filter(|job| job.is_whole)?;
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
    (planner, memory): (&Planner, SearchMemory),
    (budget, library): (&BudgetRule, &Library),
    members: &mut Vec<ClipAt>,
    fixed: &HashSet<ClipAt>,
) -> Result<StoredBudget, String> {
    let key = key(budget, library, members, fixed);
    if let Some(known) = stored(planner, &key) {
        return known.inspect(|known| leave_out(members, &known.without));
    }
    let all = members.clone();
    say(format!("budget {}: choosing tolerances for {}", budget.number, text::count(members.len(), "clip")));
    let Searched { fit, is_lasting } = search((planner, memory), (budget, library), members, fixed)?;
    let kept: HashSet<ClipAt> = members.iter().copied().collect();
    let without = (0..all.len()).filter(|at| !kept.contains(&all[*at])).collect();
    let head = match fit {
        Ok(fit) => StoredHead::Budget(stored_form(&fit, without)),
        Err(lost) if lost.clip_at().is_some() => return Err(lost.to_string()),
        Err(refused) => StoredHead::RefusedBudget { why: refused.to_string() },
    };
    if is_lasting {
        planner.store.put(&key, &head.entry(Vec::new())).map_err(|error| error.to_string())?;
    }
    decided(head).expect("this is about a budget")
}

/// The end of a search.
struct Searched {
    fit: Result<FittedBudget, BudgetError>,
    /// False if a clip is missing that a later run may have: its file cannot be read now, or `--memory` is too little for it.
    is_lasting: bool,
}

/// Searches, without the clips that cannot be compressed: they leave the members.
fn search(
    (planner, memory): (&Planner, SearchMemory),
    (budget, library): (&BudgetRule, &Library),
    members: &mut Vec<ClipAt>,
    fixed: &HashSet<ClipAt>,
) -> Result<Searched, String> {
    let imports = Imports::new(planner, &library.files, memory.imports);
    let asked = members.len();
    let facts = facts((&imports, memory), (budget, library), members);
    let mut is_lasting = members.len() == asked;
    if members.is_empty() {
        return Err("none of its clips can be read with this memory".into());
    }
    let work_bytes = members.iter().map(|at| facts[&at.0].work_bytes(&clip_of(library, *at).name));
    let threads = memory.threads(work_bytes.max().unwrap_or_default(), rayon::current_num_threads());
    let threads = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| error.to_string())?;
    loop {
        let clips = budget_clips(library, (members, fixed), &facts)?;
        let named = members.iter().map(|at| (at.0, &*clip_of(library, *at).name)).collect();
        let (source, known) = (Sharing { imports: &imports, clips: named }, numbers(planner, library, members));
        let fit = || fit_budget((&clips, &source), budget.limits, ExportRecipes::Kept, &known, &Progress::new());
        let fit = threads.install(fit);
        let lost = fit.as_ref().err().and_then(BudgetError::clip_at).filter(|_| clips.len() > 1);
        let (Some(lost), Err(error)) = (lost, &fit) else { return Ok(Searched { fit, is_lasting }) };
        is_lasting &= !matches!(error, BudgetError::Source { .. });
        let place = text::escaped(&title(library, members[lost]));
        say(format!("budget {}: without {place}: {error}", budget.number));
        members.remove(lost);
    }
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
        memory_bytes: fit.memory_bytes as u64,
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
    let most = format!("{:?}", budget.limits);
    let clips = clips.iter().map(|(kind, text)| (*kind, text.as_str()));
    ResultKey::of(&[("kind", "budget"), ("most", &*most)].into_iter().chain(clips).collect::<Vec<_>>())
}

/// The facts of the members' files. Clips of a file that cannot be read, and those that need more than all memory, leave the budget.
fn facts(
    (imports, memory): (&Imports<'_>, SearchMemory),
    (budget, library): (&BudgetRule, &Library),
    members: &mut Vec<ClipAt>,
) -> HashMap<usize, FileFacts> {
    let mut files: Vec<usize> = members.iter().map(|(file, _)| *file).collect();
    files.dedup();
    let read: Vec<_> = files.into_par_iter().map(|file| (file, imports.facts(file))).collect();
    let mut facts = HashMap::new();
    for (file, read) in read {
        match read {
            Ok(read) => _ = facts.insert(file, read),
            Err(error) => {
                let label = text::escaped(&library.files[file].input.label);
                say(format!("budget {}: without {label}: {error}", budget.number));
            }
        }
    }
    members.retain(|at| {
        let needs = facts.get(&at.0).map(|file: &FileFacts| memory.check(file.work_bytes(&clip_of(library, *at).name)));
        if let Some(Err(error)) = &needs {
            say(format!("budget {}: without {}: {error}", budget.number, text::escaped(&title(library, *at))));
        }
        needs.is_some_and(|needs| needs.is_ok())
    });
    facts
}

fn budget_clips(
    library: &Library,
    (members, fixed): (&[ClipAt], &HashSet<ClipAt>),
    facts: &HashMap<usize, FileFacts>,
) -> Result<Vec<BudgetClip>, String> {
    let clip = |(at, file): (&ClipAt, usize)| {
        let PlannedClip { name, recipe, .. } = clip_of(library, *at);
        let (name, rig, recipe) = (name.clone(), facts[&at.0].rig.clone(), recipe.clone()?);
        Ok(BudgetClip { name, rig, recipe, is_fixed: fixed.contains(at), file })
    };
    members.iter().zip(containers(library, members)).map(clip).collect()
}

fn row(budget: &BudgetRule, library: &Library, members: &[ClipAt], fit: &StoredBudget) -> BudgetRow {
    let worst = members.iter().zip(&fit.worst).max_by(|a, b| a.1.total_cmp(b.1));
    let (worst_clip, worst) = worst.map_or((String::new(), 0.0), |(at, worst)| (title(library, *at), *worst));
    BudgetRow {
        number: budget.number,
        budget: budget.words(),
        clips: members.len(),
        most_bytes: budget.limits.file,
        most_memory_bytes: budget.limits.memory,
        bytes: fit.bytes,
        memory_bytes: fit.memory_bytes,
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
