//! The part of `posepress measure` about equal mean errors: each clip has the largest tolerance at which neither its mean error nor that of
//! any joint is above the reference's.

use super::equal::{EqualRow, EqualRows, promising};
use super::reference::{Clip, Means, Reference};
use super::{Console, NamedClip};
use crate::cli::console::Ticker;
use crate::cli::work::compress_one;
use posepress_core::recipe::Recipe;
use rayon::prelude::*;
use std::path::Path;

/// Encodings of a clip with one recipe, at most.
const ROUNDS: usize = 8;
/// The first tolerance, in mean errors of the reference.
const FIRST: f32 = 3.0;
/// A mean above this part of the reference's is close enough.
const CLOSE: f64 = 0.99;
/// The part of the reference's mean that the next tolerance aims at.
const AIM: f64 = 0.998;

/// The largest factor from a tolerance that is too large to the next. Closer ones often give the same bytes.
const LESS: f64 = 0.97;

/// Compresses the clips that the reference has with every recipe that promises its tolerance, at the reference's means. Also returns the
/// names of clips that failed.
pub fn measure(
    (set, clips): (&str, &[NamedClip]),
    (corpus, reference): (&Path, &Reference),
    recipes: &[(String, Recipe)],
    console: &mut Console<'_>,
) -> (Vec<EqualRows>, Vec<String>) {
    let (named, mut failed) = (promising(recipes), Vec::new());
    let mut rows = Vec::new();
    for asked_mm in reference.tolerances_with_means_mm() {
        let means = |clip: &NamedClip| reference.means(&Clip::in_corpus(corpus, clip), asked_mm);
        let known = |clip: &NamedClip| Some((clip.clone(), means(clip).filter(|means| means.mean_mm > 0.0)?));
        let chosen: Vec<(NamedClip, Means)> = clips.iter().filter_map(known).collect();
        if chosen.is_empty() {
            continue;
        }
        let ticker = Ticker::new("measured at the mean errors of ACL", chosen.len() * named.len());
        let mut row =
            |(codec, recipe): &(String, Recipe)| row(codec, &all(&chosen, recipe, &ticker, console, &mut failed));
        rows.push(EqualRows {
            set: set.to_owned(),
            clips: chosen.len(),
            asked_mm,
            reference_bytes: chosen.iter().map(|(_, means)| means.bytes).sum(),
            rows: named.iter().map(&mut row).collect(),
        });
    }
    (rows, failed)
}

/// The results of a recipe on all clips that do not fail. Prints the errors of the others.
fn all(
    clips: &[(NamedClip, Means)],
    recipe: &Recipe,
    ticker: &Ticker,
    console: &mut Console<'_>,
    failed: &mut Vec<String>,
) -> Vec<Trial> {
    let work = |(clip, means): &(NamedClip, Means)| {
        let found = nearest(clip, recipe, means).map_err(|error| (clip.name.clone(), error));
        ticker.step(&clip.name);
        found
    };
    let found: Vec<Result<Trial, (String, String)>> = clips.par_iter().map(work).collect();
    let mut said = |(clip, error): (String, String)| {
        console.say(format!("error: {error}"));
        failed.push(clip);
    };
    found.into_iter().filter_map(|found| found.map_err(&mut said).ok()).collect()
}

/// The result of a clip at a tolerance.
#[derive(Debug, Clone, Copy)]
struct Trial {
    bytes: usize,
    mean_mm: f64,
    /// Number of errors in the mean.
    errors: usize,
    /// The larger of both means, as a part of the reference's.
    part: f64,
}

/// The smallest clip within the means. If none is, the last one tried.
fn nearest(clip: &NamedClip, recipe: &Recipe, means: &Means) -> Result<Trial, String> {
    let at = |tolerance_mm: f64| {
        let recipe = Recipe { tolerance_m: (tolerance_mm / 1000.0) as f32, shell_from_mesh: false, ..recipe.clone() };
        compress_one(clip, &recipe, |clip, worked| {
            let error = &worked.report.error;
            let part =
                (error.mean_mm / f64::from(means.mean_mm)).max(error.joint_mean_mm / f64::from(means.joint_mean_mm));
            let errors = clip.clip.samples() * clip.clip.joints();
            Trial { bytes: worked.report.bytes, mean_mm: error.mean_mm, errors, part }
        })
    };
    let (mut held_mm, mut failed_mm) = (0.0f64, f64::INFINITY);
    let mut tolerance_mm = f64::from(FIRST * means.mean_mm);
    let mut best: Option<Trial> = None;
    for _ in 0..ROUNDS {
        let trial = at(tolerance_mm)?;
        let (is_within, was_within) = (trial.part <= 1.0, best.is_some_and(|best| best.part <= 1.0));
        let bound = if is_within { &mut held_mm } else { &mut failed_mm };
        *bound = tolerance_mm;
        if !was_within || (is_within && best.is_some_and(|best| trial.bytes < best.bytes)) {
            best = Some(trial);
        }
        if is_within && trial.part >= CLOSE {
            break;
        }
        let factor = AIM / trial.part.max(1e-3);
        tolerance_mm *= if is_within { factor } else { factor.min(LESS) };
        if tolerance_mm >= failed_mm || tolerance_mm <= held_mm {
            tolerance_mm = (held_mm.max(failed_mm / 100.0) * failed_mm).sqrt();
        }
    }
    Ok(best.expect("a first round"))
}

fn row(codec: &str, trials: &[Trial]) -> EqualRow {
    let errors: usize = trials.iter().map(|trial| trial.errors).sum();
    EqualRow {
        codec: codec.to_owned(),
        bytes: trials.iter().map(|trial| trial.bytes).sum(),
        mean_mm: trials.iter().map(|trial| trial.mean_mm * trial.errors as f64).sum::<f64>() / errors.max(1) as f64,
        over: trials.iter().filter(|trial| trial.part > 1.0).count(),
    }
}
