//! Recipes with a name: their clips, their numbers in the table of clips and recipes, and the exported files.

use crate::session::{settle, workspace};
use posepress_core::metrics::Verdict;
use posepress_core::model::ClipId;
use posepress_core::pipeline::{ArchiveListing, CONTAINER};
use posepress_core::project::{DecisionKind, Document, Project, ProjectSource, RecipePlace, Reviewer, SignOff};
use posepress_core::recipe::Recipe;
use posepress_core::study::ClipFigures;
use posepress_core::workspace::{ClipSlot, ExportScope, Workspace};
use std::time::SystemTime;

fn named(name: &str) -> RecipePlace {
    RecipePlace::Named(name.into())
}

fn loose() -> Recipe {
    Recipe { tolerance_m: 0.002, warn_jitter_m: 1.0, ..Recipe::chosen("variable-rate").unwrap() }
}

fn by() -> Reviewer {
    Reviewer { author: "a".into(), note: String::new(), time: SystemTime::UNIX_EPOCH }
}

fn report(workspace: &Workspace, clip: ClipId, slot: usize) -> ClipFigures {
    let answer = workspace.answer(clip, slot).unwrap();
    assert!(answer.done && workspace.is_fresh(clip, slot));
    ClipFigures::of(answer.report.as_ref().unwrap())
}

#[test]
fn clips_of_a_pattern_have_its_recipe_in_that_slot_and_what_is_tuned_is_theirs() {
    let (mut workspace, ids) = workspace(6, 40, 3);
    let name = workspace.library().clip(ids[1]).unwrap().1.name().to_owned();
    workspace.edit("Recipes", |document| {
        document.named.insert("loose".into(), loose());
        document.assign_pattern(0, &name, "loose");
    });
    settle(&mut workspace);
    let recipes: Vec<_> = ids.iter().map(|&clip| workspace.recipe_for(ClipSlot { clip, slot: 0 }).clone()).collect();
    assert_eq!(*recipes[1], loose());
    assert!([0, 2].into_iter().all(|at| *recipes[at] == workspace.document().recipes[0]));
    assert_ne!(**workspace.recipe_for(ClipSlot { clip: ids[1], slot: 1 }), loose(), "slot B is left alone");
    assert_eq!(workspace.clips_with(0, "loose"), 1);
    // Totals and files use it.
    let bytes: usize = ids.iter().map(|id| report(&workspace, *id, 0).figures.bytes as usize).sum();
    assert_eq!(workspace.totals(0).bytes, bytes);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mixed.posepress");
    workspace.export(ids[0], ExportScope::All, CONTAINER, path.clone());
    settle(&mut workspace);
    let listing = ArchiveListing::read(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(listing.clips.iter().map(|clip| clip.bytes.len()).sum::<usize>(), bytes);
    let codecs: Vec<&str> = listing.clips.iter().map(|clip| clip.recipe().codec.name()).collect();
    assert_eq!(codecs[1], "variable-rate");
    assert!(codecs[0] != codecs[1] && codecs[0] == codecs[2]);
    // Tuning changes the recipe of the selected clip.
    workspace.select(Some(ids[1]));
    assert_eq!((workspace.active_place(), workspace.slot_title(0).as_str()), (named("loose"), "loose"));
    assert_eq!(**workspace.active_recipe(), loose());
    let place = workspace.active_place();
    workspace.edit("Tolerance", |document| document.recipe_mut(&place).unwrap().tolerance_m = 0.0005);
    settle(&mut workspace);
    assert_eq!(workspace.answer(ids[1], 0).unwrap().recipe.tolerance_m, 0.0005);
    assert_eq!(workspace.document().recipes[0], *recipes[0], "the slot's own is left alone");
    workspace.select(Some(ids[0]));
    assert_eq!(workspace.active_place(), RecipePlace::Slot(0));
    workspace.undo();
    workspace.undo();
    assert!(workspace.document().named.is_empty() && workspace.clips_with(0, "loose") == 0);
}

#[test]
fn the_table_says_of_every_recipe_what_the_slot_would_say() {
    let (mut workspace, ids) = workspace(6, 40, 3);
    workspace.edit("Recipes", |document| drop(document.named.insert("loose".into(), loose())));
    settle(&mut workspace);
    let places = workspace.table_places();
    assert_eq!(places.len(), workspace.document().recipes.len() + 1);
    assert_eq!(workspace.table_figures(&named("loose"), ids[0]), None, "the table is not shown");
    assert_eq!(workspace.table_figures(&RecipePlace::Slot(1), ids[0]), Some(report(&workspace, ids[0], 1)));
    workspace.open_table(true);
    settle(&mut workspace);
    let of_table: Vec<_> = ids.iter().map(|id| workspace.table_figures(&named("loose"), *id).unwrap()).collect();
    // A changed recipe has no numbers until it is measured again.
    workspace.edit("Tolerance", |document| document.named.get_mut("loose").unwrap().tolerance_m = 0.0001);
    assert_eq!(workspace.table_figures(&named("loose"), ids[0]), None);
    settle(&mut workspace);
    assert!(workspace.table_figures(&named("loose"), ids[0]).unwrap().figures.bytes > of_table[0].figures.bytes);
    workspace.undo();
    settle(&mut workspace);
    workspace.give(&ids, &named("loose"));
    settle(&mut workspace);
    let of_slot: Vec<_> = ids.iter().map(|id| report(&workspace, *id, 0)).collect();
    assert_eq!(of_slot, of_table);
    // The slot's own recipe is computed separately, because no clip has it now.
    let own = workspace.table_figures(&RecipePlace::Slot(0), ids[2]).unwrap();
    workspace.give(&ids[2..], &RecipePlace::Slot(0));
    settle(&mut workspace);
    assert_eq!(report(&workspace, ids[2], 0), own);
    assert_eq!(workspace.clips_with(0, "loose"), 2);
}

#[test]
fn each_clip_gets_the_smallest_that_passes_and_approved_ones_keep_theirs() {
    let (mut workspace, ids) = workspace(6, 40, 3);
    workspace.activate_slot(1);
    settle(&mut workspace);
    workspace.decide(&ids[..1], DecisionKind::Approved, &by());
    workspace.edit("Recipes", |document| {
        document.named.insert("loose".into(), loose());
        document
            .named
            .insert("careless".into(), Recipe { tolerance_m: 0.0001, ..Recipe::chosen("quantize:riot").unwrap() });
    });
    workspace.open_table(true);
    settle(&mut workspace);
    let places = workspace.table_places();
    let best: Vec<RecipePlace> = ids.iter().map(|id| workspace.smallest_in_table(*id).unwrap()).collect();
    for (id, best) in ids.iter().zip(&best) {
        let figures = |place: &RecipePlace| workspace.table_figures(place, *id).unwrap();
        assert_eq!(figures(best).verdict, Verdict::Good);
        let passing = places.iter().map(figures).filter(|of| of.verdict == Verdict::Good);
        assert_eq!(passing.map(|of| of.figures.bytes).min(), Some(figures(best).figures.bytes));
    }
    let before = workspace.document().clone();
    let kept = workspace.active_place();
    assert_eq!(workspace.give_smallest(), 2, "one of three is approved");
    assert_eq!(workspace.place_in(1, ids[0]), kept);
    assert!(workspace.review_state(ids[0]).is_approved());
    settle(&mut workspace);
    for (id, best) in ids.iter().zip(&best).skip(1) {
        let of_best = workspace.table_figures(best, *id).unwrap();
        assert_eq!(report(&workspace, *id, 1), of_best, "slot B has it now");
    }
    assert_eq!(workspace.give_smallest(), 0, "nothing is smaller than the smallest");
    workspace.undo();
    assert_eq!(*workspace.document(), before, "one step");
}

#[test]
fn a_recipe_of_another_slot_gets_a_name_and_a_budgets_tolerance_goes_with_the_old_recipe() {
    let (mut workspace, ids) = workspace(4, 30, 2);
    let keys = ids.iter().map(|id| workspace.library().clip_key(*id).unwrap());
    let own = keys.map(|key| (key, 0.0007)).collect();
    workspace.edit("Budget", |document| drop(document.tolerances.insert("A".into(), own)));
    workspace.give(&ids[1..], &RecipePlace::Slot(1));
    let title = workspace.document().recipes[1].title();
    assert_eq!(workspace.place_in(0, ids[1]), named(&title));
    assert_eq!(workspace.document().named[&title], workspace.document().recipes[1]);
    assert_eq!((workspace.own_tolerance(ids[0], 0), workspace.own_tolerance(ids[1], 0)), (Some(0.0007), None));
    // The same recipe again gets the same name. Another recipe with that title gets a number.
    workspace.give(&ids[1..], &RecipePlace::Slot(0));
    workspace.give(&ids[1..], &RecipePlace::Slot(1));
    assert_eq!(workspace.document().named.len(), 1);
    workspace.edit("Shell", |document| document.recipes[1].shell_m = 0.2);
    workspace.give(&ids[1..], &RecipePlace::Slot(1));
    assert_eq!(workspace.place_in(0, ids[1]), named(&format!("{title} (2)")));
}

#[test]
fn what_was_approved_with_a_named_recipe_or_a_tolerance_of_its_own_is_signed_off() {
    let (mut workspace, ids) = workspace(4, 30, 2);
    let keys: Vec<_> = ids.iter().map(|id| workspace.library().clip_key(*id).unwrap()).collect();
    workspace.edit("Recipes", |document| {
        document.named.insert("loose".into(), loose());
        document.assign_pattern(0, "clip0", "loose");
        document.tolerances.entry("A".into()).or_default().insert(keys[1].clone(), 0.0007);
    });
    settle(&mut workspace);
    assert_eq!(workspace.decide(&ids, DecisionKind::Ignored, &by()), 2);
    assert_eq!(workspace.decide(&ids, DecisionKind::Approved, &by()), 2);
    // The workspace's file, written to a disk.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chain.bvh");
    std::fs::write(&path, b"chain").unwrap();
    let digest = workspace.library().sources()[0].digest.to_string();
    let source = ProjectSource { path, digest, import: Default::default() };
    let mut project = Project { sources: vec![source], document: workspace.document().clone() };
    let held = |project: &Project| {
        SignOff::all(project, folder.path()).into_iter().map(|one| one.is_signed_off()).collect::<Vec<_>>()
    };
    assert_eq!(held(&project), [true, true]);
    project.document.named.get_mut("loose").unwrap().tolerance_m = 0.003;
    assert_eq!(held(&project), [false, true]);
    project.document.tolerances.clear();
    assert_eq!(held(&project), [false, false]);
    assert_eq!(Document::from_toml(&project.document.to_toml()).unwrap(), project.document);
}
