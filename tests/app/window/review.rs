//! The information of a reviewer: the list of clips, the numbers of the verdict, suggestions, and a camera that follows.

use super::{TestPicker, Window, open_window, open_with, press, settle, started};
use crate::project::corpus;
use egui::{Key, Modifiers};
use egui_kittest::kittest::{NodeT, Queryable};
use posepress_app::Options;
use posepress_core::metrics::{Aspect, Verdict};
use posepress_core::project::DecisionKind;
use posepress_core::workspace::ClipSlot;

fn click(window: &mut Window, name: &str) {
    window.get_by_label(name).click();
    window.run_steps(3);
    settle(window);
}

/// Clips in the list, from top to bottom, by name.
fn listed(window: &Window) -> Vec<String> {
    let library = window.state().workspace().library();
    let names: Vec<String> = library.clip_ids().filter_map(|id| Some(library.clip(id)?.1.name().to_owned())).collect();
    let mut rows: Vec<(f32, String)> = window
        .query_all_by_role(egui::Role::ListBoxOption)
        .filter_map(|row| {
            let name = row.accesskit_node().label()?;
            names.contains(&name).then(|| (row.rect().top(), name))
        })
        .collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    rows.into_iter().map(|(_, name)| name).collect()
}

fn slides_mm(window: &Window, names: &[String]) -> Vec<Option<f64>> {
    let workspace = window.state().workspace();
    let id = |name: &String| {
        let is_it = |id: &_| workspace.library().clip(*id).is_some_and(|(_, clip)| clip.name() == name);
        workspace.library().clip_ids().find(is_it).expect("it is open")
    };
    let report = |name| workspace.answer(id(name), 0).unwrap().report.clone().unwrap();
    names.iter().map(|name| report(name).slide.worst_slide_mm).collect()
}

#[test]
fn a_click_on_a_head_brings_the_worst_to_the_top_and_is_remembered() {
    let mut window = started([1920.0, 1080.0]);
    let as_in_file = listed(&window);
    assert_eq!(as_in_file.len(), 10);
    click(&mut window, "Sort by slide");
    let by_slide = slides_mm(&window, &listed(&window));
    let known: Vec<f64> = by_slide.iter().copied().flatten().collect();
    assert!(known.is_sorted_by(|a, b| a >= b) && known.len() < by_slide.len(), "{by_slide:?}");
    assert!(by_slide[known.len()..].iter().all(Option::is_none), "what has no feet comes last");
    let sort = window.state().view().settings.clip_sort.clone().expect("it survives a restart");
    assert!(sort.column == "worst_slide_mm" && sort.descending);
    click(&mut window, "Sort by slide");
    click(&mut window, "Sort by slide");
    assert_eq!(listed(&window), as_in_file);
}

#[test]
fn failing_clips_are_shown_alone_and_reached_by_keys() {
    let mut window = started([1920.0, 1080.0]);
    let fails = |window: &Window| {
        let workspace = window.state().workspace();
        workspace.selected().and_then(|id| workspace.verdict(id, 0)) == Some(Verdict::Fail)
    };
    let failing = window.state().workspace().totals(0).failing;
    assert!((1..10).contains(&failing));
    click(&mut window, "Show clips failing");
    assert_eq!(listed(&window).len(), failing);
    click(&mut window, "Show clips failing");
    assert_eq!(listed(&window).len(), 10);
    let mut seen = Vec::new();
    for _ in 0..failing {
        press(&mut window, Modifiers::SHIFT, Key::ArrowDown);
        assert!(fails(&window));
        seen.push(window.state().workspace().selected());
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), failing, "each once, wrapping around at the end");
    press(&mut window, Modifiers::COMMAND, Key::Num2);
    press(&mut window, Modifiers::SHIFT, Key::ArrowDown);
    assert_eq!(window.state().view().messages.status, "No clip fails.");
}

#[test]
fn the_knights_sword_is_red_and_one_click_on_what_is_proposed_fixes_it() {
    let Some(knight) = corpus("kaykit/Knight.glb") else { return };
    let mut window = open_window([1280.0, 800.0], vec![knight], TestPicker::default());
    settle(&mut window);
    click(&mut window, "More");
    window.run_steps(20);
    click(&mut window, "Shell from mesh");
    let skin = |window: &Window| {
        let report = &window.state().workspace().shown().unwrap().outcome.report;
        report.judged().into_iter().find(|j| j.aspect == Aspect::Skin).unwrap().verdict
    };
    assert_eq!(skin(&window), Verdict::Fail, "with the shell alone");
    assert!(window.query_all_by_label_contains("skin ").next().is_some());
    let clips = window.state().workspace().library().clip_ids().count();
    for (choice, with) in [("This clip".to_owned(), 1), (format!("All {clips} clips"), clips)] {
        click(&mut window, "Apply Shell from mesh");
        click(&mut window, &choice);
        let workspace = window.state().workspace();
        let key = |clip| ClipSlot { clip, slot: 0 };
        let has = workspace.library().clip_ids().filter(|clip| workspace.recipe_for(key(*clip)).shell_from_mesh);
        assert_eq!(has.count(), with);
        assert!(workspace.active_recipe().shell_from_mesh && skin(&window) < Verdict::Fail);
        press(&mut window, Modifiers::COMMAND, Key::Z);
        settle(&mut window);
        assert_eq!(skin(&window), Verdict::Fail, "one step");
    }
    let report = &window.state().workspace().shown().unwrap().outcome.report;
    let worst = report.vertex.as_ref().unwrap().worst;
    press(&mut window, Modifiers::NONE, Key::W);
    let view = window.state().view();
    assert_eq!(view.selection.marked_vertex, Some((worst.mesh, worst.vertex)));
    assert!((view.transport.time_secs - worst.time_secs).abs() < 1e-4);
    let blame = window.state().workspace().blame().expect("the same moment is explained");
    assert!((blame.error_m - worst.error_m).abs() < 1e-5, "{} {}", blame.error_m, worst.error_m);
}

#[test]
fn a_walk_stays_in_the_picture_and_a_resized_picture_is_fitted_again() {
    let mut window = started([1920.0, 1080.0]);
    let walk = window.get_by_label("walk_root_motion");
    walk.click();
    window.run_steps(3);
    settle(&mut window);
    press(&mut window, Modifiers::NONE, Key::Home);
    let target = |window: &Window| window.state().view().cameras.main.target;
    let start = target(&window);
    press(&mut window, Modifiers::NONE, Key::End);
    window.run_steps(2);
    let way_m = (target(&window) - start).length();
    assert!(way_m > 1.0, "the camera goes along: {way_m} m");
    press(&mut window, Modifiers::SHIFT, Key::A);
    let still = target(&window);
    let far_m = window.state().view().cameras.main.distance_m;
    press(&mut window, Modifiers::NONE, Key::Home);
    window.run_steps(2);
    assert_eq!(target(&window), still, "the whole way is framed, and the camera stands");
    press(&mut window, Modifiers::NONE, Key::A);
    let near_m = window.state().view().cameras.main.distance_m;
    assert!(near_m < far_m);
    window.set_size(egui::vec2(1024.0, 700.0));
    window.run_steps(6);
    let narrow_m = window.state().view().cameras.main.distance_m;
    assert_ne!(narrow_m, near_m, "it is fitted to the smaller picture");
}

/// A decision needs a name and waits for it. The name can be changed later.
#[test]
fn the_first_decision_asks_who_decides() {
    let options = Options { picker: Box::<TestPicker>::default(), state_folder: None, ..Options::default() };
    let mut window = open_with([1920.0, 1080.0], options);
    settle(&mut window);
    click(&mut window, "Got it");
    press(&mut window, Modifiers::NONE, Key::F3);
    let decided = |window: &Window| -> Vec<String> {
        window.state().workspace().document().decisions.values().map(|decision| decision.author.clone()).collect()
    };
    let first = window.state().workspace().selected().expect("a clip is judged");
    press(&mut window, Modifiers::NONE, Key::X);
    window.event(egui::Event::Text("the feet slide".into()));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(decided(&window).is_empty() && window.query_by_label("Name").is_some());
    // Meanwhile no key runs a command, whichever part of the sheet has the focus. Escape cancels the question. The typed text stays.
    press(&mut window, Modifiers::NONE, Key::Tab);
    press(&mut window, Modifiers::NONE, Key::X);
    press(&mut window, Modifiers::NONE, Key::ArrowDown);
    assert!(window.state().view().review.reason.is_none() && window.state().workspace().selected() == Some(first));
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(decided(&window).is_empty() && window.query_by_label("Name").is_none());
    press(&mut window, Modifiers::NONE, Key::X);
    assert_eq!(window.state().view().review.reason.as_deref(), Some("the feet slide"));
    press(&mut window, Modifiers::NONE, Key::Enter);
    press(&mut window, Modifiers::COMMAND, Key::A);
    window.event(egui::Event::Text("Mira".into()));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(decided(&window), ["Mira"]);
    let decision = window.state().workspace().decision(first).expect("it was decided about the clip that was shown");
    assert_eq!((decision.kind, decision.note.as_str()), (DecisionKind::Rejected, "the feet slide"));
    assert_eq!(window.state().view().settings.author, "Mira", "it survives a restart");
    press(&mut window, Modifiers::NONE, Key::X);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(decided(&window), ["Mira", "Mira"], "it is asked once");
    click(&mut window, "By Mira");
    press(&mut window, Modifiers::COMMAND, Key::A);
    window.event(egui::Event::Text("Jo".into()));
    window.run_steps(2);
    click(&mut window, "Change");
    assert_eq!(window.state().view().settings.author, "Jo");
}
