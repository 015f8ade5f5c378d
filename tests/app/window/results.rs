//! Results that are kept on disk.

use super::*;
use posepress_app::ResultsFolder;
use posepress_core::store::Store;
use std::path::Path;

fn keeping(folder: &Path, is_own: bool) -> Window {
    let results_folder = Some(ResultsFolder { path: folder.into(), is_own });
    let picker = Box::new(TestPicker::default());
    let options = Options { picker, results_folder, state_folder: None, timings: false, ..Options::default() };
    let mut window = open_with([1280.0, 800.0], options);
    settle(&mut window);
    window
}

/// Number of clips of slot A, and how many of them were compressed here.
fn clips(window: &Window) -> (usize, usize) {
    let workspace = window.state().workspace();
    let answers = workspace.library().clip_ids().map(|clip| workspace.answer(clip, 0).unwrap());
    let made: Vec<bool> = answers.map(|answer| answer.report.as_ref().unwrap().encode_ms.is_some()).collect();
    (made.len(), made.iter().filter(|made| **made).count())
}

fn kept(folder: &Path) -> usize {
    Store::open_existing(folder).and_then(|store| store.entries()).map_or(0, |entries| entries.len())
}

#[test]
fn another_window_finds_the_results_until_they_are_removed() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("caches/posepress/store");
    let first = keeping(&folder, true);
    let (count, made) = clips(&first);
    assert!(count > 5 && made == count, "{made} of {count}");
    crate::until::until("all clips are kept", || kept(&folder), |kept| *kept >= count);
    drop(first);
    let mut second = keeping(&folder, true);
    assert_eq!(clips(&second), (count, 0), "each was found");
    run_action(&mut second, "Remove kept results");
    let says = |window: &Window| window.state().view().messages.status.contains("kept results removed");
    step_until(&mut second, "the removal is said", says);
    assert_eq!(kept(&folder), 0);
    run_action(&mut second, "Keep results");
    assert_eq!(second.state().view().messages.status, "Results are no longer kept on disk");
    drop(second);
    assert_eq!(clips(&keeping(&folder, true)), (count, count));
}

#[test]
fn a_shared_store_is_not_emptied_from_a_window() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("store");
    let mut window = keeping(&folder, false);
    let (count, _) = clips(&window);
    crate::until::until("all clips are kept", || kept(&folder), |kept| *kept >= count);
    press(&mut window, egui::Modifiers::COMMAND, egui::Key::P);
    window.event(egui::Event::Text("Remove kept results".into()));
    window.run_steps(3);
    press(&mut window, egui::Modifiers::NONE, egui::Key::Enter);
    assert!(window.state().view().sheets.palette.is_some(), "the command cannot run");
    assert!(kept(&folder) >= count);
}

#[test]
fn a_folder_that_cannot_be_used_is_said_and_the_window_works() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("taken"), "another program's file").unwrap();
    let window = keeping(home.path(), false);
    let problems = &window.state().view().messages.problems;
    assert_eq!(problems[0].title, "Results are not kept on disk");
    assert!(problems[0].detail.contains("the folder has files, but is no store"), "{}", problems[0].detail);
    let (count, made) = clips(&window);
    assert_eq!(made, count);
}

#[test]
fn a_store_that_vanishes_is_said_once_and_used_again_on_request() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("store");
    let mut window = keeping(&folder, false);
    let (count, _) = clips(&window);
    crate::until::until("all clips are kept", || kept(&folder), |kept| *kept >= count);
    std::fs::rename(&folder, home.path().join("away")).unwrap();
    let looping = egui::Modifiers::COMMAND;
    let not_looping = egui::Modifiers::COMMAND.plus(egui::Modifiers::SHIFT);
    press(&mut window, looping, egui::Key::L);
    step_until(&mut window, "the fault is said", |window| !window.state().view().messages.problems.is_empty());
    let problem = window.state().view().messages.problems[0].clone();
    assert_eq!(problem.title, "Results are not kept on disk");
    assert!(problem.detail.contains("store"), "{}", problem.detail);
    assert!(window.state().workspace().results().store().is_none());
    press(&mut window, not_looping, egui::Key::L);
    assert_eq!(window.state().view().messages.problems.len(), 1, "it is not said again");
    std::fs::rename(home.path().join("away"), &folder).unwrap();
    window.get_by_label("Try again").click();
    window.run_steps(3);
    assert!(window.state().view().messages.problems.is_empty(), "it is closed");
    assert!(window.state().view().messages.status.starts_with("Results are kept in"));
    let before = kept(&folder);
    press(&mut window, looping, egui::Key::L);
    step_until(&mut window, "results are kept again", |_| kept(&folder) > before);
}
