//! Blind tests: by keyboard from start to result, with nothing in the window that shows which side is which.

use super::*;
use crate::recorded::recorded;
use egui::{Key, Modifiers};
use egui_kittest::kittest::NodeT;
use posepress_app::render::{RgbaImage, Side};
use posepress_core::project::{BlindTest, Letter, Project};
use std::collections::BTreeSet;

const NONE: Modifiers = Modifiers::NONE;
const CTRL: Modifiers = Modifiers::COMMAND;

/// Words of the window that belong to one side, or to its numbers.
const TELLING: [&str; 10] =
    ["original", "compressed", "reference", "recipe", "linear-keys", "press", "tolerance", "error", " mm", " KB"];

/// Presses a key without waiting for background work, so that the clock advances equally each time.
fn tap(window: &mut Window, key: Key) {
    window.key_press(key);
    window.run_steps(2);
}

/// Starts a blind test of 8 trials.
fn start(window: &mut Window) {
    window.key_press_modifiers(CTRL, Key::B);
    window.run_steps(3);
    tap(window, Key::Enter);
    assert_eq!(window.state().view().blind.as_ref().map(|testing| testing.length), Some(8));
}

fn side(window: &Window) -> Side {
    window.state().view().blind.as_ref().expect("a test runs").side()
}

/// The side of each picture of this trial, A first. X stays visible.
fn sides(window: &mut Window) -> [Side; 3] {
    [Key::A, Key::B, Key::X].map(|key| {
        tap(window, key);
        side(window)
    })
}

/// Answers the trial by keyboard, in both ways in turn.
fn answer(window: &mut Window, is_right: bool) {
    let [a, _, x] = sides(window);
    let number = window.state().view().blind.as_ref().unwrap().number();
    let [key_a, key_b] = if number % 2 == 0 { [Key::Num1, Key::Num2] } else { [Key::ArrowLeft, Key::ArrowRight] };
    tap(window, if (x == a) == is_right { key_a } else { key_b });
}

fn tests(window: &Window) -> Vec<BlindTest> {
    window.state().workspace().document().blind_tests.values().flatten().cloned().collect()
}

/// All text in the accessibility tree.
fn texts(window: &Window) -> BTreeSet<String> {
    let nodes = window.query_all(egui_kittest::kittest::by());
    nodes.flat_map(|node| [node.accesskit_node().label(), node.accesskit_node().value()]).flatten().collect()
}

#[test]
fn eight_trials_by_keyboard_give_a_result_that_stays_with_the_clip() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("team.posepress.toml");
    let hero = folder.path().join("hero.glb");
    std::fs::copy(sample(), &hero).unwrap();
    let picker = TestPicker::default();
    *picker.save.lock().unwrap() = Some(file.clone());
    let mut window = open_window([1920.0, 1080.0], vec![hero], picker);
    settle(&mut window);
    let (before, slot) = (window.state().view().transport, window.state().workspace().active_slot());
    start(&mut window);
    assert!(window.state().view().transport.playing, "the clip plays");
    tap(&mut window, Key::Num1);
    assert!(window.state().view().blind.as_ref().unwrap().answered.is_empty(), "no answer before a look at X");
    for key in [Key::Enter, Key::Num5, Key::R, Key::F3, Key::W, Key::S] {
        tap(&mut window, key);
    }
    for key in [Key::Num2, Key::Z, Key::A] {
        window.key_press_modifiers(CTRL, key);
        window.run_steps(2);
    }
    let workspace = window.state().workspace();
    assert!(workspace.active_slot() == slot && workspace.document().decisions.is_empty(), "other keys do nothing");
    for trial in 1..=8 {
        window.get_by_label(&format!("Trial {trial} of 8"));
        answer(&mut window, trial != 3);
    }
    window.get_by_label("7 of 8 right, p = 0.035");
    assert!(tests(&window).is_empty(), "nothing is kept without a question");
    press(&mut window, NONE, Key::Enter);
    let [test] = &tests(&window)[..] else { panic!("one test is kept") };
    assert_eq!((&*test.author, &*test.file, test.score().right, test.trials.len()), ("Ann", "hero.glb", 7, 8));
    assert!(!test.trials[2].is_right() && test.trials.iter().all(|trial| trial.secs > 0.0));
    assert_eq!(test.recipe, window.state().workspace().document().recipes[slot]);
    assert_eq!((window.state().view().transport, window.state().view().blind.is_none()), (before, true));
    assert!(window.state().view().messages.status.contains("7 of 8 (p = 0.035)"));
    // Beside the clip, in the report and in the review; with another recipe it is of an older one.
    let line = "Blind test: 7 of 8 (p = 0.035)";
    assert!(window.query_by_label(line).is_some());
    press(&mut window, NONE, Key::F3);
    assert!(window.query_by_label(line).is_some());
    press(&mut window, CTRL, Key::Num2);
    assert!(window.query_by_label("Blind test of an older recipe: 7 of 8 (p = 0.035)").is_some());
    press(&mut window, CTRL, Key::S);
    until(&mut window, "the project is saved", |window| window.state().view().project.is_some());
    let saved = Project::from_toml(&std::fs::read_to_string(&file).unwrap(), folder.path()).unwrap();
    assert_eq!(saved.document.blind_tests, window.state().workspace().document().blind_tests);
    press(&mut window, CTRL, Key::Z);
    assert!(tests(&window).is_empty(), "one step of undo");
}

#[test]
fn no_text_of_a_trial_depends_on_the_side() {
    let mut window = started([1280.0, 800.0]);
    start(&mut window);
    tap(&mut window, Key::Space);
    let mut orders = BTreeSet::new();
    let mut seen: Option<Vec<BTreeSet<String>>> = None;
    for trial in 1..=8 {
        let mut shown = Vec::new();
        let mut order = Vec::new();
        for key in [Key::A, Key::B, Key::X] {
            tap(&mut window, key);
            order.push(side(&window).key());
            let number = format!("Trial {trial} of 8");
            shown.push(texts(&window).into_iter().map(|text| text.replace(&number, "Trial")).collect());
        }
        for text in shown.iter().flatten() {
            let text: &String = text;
            assert!(!TELLING.iter().any(|word| text.to_lowercase().contains(word)), "'{text}' can be read in a trial");
        }
        assert_eq!(&shown, seen.get_or_insert_with(|| shown.clone()), "trial {trial}");
        orders.insert(order);
        answer(&mut window, true);
    }
    assert!(orders.len() > 1, "eight trials in one order: one seed in 16384");
    tap(&mut window, Key::Escape);
    assert!(window.state().view().blind.is_none() && tests(&window).is_empty(), "Escape discards");
}

/// The picture without the letter over it.
fn picture(window: &mut Window, key: Key) -> (Side, RgbaImage) {
    tap(window, key);
    window.run_steps(1);
    let whole = window.render().expect("the window is drawn");
    let label = format!("Picture {}", key.name());
    let rect = (window.get_by_label(&label).rect() * window.ctx.pixels_per_point()).round();
    let [left, top, width, height] =
        [rect.left() + 80.0, rect.top(), rect.width() - 80.0, rect.height()].map(|at| at as u32);
    (side(window), image::imageops::crop_imm(&whole, left, top, width, height).to_image())
}

/// Starts a test and pauses it. Returns the time of the playhead.
fn start_paused(window: &mut Window) -> f32 {
    start(window);
    tap(window, Key::Space);
    window.state().view().transport.time_secs
}

/// The pictures of the original and of the compressed clip, as A and B show them. X must equal the one that it repeats.
fn pictures(window: &mut Window) -> [RgbaImage; 2] {
    let [a, b, x] = [Key::A, Key::B, Key::X].map(|key| picture(window, key));
    assert!(a.0 != b.0 && a.1 != b.1, "a foot slides");
    let repeated = if x.0 == a.0 { &a } else { &b };
    assert!(x.1 == repeated.1, "X is another picture than that of its side");
    let [original, compressed] = if a.0 == Side::Original { [a.1, b.1] } else { [b.1, a.1] };
    [original, compressed]
}

#[test]
fn x_is_drawn_as_the_side_that_it_repeats() {
    let mut window = started([1024.0, 700.0]);
    // The first test takes a frame more to start than later ones.
    start_paused(&mut window);
    press(&mut window, NONE, Key::Escape);
    let at_secs = start_paused(&mut window);
    let [original, compressed] = pictures(&mut window);
    press(&mut window, NONE, Key::Escape);
    // With another recipe the original is the same picture at the same time.
    press(&mut window, CTRL, Key::Num2);
    const TRIES: usize = 20;
    let is_there = (0..TRIES).any(|_| {
        let is_there = start_paused(&mut window) == at_secs;
        if !is_there {
            press(&mut window, NONE, Key::Escape);
        }
        is_there
    });
    assert!(is_there, "the clip was not paused at {at_secs} s");
    let other = pictures(&mut window);
    assert!(other[0] == original && other[1] != compressed);
}

#[test]
fn a_recorded_test_is_replayed_and_sixteen_trials_can_be_chosen() {
    let recording = recorded(|| {
        let mut window = started([1280.0, 800.0]);
        start(&mut window);
        (1..=8).for_each(|trial| answer(&mut window, trial % 2 == 0));
        press(&mut window, NONE, Key::Enter);
        let [test] = &tests(&window)[..] else { panic!("one test is kept") };
        assert!(test.score().right == 4 && test.trials.iter().any(|trial| trial.original == Letter::A));
    });
    posepress_app::replay(&recording, true).unwrap();

    let mut window = started([1280.0, 800.0]);
    window.key_press_modifiers(CTRL, Key::B);
    window.run_steps(3);
    window.get_by_label("16 trials").click();
    window.run_steps(2);
    assert_eq!(window.state().view().blind.as_ref().map(|testing| testing.length), Some(16));
    window.get_by_label("End without a result").click();
    window.run_steps(2);
    assert!(window.state().view().blind.is_none());
}
