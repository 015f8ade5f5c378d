//! `--plan`: what a run would do.

use super::estimate::Estimate;
use super::planner::{Library, Listed, PlannedClip, PlannedFile, Planner};
use super::prune::orphaned;
use crate::cli::table::{Align, Table};
use crate::cli::{Console, Failure};
use posepress_core::batch::{LostClip, ManifestRow};
use posepress_core::store::ResultKey;
use posepress_core::text;
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};

/// The state of a clip or file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum PlanState {
    /// It has no result, and the last run did not know it.
    New,
    /// It has no result, and the last run had one.
    Changed,
    /// Its result is in the store.
    Done,
    /// The last run had it, and it is not among the inputs any more.
    Orphaned,
    /// It cannot be used.
    Failed,
}

impl PlanState {
    const ALL: [Self; 5] = [Self::New, Self::Changed, Self::Done, Self::Orphaned, Self::Failed];

    fn word(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Changed => "changed",
            Self::Done => "done",
            Self::Orphaned => "orphaned",
            Self::Failed => "failed",
        }
    }
}

/// A line of the plan.
#[derive(Debug, Serialize)]
struct PlanRow {
    state: PlanState,
    source: String,
    /// `None` for a file whose clips are known only after an import.
    #[serde(skip_serializing_if = "Option::is_none")]
    clip: Option<String>,
    /// The key of the result, or of a file whose clips are known only after an import. --claim takes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<ResultKey>,
    #[serde(flatten)]
    estimate: Option<Estimate>,
    /// An orphan's output, or the reason of a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// Prints what is new, changed, done and orphaned.
pub fn print_plan(
    planner: &Planner,
    library: &Library,
    as_json: bool,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let rows = rows(planner, library);
    let count = |state: PlanState| rows.iter().filter(|row| row.state == state).count();
    if as_json {
        #[derive(Serialize)]
        struct Document<'a> {
            schema: u32,
            counts: BTreeMap<&'static str, usize>,
            /// True if clips share budgets. --claim then needs all inputs of the plan.
            has_budgets: bool,
            tasks: &'a [PlanRow],
        }
        let counts = PlanState::ALL.map(|state| (state.word(), count(state))).into();
        let has_budgets = planner.config().is_some_and(|config| !config.budgets.is_empty());
        return console.json(&Document { schema: 1, counts, has_budgets, tasks: &rows });
    }
    let mut table = Table::new(&[("state", Align::Left), ("clip", Align::Left), ("", Align::Left)]);
    for row in rows.iter().filter(|row| row.state != PlanState::Done) {
        let clip = row.clip.as_ref().map_or_else(|| row.source.clone(), |clip| format!("{}#{clip}", row.source));
        table.row([row.state.word().to_owned(), clip, row.note.clone().unwrap_or_default()]);
    }
    if count(PlanState::Done) < rows.len() {
        table.print(console.out)?;
        writeln!(console.out)?;
    }
    let counts = PlanState::ALL.map(|state| format!("{} {}", count(state), state.word()));
    Ok(writeln!(console.out, "{}", text::listed(&counts))?)
}

fn rows(planner: &Planner, library: &Library) -> Vec<PlanRow> {
    let failed = |(source, reason): &(String, String)| PlanRow {
        state: PlanState::Failed,
        source: source.clone(),
        clip: None,
        key: None,
        estimate: None,
        note: Some(reason.clone()),
    };
    let mut rows: Vec<PlanRow> = library.errors.iter().map(failed).collect();
    rows.extend(library.files.iter().flat_map(|file| of_file(planner, file)));
    rows.extend(orphans(planner, library));
    let known: HashSet<String> = rows.iter().filter_map(|row| row.note.clone()).collect();
    let earlier = orphaned(planner, library).into_keys().filter(|place| !known.contains(place));
    rows.extend(earlier.map(of_gone));
    rows.sort_by(|a, b| (a.state, &a.source, &a.clip).cmp(&(b.state, &b.source, &b.clip)));
    rows
}

fn of_file(planner: &Planner, file: &PlannedFile) -> Vec<PlanRow> {
    let source = &file.input.label;
    let Some(Listed { clips, lost, .. }) = &file.listed else {
        let was_known = planner.last.values().any(|row| row.source == *source);
        let state = if was_known { PlanState::Changed } else { PlanState::New };
        let (key, estimate) = (Some(file.key.clone()), Some(Estimate::of_file(file)));
        return vec![PlanRow { state, source: source.clone(), clip: None, key, estimate, note: None }];
    };
    let of_clip = |clip: &PlannedClip| {
        let was_known = planner.last.contains_key(&(source.clone(), clip.name.clone()));
        let state = match (&clip.recipe, &clip.numbers) {
            (Err(_), _) => PlanState::Failed,
            (_, Some(_)) => PlanState::Done,
            _ if was_known => PlanState::Changed,
            _ => PlanState::New,
        };
        PlanRow {
            state,
            source: source.clone(),
            clip: Some(clip.name.clone()),
            key: Some(clip.key.clone()),
            estimate: clip.is_open().then(|| Estimate::of_clip(planner, file, clip)),
            note: clip.recipe.clone().err(),
        }
    };
    let of_lost = |clip: &LostClip| {
        let (clip, note) = (Some(clip.name.clone()), Some(clip.reason.clone()));
        PlanRow { state: PlanState::Failed, source: source.clone(), clip, key: None, estimate: None, note }
    };
    clips.iter().map(of_clip).chain(lost.iter().map(of_lost)).collect()
}

/// An output of an earlier run that no input has now.
fn of_gone(place: String) -> PlanRow {
    let (source, note) = (place, Some("no input has this output".to_owned()));
    PlanRow { state: PlanState::Orphaned, source, clip: None, key: None, estimate: None, note }
}

/// Clips of the last run that the library has no more.
fn orphans(planner: &Planner, library: &Library) -> Vec<PlanRow> {
    // A file whose clips are not known yet may still have all of them, and one that fails keeps its output.
    let unknown = library.files.iter().filter(|file| file.listed.is_none()).map(|file| &*file.input.label);
    let unknown: HashSet<&str> = unknown.chain(library.errors.iter().map(|(source, _)| &**source)).collect();
    let clips = library.files.iter().flat_map(|file| file.clips().iter().map(move |clip| (file, clip)));
    let known: HashSet<(&str, &str)> = clips.map(|(file, clip)| (&*file.input.label, &*clip.name)).collect();
    let rows = planner
        .last
        .values()
        .filter(|row| row.files().next().is_some() && !unknown.contains(&*row.source) && !known.contains(&row.place()));
    let orphan = |row: &ManifestRow| PlanRow {
        state: PlanState::Orphaned,
        source: row.source.clone(),
        clip: Some(row.clip.clone()),
        key: row.key.clone(),
        estimate: None,
        note: row.files().next().map(str::to_owned),
    };
    rows.map(orphan).collect()
}
