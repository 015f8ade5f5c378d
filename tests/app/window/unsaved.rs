//! A project with unsaved changes is not closed without a question.

use super::*;
use egui::{Key, Modifiers, ViewportCommand, ViewportEvent, ViewportId};

const NONE: Modifiers = Modifiers::NONE;
const CTRL: Modifiers = Modifiers::COMMAND;

/// A window with an open project that was just saved.
fn with_project(folder: &std::path::Path, picker: &TestPicker) -> (Window, PathBuf) {
    let file = folder.join("hero.glb");
    std::fs::copy(sample(), &file).unwrap();
    let project = folder.join("team.posepress.toml");
    let mut window = open_window([1280.0, 800.0], vec![file], picker.clone());
    settle(&mut window);
    *picker.save.lock().unwrap() = Some(project.clone());
    press(&mut window, CTRL, Key::S);
    until(&mut window, "the project is saved", |window| window.state().view().project.is_some());
    (window, project)
}

/// Presses the window's close button. Returns true if the window closes.
fn close(window: &mut Window) -> bool {
    window.input_mut().viewports.entry(ViewportId::ROOT).or_default().events.push(ViewportEvent::Close);
    window.step();
    let is_kept = commands(window).any(|command| matches!(command, ViewportCommand::CancelClose));
    window.run_steps(2);
    !is_kept
}

fn commands(window: &Window) -> impl Iterator<Item = &ViewportCommand> {
    window.output().viewport_output.values().flat_map(|output| &output.commands)
}

fn wait_for_close(window: &mut Window) {
    let step = || {
        window.step();
        commands(window).cloned().collect()
    };
    let closes = |commands: &Vec<ViewportCommand>| commands.contains(&ViewportCommand::Close);
    crate::until::until("the window closes", step, closes);
}

fn name(window: &Window) -> String {
    window.state().view().window_named.clone().unwrap_or_default()
}

#[test]
fn closing_asks_only_when_the_file_of_a_project_lacks_something() {
    let folder = tempfile::tempdir().unwrap();
    let picker = TestPicker::default();
    let mut window = started([1280.0, 800.0]);
    press(&mut window, NONE, Key::X);
    press(&mut window, NONE, Key::Enter);
    assert!(close(&mut window), "without a project everything is kept");
    drop(window);
    let (mut window, project) = with_project(folder.path(), &picker);
    assert_eq!(name(&window), "team.posepress.toml");
    assert!(close(&mut window), "nothing was changed");
    press(&mut window, CTRL.plus(Modifiers::SHIFT), Key::A);
    assert_eq!(name(&window), "\u{2022} team.posepress.toml");
    press(&mut window, CTRL, Key::Z);
    assert_eq!(name(&window), "team.posepress.toml", "undone is as saved");
    press(&mut window, CTRL.plus(Modifiers::SHIFT), Key::A);
    let before = std::fs::read_to_string(&project).unwrap();
    assert!(!close(&mut window));
    assert!(window.query_by_label("Save").is_some());
    compare(&mut window, "unsaved", Region::Around(&["Save the changes to ", "Unsaved changes ", "Cancel"]));
    window.get_by_label_contains("stay on this computer");
    // Keys do not reach the panels behind the question. Escape cancels it.
    press(&mut window, NONE, Key::F4);
    assert_eq!(window.state().view().settings.main_tab, posepress_app::MainTab::Clip);
    press(&mut window, NONE, Key::Escape);
    assert!(window.query_by_label("Do not save").is_none());
    assert_eq!(std::fs::read_to_string(&project).unwrap(), before);
    // Enter saves, and then the window closes.
    assert!(!close(&mut window));
    window.key_press_modifiers(NONE, Key::Enter);
    wait_for_close(&mut window);
    let saved = std::fs::read_to_string(&project).unwrap();
    assert!(saved != before && saved.contains("approved"));
    assert!(close(&mut window), "it was answered");
    // Without saving the window closes too, and the file stays unchanged.
    press(&mut window, CTRL, Key::Z);
    close(&mut window);
    window.get_by_label("Do not save").click();
    wait_for_close(&mut window);
    assert_eq!(std::fs::read_to_string(&project).unwrap(), saved);
}

#[test]
fn what_cannot_be_saved_keeps_the_window_open() {
    let folder = tempfile::tempdir().unwrap();
    let (mut window, project) = with_project(folder.path(), &TestPicker::default());
    press(&mut window, CTRL.plus(Modifiers::SHIFT), Key::A);
    std::fs::remove_file(&project).unwrap();
    std::fs::create_dir(&project).unwrap();
    assert!(!close(&mut window));
    press(&mut window, NONE, Key::Enter);
    until(&mut window, "it is said", |window| !window.state().view().messages.problems.is_empty());
    assert_eq!(window.state().view().messages.problems[0].title, "The project was not saved");
    assert!(!close(&mut window), "it still lacks something");
}

#[test]
fn another_project_asks_first_and_is_found_again_among_the_recent_ones() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let picker = TestPicker::default();
    let (window, first) = with_project(one.path(), &picker);
    drop(window);
    let (mut window, second) = with_project(two.path(), &picker);
    press(&mut window, CTRL.plus(Modifiers::SHIFT), Key::A);
    *picker.open.lock().unwrap() = vec![first.clone()];
    press(&mut window, CTRL, Key::O);
    until(&mut window, "it is asked", |window| window.state().view().unsaved.asked.is_some());
    assert_eq!(window.state().view().project.as_ref(), Some(&second));
    window.get_by_label("Save").click();
    window.run_steps(2);
    until(&mut window, "the first project is open", |window| window.state().view().project.as_ref() == Some(&first));
    assert!(std::fs::read_to_string(&second).unwrap().contains("approved"));
    assert_eq!(window.state().view().settings.recent_projects, [first, second]);
    assert_eq!(name(&window), "team.posepress.toml", "what was just opened is as saved");
    window.get_by_label("File").click();
    window.run_steps(2);
    assert!(window.query_by_label_contains("Recent projects").is_some());
}
