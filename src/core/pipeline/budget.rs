//! Fits many clips into files of a given size. Tolerances are chosen per clip, so that the worst clip is as good as possible.

use crate::codecs::{Cancelled, Progress};
use crate::export::ExportRecipes;
use crate::format::{ListedClip, SharedText};
use crate::model::{Clip, Rig};
use crate::pipeline::archive::rig_bytes;
use crate::pipeline::file_size::shared_recipe;
use crate::pipeline::{
    Asked, CompressError, FilePart, FileSize, KnownNumbers, MeasuredClip, Outcome, compress, guard, known_or,
};
use crate::recipe::Recipe;
use crate::text;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use thiserror::Error;

/// A clip that shares a budget with others.
#[derive(Debug, Clone)]
pub struct BudgetClip {
    /// Its name.
    pub name: String,
    /// Its rig in a container.
    pub rig: BudgetRig,
    /// The requested recipe. Errors are relative to its limits. The budget replaces its tolerance.
    pub recipe: Recipe,
    /// True for an approved clip, which keeps its tolerance.
    pub is_fixed: bool,
    /// Number of the container that it is written to.
    pub file: usize,
}

/// The parts of a rig that a container stores.
#[derive(Debug, Clone)]
pub struct BudgetRig {
    bytes: usize,
    float_names: Arc<[String]>,
}

impl BudgetRig {
    /// The parts of a rig.
    pub fn of(rig: &Rig) -> Self {
        Self { bytes: rig_bytes(rig), float_names: rig.float_names.as_slice().into() }
    }
}

/// The most that clips may take, bytes. `None`: any number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BudgetLimits {
    /// Size of their containers.
    pub file: Option<usize>,
    /// Memory of the opened clips, without the bind poses that they share.
    pub memory: Option<usize>,
}

impl BudgetLimits {
    /// A limit on the size of the containers alone.
    pub fn of_file(bytes: usize) -> Self {
        Self { file: Some(bytes), memory: None }
    }

    /// The limits in words: `100.0 KB, 80.0 KB of memory`.
    pub fn words(&self) -> String {
        let file = self.file.map(|bytes| text::bytes(bytes as u64));
        let memory = self.memory.map(|bytes| format!("{} of memory", text::bytes(bytes as u64)));
        file.into_iter().chain(memory).collect::<Vec<_>>().join(", ")
    }
}

/// Gives the raw clips of a budget, each whenever a tolerance is tried on it, so that not all of them need be in memory.
pub trait ClipSource: Sync {
    /// The rig and the clip of that index.
    ///
    /// # Errors
    /// The reason why it cannot be read.
    fn clip(&self, at: usize) -> Result<(Arc<Rig>, Arc<Clip>), String>;
}

impl ClipSource for Arc<[(Arc<Rig>, Arc<Clip>)]> {
    fn clip(&self, at: usize) -> Result<(Arc<Rig>, Arc<Clip>), String> {
        Ok(self[at].clone())
    }
}

/// The result for one clip.
#[derive(Debug, Clone, PartialEq)]
pub struct BudgetShare {
    /// The recipe with the chosen tolerance.
    pub recipe: Recipe,
    /// Size of the clip with that recipe.
    pub bytes: usize,
    /// The worst error as a share of the requested recipe's limit. At 1 it just passes.
    pub worst: f32,
}

/// The result for all clips.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedBudget {
    /// One result per clip, in the order of the clips.
    pub shares: Vec<BudgetShare>,
    /// Size of the containers that hold them.
    pub size: FileSize,
    /// Memory of the opened clips, without the bind poses that they share, bytes.
    pub memory_bytes: usize,
}

/// Why clips do not fit the budget.
#[derive(Debug, Error, PartialEq)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum BudgetError {
    /// The clips do not fit even with the largest tolerance.
    #[error(
        "the clips take {} at least, at a tolerance of {}, but the budget is {}. Raise the budget, leave clips out or choose \
          a codec with smaller files",
        least.words(), text::length(LOOSEST_M), text::bytes(*limit_bytes as u64)
    )]
    TooSmall { least: FileSize, limit_bytes: usize },
    /// The opened clips take more memory even with the largest tolerance.
    #[error(
        "the opened clips take {} of memory at least, at a tolerance of {}, but the budget is {}. Raise the budget, leave clips out or \
          choose a codec that takes less memory",
        text::bytes(*least_bytes as u64), text::length(LOOSEST_M), text::bytes(*limit_bytes as u64)
    )]
    TooLittleMemory { least_bytes: usize, limit_bytes: usize },
    /// The codec's size does not depend on the tolerance.
    #[error("{codec} ignores the tolerance, so there is nothing to fit. Choose a codec that searches")]
    NothingToFit { codec: &'static str },
    /// A clip cannot be compressed.
    #[error("clip '{clip}': {error}")]
    Compress { at: usize, clip: String, error: CompressError },
    /// A clip cannot be read.
    #[error("clip '{clip}': {reason}")]
    Source { at: usize, clip: String, reason: String },
}

impl BudgetError {
    /// The index of the clip that fails alone. Without it, the others may fit.
    pub fn clip_at(&self) -> Option<usize> {
        match self {
            Self::Compress { at, .. } | Self::Source { at, .. } => Some(*at),
            Self::TooSmall { .. } | Self::TooLittleMemory { .. } | Self::NothingToFit { .. } => None,
        }
    }
}

/// Range of tolerances to try, metres.
const TIGHTEST_M: f32 = 0.000_01;
const LOOSEST_M: f32 = 0.05;
/// Number of tolerances per factor of two.
const STEPS_A_DOUBLING: f32 = 8.0;
/// Number of bisection steps for the common level: the worst error of every clip as a multiple of its limit.
const LEVEL_ROUNDS: usize = 12;
/// Range of the common level, as powers of two.
const LEVELS: (f32, f32) = (-8.0, 12.0);

/// Chooses a tolerance for every clip so that all keep to the limits.
///
/// Numbers that are known are not measured again. The size includes names, recipes and rigs. First the worst error of all clips is minimised. Then spare bytes lower the errors of single
/// clips, the worst first.
///
/// # Errors
/// See [`BudgetError`].
pub fn fit_budget(
    (clips, source): (&[BudgetClip], &dyn ClipSource),
    limits: BudgetLimits,
    recipes: ExportRecipes,
    known: &dyn KnownNumbers,
    progress: &Progress,
) -> Result<FittedBudget, BudgetError> {
    if let Some(clip) = clips.iter().find(|clip| !clip.recipe.codec.promises_with(&clip.recipe.values)) {
        return Err(BudgetError::NothingToFit { codec: clip.recipe.codec.name() });
    }
    let mut ladders: Vec<Ladder<'_>> =
        clips.iter().enumerate().map(|(at, of)| Ladder { at, of, source, known, rungs: BTreeMap::new() }).collect();
    let files = Files::new(clips, recipes, limits);
    let mut at = |level: f32, round: usize| -> Result<Vec<Rung>, BudgetError> {
        let (part, done) = (progress.share(share_of_round(round)), AtomicUsize::new(0));
        let within = |ladder: &mut Ladder<'_>| {
            let found = ladder.within(level, progress);
            part.set_fraction((done.fetch_add(1, Ordering::Relaxed) + 1) as f32 / clips.len() as f32);
            found
        };
        ladders.par_iter_mut().map(within).collect()
    };
    let (mut low, mut high) = LEVELS;
    let mut fitting = at(high.exp2(), 0)?;
    files.check(&fitting)?;
    for round in 1..=LEVEL_ROUNDS {
        let middle = 0.5 * (low + high);
        let rungs = at(middle.exp2(), round)?;
        if files.is_within(&rungs) {
            (high, fitting) = (middle, rungs);
        } else {
            low = middle;
        }
    }
    lower(&mut ladders, &mut fitting, &files, progress)?;
    spend(&mut ladders, &mut fitting, &files, progress)?;
    let share = |(clip, rung): (&BudgetClip, &Rung)| BudgetShare {
        recipe: clip.with_tolerance(rung.step),
        bytes: rung.bytes,
        worst: rung.worst,
    };
    Ok(FittedBudget {
        shares: clips.iter().zip(&fitting).map(share).collect(),
        size: files.size(&fitting),
        memory_bytes: memory_bytes(&fitting),
    })
}

/// Number of rounds in which all clips are fitted together.
pub const BUDGET_ROUNDS: usize = LEVEL_ROUNDS + 1;

/// The round, from 1, in which a fit is at a fraction of its work.
pub fn budget_round(fraction: f32) -> usize {
    (0..BUDGET_ROUNDS).position(|round| fraction < share_of_round(round).end).unwrap_or(LEVEL_ROUNDS) + 1
}

/// The part of the work in a round, measured on 76 clips: half the results are made in the first, and a few after the last.
fn share_of_round(round: usize) -> Range<f32> {
    const FIRST: f32 = 0.5;
    const ALL: f32 = 0.95;
    let end = |round: usize| FIRST + (ALL - FIRST) * round as f32 / LEVEL_ROUNDS as f32;
    if round == 0 { 0.0..FIRST } else { end(round - 1)..end(round) }
}

/// The containers that clips are written to, and their budget.
struct Files<'a> {
    limits: BudgetLimits,
    clips: &'a [BudgetClip],
    /// The recipe of each clip as stored in the container.
    stored: Vec<SharedText>,
}

impl<'a> Files<'a> {
    fn new(clips: &'a [BudgetClip], recipes: ExportRecipes, limits: BudgetLimits) -> Self {
        let recipe = |clip: &BudgetClip| if recipes.are_kept() { shared_recipe(&clip.recipe) } else { "".into() };
        Self { limits, clips, stored: clips.iter().map(recipe).collect() }
    }

    fn is_within(&self, rungs: &[Rung]) -> bool {
        let is_within = |limit: Option<usize>, taken: &dyn Fn() -> usize| limit.is_none_or(|limit| taken() <= limit);
        is_within(self.limits.memory, &|| memory_bytes(rungs))
            && is_within(self.limits.file, &|| self.size(rungs).bytes)
    }

    /// Fails if the smallest clips exceed a limit.
    fn check(&self, smallest: &[Rung]) -> Result<(), BudgetError> {
        let (least, least_bytes) = (self.size(smallest), memory_bytes(smallest));
        match self.limits {
            BudgetLimits { file: Some(limit_bytes), .. } if least.bytes > limit_bytes => {
                Err(BudgetError::TooSmall { least, limit_bytes })
            }
            BudgetLimits { memory: Some(limit_bytes), .. } if least_bytes > limit_bytes => {
                Err(BudgetError::TooLittleMemory { least_bytes, limit_bytes })
            }
            _ => Ok(()),
        }
    }

    /// Bytes of the containers that are left.
    fn spare_bytes(&self, rungs: &[Rung]) -> usize {
        self.limits.file.map_or(usize::MAX / 2, |limit| limit - self.size(rungs).bytes)
    }

    fn size(&self, rungs: &[Rung]) -> FileSize {
        let of_clips = self.clips.iter().zip(&self.stored).zip(rungs);
        let parts = of_clips.map(|((of, recipe), rung)| FilePart {
            file: of.file,
            rig_bytes: of.rig.bytes,
            float_names: &of.rig.float_names,
            clip: ListedClip {
                name: &of.name,
                codec: rung.codec,
                recipe,
                tolerance_m: of.tolerance_m(rung.step),
                bytes: rung.bytes,
            },
        });
        FileSize::of(&parts.collect::<Vec<_>>())
    }
}

/// Lowers tolerances that cost nothing. A pose, for example, has the same bytes and errors at any tolerance, and must not be judged by a large
/// one later.
fn lower(
    ladders: &mut [Ladder<'_>],
    rungs: &mut [Rung],
    of: &Files<'_>,
    progress: &Progress,
) -> Result<(), BudgetError> {
    let lowest = |(ladder, rung): (&mut Ladder<'_>, &Rung)| ladder.lowest(rung, progress);
    let lowest: Vec<Rung> = ladders.par_iter_mut().zip(&*rungs).map(lowest).collect::<Result<_, _>>()?;
    for (clip, rung) in lowest.into_iter().enumerate() {
        let before = std::mem::replace(&mut rungs[clip], rung);
        // Its number may take more digits in the file.
        if rung != before && !of.is_within(rungs) {
            rungs[clip] = before;
        }
    }
    Ok(())
}

/// Spends the spare bytes: lowers the tolerance of the clip with the largest error, until no clip improves within the limit.
fn spend(
    ladders: &mut [Ladder<'_>],
    rungs: &mut [Rung],
    of: &Files<'_>,
    progress: &Progress,
) -> Result<(), BudgetError> {
    let mut waiting: Vec<usize> = (0..rungs.len()).collect();
    while let Some(place) = (0..waiting.len()).max_by(|a, b| {
        let worst = |place: &usize| rungs[waiting[*place]].worst;
        worst(a).total_cmp(&worst(b))
    }) {
        let clip = waiting[place];
        let (spare, now) = (of.spare_bytes(rungs), rungs[clip]);
        rungs[clip] = ladders[clip].better(&now, now.bytes + spare, progress)?.unwrap_or(now);
        // A larger clip may need a longer entry, or more memory.
        if rungs[clip] == now || !of.is_within(rungs) {
            rungs[clip] = now;
            waiting.swap_remove(place);
        }
    }
    Ok(())
}

impl BudgetClip {
    fn tolerance_m(&self, step: i32) -> f32 {
        if self.is_fixed { self.recipe.tolerance_m } else { tolerance_m(step) }
    }

    fn with_tolerance(&self, step: i32) -> Recipe {
        Recipe { tolerance_m: self.tolerance_m(step), ..self.recipe.clone() }
    }
}

fn tolerance_m(step: i32) -> f32 {
    (TIGHTEST_M * (step as f32 / STEPS_A_DOUBLING).exp2()).min(LOOSEST_M)
}

fn last_step() -> i32 {
    ((LOOSEST_M / TIGHTEST_M).log2() * STEPS_A_DOUBLING).ceil() as i32
}

/// The kind of the numbers of a budget.
const BUDGET: &str = "budget-clip";

/// The result of one tolerance for a clip.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Rung {
    step: i32,
    bytes: usize,
    /// Memory of the opened clip.
    memory_bytes: usize,
    /// The codec of the bytes. After a search, the winner.
    codec: [u8; 4],
    worst: f32,
}

/// A clip with the tolerances that were tried on it.
struct Ladder<'a> {
    at: usize,
    of: &'a BudgetClip,
    source: &'a dyn ClipSource,
    known: &'a dyn KnownNumbers,
    rungs: BTreeMap<i32, Rung>,
}

impl Ladder<'_> {
    /// The largest tolerance at which the worst error is at most `level` times its limit. If there is none, the smallest tolerance.
    fn within(&mut self, level: f32, progress: &Progress) -> Result<Rung, BudgetError> {
        let mut raw = None;
        let (mut low, mut high) = (0, if self.of.is_fixed { 0 } else { last_step() });
        let mut found = self.rung(low, &mut raw, progress)?;
        while low < high {
            let middle = (low + high + 1) / 2;
            let rung = self.rung(middle, &mut raw, progress)?;
            if rung.worst <= level {
                (low, found) = (middle, rung);
            } else {
                high = middle - 1;
            }
        }
        Ok(found)
    }

    /// The next smaller tolerance, within a factor of two, that lowers the error. `None` if there is none within `most_bytes`.
    fn better(&mut self, than: &Rung, most_bytes: usize, progress: &Progress) -> Result<Option<Rung>, BudgetError> {
        let mut raw = None;
        let finer = if self.of.is_fixed { 0..0 } else { (than.step - STEPS_A_DOUBLING as i32).max(0)..than.step };
        for step in finer.rev() {
            let rung = self.rung(step, &mut raw, progress)?;
            if rung.bytes > most_bytes {
                return Ok(None);
            }
            if rung.worst < than.worst {
                return Ok(Some(rung));
            }
        }
        Ok(None)
    }

    /// The smallest tolerance with the same bytes and no larger error. It is searched only if the next smaller one has them.
    fn lowest(&mut self, than: &Rung, progress: &Progress) -> Result<Rung, BudgetError> {
        let mut raw = None;
        let (mut low, mut found) = (0, *than);
        let mut next = if self.of.is_fixed { -1 } else { than.step - 1 };
        while low <= next {
            let rung = self.rung(next, &mut raw, progress)?;
            if rung.bytes <= found.bytes && rung.worst <= found.worst {
                found = rung;
            } else if found == *than {
                break;
            } else {
                low = next + 1;
            }
            next = (low + found.step - 1).div_euclid(2);
        }
        Ok(found)
    }

    fn rung(&mut self, step: i32, raw: &mut Option<MeasuredClip>, progress: &Progress) -> Result<Rung, BudgetError> {
        if let Some(known) = self.rungs.get(&step) {
            return Ok(*known);
        }
        let (of, at) = (self.of, self.at);
        let failed = |error| BudgetError::Compress { at, clip: of.name.clone(), error };
        let stopped = |stop: Cancelled| failed(CompressError::Encode(stop.into()));
        progress.check().map_err(stopped)?;
        let asked = Asked { kind: BUDGET, clip: at, recipe: &of.recipe, tolerance_m: of.tolerance_m(step) };
        let found = known_or(self.known, &asked, || {
            let raw = match raw {
                Some(raw) => raw,
                None => raw.insert(self.measured()?),
            };
            let outcome = guard(|| compress(raw, &of.with_tolerance(step), &progress.part())).map_err(failed)?;
            let (codec, memory_bytes) =
                outcome.encoding().map_or(([0; 4], 0), |made| (made.codec.id().0, made.opened.resident_bytes()));
            Ok(Rung { step, bytes: outcome.bytes(), memory_bytes, codec, worst: worst(&outcome, &of.recipe) })
        });
        let rung = Rung { step, ..found? };
        self.rungs.insert(step, rung);
        Ok(rung)
    }

    fn measured(&self) -> Result<MeasuredClip, BudgetError> {
        let (of, at) = (self.of, self.at);
        let gone = |reason| BudgetError::Source { at, clip: of.name.clone(), reason };
        let (rig, clip) = self.source.clip(at).map_err(gone)?;
        let failed = |error| BudgetError::Compress { at, clip: of.name.clone(), error };
        guard(|| Ok(MeasuredClip::new(rig, clip, &of.recipe))).map_err(failed)
    }
}

fn memory_bytes(rungs: &[Rung]) -> usize {
    rungs.iter().map(|rung| rung.memory_bytes).sum()
}

/// The worst error of a clip as a share of the recipe's limit.
fn worst(outcome: &Outcome, asked: &Recipe) -> f32 {
    let report = &outcome.report;
    let skin_m = report.vertex.as_ref().map_or(0.0, |vertex| vertex.worst.error_m);
    let beyond_shell = asked.limits().part(report.between.stats.max_m, skin_m);
    let shell = report.bounded_m() / asked.tolerance_m;
    let feet = report.slide.contacts.iter().map(|contact| report.slide.limits.part(contact));
    feet.fold(shell.max(beyond_shell), f32::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_counted_from_the_fraction_that_is_done() {
        assert_eq!((budget_round(0.0), budget_round(1.0)), (1, BUDGET_ROUNDS));
        for round in 0..BUDGET_ROUNDS {
            let Range { start, end } = share_of_round(round);
            assert_eq!(budget_round(0.5 * (start + end)), round + 1);
        }
    }
}
