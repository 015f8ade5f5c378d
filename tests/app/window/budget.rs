//! The budget: results of recipes, picking one of them, and fitting clips into a number of bytes.

use super::*;
use egui::{Key, Modifiers};
use egui_kittest::kittest::NodeT;
use posepress_core::export::ExportRecipes;
use posepress_core::metrics::Verdict;
use posepress_core::pipeline::FileSize;
use posepress_core::study::{ClipFigures, StudyLimit};
use posepress_core::workspace::{ClipSlot, StudyScope};

const NONE: Modifiers = Modifiers::NONE;

/// Bytes of a container with only the selected clip.
fn bytes_now(window: &Window) -> usize {
    let workspace = window.state().workspace();
    let answer = workspace.answer(workspace.selected().unwrap(), workspace.active_slot()).unwrap();
    let (rig, _) = workspace.library().clip(workspace.selected().unwrap()).unwrap();
    let part = answer.report.as_ref().unwrap().file_part(0, &rig.float_names, ExportRecipes::Kept);
    FileSize::of(part.as_slice()).bytes
}

#[test]
fn recipes_are_compared_on_a_clip_one_is_taken_and_the_clip_is_fitted() {
    let mut window = started([1280.0, 800.0]);
    press(&mut window, NONE, Key::F4);
    compare(
        &mut window,
        "budget-empty",
        Region::Around(&["Size against error", "Compare recipes", "Compare recipes on all clips"]),
    );
    window.get_by_label("This clip").click();
    window.run_steps(2);
    assert_eq!(window.state().view().budget.scope, StudyScope::Clip);
    window.get_by_label("Compare recipes").click();
    window.run_steps(2);
    settle(&mut window);
    let points = window.state().workspace().study_points().to_vec();
    assert!(points.len() >= 20 && window.state().workspace().study_left() == 0, "{}", points.len());
    // Found in a row of the table, picked, and put into the active slot.
    window.get_by_label("Slide").click();
    window.run_steps(2);
    let row = |title: String| format!("Point {title}");
    let is_seen = |title| window.query_by_role_and_label(Role::ListBoxOption, &row(title)).is_some();
    let press_it = points.iter().find(|point| point.of.recipe.codec.name() == "press" && is_seen(point.of.title()));
    let press_it = press_it.expect("one of them slides little enough to stand in sight");
    let row = row(press_it.of.title());
    window.get_by_role_and_label(Role::ListBoxOption, &row).click_accesskit();
    window.run_steps(2);
    assert_eq!(window.state().view().budget.chosen.as_ref(), Some(&press_it.of.recipe));
    compare(
        &mut window,
        "budget",
        Region::Around(&["Size against error", "Compare recipes", "Point per-track 10.0 mm"]),
    );
    limits_choose_the_best(&mut window);
    window.get_by_label("Put into recipe A").click_accesskit();
    window.run_steps(2);
    settle(&mut window);
    assert_eq!(window.state().workspace().active_recipe(), &press_it.of.recipe);
    assert_eq!(bytes_now(&window), press_it.totals.file_size().bytes, "what was promised is what it takes");
    // Less than the current size. More than a third of the file is not the clip.
    let limit_kb = (press_it.totals.file_size().bytes as f64 * 0.92 / 1024.0 * 10.0).floor() / 10.0;
    window.get_by_role_and_label(Role::SpinButton, "Budget").click();
    window.run_steps(2);
    window.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.event(egui::Event::Text(format!("{limit_kb} KB")));
    window.run_steps(2);
    press(&mut window, NONE, Key::Enter);
    window.get_by_label("Fit this clip").click();
    window.run_steps(2);
    settle(&mut window);
    let fitted = bytes_now(&window);
    assert!(
        fitted as f64 <= limit_kb * 1024.0 && fitted as f64 > 0.85 * limit_kb * 1024.0,
        "{fitted} in {limit_kb} KB"
    );
    press(&mut window, NONE, Key::F2);
    let others = window.state().workspace().library().clip_ids().count() - 1;
    window.get_by_value(&format!("1 clip has its own tolerance; {others} more use the recipe's."));
    compare(&mut window, "own-tolerance", Region::Around(&["Section Codec", "Section Compensation"]));
    own_tolerance_is_dragged(&mut window);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    assert_eq!(bytes_now(&window), press_it.totals.file_size().bytes);
}

/// The slider moves the clip's own tolerance, Escape during a drag takes it back, and the reset restores the recipe's.
fn own_tolerance_is_dragged(window: &mut Window) {
    let recipe = window.state().workspace().active_recipe().clone();
    let own = |window: &Window| {
        let workspace = window.state().workspace();
        workspace.own_tolerance(workspace.selected().unwrap(), workspace.active_slot())
    };
    let before = own(window);
    drag_tolerance(window, 0.9, false);
    let dragged = own(window);
    assert!(dragged.is_some() && dragged != before, "{before:?} {dragged:?}");
    drag_tolerance(window, 0.2, true);
    assert_eq!(own(window), dragged, "a cancelled drag");
    press(window, Modifiers::COMMAND, Key::Z);
    assert_eq!(own(window), before, "and it is no step to undo");
    window.get_by_label("Tolerance of this clip back to default").click();
    window.run_steps(2);
    assert_eq!(own(window), None);
    press(window, Modifiers::COMMAND, Key::Z);
    assert_eq!((own(window), window.state().workspace().active_recipe()), (before, &recipe));
}

/// Drags the slider of the tolerance to a share of its length.
fn drag_tolerance(window: &mut Window, to: f32, ends_with_escape: bool) {
    let rect = window.get_by_label("Tolerance, millimetres").rect();
    let at = |share: f32| egui::pos2(rect.left() + rect.width() * share, rect.center().y);
    window.hover_at(at(0.5));
    window.drag_at(at(0.5));
    window.run_steps(1);
    window.hover_at(at(to));
    window.run_steps(2);
    if ends_with_escape {
        press(window, NONE, Key::Escape);
    }
    window.drop_at(at(to));
    window.run_steps(2);
    settle(window);
}

/// A slide limit leaves only the best of the recipes within it. All of it can be undone.
fn limits_choose_the_best(window: &mut Window) {
    let before = window.state().workspace().active_recipe().clone();
    let chosen = window.state().view().budget.chosen.clone();
    super::fields::type_into(window, "Worst slide", "4 mm", (NONE, Key::Enter));
    let limits = window.state().view().budget.limits;
    assert_eq!((limits.count(), limits.row(StudyLimit::Slide)), (1, (true, 0.004)), "a number that is typed counts");
    let points = window.state().workspace().study_points().to_vec();
    let fitting: Vec<_> = points.iter().filter(|point| limits.fits(point)).collect();
    assert!(!fitting.is_empty() && fitting.iter().all(|point| StudyLimit::Slide.figure(point) <= Some(0.004)));
    window.get_by_value(&format!("{} of {} recipes fit every limit.", fitting.len(), points.len()));
    compare(window, "budget-limits", Region::Around(&["Section Limits", "Section Picked"]));
    window.get_by_label("Put the best into recipe A").click_accesskit();
    window.run_steps(2);
    settle(window);
    let best = fitting.into_iter().min_by_key(|point| point.totals.bytes).unwrap();
    assert_eq!(window.state().workspace().active_recipe(), &best.of.recipe);
    press(window, Modifiers::COMMAND, Key::Z);
    settle(window);
    assert_eq!(window.state().workspace().active_recipe(), &before);
    // Limit off: the earlier choice is picked again, out of all recipes.
    window.get_by_role_and_label(Role::CheckBox, "Worst slide").click_accesskit();
    window.run_steps(2);
    assert_eq!(window.state().view().budget.limits.count(), 0);
    let title = points.iter().find(|point| Some(&point.of.recipe) == chosen.as_ref()).unwrap().of.title();
    window.get_by_role_and_label(Role::ListBoxOption, &format!("Point {title}")).click_accesskit();
    window.run_steps(2);
}

#[test]
fn a_budget_that_nothing_fits_into_says_what_it_takes() {
    let mut window = started([1280.0, 800.0]);
    press(&mut window, NONE, Key::F4);
    window.get_by_label("This clip").click();
    window.run_steps(2);
    window.get_by_role_and_label(Role::SpinButton, "Budget").click();
    window.run_steps(2);
    window.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.event(egui::Event::Text("0,2".into()));
    window.run_steps(2);
    press(&mut window, NONE, Key::Enter);
    window.get_by_label("Fit this clip").click();
    window.run_steps(2);
    settle(&mut window);
    let problems = &window.state().view().messages.problems;
    assert!(problems.iter().any(|problem| problem.title == "The clips do not fit"), "{problems:?}");
    assert!(window.state().workspace().document().tolerances.is_empty());
}

/// The name of a clip's recipe in slot A. The clip is given by its index in the list.
fn has(window: &Window, clip: usize) -> Option<String> {
    let workspace = window.state().workspace();
    let clip = workspace.library().clip_ids().nth(clip).unwrap();
    workspace.given_name(ClipSlot { clip, slot: 0 }).map(str::to_owned)
}

/// Clicks a clip's name, left of its results.
fn click_name(window: &mut Window, clip: &str, modifiers: Modifiers) {
    let row = window.get_by_role_and_label(Role::ListBoxOption, clip).rect();
    let pos = row.left_center() + egui::vec2(30.0, 0.0);
    window.hover_at(pos);
    window.run_steps(2);
    for pressed in [true, false] {
        let button = egui::PointerButton::Primary;
        window.event_modifiers(egui::Event::PointerButton { pos, button, pressed, modifiers }, modifiers);
    }
    window.run_steps(2);
}

#[test]
fn clips_get_recipes_from_the_table_by_name_and_by_pattern() {
    let mut window = started([1280.0, 800.0]);
    press(&mut window, Modifiers::SHIFT, Key::F4);
    settle(&mut window);
    // A click on a cell gives its clip the recipe. A recipe of another slot gets a name first.
    window.get_by_role_and_label(Role::Button, "run with C").click();
    window.run_steps(2);
    settle(&mut window);
    let of_c = window.state().workspace().document().recipes[2].title();
    assert_eq!((has(&window, 2).as_deref(), has(&window, 0)), (Some(of_c.as_str()), None));
    // Several clips at once.
    for (clip, modifiers) in [("walk", NONE), ("idle", Modifiers::SHIFT)] {
        click_name(&mut window, clip, modifiers);
    }
    assert_eq!(window.state().view().selection.clips.len(), 4, "walk to idle");
    window.get_by_role_and_label(Role::Button, "idle with B").click();
    window.run_steps(2);
    settle(&mut window);
    let of_b = window.state().workspace().document().recipes[1].title();
    assert!((0..4).all(|clip| has(&window, clip).as_deref() == Some(of_b.as_str())));
    // By a pattern, whose clips are then tuned together.
    let field = window.get_all_by_label("Clips with this recipe").next().unwrap();
    field.click();
    window.run_steps(2);
    window.event(egui::Event::Text("t*".into()));
    window.run_steps(2);
    press(&mut window, NONE, Key::Enter);
    settle(&mut window);
    assert_eq!((has(&window, 4).as_deref(), has(&window, 8).as_deref()), (Some(of_b.as_str()), Some(of_b.as_str())));
    assert!(window.query_by_label("Remove pattern t*").is_some());
    compare(
        &mut window,
        "clips-and-recipes",
        Region::Around(&["Clips and recipes", "Section Named recipes", "pose_t"]),
    );
    let bytes = |id| window.state().workspace().answer(id, 0).unwrap().report.as_ref().unwrap().bytes as u64;
    let before: std::collections::BTreeMap<_, _> =
        window.state().workspace().library().clip_ids().map(|id| (id, bytes(id))).collect();
    let mut kept = 0;
    // The smallest recipe that passes, for each clip.
    window.get_by_label("Best per clip").click();
    window.run_steps(2);
    settle(&mut window);
    let workspace = window.state().workspace();
    let figures = |id| ClipFigures::of(workspace.answer(id, 0).unwrap().report.as_ref().unwrap());
    for id in workspace.library().clip_ids() {
        let places = workspace.table_places();
        let all: Vec<ClipFigures> = places.iter().map(|place| workspace.table_figures(place, id).unwrap()).collect();
        let passing = all.iter().filter(|of| of.verdict == Verdict::Good).map(|of| of.figures.bytes).min();
        // A clip without a passing recipe keeps its own.
        assert_eq!(figures(id).figures.bytes, passing.unwrap_or(before[&id]), "{id:?}");
        kept += usize::from(passing.is_none());
    }
    assert!(kept < 3, "most pass with one of them");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(has(&window, 8).as_deref(), Some(of_b.as_str()), "one step back");
}

#[test]
fn after_fitting_all_the_slot_and_the_heads_say_the_fitted_size() {
    let mut window = started([1920.0, 1080.0]);
    press(&mut window, Modifiers::COMMAND, Key::Num2);
    let before = window.state().workspace().totals(1).bytes;
    press(&mut window, NONE, Key::F4);
    let limit_kb = (before as f64 * 0.8 / 1024.0 * 10.0).floor() / 10.0;
    super::fields::type_into(&mut window, "Budget", &format!("{limit_kb} KB"), (NONE, Key::Enter));
    window.get_by_label("Fit all clips").click();
    window.run_steps(2);
    settle(&mut window);
    let workspace = window.state().workspace();
    let totals = workspace.totals(1);
    assert!(totals.is_complete() && totals.bytes < before, "{} of {before}", totals.bytes);
    assert_eq!(workspace.slot_title(1), "press, own tolerances");
    let messages = &window.state().view().messages;
    assert!(messages.warns() && messages.status.contains(" times its limit"), "a worse tolerance: {}", messages.status);
    window.get_by_label("Clips and recipes").click();
    window.run_steps(3);
    settle(&mut window);
    window.get_by_label("Recipe B  press, own tolerances");
    for words in ["smallest that passes", "has it now"] {
        window.get_by_label(words);
    }
    let figures = |workspace: &posepress_core::workspace::Workspace| {
        let place = posepress_core::project::RecipePlace::Slot(1);
        let clips = workspace.library().clip_ids().map(|clip| workspace.table_figures(&place, clip).unwrap());
        clips.map(|of| of.figures.bytes).sum::<u64>()
    };
    assert_eq!(figures(window.state().workspace()), totals.bytes as u64);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_ne!(window.state().workspace().slot_title(1), "press, own tolerances");
}

#[test]
fn a_budget_is_not_proposed_from_some_of_the_clips() {
    let mut window = open_window([1280.0, 800.0], vec![], TestPicker::default());
    window.run_steps(2);
    window.key_press(Key::F4);
    let step = || {
        window.step();
        window.query_by_label_contains("so far").is_some()
    };
    crate::until::until("some clips are compressed", step, |some| *some);
    let can_fit =
        |window: &Window| !window.get_by_role_and_label(Role::Button, "Fit all clips").accesskit_node().is_disabled();
    assert!(window.query_all_by_label_contains("of 10 clips").next().is_some() && !can_fit(&window));
    settle(&mut window);
    assert!(window.query_by_label_contains("10 clips, ").is_some() && can_fit(&window));
}
