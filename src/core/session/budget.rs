//! Many clips in so many bytes: tolerances are chosen clip by clip, so that the one that fares worst fares as well as it can.

use super::{CompressError, MeasuredClip, Outcome, Recipe, compress, guard};
use crate::codecs::{Cancelled, Progress};
use crate::metrics::SlideLimits;
use crate::model::{Clip, Rig};
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

/// Why clips do not fit.
#[derive(Debug, Error, PartialEq)]
pub enum BudgetError {
    /// Not even with the largest tolerances.
    #[error(
        "the clips take {} at least, at a tolerance of {}; {} are given. Give more, leave clips out or take a codec that packs \
         closer",
        text::bytes(*least_bytes as u64), text::length(LOOSEST_M), text::bytes(*limit_bytes as u64)
    )]
    TooSmall {
        /// What they take at least.
        least_bytes: usize,
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

/// Chooses a tolerance for every clip, so that all of them take no more than `limit_bytes` (without the rig that they share),
/// and the worst of them is as good as can be; what is left over goes to those that fare worst. In the order of the clips.
///
/// # Errors
/// See [`BudgetError`].
pub fn fit_budget(
    clips: &[BudgetClip],
    limit_bytes: usize,
    progress: &Progress,
) -> Result<Vec<BudgetShare>, BudgetError> {
    if let Some(clip) = clips.iter().find(|clip| !clip.recipe.codec.promises_with(&clip.recipe.values)) {
        return Err(BudgetError::NothingToFit { codec: clip.recipe.codec.name() });
    }
    let mut ladders: Vec<Ladder<'_>> = clips.iter().map(|of| Ladder { of, rungs: BTreeMap::new() }).collect();
    let mut at = |level: f32, round: usize| -> Result<Vec<Rung>, BudgetError> {
        progress.set_fraction(round as f32 / LEVEL_ROUNDS as f32);
        ladders.par_iter_mut().map(|ladder| ladder.within(level, progress)).collect()
    };
    let total = |rungs: &[Rung]| rungs.iter().map(|rung| rung.bytes).sum::<usize>();
    let (mut low, mut high) = LEVELS;
    let mut fitting = at(high.exp2(), 0)?;
    if total(&fitting) > limit_bytes {
        return Err(BudgetError::TooSmall { least_bytes: total(&fitting), limit_bytes });
    }
    for round in 1..=LEVEL_ROUNDS {
        let middle = 0.5 * (low + high);
        let rungs = at(middle.exp2(), round)?;
        if total(&rungs) <= limit_bytes {
            (high, fitting) = (middle, rungs);
        } else {
            low = middle;
        }
    }
    let spare = limit_bytes - total(&fitting);
    spend(&mut ladders, &mut fitting, spare, progress)?;
    let share = |(clip, rung): (&BudgetClip, Rung)| BudgetShare {
        recipe: clip.with_tolerance(rung.step),
        bytes: rung.bytes,
        worst: rung.worst,
    };
    Ok(clips.iter().zip(fitting).map(share).collect())
}

/// Gives what is left to the clip that fares worst of those that it helps, until it helps none.
fn spend(
    ladders: &mut [Ladder<'_>],
    rungs: &mut [Rung],
    mut spare: usize,
    progress: &Progress,
) -> Result<(), BudgetError> {
    let mut waiting: Vec<usize> = (0..rungs.len()).collect();
    while let Some(place) = (0..waiting.len()).max_by(|a, b| {
        let worst = |place: &usize| rungs[waiting[*place]].worst;
        worst(a).total_cmp(&worst(b))
    }) {
        let clip = waiting[place];
        let better = ladders[clip].better(&rungs[clip], rungs[clip].bytes + spare, progress)?;
        match better {
            Some(better) => {
                spare = spare + rungs[clip].bytes - better.bytes;
                rungs[clip] = better;
            }
            None => drop(waiting.swap_remove(place)),
        }
    }
    Ok(())
}

impl BudgetClip {
    fn with_tolerance(&self, step: i32) -> Recipe {
        let tolerance_m = if self.is_fixed { self.recipe.tolerance_m } else { tolerance_m(step) };
        Recipe { tolerance_m, ..self.recipe.clone() }
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
        let rung = Rung { step, bytes: outcome.bytes(), worst: worst(&outcome, &of.recipe) };
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
