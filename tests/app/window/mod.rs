//! Tests of the window through its accessibility tree, with pictures from a software driver.

mod blind;
mod budget;
mod cards;
mod common_fixes;
mod contacts;
mod crowd;
mod curves;
mod external;
mod fields;
mod fits;
mod fixing;
mod gestures;
mod held_feet;
mod kept;
mod keyboard;
mod keymaps;
mod left_out;
mod levels;
mod lod;
mod manual;
mod menus;
mod missing;
mod monkey;
mod notes;
mod opening;
mod overrides;
mod page;
mod pictures;
mod pins;
mod players;
mod presets;
mod queue;
mod recipes;
mod results;
mod review;
mod screen;
mod screens;
mod see;
mod sharing;
mod sides;
mod top_bar;
mod tours;
mod typing;
mod understand;
mod unsaved;
mod watch;
mod whole;

use crate::project::{corpus, project, sample};
use crate::written;
use egui::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use gestures::{double_click, drag, drag_touch_down};
use pictures::{Region, compare};
use posepress_app::{App, DialogAnswer, Options, Panel, Picker, actions};
use posepress_core::metrics::Verdict;
use posepress_core::pipeline::{Archive, CONTAINER};
use posepress_core::view::ViewMode;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Answers dialogs with the values of the test. Without a value there is no dialog.
#[derive(Clone, Default)]
struct TestPicker {
    open: Arc<Mutex<Vec<PathBuf>>>,
    save: Arc<Mutex<Option<PathBuf>>>,
    /// The last proposed name.
    proposed: Arc<Mutex<String>>,
}

impl Picker for TestPicker {
    fn open(&self, extensions: &[&str], answer: Box<dyn FnOnce(DialogAnswer<Vec<PathBuf>>) + Send>) {
        assert!(extensions.contains(&"glb") && extensions.contains(&"bvh") || extensions == ["toml"]);
        let files = self.open.lock().unwrap().clone();
        answer(if files.is_empty() { DialogAnswer::NoDialog } else { DialogAnswer::Given(files) });
    }

    fn save(&self, name: &str, _: &str, answer: Box<dyn FnOnce(DialogAnswer<PathBuf>) + Send>) {
        *self.proposed.lock().unwrap() = name.to_owned();
        answer(self.save.lock().unwrap().clone().map_or(DialogAnswer::NoDialog, DialogAnswer::Given));
    }
}

type Window = Harness<'static, App>;

fn open_window(size: [f32; 2], files: Vec<PathBuf>, picker: TestPicker) -> Window {
    open_window_of(size, files, picker, None)
}

fn open_window_of(size: [f32; 2], files: Vec<PathBuf>, picker: TestPicker, state_folder: Option<PathBuf>) -> Window {
    let (picker, author) = (Box::new(picker), Some("Ann".into()));
    let options = Options { files, picker, state_folder, timings: false, author, ..Options::default() };
    open_with(size, options)
}

fn open_with(size: [f32; 2], options: Options) -> Window {
    open_after(size, options, || ())
}

/// Opens a window with all settings, and looks at its state folder before the first frame.
fn open_after(size: [f32; 2], options: Options, look: impl FnOnce()) -> Window {
    let builder = Harness::builder().with_size(egui::vec2(size[0], size[1])).with_max_steps(16);
    let mut window = builder.wgpu().build_eframe(move |cc| {
        let app = App::new(cc, options);
        look();
        app
    });
    show_level(&mut window, "All settings");
    window
}

/// Chooses the essentials or all settings at the foot of the window.
fn show_level(window: &mut Window, level: &str) {
    // The level that is on has no button.
    let Some(button) = window.query_by_role_and_label(Role::RadioButton, level) else { return };
    button.click_accesskit();
    window.run_steps(3);
}

/// Steps until all reading, compression and writing has ended, and no work follows from the results.
fn settle(window: &mut Window) {
    loop {
        if !window.state().is_settled() {
            step_until(window, "the window comes to rest", |window| window.state().is_settled());
        }
        window.run_steps(4);
        if window.state().is_settled() {
            return;
        }
    }
}

/// Steps until a condition of background work is true, and all work that follows has ended.
fn until(window: &mut Window, what: &str, is_there: impl Fn(&Window) -> bool) {
    if !is_there(window) {
        step_until(window, what, is_there);
    }
    settle(window);
}

fn step_until(window: &mut Window, what: &str, is_there: impl Fn(&Window) -> bool) {
    let step = || {
        window.step();
        let messages = &window.state().view().messages;
        (is_there(window), messages.status.clone(), messages.problems.clone())
    };
    crate::until::until(what, step, |(is_there, ..)| *is_there);
}

fn started(size: [f32; 2]) -> Window {
    let mut window = open_window(size, vec![], TestPicker::default());
    settle(&mut window);
    window.get_by_label("Got it").click();
    window.run_steps(3);
    window
}

fn press(window: &mut Window, modifiers: egui::Modifiers, key: egui::Key) {
    window.key_press_modifiers(modifiers, key);
    window.run_steps(2);
    settle(window);
}

/// Runs the first command of the palette that matches, so that its place in the menus does not matter.
fn run_action(window: &mut Window, words: &str) {
    press(window, egui::Modifiers::COMMAND, egui::Key::P);
    assert!(window.state().view().sheets.palette.is_some(), "the palette is open");
    window.event(egui::Event::Text(words.into()));
    window.run_steps(3);
    press(window, egui::Modifiers::NONE, egui::Key::Enter);
    assert!(window.state().view().sheets.palette.is_none(), "'{words}' was run");
    window.run_steps(4);
}

#[test]
fn the_guide_shows_one_step_at_a_time() {
    let mut window = open_window([1024.0, 700.0], vec![], TestPicker::default());
    settle(&mut window);
    window.get_by_role_and_label(Role::Button, "Look at the red contact").click();
    window.run_steps(3);
    assert!(window.state().view().selection.complaint.is_some());
    settle(&mut window);
    assert!(window.query_by_label("Look at the red contact").is_none());
    window.get_by_role_and_label(Role::Button, "Switch to recipe B").click();
    settle(&mut window);
    assert_eq!(window.state().workspace().active_slot(), 1);
    window.get_by_role_and_label(Role::Button, "Open your own files");
    window.get_by_label("Got it").click();
    window.run_steps(3);
    assert!(window.query_by_label("Open your own files").is_none());
}

#[test]
fn a_first_start_shows_a_sliding_foot_within_tolerance_and_recipe_b_fixes_it() {
    let mut window = open_window([1920.0, 1080.0], vec![], TestPicker::default());
    settle(&mut window);
    let report = window.state().workspace().shown().unwrap().outcome.report.clone();
    assert!(report.within(), "recipe A keeps its promise at the shell");
    assert_eq!(report.slide.verdict(), Verdict::Fail, "and yet a foot slides");
    let worst = report.slide.worst().unwrap();
    let now = window.state().view().transport.time_secs;
    assert!((now - worst.worst_secs).abs() < 0.02, "the playhead stands at the worst contact");
    window.get_by_label("Got it").click();
    press(&mut window, egui::Modifiers::COMMAND, egui::Key::Num2);
    let report = &window.state().workspace().shown().unwrap().outcome.report;
    assert_eq!(report.slide.verdict(), Verdict::Good, "recipe B holds the feet");
    let totals = window.state().workspace().totals(1);
    assert_eq!((totals.failing, totals.measured), (0, totals.clips));
}

#[test]
fn every_panel_and_every_control_has_a_name() {
    let mut window = started([1920.0, 1080.0]);
    for panel in Panel::ALL {
        window.get_by_label(&format!("Section {}", panel.title()));
    }
    for name in
        ["Play", "Next sample", "Timeline", "Viewport original", "Viewport compressed", "Codec", "Export\u{2026}"]
    {
        assert!(window.query_all_by_label(name).next().is_some(), "nothing is named {name}");
    }
    // Folding a section hides its contents.
    assert!(window.query_all_by_label_contains("Add ").next().is_some(), "overrides can be added");
    // Its head may lie below the figures at the foot of the column, where a pointer does not reach it.
    window.get_by_label("Section Overrides").click_accesskit();
    window.run_steps(12);
    assert!(window.query_all_by_label_contains("Add ").next().is_none());
}

#[test]
fn the_tolerance_slider_changes_bytes_and_picture_and_one_undo_takes_it_back() {
    let mut window = started([1920.0, 1080.0]);
    let bytes = |window: &Window| window.state().workspace().shown().unwrap().outcome.bytes();
    let before = bytes(&window);
    let slider = |window: &Window| window.get_by_label("Tolerance, millimetres").rect();
    let rect = slider(&window);
    let at = |share: f32| egui::pos2(rect.left() + rect.width() * share, rect.center().y);
    window.hover_at(at(0.86));
    window.drag_at(at(0.86));
    window.run_steps(1);
    for share in [0.7, 0.5, 0.4] {
        window.hover_at(at(share));
        window.run_steps(1);
        assert!(window.state().workspace().shown().is_some(), "the last good result stays");
    }
    window.drop_at(at(0.4));
    settle(&mut window);
    let after = bytes(&window);
    assert!(after > before, "{before} bytes became {after}");
    let tolerance_m = window.state().workspace().active_recipe().tolerance_m;
    assert!(tolerance_m < 0.001, "{tolerance_m}");
    press(&mut window, egui::Modifiers::COMMAND, egui::Key::Z);
    assert_eq!(bytes(&window), before, "the whole drag is one step");
    assert_eq!(window.state().workspace().history().undo_label(), None);
}

#[test]
fn clips_joints_and_time_are_reached_by_keys() {
    let mut window = started([1920.0, 1080.0]);
    let clip = |window: &Window| window.state().workspace().selected().unwrap().clip;
    press(&mut window, egui::Modifiers::NONE, egui::Key::ArrowDown);
    assert_eq!(clip(&window), 1);
    press(&mut window, egui::Modifiers::NONE, egui::Key::ArrowUp);
    assert_eq!(clip(&window), 0);
    press(&mut window, egui::Modifiers::NONE, egui::Key::Home);
    press(&mut window, egui::Modifiers::NONE, egui::Key::ArrowRight);
    press(&mut window, egui::Modifiers::SHIFT, egui::Key::ArrowRight);
    press(&mut window, egui::Modifiers::COMMAND, egui::Key::ArrowRight);
    let grid = window.state().workspace().shown().unwrap().source.clip.grid();
    let sample = |window: &Window| grid.sample_at(window.state().view().transport.time_secs);
    assert!((sample(&window) - 11.25).abs() < 1e-3, "{}", sample(&window));
    press(&mut window, egui::Modifiers::NONE, egui::Key::W);
    let worst = window.state().workspace().shown().unwrap().outcome.report.vertex.as_ref().unwrap().worst;
    assert_eq!(window.state().view().selection.joint, Some(worst.joint));
    assert!((window.state().view().transport.time_secs - worst.time_secs).abs() < 1e-3);
    let at_worst = sample(&window);
    press(&mut window, egui::Modifiers::NONE, egui::Key::OpenBracket);
    assert!(sample(&window) < at_worst);
    press(&mut window, egui::Modifiers::NONE, egui::Key::Num2);
    assert_eq!(window.state().view().settings.mode, ViewMode::Wipe);
    window.get_by_label("Viewport wipe");
    press(&mut window, egui::Modifiers::NONE, egui::Key::Space);
    assert!(window.state().view().transport.playing);
}

#[test]
fn letters_go_to_a_text_field_that_has_the_focus() {
    let mut window = started([1920.0, 1080.0]);
    window.get_by_label("Filter clips by name").click();
    window.run_steps(2);
    window.get_by_label("Filter clips by name").type_text("walk");
    window.run_steps(3);
    assert_eq!(window.state().view().filters.clips, "walk");
    assert!(!window.state().view().transport.playing);
    assert!(window.query_by_label("idle").is_none() && window.query_by_label("walk_root_motion").is_some());
}

#[test]
fn the_key_sheet_lists_every_action_with_a_key() {
    let mut window = started([1920.0, 1080.0]);
    window.key_press_modifiers(egui::Modifiers::SHIFT, egui::Key::Questionmark);
    window.run_steps(3);
    for action in actions().iter().filter(|action| !action.keys.is_empty()) {
        assert!(window.query_all_by_label_contains(&action.help).next().is_some(), "{} is missing", action.label);
    }
    press(&mut window, egui::Modifiers::NONE, egui::Key::Escape);
    assert!(!window.state().view().sheets.keys);
}

#[test]
fn the_help_menu_shows_the_licences_of_what_the_program_is_built_from() {
    let mut window = started([1280.0, 800.0]);
    window.get_by_label("Help").click();
    window.run_steps(2);
    window.get_by_label("Third-party notices").click();
    window.run_steps(3);
    assert!(window.query_by_label("Third-party notices of Posepress").is_some());
    press(&mut window, egui::Modifiers::NONE, egui::Key::Escape);
    assert!(window.query_by_label("Third-party notices of Posepress").is_none());
}

#[test]
fn a_bad_file_is_a_message_and_nothing_else_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let sample = sample();
    let whole = std::fs::read(&sample).unwrap();
    let cases: [(&str, &[u8]); 4] =
        [("cut.glb", &whole[..whole.len() / 2]), ("empty.glb", b""), ("not.gltf", b"{\"a\":1}"), ("x.bvh", b"HIER")];
    let picker = TestPicker::default();
    for (name, bytes) in cases {
        std::fs::write(folder.path().join(name), bytes).unwrap();
        picker.open.lock().unwrap().push(folder.path().join(name));
    }
    let mut window = open_window([1280.0, 800.0], vec![], picker);
    settle(&mut window);
    press(&mut window, egui::Modifiers::COMMAND, egui::Key::O);
    let problems = &window.state().view().messages.problems;
    assert_eq!(problems.len(), 4);
    for ((name, _), problem) in cases.iter().zip(problems) {
        assert!(problem.title.contains(name), "{problem:?}");
        assert!(problem.detail.len() > 40, "{problem:?}");
    }
    assert_eq!(window.state().workspace().library().sources().len(), 1, "the sample is still there");
    window.get_by_label("Close message 1").click();
    window.run_steps(3);
    assert_eq!(window.state().view().messages.problems.len(), 3);
}

#[test]
fn export_writes_the_bytes_that_the_library_makes() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("walk.posepress");
    let picker = TestPicker::default();
    *picker.save.lock().unwrap() = Some(target.clone());
    let mut window = open_window([1280.0, 800.0], vec![], picker);
    settle(&mut window);
    press(&mut window, egui::Modifiers::COMMAND, egui::Key::E);
    let written = std::fs::read(&target).unwrap();
    let workspace = window.state().workspace();
    let source = &workspace.library().sources()[0];
    let direct =
        written::export(&source.rig, &source.clips, workspace.active_recipe(), CONTAINER, &Default::default()).unwrap();
    assert_eq!(written, direct);
    let archive = Archive::open(&written, None).unwrap();
    assert_eq!(archive.clips().len(), source.clips.len());
    assert!(window.state().view().messages.status.contains("walk.posepress"));
    window.get_by_label("Show in folder");
}

/// Finds a clip by its name in the list, selects it and waits for its numbers.
fn choose_clip(window: &mut Window, name: &str) {
    window.get_by_label("Filter clips by name").click();
    window.run_steps(2);
    window.get_by_label("Filter clips by name").type_text(name);
    window.run_steps(3);
    window.get_by_label(name).click();
    window.run_steps(2);
    settle(window);
}

#[test]
fn a_corpus_file_is_opened_chosen_and_tuned() {
    let Some(knight) = corpus("kaykit/Knight.glb") else { return };
    let mut window = open_window([1280.0, 800.0], vec![knight], TestPicker::default());
    settle(&mut window);
    assert_eq!(window.state().workspace().library().clip_ids().count(), 76);
    choose_clip(&mut window, "Walking_A");
    let shown = window.state().workspace().shown().unwrap();
    assert_eq!(shown.source.clip.name(), "Walking_A");
    assert!(shown.outcome.report.vertex.is_some() && !shown.outcome.report.slide.contacts.is_empty());
}

#[test]
fn a_file_in_another_unit_is_a_question_with_one_button() {
    let Some(fox) = corpus("fox/Fox.glb") else { return };
    let mut window = open_window([1280.0, 800.0], vec![fox], TestPicker::default());
    settle(&mut window);
    window.get_by_label("Use centimetres").click();
    window.run_steps(2);
    settle(&mut window);
    assert!(window.query_by_label("Use centimetres").is_none(), "it is decided");
    let sources = window.state().workspace().library().sources();
    assert_eq!((sources.len(), sources[0].clips.len()), (1, 3));
    let highest = sources[0].rig.meshes.iter().flat_map(|m| &m.positions).map(|p| p.y).fold(0.0, f32::max);
    assert!((0.3..3.0).contains(&highest), "{highest}");
}

#[test]
fn reading_can_be_given_up_and_what_is_open_stays() {
    let folder = tempfile::tempdir().unwrap();
    let sample = sample();
    let picker = TestPicker::default();
    for index in 0..40 {
        let copy = folder.path().join(format!("{index}.glb"));
        std::fs::copy(&sample, &copy).unwrap();
        picker.open.lock().unwrap().push(copy);
    }
    let mut window = open_window([1280.0, 800.0], vec![], picker);
    settle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::O);
    window.run_steps(3);
    window.get_by_label("Cancel").click();
    window.run_steps(3);
    settle(&mut window);
    let read = window.state().workspace().library().sources().len();
    assert!((1..40).contains(&read), "{read} files are open");
    assert!(window.state().workspace().reading().next().is_none());
}

#[test]
fn pictures_of_the_whole_window() {
    let mut window = started([1920.0, 1080.0]);
    compare(&mut window, "wide_dark", Region::Whole);
    press(&mut window, egui::Modifiers::NONE, egui::Key::Num2);
    compare(&mut window, "wipe", Region::Viewports);
    press(&mut window, egui::Modifiers::NONE, egui::Key::Num1);
    window.get_by_label("View").click();
    window.run_steps(2);
    window.get_by_label("Light theme").click();
    window.run_steps(4);
    settle(&mut window);
    assert!(!window.state().view().settings.dark, "the entry was not reached");
    compare(&mut window, "wide_light", Region::Whole);
}

#[test]
fn picture_of_a_narrow_window() {
    let mut window = started([1280.0, 800.0]);
    compare(&mut window, "narrow_dark", Region::Whole);
}

#[test]
fn an_empty_window_says_what_to_do() {
    let mut window = started([1280.0, 800.0]);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::W);
    window.run_steps(6);
    assert!(window.state().workspace().library().sources().is_empty());
    window.get_by_label("No clips. Open or drop a file");
    compare(&mut window, "empty", Region::Whole);
    window.get_by_label("Open the sample").click();
    window.run_steps(2);
    settle(&mut window);
    assert_eq!(window.state().workspace().library().sources().len(), 1);
}

fn choose(window: &mut Window, combo: &str, option: &str) {
    window.get_by_role_and_label(egui::Role::ComboBox, combo).click();
    window.run_steps(3);
    window.get_by_label(option).click();
    window.run_steps(3);
}
