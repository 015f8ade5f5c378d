//! Tours: they run to their end on the bundled character, end at once by a person's command, and change nothing.

use super::*;
use egui::{Key, Modifiers};
use posepress_app::MainTab;
use posepress_core::project::StateFile;
use std::cell::Cell;

fn is_touring(window: &Window) -> bool {
    window.state().view().touring.is_some()
}

/// Starts a tour and waits until its last step has begun.
fn until_its_last_step(window: &mut Window, tour: &str, steps: usize, look: impl Fn(&Window)) {
    press(window, Modifiers::COMMAND, Key::P);
    window.event(egui::Event::Text(tour.into()));
    window.run_steps(3);
    window.key_press(Key::Enter);
    window.run_steps(3);
    assert!(is_touring(window));
    let begun = |window: &Window| {
        look(window);
        window.state().view().touring.as_ref().is_none_or(|touring| touring.begun == steps)
    };
    step_until(window, "the last step of the tour", begun);
    assert!(is_touring(window), "a tour ends after its last step");
}

#[test]
fn the_tour_of_a_sliding_foot_shows_it_and_the_recipe_that_holds_it_and_changes_nothing() {
    let mut window = started([1280.0, 800.0]);
    press(&mut window, Modifiers::COMMAND, Key::L);
    let undo = |window: &Window| window.state().workspace().history().undo_label().map(str::to_owned);
    let own_step = undo(&window);
    assert!(own_step.is_some(), "a step of a person before the tour");
    let (before, settings) = (window.state().workspace().document().clone(), window.state().view().settings.clone());
    let went_to_contact = Cell::new(false);
    until_its_last_step(&mut window, "Tour: A sliding", 4, |window| {
        let slide = window.state().view().touring.as_ref().is_some_and(|touring| touring.begun == 2);
        went_to_contact.set(went_to_contact.get() || slide && window.state().view().transport.time_secs > 0.0);
    });
    assert!(went_to_contact.get());
    assert_eq!((window.state().workspace().active_slot(), window.state().view().settings.mode), (1, ViewMode::Wipe));
    let words = window
        .query_all_by_role(Role::Label)
        .filter_map(|node| node.accesskit_node().value())
        .any(|words| words.starts_with("Both sides in one picture"));
    assert!(words, "the sentence of the step is shown");
    step_until(&mut window, "the end of the tour", |window| !is_touring(window));
    let state = window.state();
    assert_eq!((state.workspace().document(), state.workspace().active_slot()), (&before, 0));
    assert_eq!((&state.view().settings, undo(&window)), (&settings, own_step));
    assert!(state.view().messages.status.starts_with("The tour has ended"));
}

#[test]
fn the_tour_of_decisions_makes_three_and_escape_takes_them_back_and_keeps_the_selection() {
    let mut window = started([1280.0, 800.0]);
    let most = Cell::new(0);
    until_its_last_step(&mut window, "Tour: Review by", 5, |window| {
        most.set(most.get().max(window.state().workspace().document().decisions.len()));
    });
    most.set(most.get().max(window.state().workspace().document().decisions.len()));
    assert_eq!((most.get(), window.state().view().settings.author.as_str()), (3, "Tour"));
    press(&mut window, Modifiers::NONE, Key::Escape);
    let state = window.state();
    assert!(!is_touring(&window) && state.workspace().document().decisions.is_empty());
    assert_eq!((state.view().settings.author.as_str(), state.view().settings.main_tab), ("Ann", MainTab::Clip));
    assert!(state.view().selection.joint.is_some(), "Escape ended the tour and nothing else");
}

#[test]
fn a_window_that_ends_during_a_tour_has_saved_nothing_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open_window_of([1280.0, 800.0], vec![], TestPicker::default(), Some(folder.path().to_path_buf()));
    settle(&mut window);
    until_its_last_step(&mut window, "Tour: Review by", 5, |_| ());
    assert!(!window.state().workspace().document().decisions.is_empty());
    drop(window);
    let number = || StateFile::claim(folder.path()).unwrap().0.number();
    crate::until::until("the window leaves its file", number, |number| *number == 1);
    let saved = std::fs::read_to_string(folder.path().join("window-1.toml")).unwrap();
    assert!(saved.contains("recipes") && !saved.contains("decisions") && !saved.contains("\"Tour\""), "{saved}");
}

#[test]
fn the_tour_of_a_budget_fits_the_clips_and_a_command_of_a_person_ends_it() {
    let mut window = started([1280.0, 800.0]);
    until_its_last_step(&mut window, "Tour: A budget", 4, |_| ());
    assert!(window.state().workspace().own_tolerances(1) > 0, "the clips have tolerances of their own");
    window.key_press(Key::Num5);
    window.run_steps(2);
    assert!(is_touring(&window), "pictures may be changed");
    press(&mut window, Modifiers::NONE, Key::Home);
    assert!(!is_touring(&window), "a person moves the playhead");
    assert_eq!(window.state().workspace().own_tolerances(1), 0);
}

#[test]
fn a_tour_needs_the_bundled_character_alone() {
    let mut window = open_window([1280.0, 800.0], vec![sample()], TestPicker::default());
    settle(&mut window);
    press(&mut window, Modifiers::COMMAND, Key::P);
    window.event(egui::Event::Text("Tour: A sliding".into()));
    window.run_steps(3);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(window.state().view().sheets.palette.is_some(), "the command cannot run");
    assert!(!is_touring(&window));
}

#[test]
fn the_start_page_leads_to_a_tour() {
    let mut window = started([1280.0, 800.0]);
    window.key_press_modifiers(Modifiers::COMMAND, Key::W);
    window.run_steps(6);
    window.get_by_label("A sliding foot").click_accesskit();
    window.run_steps(3);
    assert!(is_touring(&window));
    step_until(&mut window, "the walk plays", |window| window.state().view().transport.playing);
    window.get_by_label("Stop the tour").click();
    window.run_steps(3);
    assert!(!is_touring(&window));
}
