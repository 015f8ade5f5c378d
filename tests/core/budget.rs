//! Fitting many clips into a number of bytes.

use crate::import_support::import_corpus;
use crate::session::imported;
use posepress_core::codecs::Progress;
use posepress_core::export::ExportRecipes;
use posepress_core::import::{ImportOptions, Imported};
use posepress_core::model::{Clip, Rig};
use posepress_core::pipeline::{
    BudgetClip, BudgetError, BudgetLimits, BudgetRig, BudgetShare, ClipSource, FittedBudget, MeasuredClip, Outcome,
    archive_to_write, compress, fit_budget,
};
use posepress_core::recipe::Recipe;
use std::sync::Arc;

/// A clip of a budget, with its motion.
#[derive(Clone)]
struct Raw {
    of: BudgetClip,
    rig: Arc<Rig>,
    clip: Arc<Clip>,
}

fn clips(imported: Imported, recipe: &Recipe) -> Vec<Raw> {
    let rig = Arc::new(imported.rig);
    let raw = |clip: Clip| {
        let (name, recipe) = (clip.name().into(), recipe.clone());
        let of = BudgetClip { name, rig: BudgetRig::of(&rig), recipe, is_fixed: false, file: 0 };
        Raw { of, rig: rig.clone(), clip: Arc::new(clip) }
    };
    imported.clips.into_iter().map(raw).collect()
}

fn fit_with(
    clips: &[Raw],
    limit_bytes: usize,
    recipes: ExportRecipes,
    progress: &Progress,
) -> Result<FittedBudget, BudgetError> {
    let of: Vec<BudgetClip> = clips.iter().map(|raw| raw.of.clone()).collect();
    let source: Arc<[_]> = clips.iter().map(|raw| (raw.rig.clone(), raw.clip.clone())).collect();
    fit_budget((&of, &source), BudgetLimits::of_file(limit_bytes), recipes, &(), progress)
}

fn fit_limits(clips: &[Raw], limits: BudgetLimits) -> Result<FittedBudget, BudgetError> {
    let of: Vec<BudgetClip> = clips.iter().map(|raw| raw.of.clone()).collect();
    let source: Arc<[_]> = clips.iter().map(|raw| (raw.rig.clone(), raw.clip.clone())).collect();
    fit_budget((&of, &source), limits, ExportRecipes::Kept, &(), &Progress::new())
}

fn fit(clips: &[Raw], limit_bytes: usize) -> Result<FittedBudget, BudgetError> {
    fit_with(clips, limit_bytes, ExportRecipes::Kept, &Progress::new())
}

fn fitted(clips: &[Raw], limit_bytes: usize) -> Vec<BudgetShare> {
    fit(clips, limit_bytes).unwrap().shares
}

fn outcome(clip: &Raw, recipe: &Recipe) -> Outcome {
    let source = MeasuredClip::new(clip.rig.clone(), clip.clip.clone(), recipe);
    compress(&source, recipe, &Progress::new()).unwrap()
}

/// Bytes of a clip that is compressed again with a recipe.
fn bytes_with(clip: &Raw, recipe: &Recipe) -> usize {
    outcome(clip, recipe).bytes()
}

/// Bytes of the container of clips with their recipes.
fn file_with<'a>(clips: &[Raw], recipes: impl Iterator<Item = &'a Recipe>, keep: ExportRecipes) -> usize {
    let outcomes: Vec<_> = clips.iter().zip(recipes).map(|(clip, recipe)| outcome(clip, recipe)).collect();
    let named: Vec<(&str, &Outcome)> = clips.iter().map(|clip| clip.of.name.as_str()).zip(&outcomes).collect();
    archive_to_write(&clips[0].rig, &named, keep).to_bytes().len()
}

/// A source with one clip that cannot be read.
struct Torn(Arc<[(Arc<Rig>, Arc<Clip>)]>, usize);

impl ClipSource for Torn {
    fn clip(&self, at: usize) -> Result<(Arc<Rig>, Arc<Clip>), String> {
        if at == self.1 { Err("it is torn".into()) } else { self.0.clip(at) }
    }
}

#[test]
fn a_clip_that_cannot_be_read_is_named_by_its_index() {
    let clips = clips(imported(8, 61, 3), &Recipe::chosen("press").unwrap());
    let of: Vec<BudgetClip> = clips.iter().map(|raw| BudgetClip { name: "Walk".into(), ..raw.of.clone() }).collect();
    let source = Torn(clips.iter().map(|raw| (raw.rig.clone(), raw.clip.clone())).collect(), 2);
    let error = fit_budget((&of, &source), BudgetLimits::of_file(1 << 20), ExportRecipes::Kept, &(), &Progress::new())
        .unwrap_err();
    assert_eq!((error.clip_at(), error.to_string()), (Some(2), "clip 'Walk': it is torn".into()));
}

/// Checks that at least 98 % of the budget is used, and that no clip could give a kilobyte to the worst clip without becoming
/// worse than it.
fn is_fair(clips: &[Raw], limit_bytes: usize) {
    let FittedBudget { shares, size, .. } = fit(clips, limit_bytes).unwrap();
    let taken = file_with(clips, shares.iter().map(|share| &share.recipe), ExportRecipes::Kept);
    assert_eq!(size.bytes, taken, "the reported size is the size of the file");
    assert_eq!(size.clips_bytes, shares.iter().map(|share| share.bytes).sum::<usize>());
    assert!(taken <= limit_bytes && taken as f32 >= 0.98 * limit_bytes as f32, "{taken} of {limit_bytes}");
    for (clip, share) in clips.iter().zip(&shares) {
        assert_eq!(bytes_with(clip, &share.recipe), share.bytes, "{}", clip.of.name);
    }
    let (worst, _) = shares.iter().enumerate().max_by(|a, b| a.1.worst.total_cmp(&b.1.worst)).unwrap();
    // With a kilobyte less, each other clip would be worse than the worst clip is now.
    for (giver, share) in shares.iter().enumerate().filter(|(giver, _)| *giver != worst) {
        let alone = [clips[giver].clone()];
        let file = file_with(&alone, std::iter::once(&share.recipe), ExportRecipes::Kept);
        let Some(less) = file.checked_sub(1024) else { continue };
        match fit(&alone, less) {
            Ok(poorer) => assert!(poorer.shares[0].worst >= shares[worst].worst * 0.98, "{}", clips[giver].of.name),
            Err(error) => assert!(matches!(error, BudgetError::TooSmall { .. })),
        }
    }
}

#[test]
fn clips_share_a_budget_so_that_the_worst_fares_best() {
    let mut imported = imported(8, 61, 4);
    let long = crate::session::imported(8, 301, 1).clips.remove(0);
    imported.clips.push(long);
    let recipe = Recipe { tolerance_m: 0.001, ..Recipe::chosen("variable-rate").unwrap() };
    let clips = clips(imported, &recipe);
    let asked = file_with(&clips, clips.iter().map(|_| &recipe), ExportRecipes::Kept);
    for limit_bytes in [asked * 3 / 4, asked, asked * 5 / 4] {
        is_fair(&clips, limit_bytes);
    }
    let tight = fitted(&clips, asked * 5 / 4);
    let loose = fitted(&clips, asked * 3 / 4);
    let worst = |shares: &[BudgetShare]| shares.iter().map(|share| share.worst).fold(0.0, f32::max);
    assert!(worst(&tight) < 1.0 && worst(&loose) > 1.0, "{} {}", worst(&tight), worst(&loose));
}

#[test]
fn a_pose_gets_no_larger_tolerance_than_it_needs() {
    let recipe = Recipe { tolerance_m: 0.001, ..Recipe::chosen("press").unwrap() };
    let mut imported = imported(8, 301, 3);
    let pose = crate::session::imported(8, 1, 1).clips.remove(0);
    imported.clips.push(pose);
    let clips = clips(imported, &recipe);
    let asked = file_with(&clips, clips.iter().map(|_| &recipe), ExportRecipes::Kept);
    let shares = fitted(&clips, asked * 9 / 10);
    let tolerances: Vec<f32> = shares.iter().map(|share| share.recipe.tolerance_m).collect();
    assert!(tolerances[..3].iter().all(|tolerance_m| *tolerance_m > 0.001), "{tolerances:?}");
    let of_pose = outcome(&clips[3], &shares[3].recipe);
    assert_eq!(of_pose.bytes(), shares[3].bytes);
    assert!(tolerances[3] <= 0.001, "the largest tolerance would be 50 mm: {tolerances:?}");
}

#[test]
fn clips_that_were_approved_keep_their_recipe_and_the_others_share_the_rest() {
    let recipe = Recipe { tolerance_m: 0.001, ..Recipe::chosen("variable-rate").unwrap() };
    let mut clips = clips(imported(8, 61, 3), &recipe);
    let asked = file_with(&clips, clips.iter().map(|_| &recipe), ExportRecipes::Kept);
    clips[1].of.is_fixed = true;
    let shares = fitted(&clips, asked * 4 / 5);
    assert_eq!((&shares[1].recipe, shares[1].bytes), (&recipe, bytes_with(&clips[1], &recipe)));
    assert!(shares[0].recipe.tolerance_m > 0.001 && shares[2].recipe.tolerance_m > 0.001);
}

/// Clips of several files, with recipes and without, exact to the last byte: the reported size is the size on the disk.
#[test]
fn budgets_count_what_files_take() {
    let recipe = Recipe { tolerance_m: 0.001, ..Recipe::chosen("press").unwrap() };
    let mut clips = clips(imported(8, 61, 4), &recipe);
    clips.iter_mut().zip([0, 1, 0, 1]).for_each(|(clip, file)| clip.of.file = file);
    for recipes in [ExportRecipes::Kept, ExportRecipes::None] {
        let asked = fit_with(&clips, 1 << 20, recipes, &Progress::new()).unwrap().size.bytes;
        for limit_bytes in (asked * 3 / 4..asked).step_by(asked / 14) {
            let FittedBudget { shares, size, .. } = fit_with(&clips, limit_bytes, recipes, &Progress::new()).unwrap();
            let file = |number| {
                let of = clips.iter().zip(&shares).filter(move |(clip, _)| clip.of.file == number);
                let (clips, shares): (Vec<_>, Vec<_>) = of.map(|(clip, share)| (clip.clone(), &share.recipe)).unzip();
                file_with(&clips, shares.into_iter(), recipes)
            };
            assert_eq!(size.bytes, file(0) + file(1));
            assert!(size.bytes <= limit_bytes, "{} of {limit_bytes}", size.bytes);
        }
    }
}

/// Memory of the opened clips, compressed again with recipes.
fn memory_with<'a>(clips: &[Raw], recipes: impl Iterator<Item = &'a Recipe>) -> usize {
    let outcomes = clips.iter().zip(recipes).map(|(clip, recipe)| outcome(clip, recipe));
    outcomes.map(|outcome| outcome.encoding().unwrap().opened.resident_bytes()).sum()
}

#[test]
fn a_budget_of_memory_is_held_alone_and_beside_one_of_size() {
    let recipe = Recipe { tolerance_m: 0.001, ..Recipe::chosen("press").unwrap() };
    let clips = clips(imported(8, 301, 4), &recipe);
    let asked = memory_with(&clips, clips.iter().map(|_| &recipe));
    let largest = |fit: &FittedBudget| fit.shares.iter().map(|share| share.worst).fold(0.0, f32::max);
    let mut before = f32::INFINITY;
    for limit in [asked * 7 / 8, asked, asked * 9 / 8] {
        let fit = fit_limits(&clips, BudgetLimits { file: None, memory: Some(limit) }).unwrap();
        assert_eq!(fit.memory_bytes, memory_with(&clips, fit.shares.iter().map(|share| &share.recipe)));
        assert!(
            fit.memory_bytes <= limit && fit.memory_bytes as f32 > 0.95 * limit as f32,
            "{} of {limit}",
            fit.memory_bytes
        );
        assert!(largest(&fit) < before, "more memory, smaller errors");
        before = largest(&fit);
        let both = BudgetLimits { file: Some(fit.size.bytes - 20), memory: Some(limit) };
        let tighter = fit_limits(&clips, both).unwrap();
        assert!(
            tighter.size.bytes <= both.file.unwrap() && tighter.memory_bytes <= limit && largest(&tighter) >= before
        );
    }
    let little = BudgetLimits { file: None, memory: Some(10) };
    let refused = fit_limits(&clips, little).unwrap_err();
    assert!(matches!(refused, BudgetError::TooLittleMemory { limit_bytes: 10, .. }), "{refused}");
    assert_eq!((little.words(), refused.clip_at()), ("10 B of memory".into(), None));
}

#[test]
fn what_cannot_be_fitted_says_why() {
    let clips_of = |codec: &str| clips(imported(8, 61, 2), &Recipe::chosen(codec).unwrap());
    let refused = |codec: &str, bytes| fit(&clips_of(codec), bytes).unwrap_err();
    assert!(matches!(refused("variable-rate", 10), BudgetError::TooSmall { limit_bytes: 10, .. }));
    assert_eq!(refused("quantize", 1_000_000), BudgetError::NothingToFit { codec: "quantize" });
    let stopped = Progress::new();
    stopped.cancel();
    let error = fit_with(&clips_of("variable-rate"), 1_000_000, ExportRecipes::Kept, &stopped).unwrap_err();
    assert!(matches!(error, BudgetError::Compress { .. }), "{error}");
}

#[test]
fn some_of_knights_clips_share_a_budget_fairly() {
    let Some(mut imported) = import_corpus("kaykit/Knight.glb", &ImportOptions::default()) else { return };
    let mut number = 0;
    imported.clips.retain(|_| {
        number += 1;
        number % 12 == 0
    });
    let recipe = Recipe { tolerance_m: 0.001, ..Recipe::chosen("variable-rate").unwrap() };
    is_fair(&clips(imported, &recipe), 9 * 1024);
}
