//! Results of recipes on all clips, and budgets that a workspace distributes.

use crate::session::{file, imported, settle, workspace};
use posepress_core::batch::StoredHead;
use posepress_core::codecs::{CODECS, Codec};
use posepress_core::metrics::{Aspect, Verdict};
use posepress_core::model::{ClipId, SourceDigest};
use posepress_core::pipeline::{BudgetLimits, CONTAINER};
use posepress_core::project::{DecisionKind, Document, Reviewer};
use posepress_core::recipe::{ENGINE_PRESETS, Recipe};
use posepress_core::report::{Remedy, Trial};
use posepress_core::store::{Store, StoredEntry};
use posepress_core::study::{StudyGoal, StudyLimit, StudyLimits, StudyPoint};
use posepress_core::tasks::ImportedSource;
use posepress_core::workspace::{ClipSlot, ExportScope, StudyScope, Workspace, WorkspaceEvent};
use std::time::SystemTime;

fn bytes_of(workspace: &Workspace, slot: usize) -> usize {
    let totals = workspace.totals(slot);
    assert!(totals.is_complete());
    totals.file_size().bytes
}

/// Fits all clips into a number of bytes. Returns the size and the largest ratio of error to limit.
fn fit(workspace: &mut Workspace, limit_bytes: usize) -> (usize, f32) {
    workspace.fit_budget(StudyScope::All, BudgetLimits::of_file(limit_bytes));
    let events = settle(workspace);
    match events.as_slice() {
        [WorkspaceEvent::Fitted { bytes, worst, .. }] => (*bytes, *worst),
        other => panic!("{other:?}"),
    }
}

fn ours(points: &[StudyPoint]) -> impl Iterator<Item = &StudyPoint> {
    points.iter().filter(|point| point.of.engine.is_none())
}

#[test]
fn a_point_says_what_the_slot_would_say_of_that_recipe() {
    let (mut workspace, _) = workspace(6, 60, 3);
    settle(&mut workspace);
    workspace.study(StudyScope::All);
    assert!(workspace.study_left() > 0 && workspace.study_points().is_empty());
    settle(&mut workspace);
    assert_eq!((workspace.study_left(), workspace.studied_clips()), (0, 3));
    let points = workspace.study_points().to_vec();
    let searches = |codec: &&&dyn Codec| codec.encoder().is_some() && codec.promises_with(&Default::default());
    for codec in CODECS.iter().filter(searches).filter(|codec| codec.name() != "raw") {
        let mut of_codec: Vec<_> = ours(&points).filter(|point| point.of.recipe.codec == *codec).collect();
        of_codec.sort_by(|a, b| a.of.recipe.tolerance_m.total_cmp(&b.of.recipe.tolerance_m));
        assert!(of_codec.len() >= 4, "{}", codec.name());
        let (first, last) = (of_codec[0].totals.bytes, of_codec[of_codec.len() - 1].totals.bytes);
        assert!(first > last, "{}: {first} B at the smallest tolerance, {last} at the largest", codec.name());
    }
    let engines: Vec<&str> = points.iter().filter_map(|point| Some(point.of.engine?.name)).collect();
    assert_eq!(engines, ENGINE_PRESETS.each_ref().map(|preset| preset.name), "in their order, none left out");
    // Any of them gives the same result as a recipe of a slot.
    for point in [&points[0], &points[points.len() / 2], &points[points.len() - 1]] {
        workspace.edit("Recipe", |document| document.recipes[0] = point.of.recipe.as_ref().clone());
        settle(&mut workspace);
        assert_eq!(workspace.totals(0), point.totals, "{}", point.of.title());
    }
    assert_eq!(workspace.study_points(), points, "another recipe does not make it wrong");
}

#[test]
fn the_other_slots_are_compared_too_and_smaller_tolerances_until_a_recipe_passes() {
    let (mut workspace, _) = workspace(6, 60, 2);
    workspace.edit("Far too coarse", |document| {
        document.recipes[0].tolerance_m = 0.2;
        document.recipes[1].tolerance_m = 0.123;
        document.recipes.iter_mut().for_each(|recipe| recipe.fail_error_m = 0.0002);
    });
    settle(&mut workspace);
    workspace.study(StudyScope::All);
    settle(&mut workspace);
    let points = workspace.study_points();
    let others = &workspace.document().recipes[1..];
    for other in others {
        assert_eq!(points.iter().filter(|point| *point.of.recipe == *other).count(), 1, "{}", other.title());
    }
    let passing = ours(points).filter(|point| point.totals.verdict() == Verdict::Good);
    assert!(passing.count() > 0, "{:?}", points.iter().map(|point| point.of.title()).collect::<Vec<_>>());
    let title: Vec<String> = ours(points).map(|point| format!("{:?}", point.of.recipe)).collect();
    let mut once = title.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), title.len(), "each recipe once");
}

#[test]
fn a_limit_on_memory_is_one_for_fitting_too() {
    let (mut workspace, _) = workspace(6, 60, 3);
    settle(&mut workspace);
    let now = workspace.totals(0).resident_bytes;
    let mut limits = StudyLimits::default();
    limits.set(StudyLimit::Memory, true, now as f64 * 0.97 / 1024.0);
    let BudgetLimits { file: None, memory: Some(most) } = limits.of_budget() else { panic!("{limits:?}") };
    assert!(most < now && limits.with_bytes(Some(9)).of_budget().file == Some(9));
    workspace.fit_budget(StudyScope::All, limits.of_budget());
    settle(&mut workspace);
    let fitted = workspace.totals(0);
    assert!(fitted.is_complete() && fitted.resident_bytes <= most, "{} of {most}", fitted.resident_bytes);
    limits.set(StudyLimit::Memory, false, 1.0);
    assert_eq!(limits.of_budget(), BudgetLimits::default(), "a limit that is off binds nothing");
}

#[test]
fn limits_leave_out_what_is_over_them_and_the_best_of_the_rest_is_found() {
    let (mut workspace, _) = workspace(6, 60, 2);
    settle(&mut workspace);
    workspace.study(StudyScope::All);
    settle(&mut workspace);
    let points = workspace.study_points();
    let none = StudyLimits::default();
    let smallest = |points: &[&StudyPoint]| points.iter().map(|point| point.totals.file_size().bytes).min();
    let fitting = |limits: &StudyLimits| points.iter().filter(|point| limits.fits(point)).collect::<Vec<_>>();
    let no_fail: Vec<_> = points.iter().filter(|point| point.totals.verdict() != Verdict::Fail).collect();
    assert_eq!((none.count(), fitting(&none)), (0, no_fail.clone()), "a clip that fails never fits");
    assert!(no_fail.len() > 3);
    for limit in StudyLimit::ALL {
        let mut figures: Vec<f64> = no_fail.iter().filter_map(|point| limit.figure(point)).collect();
        figures.sort_by(f64::total_cmp);
        let Some(&middle) = figures.get(figures.len() / 2) else { continue };
        let mut limits = none;
        limits.set(limit, true, middle);
        let kept = fitting(&limits);
        let is_kept = |point: &&&StudyPoint| limit.figure(point).is_none_or(|figure| figure <= middle);
        assert_eq!(kept, no_fail.iter().filter(is_kept).copied().collect::<Vec<_>>(), "{}", limit.label());
        assert_eq!(limits.best(points, StudyGoal::Smallest).map(|p| p.totals.file_size().bytes), smallest(&kept));
        for point in no_fail.iter().filter(|point| !is_kept(point)) {
            assert_eq!(limits.over(point), [limit.label()]);
        }
    }
    let memory = |name: &str| {
        let own = points.iter().find(|point| point.of.recipe.codec.name() == name).unwrap();
        StudyLimit::Memory.figure(own).unwrap()
    };
    assert!(0.0 < memory("press") && memory("press") < memory("quantize"), "opened clips of quantize are larger");
    let best_kb = smallest(&no_fail);
    assert_eq!(
        none.with_bytes(best_kb).best(points, StudyGoal::MostAccurate).map(|p| p.totals.file_size().bytes),
        best_kb
    );
    assert_eq!(none.with_bytes(Some(1)).best(points, StudyGoal::Fastest), None);
    let error = |goal| StudyLimit::Shell.figure(none.best(points, goal).unwrap()).unwrap();
    assert!(no_fail.iter().all(|p| StudyLimit::Shell.figure(p) >= Some(error(StudyGoal::MostAccurate))));
}

#[test]
fn a_study_of_one_clip_is_of_that_clip_and_goes_with_its_file() {
    let (mut workspace, ids) = workspace(4, 30, 3);
    settle(&mut workspace);
    workspace.select(Some(ids[1]));
    workspace.study(StudyScope::Clip);
    settle(&mut workspace);
    let base = workspace.active_recipe().clone();
    let point = workspace.study_points().iter().find(|point| point.of.recipe == base).unwrap().clone();
    let report = workspace.answer(ids[1], 0).unwrap().report.as_ref().unwrap().clone();
    assert_eq!((point.totals.clips, point.totals.bytes), (1, report.bytes));
    workspace.study(StudyScope::Clip);
    workspace.stop_study();
    assert_eq!(workspace.study_left(), 0);
    workspace.study(StudyScope::All);
    workspace.close(ids[0].source);
    settle(&mut workspace);
    assert!(workspace.study_points().is_empty() && workspace.study_left() == 0);
}

#[test]
fn a_budget_gives_every_clip_a_tolerance_in_one_slot_and_undo_takes_it_back() {
    let (mut workspace, ids) = workspace(8, 61, 3);
    settle(&mut workspace);
    let (asked, other) = (bytes_of(&workspace, 0), bytes_of(&workspace, 1));
    let limit_bytes = asked * 4 / 5;
    let (taken, worst) = fit(&mut workspace, limit_bytes);
    assert!(taken <= limit_bytes && worst > 1.0, "{taken} of {limit_bytes}, {worst}");
    assert_eq!((bytes_of(&workspace, 0), bytes_of(&workspace, 1)), (taken, other), "the other slot is left alone");
    assert_eq!(workspace.own_tolerances(0), 3);
    let own = |workspace: &Workspace, id: ClipId| workspace.own_tolerance(id, 0);
    for id in &ids {
        let tolerance_m = own(&workspace, *id).unwrap();
        assert_eq!(workspace.answer(*id, 0).unwrap().recipe.tolerance_m, tolerance_m);
        assert!(tolerance_m > workspace.active_recipe().tolerance_m);
    }
    let kept = workspace.document().to_toml();
    assert_eq!(&Document::from_toml(&kept).unwrap(), workspace.document(), "it survives a restart");
    let broken = kept.replace(&format!("= {}", own(&workspace, ids[0]).unwrap()), "= -1.0");
    assert!(Document::from_toml(&broken).unwrap_err().to_string().contains("with recipe A"));
    // The exported file has the results that are shown.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fitted.posepress");
    workspace.export(ids[0], ExportScope::All, CONTAINER, path.clone());
    settle(&mut workspace);
    assert_eq!(path.metadata().unwrap().len() as usize, taken);
    // A tested suggestion with the clip's own tolerance changes that tolerance.
    workspace.select(Some(ids[1]));
    let remedy = Remedy::Tolerance { tolerance_m: 0.0003 };
    let trial =
        Trial { remedy, aspect: Aspect::Skin, before_m: 0.0, after_m: 0.0, extra_bytes: 0, verdict: Verdict::Good };
    let recipe = workspace.active_recipe().clone();
    workspace.accept(&trial.remedy);
    assert_eq!((own(&workspace, ids[1]), workspace.active_recipe()), (Some(0.0003), &recipe));
    workspace.undo();
    settle(&mut workspace);
    // Another budget starts from the recipe, not from the result of the first budget.
    let again = fit(&mut workspace, limit_bytes);
    assert_eq!(again, (taken, worst));
    workspace.forget_tolerances();
    settle(&mut workspace);
    assert_eq!((workspace.own_tolerances(0), bytes_of(&workspace, 0)), (0, asked));
    workspace.undo();
    settle(&mut workspace);
    assert_eq!(bytes_of(&workspace, 0), taken);
}

#[test]
fn a_clip_gets_its_own_tolerance_and_the_recipe_stays() {
    let (mut workspace, ids) = workspace(8, 61, 3);
    let recipe = workspace.document().recipes[0].clone();
    workspace.select(Some(ids[1]));
    assert_eq!(workspace.outside_budget(0), 0, "no clip has its own");
    for tolerance_m in [0.002, 0.003] {
        workspace.preview_tolerance(Some(tolerance_m));
    }
    assert!(workspace.cancel() && workspace.own_tolerances(0) == 0 && !workspace.cancel());
    workspace.preview_tolerance(Some(0.003));
    workspace.commit();
    assert_eq!((workspace.own_tolerance(ids[1], 0), workspace.outside_budget(0)), (Some(0.003), 2));
    let other = ImportedSource { digest: SourceDigest::of(b"other"), ..file(imported(8, 61, 4)) };
    let other = workspace.add_source(other);
    assert_eq!(workspace.outside_budget(0), 6, "a file that was opened later");
    workspace.close(ids[1].source);
    assert_eq!(workspace.outside_budget(0), 0, "no clip of the budget is open");
    workspace.add_source(file(imported(8, 61, 3)));
    workspace.close(other);
    let ids: Vec<ClipId> = workspace.library().clip_ids().collect();
    workspace.select(Some(ids[1]));
    assert_eq!((workspace.own_tolerance(ids[1], 0), workspace.outside_budget(0)), (Some(0.003), 2));
    assert_eq!(workspace.document().recipes[0], recipe);
    workspace.preview_tolerance(None);
    workspace.commit();
    assert!(workspace.document().tolerances.is_empty());
    workspace.undo();
    workspace.undo();
    assert_eq!((workspace.own_tolerances(0), workspace.history().undo_label()), (0, None), "two steps");
}

#[test]
fn a_remedy_changes_all_clips_of_the_recipe_or_the_selected_one() {
    let (mut workspace, ids) = workspace(8, 61, 3);
    workspace.select(Some(ids[1]));
    let recipe = workspace.document().recipes[0].clone();
    let finer = Remedy::Tolerance { tolerance_m: 0.0003 };
    assert_eq!((workspace.reach_of(&finer), workspace.reach_of(&Remedy::ContactLock)), (3, 3));
    workspace.accept_for_clip(&finer);
    assert_eq!((workspace.own_tolerance(ids[1], 0), workspace.own_tolerances(0)), (Some(0.0003), 1));
    assert_eq!((workspace.reach_of(&finer), workspace.reach_of(&Remedy::ContactLock)), (1, 3));
    workspace.accept_for_clip(&Remedy::ContactLock);
    let locked = Remedy::ContactLock.changed(&recipe);
    assert_ne!(locked, recipe);
    let base = |workspace: &Workspace| -> Vec<Recipe> {
        let of = |&clip: &ClipId| Recipe::clone(workspace.base_recipe(ClipSlot { clip, slot: 0 }));
        ids.iter().map(of).collect()
    };
    assert_eq!(base(&workspace), [recipe.clone(), locked.clone(), recipe.clone()]);
    assert_eq!(workspace.own_tolerance(ids[1], 0), Some(0.0003), "the remedy was tried with it");
    assert_eq!(workspace.reach_of(&Remedy::ContactLock), 1, "the recipe is this clip's");
    workspace.undo();
    workspace.undo();
    workspace.accept(&Remedy::ContactLock);
    assert_eq!(base(&workspace), [locked.clone(), locked.clone(), locked]);
}

#[test]
fn an_approved_clip_keeps_its_tolerance_and_a_changed_recipe_ends_the_search() {
    let (mut workspace, ids) = workspace(8, 61, 3);
    settle(&mut workspace);
    let by = Reviewer { author: "a".into(), note: String::new(), time: SystemTime::UNIX_EPOCH };
    workspace.decide(&ids[1..2], DecisionKind::Approved, &by);
    let limit_bytes = bytes_of(&workspace, 0) * 4 / 5;
    fit(&mut workspace, limit_bytes);
    assert_eq!(workspace.own_tolerances(0), 2);
    assert!(workspace.own_tolerance(ids[1], 0).is_none() && workspace.review_state(ids[1]).is_approved());
    // A clip that is approved during the search keeps its tolerance too.
    workspace.undo();
    settle(&mut workspace);
    workspace.fit_budget(StudyScope::All, BudgetLimits::of_file(limit_bytes));
    workspace.decide(&ids[2..3], DecisionKind::Approved, &by);
    settle(&mut workspace);
    assert!(workspace.own_tolerances(0) == 1 && workspace.review_state(ids[2]).is_approved());
    workspace.fit_budget(StudyScope::All, BudgetLimits::of_file(limit_bytes));
    assert!(workspace.fitting().is_some());
    workspace.edit("Tolerance", |document| document.recipes[0].tolerance_m *= 2.0);
    assert!(workspace.fitting().is_none(), "it would be of another recipe");
    assert!(settle(&mut workspace).is_empty());
    workspace.fit_budget(StudyScope::All, BudgetLimits::of_file(10));
    let events = settle(&mut workspace);
    let [WorkspaceEvent::Failed(error)] = events.as_slice() else { panic!("{events:?}") };
    assert!(error.to_string().contains("the clips take"), "{error}");
}

/// A window with three clips and a store, at rest.
fn with_store(store: &Store) -> Workspace {
    let (mut workspace, _) = workspace(6, 60, 3);
    workspace.results().set_store(Some(store.clone()));
    settle(&mut workspace);
    workspace
}

#[test]
fn another_window_finds_the_numbers_of_trials_a_study_and_a_budget_in_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let studied = || {
        let mut workspace = with_store(&store);
        workspace.study(StudyScope::All);
        settle(&mut workspace);
        workspace.study_points().to_vec()
    };
    let numbers = || {
        let head = |entry: StoredEntry| StoredHead::of(&store.get(&entry.key).ok()??).ok();
        let all = store.entries().unwrap().into_iter().filter_map(head);
        all.filter(|head| matches!(head, StoredHead::Numbers { .. })).count()
    };
    let fitted = |part: usize| {
        let mut workspace = with_store(&store);
        let limit_bytes = bytes_of(&workspace, 0) * part / 10;
        let (bytes, worst) = fit(&mut workspace, limit_bytes);
        (bytes, worst.to_bits(), numbers())
    };
    let tried = || {
        let mut workspace = with_store(&store);
        workspace.edit("Far too coarse", |document| document.recipes[0].tolerance_m = 0.2);
        settle(&mut workspace);
        let proposals: Vec<Trial> = workspace.proposals().into_iter().cloned().collect();
        (proposals, numbers())
    };
    let first = tried();
    assert!(!first.0.is_empty() && first.1 > 0, "{first:?}");
    assert_eq!(tried(), first);
    // The times of decoding are among the numbers. Times that were measured twice would differ.
    assert_eq!(studied(), studied());
    let (first, other) = (fitted(20), fitted(15));
    assert_eq!(fitted(20), (first.0, first.1, other.2), "nothing was compressed again");
    let before = fitted(15);
    for entry in store.entries().unwrap() {
        let key = entry.key.to_string();
        let path = folder.path().join("entries").join(&key[..2]).join(&key[2..]);
        let mut bytes = std::fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(path, bytes).unwrap();
    }
    assert_eq!(numbers(), 0);
    let again = fitted(15);
    assert_eq!((again.0, again.1), (before.0, before.1), "damaged numbers are measured again");
    assert!(again.2 > 0, "and kept");
}
