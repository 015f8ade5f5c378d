//! The part of `posepress measure` about equal errors: the tolerance of each clip is the largest error of the reference's clip.

use super::reference::{Clip, Known, Reference};
use super::{Console, NamedClip, compress_all};
use crate::cli::work::Worked;
use posepress_core::codecs::LOSSLESS;
use posepress_core::metrics::Promise;
use posepress_core::recipe::Recipe;
use posepress_core::report::ErrorRow;
use std::path::Path;

/// The result of one codec on one set.
#[derive(Debug, Clone, PartialEq)]
pub struct EqualRow {
    /// Its name as given.
    pub codec: String,
    pub bytes: usize,
    /// Mean shell error over all samples and joints of all clips.
    pub mean_mm: f64,
    /// Clips with a larger error than the reference's, the largest or a mean.
    pub over: usize,
}

/// The rows of one set, at one tolerance of the reference.
#[derive(Debug, Clone, PartialEq)]
pub struct EqualRows {
    pub set: String,
    /// Clips that the reference has.
    pub clips: usize,
    pub asked_mm: f32,
    pub reference_bytes: usize,
    pub rows: Vec<EqualRow>,
}

/// Compresses the clips that the reference has with every recipe that bounds the largest error, with the reference's as its tolerance. Also
/// returns the names of clips that failed.
pub fn measure(
    (set, clips): (&str, &[NamedClip]),
    (corpus, reference): (&Path, &Reference),
    recipes: &[(String, Recipe)],
    console: &mut Console<'_>,
) -> (Vec<EqualRows>, Vec<String>) {
    let mut named = promising(recipes);
    named.retain(|(_, recipe)| recipe.promise() == Promise::Largest);
    let of_tolerance = |asked_mm: f32| {
        let known = |clip: &NamedClip| reference.at(&Clip::in_corpus(corpus, clip), asked_mm);
        measure_at(set, clips, asked_mm, &named, known, console)
    };
    let (rows, failed): (Vec<_>, Vec<_>) = reference.tolerances_with_errors_mm().map(of_tolerance).unzip();
    (rows.into_iter().filter(|rows| rows.clips > 0).collect(), failed.concat())
}

/// The recipes that promise their tolerance.
pub fn promising(recipes: &[(String, Recipe)]) -> Vec<(String, Recipe)> {
    let promises = |recipe: &Recipe| recipe.codec.promises_with(&recipe.values) && recipe.codec.id() != LOSSLESS.id();
    recipes.iter().filter(|(_, recipe)| promises(recipe)).cloned().collect()
}

fn measure_at(
    set: &str,
    clips: &[NamedClip],
    asked_mm: f32,
    named: &[(String, Recipe)],
    known: impl Fn(&NamedClip) -> Option<Known>,
    console: &mut Console<'_>,
) -> (EqualRows, Vec<String>) {
    let erring = erring(clips, known);
    let asked: Vec<Vec<Recipe>> = erring.iter().map(|(_, _, max_mm)| within(named, *max_mm)).collect();
    let chosen: Vec<NamedClip> = erring.iter().map(|(clip, ..)| clip.clone()).collect();
    let keep = |clip: &NamedClip, worked: Worked| {
        let recipe = &worked.sides.outcome.recipe;
        let place = named.iter().position(|(_, own)| own.codec == recipe.codec && own.values == recipe.values);
        let errors = clip.clip.samples() * clip.clip.joints();
        Point { place, bytes: worked.report.bytes, error: worked.report.error, errors }
    };
    let (points, failed) = compress_all("measured within the errors of ACL", &chosen, |at| &asked[at], console, keep);
    let rows = EqualRows {
        set: set.to_owned(),
        clips: chosen.len(),
        asked_mm,
        reference_bytes: erring.iter().map(|(_, bytes, _)| bytes).sum(),
        rows: named.iter().enumerate().map(|(place, (codec, _))| row(codec, place, &points)).collect(),
    };
    (rows, failed)
}

/// The clips with their bytes and error in the reference. Clips without an error there are skipped, because only lossless
/// bytes could match them.
fn erring(clips: &[NamedClip], known: impl Fn(&NamedClip) -> Option<Known>) -> Vec<(NamedClip, usize, f32)> {
    let erring = |clip: &NamedClip| {
        let Known { bytes, max_mm } = known(clip)?;
        max_mm.filter(|mm| *mm > 0.0).map(|max_mm| (clip.clone(), bytes, max_mm))
    };
    clips.iter().filter_map(erring).collect()
}

/// The recipes with a tolerance, and with the same shell for every joint, as in the reference.
fn within(named: &[(String, Recipe)], max_mm: f32) -> Vec<Recipe> {
    let as_near = |(_, recipe): &(String, Recipe)| Recipe {
        tolerance_m: max_mm / 1000.0,
        shell_from_mesh: false,
        ..recipe.clone()
    };
    named.iter().map(as_near).collect()
}

/// The result of one recipe on one clip.
struct Point {
    /// Index of its recipe in the list.
    place: Option<usize>,
    bytes: usize,
    error: ErrorRow,
    /// Number of errors in the mean.
    errors: usize,
}

fn row(codec: &str, place: usize, points: &[Point]) -> EqualRow {
    let own = || points.iter().filter(|point| point.place == Some(place));
    let errors: usize = own().map(|point| point.errors).sum();
    EqualRow {
        codec: codec.to_owned(),
        bytes: own().map(|point| point.bytes).sum(),
        mean_mm: own().map(|point| point.error.mean_mm * point.errors as f64).sum::<f64>() / errors.max(1) as f64,
        over: own().filter(|point| !point.error.within).count(),
    }
}
