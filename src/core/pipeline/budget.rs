//! Many clips in files of so many bytes: tolerances are chosen clip by clip, so that the one that fares worst fares as well as it can.

use crate::codecs::{Cancelled, Progress};
use crate::export::ExportRecipes;
use crate::format::{ListedClip, SharedText};
use crate::metrics::SlideLimits;
use crate::model::{Clip, Rig};
use crate::pipeline::archive::rig_bytes;
use crate::pipeline::file_size::shared_recipe;
use crate::pipeline::{CompressError, FilePart, FileSize, MeasuredClip, Outcome, compress, guard};
use crate::recipe::Recipe;
use crate::text;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use thiserror::Error;

/// A clip that shares a budget with others.
#[derive(Debug, Clone)]
pub struct BudgetClip {
    /// What it is called.
    pub name: String,
    /// Its rig.
    pub rig: Arc<Rig>,
    /// The raw clip.
    pub clip: Arc<Clip>,
    /// How it is compressed and judged. Its tolerance is what errors are counted in, and what is chosen anew.
    pub recipe: Recipe,
    /// It keeps its tolerance: somebody approved it.
    pub is_fixed: bool,
    /// Number of the container that it is written to.
    pub file: usize,
}

/// What a clip gets.
#[derive(Debug, Clone, PartialEq)]
pub struct BudgetShare {
    /// The recipe with its tolerance.
    pub recipe: Recipe,
    /// What the clip takes with it.
    pub bytes: usize,
    /// Its worst error, as a part of what the recipe that was asked for lets pass: 1 just passes.
    pub worst: f32,
}

/// What all clips get.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedBudget {
    /// In the order of the clips.
    pub shares: Vec<BudgetShare>,
    /// What the containers take that hold them.
    pub size: FileSize,
}

/// Why clips do not fit.
#[derive(Debug, Error, PartialEq)]
pub enum BudgetError {
    /// Not even with the largest tolerances.
    #[error(
        "the clips take {} at least, at a tolerance of {}; {} are given. Give more, leave clips out or take a codec that packs \
         closer",
        least.words(), text::length(LOOSEST_M), text::bytes(*limit_bytes as u64)
    )]
    TooSmall {
        /// What they take at least.
        least: FileSize,
        /// What is given.
        limit_bytes: usize,
    },
    /// A codec whose size does not depend on the tolerance.
    #[error("{codec} does not look at the tolerance: there is nothing to fit. Take a codec that searches")]
    NothingToFit {
        /// Its name.
        codec: &'static str,
    },
    /// A clip that cannot be compressed.
    #[error("clip '{clip}': {error}")]
    Compress {
        /// Its name.
        clip: String,
        /// Why.
        error: CompressError,
    },
}

/// Tolerances that are tried, metres.
const TIGHTEST_M: f32 = 0.000_01;
const LOOSEST_M: f32 = 0.05;
/// Tolerances from one to its double.
const STEPS_A_DOUBLING: f32 = 8.0;
/// How finely the common level is looked for.
const LEVEL_ROUNDS: usize = 12;
/// Levels that are looked between, as powers of two.
const LEVELS: (f32, f32) = (-8.0, 12.0);

/// Chooses a tolerance for every clip, so that the containers which hold them take no more than `limit_bytes`, names, recipes and
/// rigs included, and the worst of the clips is as good as can be; what is left over goes to those that fare worst.
///
/// # Errors
/// See [`BudgetError`].
pub fn fit_budget(
    clips: &[BudgetClip],
    limit_bytes: usize,
    recipes: ExportRecipes,
    progress: &Progress,
) -> Result<FittedBudget, BudgetError> {
    if let Some(clip) = clips.iter().find(|clip| !clip.recipe.codec.promises_with(&clip.recipe.values)) {
        return Err(BudgetError::NothingToFit { codec: clip.recipe.codec.name() });
    }
    let mut ladders: Vec<Ladder<'_>> = clips.iter().map(|of| Ladder { of, rungs: BTreeMap::new() }).collect();
    let files = Files::new(clips, recipes);
    let mut at = |level: f32, round: usize| -> Result<Vec<Rung>, BudgetError> {
        progress.set_fraction(round as f32 / LEVEL_ROUNDS as f32);
        ladders.par_iter_mut().map(|ladder| ladder.within(level, progress)).collect()
    };
    let (mut low, mut high) = LEVELS;
    let mut fitting = at(high.exp2(), 0)?;
    let least = files.size(&fitting);
    if least.bytes > limit_bytes {
        return Err(BudgetError::TooSmall { least, limit_bytes });
    }
    for round in 1..=LEVEL_ROUNDS {
        let middle = 0.5 * (low + high);
        let rungs = at(middle.exp2(), round)?;
        if files.size(&rungs).bytes <= limit_bytes {
            (high, fitting) = (middle, rungs);
        } else {
            low = middle;
        }
    }
    spend(&mut ladders, &mut fitting, &files, limit_bytes, progress)?;
    let share = |(clip, rung): (&BudgetClip, &Rung)| BudgetShare {
        recipe: clip.with_tolerance(rung.step),
        bytes: rung.bytes,
        worst: rung.worst,
    };
    Ok(FittedBudget { shares: clips.iter().zip(&fitting).map(share).collect(), size: files.size(&fitting) })
}

/// The containers that clips are written to.
struct Files<'a> {
    clips: &'a [BudgetClip],
    /// Of each clip: bytes of its rig, and its recipe as the container has it.
    shared: Vec<(usize, SharedText)>,
}

impl<'a> Files<'a> {
    fn new(clips: &'a [BudgetClip], recipes: ExportRecipes) -> Self {
        let recipe = |clip: &BudgetClip| if recipes.are_kept() { shared_recipe(&clip.recipe) } else { "".into() };
        let shared = clips.iter().map(|clip| (rig_bytes(&clip.rig), recipe(clip))).collect();
        Self { clips, shared }
    }

    fn size(&self, rungs: &[Rung]) -> FileSize {
        let of_clips = self.clips.iter().zip(&self.shared).zip(rungs);
        let parts = of_clips.map(|((of, (rig_bytes, recipe)), rung)| FilePart {
            file: of.file,
            rig_bytes: *rig_bytes,
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

/// Gives what is left to the clip that fares worst of those that it helps, until it helps none.
fn spend(
    ladders: &mut [Ladder<'_>],
    rungs: &mut [Rung],
    files: &Files<'_>,
    limit_bytes: usize,
    progress: &Progress,
) -> Result<(), BudgetError> {
    let mut waiting: Vec<usize> = (0..rungs.len()).collect();
    while let Some(place) = (0..waiting.len()).max_by(|a, b| {
        let worst = |place: &usize| rungs[waiting[*place]].worst;
        worst(a).total_cmp(&worst(b))
    }) {
        let clip = waiting[place];
        let (spare, now) = (limit_bytes - files.size(rungs).bytes, rungs[clip]);
        rungs[clip] = ladders[clip].better(&now, now.bytes + spare, progress)?.unwrap_or(now);
        // A larger clip may need a longer entry.
        if rungs[clip] == now || files.size(rungs).bytes > limit_bytes {
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

/// What a clip becomes with one of the tolerances.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rung {
    step: i32,
    bytes: usize,
    /// Of the bytes: of a search, the winner.
    codec: [u8; 4],
    worst: f32,
}

/// A clip with the tolerances that were tried on it.
struct Ladder<'a> {
    of: &'a BudgetClip,
    rungs: BTreeMap<i32, Rung>,
}

impl Ladder<'_> {
    /// The largest tolerance with which no error is more than that part of what passes; the smallest, where there is none.
    fn within(&mut self, level: f32, progress: &Progress) -> Result<Rung, BudgetError> {
        let mut source = None;
        let (mut low, mut high) = (0, if self.of.is_fixed { 0 } else { last_step() });
        let mut found = self.rung(low, &mut source, progress)?;
        while low < high {
            let middle = (low + high + 1) / 2;
            let rung = self.rung(middle, &mut source, progress)?;
            if rung.worst <= level {
                (low, found) = (middle, rung);
            } else {
                high = middle - 1;
            }
        }
        Ok(found)
    }

    /// The next smaller tolerance that helps and fits.
    fn better(&mut self, than: &Rung, most_bytes: usize, progress: &Progress) -> Result<Option<Rung>, BudgetError> {
        let mut source = None;
        let finer = if self.of.is_fixed { 0..0 } else { (than.step - STEPS_A_DOUBLING as i32).max(0)..than.step };
        for step in finer.rev() {
            let rung = self.rung(step, &mut source, progress)?;
            if rung.bytes > most_bytes {
                return Ok(None);
            }
            if rung.worst < than.worst {
                return Ok(Some(rung));
            }
        }
        Ok(None)
    }

    fn rung(&mut self, step: i32, source: &mut Option<MeasuredClip>, progress: &Progress) -> Result<Rung, BudgetError> {
        if let Some(known) = self.rungs.get(&step) {
            return Ok(*known);
        }
        let of = self.of;
        let failed = |error| BudgetError::Compress { clip: of.name.clone(), error };
        let stopped = |stop: Cancelled| failed(CompressError::Encode(stop.into()));
        progress.check().map_err(stopped)?;
        let outcome = guard(|| {
            let measured = || MeasuredClip::new(of.rig.clone(), of.clip.clone(), &of.recipe);
            compress(source.get_or_insert_with(measured), &of.with_tolerance(step), &progress.part())
        });
        let outcome = outcome.map_err(failed)?;
        let codec = outcome.encoding().map_or([0; 4], |made| made.codec.id().0);
        let rung = Rung { step, bytes: outcome.bytes(), codec, worst: worst(&outcome, &of.recipe) };
        self.rungs.insert(step, rung);
        Ok(rung)
    }
}

/// The worst error of a clip as a part of what a recipe lets pass.
fn worst(outcome: &Outcome, asked: &Recipe) -> f32 {
    let report = &outcome.report;
    let skin_m = report.vertex.as_ref().map_or(0.0, |vertex| vertex.worst.error_m);
    let beyond_shell = asked.limits().part(report.between.stats.max_m, skin_m);
    let shell = report.samples.stats.max_m / asked.tolerance_m;
    let SlideLimits { warn_slide_m, warn_rate_m_s, .. } = report.contacts.limits;
    let feet = report.contacts.plants.iter().map(|p| (p.slide_m / warn_slide_m).max(p.rate_m_s / warn_rate_m_s));
    feet.fold(shell.max(beyond_shell), f32::max)
}
