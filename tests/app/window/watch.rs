//! Files that change on the disk while they are open.

use super::fields::type_into;
use super::opening::take;
use super::*;
use egui::{Key, Modifiers};
use posepress_core::project::{DecisionKind, ReviewState};
use std::time::Instant;

const NONE: Modifiers = Modifiers::NONE;
const EVERY: Duration = Duration::from_millis(60);

fn watching(path: &std::path::Path) -> Window {
    watching_with(path, TestPicker::default())
}

fn watching_with(path: &std::path::Path, picker: TestPicker) -> Window {
    let files = vec![path.to_path_buf()];
    let mut window =
        Harness::builder().with_size(egui::vec2(1600., 900.)).with_max_steps(16).wgpu().build_eframe(|cc| {
            let picker = Box::new(picker);
            App::new(
                cc,
                Options {
                    files,
                    picker,
                    state_folder: None,
                    timings: false,
                    watch_every: EVERY,
                    author: Some("Ann".into()),
                    ..Options::default()
                },
            )
        });
    settle(&mut window);
    window
}

fn hips_x_m(window: &Window) -> f32 {
    let clip = &window.state().workspace().library().sources()[0].clips[0];
    clip.at(0, 1).translation.x
}

#[test]
fn a_file_that_changes_is_read_again_and_all_that_was_said_of_it_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("walk.bvh");
    std::fs::write(&path, take("Hips", 0.0)).unwrap();
    let mut window = watching(&path);
    press(&mut window, NONE, Key::M);
    window.event(egui::Event::Text("too stiff".into()));
    window.run_steps(2);
    press(&mut window, NONE, Key::Enter);
    press(&mut window, NONE, Key::End);
    let selected = window.state().workspace().selected().unwrap();
    let time_secs = window.state().view().transport.time_secs;
    // The camera follows the figure, which is now at another place.
    let camera = |window: &Window| {
        let main = &window.state().view().cameras.main;
        [main.yaw_rad, main.pitch_rad, main.distance_m]
    };
    let from = camera(&window);
    let recipe = window.state().workspace().active_recipe().clone();
    let before_x_m = hips_x_m(&window);

    std::fs::write(&path, take("Hips", 50.0)).unwrap();
    until(&mut window, "the file is read again", |window| hips_x_m(window) != before_x_m);
    settle(&mut window);
    let state = window.state();
    let workspace = state.workspace();
    assert_eq!(hips_x_m(&window), before_x_m + 50.0, "metres, as the file was read before");
    assert_eq!(workspace.library().sources().len(), 1);
    assert_eq!(workspace.selected(), Some(selected));
    assert!(workspace.is_fresh(selected, workspace.active_slot()), "it was compressed again");
    assert_eq!(workspace.notes(selected)[0].text, "too stiff");
    assert_eq!(**workspace.active_recipe(), *recipe);
    assert!(time_secs > 0.0 && state.view().transport.time_secs == time_secs);
    assert_eq!(camera(&window), from);
    assert!(state.view().messages.status.contains("walk.bvh changed on disk"), "{}", state.view().messages.status);

    // A file that cannot be read is reported, and the open clips stay.
    std::fs::write(&path, "HIERARCHY\nROOT").unwrap();
    until(&mut window, "it is said", |window| !window.state().view().messages.problems.is_empty());
    assert_eq!(hips_x_m(&window), before_x_m + 50.0);
    assert!(window.state().view().messages.problems[0].title.contains("walk.bvh"));
}

#[test]
fn a_file_that_has_other_joints_now_shows_nothing_of_the_old_ones() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("walk.bvh");
    std::fs::write(&path, take("Hips", 0.0)).unwrap();
    let mut window = watching(&path);
    let joints = |window: &Window| window.state().workspace().library().sources()[0].rig.skeleton.len();
    let before = joints(&window);
    // The state before a change is drawn under the curves, too.
    type_into(&mut window, "Tolerance", "3", (NONE, Key::Enter));
    settle(&mut window);
    assert!(window.state().view().ghost.before().is_some());
    let tail = "JOINT Tail\n{\nOFFSET 0 1 0\nCHANNELS 0\nEnd Site\n{\nOFFSET 0 10 0\n}\n}\nJOINT RightLeg\n";
    std::fs::write(&path, take("Hips", 0.0).replace("JOINT RightLeg\n", tail)).unwrap();
    until(&mut window, "the file is read again", |window| joints(window) != before);
    settle(&mut window);
    let workspace = window.state().workspace();
    assert_eq!(joints(&window), before + 1);
    assert_eq!(workspace.shown().unwrap().source.clip.joints(), before + 1);
    assert!(window.state().view().ghost.before().is_none(), "of other joints");
}

#[test]
fn a_decision_about_an_older_file_holds_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("walk.bvh");
    std::fs::write(&path, take("Hips", 0.0)).unwrap();
    let mut window = watching(&path);
    let state_of = |window: &Window| {
        let workspace = window.state().workspace();
        workspace.review_state(workspace.selected().unwrap())
    };
    press(&mut window, NONE, Key::X);
    press(&mut window, NONE, Key::Enter);
    assert_eq!(state_of(&window), ReviewState::Decided(DecisionKind::Rejected));
    let before_x_m = hips_x_m(&window);
    std::fs::write(&path, take("Hips", 50.0)).unwrap();
    until(&mut window, "the file is read again", |window| hips_x_m(window) != before_x_m);
    assert_eq!(state_of(&window), ReviewState::Changed(DecisionKind::Rejected));
}

#[test]
fn nothing_is_read_again_where_nobody_wants_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("walk.bvh");
    std::fs::write(&path, take("Hips", 0.0)).unwrap();
    let mut window = watching(&path);
    window.get_by_label("File").click();
    window.run_steps(3);
    window.get_by_label_contains("Watch files").click();
    window.run_steps(3);
    assert!(!window.state().view().settings.watch);
    let before_x_m = hips_x_m(&window);
    std::fs::write(&path, take("Hips", 50.0)).unwrap();
    let written = Instant::now();
    until(&mut window, "the file would have been read", |_| written.elapsed() > 8 * EVERY);
    settle(&mut window);
    assert_eq!(hips_x_m(&window), before_x_m);
}

#[test]
fn another_tools_file_is_read_again_too() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["walk.bvh", "theirs.bvh"].map(|name| folder.path().join(name));
    paths.iter().for_each(|path| std::fs::write(path, take("Hips", 0.0)).unwrap());
    let picker = TestPicker::default();
    let mut window = watching_with(&paths[0], picker.clone());
    *picker.open.lock().unwrap() = vec![paths[1].clone()];
    press(&mut window, Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::C);
    settle(&mut window);
    let error_mm = |window: &Window| {
        let shown = window.state().workspace().shown().unwrap();
        assert!(shown.report.external.is_some());
        shown.report.error.max_mm
    };
    assert!(error_mm(&window) < 1e-3);
    std::fs::write(&paths[1], take("Hips", 2.0)).unwrap();
    until(&mut window, "the other file is read again", |window| error_mm(window) > 1.0);
    settle(&mut window);
    assert!(window.state().view().messages.status.contains("The external file changed"));
    // A file that cannot be read any more is reported, and its old clips stay.
    let before = error_mm(&window);
    std::fs::write(&paths[1], "HIERARCHY").unwrap();
    until(&mut window, "it is said", |window| !window.state().view().messages.problems.is_empty());
    settle(&mut window);
    assert_eq!(error_mm(&window), before);
}
