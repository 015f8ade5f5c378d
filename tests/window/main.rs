//! The window, driven through its accessibility tree and looked at on a software driver.
#![cfg(feature = "gui")]

mod fits;
mod understand;

use egui_kittest::kittest::Queryable;
use egui_kittest::{Harness, SnapshotOptions};
use posepress::app::render::Side;
use posepress::app::{App, COMMANDS, Layer, Options, PANELS, Picker, ViewMode};
use posepress::metrics::Verdict;
use posepress::session::{Archive, CONTAINER, export_clips};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Answers dialogs with what the test has put in.
#[derive(Clone, Default)]
struct TestPicker {
    open: Arc<Mutex<Vec<PathBuf>>>,
    save: Arc<Mutex<Option<PathBuf>>>,
}

impl Picker for TestPicker {
    fn open(&self, extensions: &[&str], answer: Box<dyn FnOnce(Vec<PathBuf>) + Send>) {
        assert!(extensions.contains(&"glb") && extensions.contains(&"bvh"));
        answer(self.open.lock().unwrap().clone());
    }

    fn save(&self, _: &str, _: &str, answer: Box<dyn FnOnce(PathBuf) + Send>) {
        if let Some(path) = self.save.lock().unwrap().clone() {
            answer(path);
        }
    }
}

type Window = Harness<'static, App>;

fn open_window(size: [f32; 2], files: Vec<PathBuf>, picker: TestPicker) -> Window {
    Harness::builder().with_size(egui::vec2(size[0], size[1])).with_max_steps(16).wgpu().build_eframe(move |cc| {
        let options = Options { files, picker: Box::new(picker), restore: false, timings: false, ..Options::default() };
        App::new(cc, options)
    })
}

/// Steps until nothing is read, compressed or written any more.
fn settle(window: &mut Window) {
    let started = Instant::now();
    while !window.state().is_settled() {
        assert!(started.elapsed() < Duration::from_secs(120), "the window does not come to rest");
        window.step();
        std::thread::sleep(Duration::from_millis(3));
    }
    window.run_steps(4);
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

fn corpus(file: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("POSEPRESS_CORPUS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus"), PathBuf::from);
    let path = folder.join(file);
    if !path.exists() {
        println!("skipped: no corpus at {}", folder.display());
    }
    path.exists().then_some(path)
}

#[test]
fn a_first_start_shows_a_sliding_foot_within_tolerance_and_recipe_b_fixes_it() {
    let mut window = open_window([1920.0, 1080.0], vec![], TestPicker::default());
    settle(&mut window);
    let report = window.state().workspace().shown().unwrap().outcome.report.clone();
    assert!(report.within(), "recipe A keeps its promise at the shell");
    assert_eq!(report.contacts.verdict(), Verdict::Fail, "and yet a foot slides");
    let worst = report.contacts.worst().unwrap();
    let now = window.state().view().transport.time_secs;
    assert!((now - worst.worst_secs).abs() < 0.02, "the playhead stands at the worst plant");
    window.get_by_label("Got it").click();
    press(&mut window, egui::Modifiers::COMMAND, egui::Key::Num2);
    let report = &window.state().workspace().shown().unwrap().outcome.report;
    assert_eq!(report.contacts.verdict(), Verdict::Good, "recipe B holds the feet");
    let totals = window.state().workspace().totals(1);
    assert_eq!((totals.failing, totals.measured), (0, totals.clips));
}

#[test]
fn every_panel_and_every_control_has_a_name() {
    let mut window = started([1920.0, 1080.0]);
    for panel in PANELS {
        window.get_by_label(&format!("Section {}", panel.title));
    }
    for name in
        ["Play", "Next sample", "Timeline", "Viewport original", "Viewport compressed", "Codec", "Export\u{2026}"]
    {
        assert!(window.query_all_by_label(name).next().is_some(), "nothing is named {name}");
    }
    // Folding a section hides what is in it.
    assert!(
        window.query_by_label("Add selected joint").is_some()
            || window.query_all_by_label_contains("Add ").next().is_some()
    );
    window.get_by_label("Section Overrides").click();
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
    assert_eq!(window.state().view().selected_joint, Some(worst.joint));
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

fn key(window: &mut Window, key: egui::Key) {
    press(window, egui::Modifiers::NONE, key);
}

#[test]
fn view_modes_are_reached_by_keys_and_each_has_its_control() {
    let mut window = started([1920.0, 1080.0]);
    let settings = |window: &Window| window.state().view().settings.clone();
    key(&mut window, egui::Key::Num3);
    assert_eq!(settings(&window).mode, ViewMode::Onion);
    window.get_by_label("Viewport onion");
    window.get_by_role_and_label(egui::Role::Slider, "Onion mix, percent").set_value_accesskit(80.0);
    window.run_steps(3);
    assert!((settings(&window).onion_mix - 0.8).abs() < 1e-3, "{}", settings(&window).onion_mix);

    key(&mut window, egui::Key::Num4);
    window.get_by_label("Viewport blink");
    window.get_by_label("Blink rate").set_value_accesskit(50.0);
    window.run_steps(3);
    assert_eq!(settings(&window).blink_hz, 8.0, "no faster than 8 Hz");
    assert!(window.state().view().blink.side().is_some());

    key(&mut window, egui::Key::Num1);
    assert!(window.query_by_label("Blink rate").is_none() && window.state().view().blink.side().is_none());
    assert!(window.query_by_label("Difference factor").is_none());
    key(&mut window, egui::Key::Num6);
    window.get_by_label("Difference factor");
    key(&mut window, egui::Key::Plus);
    assert_eq!(settings(&window).difference_gain, 50.0);
    window.get_by_label("Difference").click();
    window.run_steps(3);
    assert!(!settings(&window).layers.get(Layer::Difference));
    key(&mut window, egui::Key::Minus);
    assert!(settings(&window).layers.get(Layer::Difference), "a factor is of no use while nothing is exaggerated");
}

#[test]
fn a_blinking_picture_shows_both_sides_in_turns_and_b_blinks_in_any_mode() {
    let mut window = started([1280.0, 800.0]);
    let side = |window: &Window| window.state().view().blink.side();
    key(&mut window, egui::Key::Num4);
    let mut seen = Vec::new();
    for _ in 0..8 {
        window.step();
        seen.extend(side(&window));
    }
    assert!(seen.contains(&Side::Original) && seen.contains(&Side::Compressed), "{seen:?}");
    key(&mut window, egui::Key::Num1);
    assert_eq!(side(&window), None);
    window.key_down(egui::Key::B);
    window.step();
    assert_eq!(side(&window), Some(Side::Original));
    assert!(window.state().view().original_on_both(), "the compressed side has its turn of the original");
    window.key_up(egui::Key::B);
    window.run_steps(2);
    assert!(side(&window).is_none() && !window.state().view().original_on_both());
}

#[test]
fn the_wipe_follows_the_line_the_pointer_and_the_arrow_keys() {
    let mut window = started([1280.0, 800.0]);
    let wipe = |window: &Window| window.state().view().settings.wipe;
    key(&mut window, egui::Key::Num2);
    let view = window.get_by_label("Viewport wipe").rect();
    let at = |share: f32| egui::pos2(view.left() + view.width() * share, view.top() + view.height() * 0.4);
    window.hover_at(at(0.5));
    window.drag_at(at(0.5));
    window.run_steps(1);
    window.hover_at(at(0.3));
    window.run_steps(1);
    window.drop_at(at(0.3));
    window.run_steps(2);
    assert!((wipe(&window) - 0.3).abs() < 0.02, "{}", wipe(&window));
    let camera = window.state().view().camera;
    window.key_down(egui::Key::V);
    window.hover_at(at(0.75));
    window.run_steps(2);
    assert!((wipe(&window) - 0.75).abs() < 0.02, "{}", wipe(&window));
    window.key_up(egui::Key::V);
    window.run_steps(1);
    window.hover_at(at(0.2));
    window.run_steps(2);
    assert!((wipe(&window) - 0.75).abs() < 0.02, "the key was let go");
    assert_eq!(window.state().view().camera, camera, "the line moved, not the camera");
}

#[test]
fn unlocked_cameras_turn_by_themselves_and_locking_takes_the_originals() {
    let mut window = started([1920.0, 1080.0]);
    let drag = |window: &mut Window, name: &str| {
        let centre = window.get_by_label(name).rect().center();
        window.hover_at(centre);
        window.drag_at(centre);
        window.run_steps(1);
        window.hover_at(centre + egui::vec2(60.0, 0.0));
        window.run_steps(1);
        window.drop_at(centre + egui::vec2(60.0, 0.0));
        window.run_steps(2);
    };
    let yaws = |window: &Window| {
        let view = window.state().view();
        [Side::Original, Side::Compressed].map(|side| view.camera_of(side).yaw_rad)
    };
    drag(&mut window, "Viewport compressed");
    let [original, compressed] = yaws(&window);
    assert_eq!(original, compressed, "one camera");
    window.get_by_label("One camera").click();
    window.run_steps(2);
    drag(&mut window, "Viewport compressed");
    assert_eq!(yaws(&window)[0], original, "the original's camera stays");
    assert!((yaws(&window)[1] - compressed).abs() > 0.1);
    let held = yaws(&window)[0];
    key(&mut window, egui::Key::K);
    assert_eq!(yaws(&window), [held; 2]);
    key(&mut window, egui::Key::Num8);
    assert!((yaws(&window)[0] + std::f32::consts::FRAC_PI_2).abs() < 1e-5, "the side view");
}

#[test]
fn the_worst_vertex_is_framed_turned_to_and_marked() {
    let mut window = started([1920.0, 1080.0]);
    key(&mut window, egui::Key::W);
    let view = window.state().view();
    let shown = window.state().workspace().shown().unwrap();
    let worst = shown.outcome.report.vertex.as_ref().unwrap().worst;
    assert_eq!(view.marked_vertex, Some((worst.mesh, worst.vertex)));
    let mesh = &shown.source.rig.meshes[worst.mesh];
    let step = (worst.time_secs * shown.source.raw.grid().rate_hz() as f32).round() as usize;
    let step = step * shown.source.raw.sub_frames();
    let at = mesh.skin_vertex(worst.vertex, shown.source.raw.pose(step), shown.source.raw.floats(step));
    assert!(view.camera.target.distance(at) < 1e-3, "{} looks at {}, not {at}", worst.vertex, view.camera.target);
    let outward = mesh.skin_normal(worst.vertex, shown.source.raw.pose(step));
    assert!(outward.dot(view.camera.axes().2) > 0.0, "it is on the side that is seen");
    press(&mut window, egui::Modifiers::NONE, egui::Key::Escape);
    assert_eq!(window.state().view().marked_vertex, None);
}

#[test]
fn trails_follow_the_selection_and_kept_ones_stay() {
    let mut window = started([1920.0, 1080.0]);
    let trails = |window: &Window| window.state().view().trails().into_iter().collect::<Vec<_>>();
    let first = window.state().view().selected_joint.unwrap();
    press(&mut window, egui::Modifiers::SHIFT, egui::Key::T);
    assert!(window.state().view().settings.layers.get(Layer::Trails));
    press(&mut window, egui::Modifiers::NONE, egui::Key::W);
    let second = window.state().view().selected_joint.unwrap();
    assert_ne!(first, second);
    let mut both = vec![first, second];
    both.sort_unstable();
    assert_eq!(trails(&window), both);
    key(&mut window, egui::Key::T);
    assert!(!window.state().view().settings.layers.get(Layer::Trails));
}

#[test]
fn a_loop_shows_its_seam_and_plays_it_over_and_over() {
    let mut window = started([1920.0, 1080.0]);
    let report = window.state().workspace().shown().unwrap().outcome.report.clone();
    assert!(report.motion.looping);
    let name = format!("seam {}", posepress::text::length(report.motion.seam_pop_m));
    window.get_by_label(&name).click();
    window.run_steps(1);
    let duration_secs = window.state().workspace().shown().unwrap().source.clip.duration_secs();
    let mut sides = [false; 2];
    for _ in 0..16 {
        window.step();
        let now = window.state().view().transport.time_secs;
        assert!(now < 0.51 || now > duration_secs - 0.51, "{now} s is not near the seam");
        sides[usize::from(now < 1.0)] = true;
    }
    assert_eq!(sides, [true; 2], "before and after it");
    window.get_by_label("Next sample").click();
    window.run_steps(2);
    let transport = window.state().view().transport;
    assert!(!transport.seam && !transport.playing);
}

#[test]
fn the_ground_height_is_part_of_the_recipe_and_can_be_taken_back() {
    let mut window = started([1920.0, 1080.0]);
    let ground = |window: &Window| window.state().workspace().active_recipe().contacts.ground_m;
    let plan = |window: &Window| window.state().workspace().shown().unwrap().outcome.report.contacts.plan.ground_m;
    let found_m = plan(&window);
    window.get_by_label("Camera").click();
    window.run_steps(2);
    window.get_by_label("Ground found").click();
    window.run_steps(2);
    assert_eq!(ground(&window), Some(found_m));
    window.get_by_label("Ground height").set_value_accesskit(-20.0);
    window.run_steps(2);
    settle(&mut window);
    assert!((plan(&window) + 0.2).abs() < 1e-5, "{}", plan(&window));
    press(&mut window, egui::Modifiers::COMMAND, egui::Key::Z);
    press(&mut window, egui::Modifiers::COMMAND, egui::Key::Z);
    assert_eq!((ground(&window), plan(&window)), (None, found_m));
}

#[test]
fn a_file_is_read_again_with_another_axis_upwards() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("sample.glb");
    std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/sample.glb"), &copy).unwrap();
    let mut window = open_window([1920.0, 1080.0], vec![copy], TestPicker::default());
    settle(&mut window);
    let tall = |window: &Window| {
        let shown = window.state().workspace().shown().unwrap();
        let heights = shown.source.raw.pose(0).iter().map(|m| m.translation.y);
        heights.clone().fold(f32::MIN, f32::max) - heights.fold(f32::MAX, f32::min)
    };
    assert!(tall(&window) > 1.4, "{}", tall(&window));
    window.get_by_label("Camera").click();
    window.run_steps(2);
    window.get_by_label("Up axis Z").click();
    window.run_steps(2);
    settle(&mut window);
    assert_eq!(window.state().workspace().library.sources().len(), 1);
    assert!(tall(&window) < 1.2, "the figure lies: {}", tall(&window));
}

#[test]
fn letters_go_to_a_text_field_that_has_the_focus() {
    let mut window = started([1920.0, 1080.0]);
    window.get_by_label("Filter clips by name").click();
    window.run_steps(2);
    window.get_by_label("Filter clips by name").type_text("walk");
    window.run_steps(3);
    assert_eq!(window.state().view().clip_filter, "walk");
    assert!(!window.state().view().transport.playing);
    assert!(window.query_by_label("idle").is_none() && window.query_by_label("walk_root_motion").is_some());
}

#[test]
fn the_key_sheet_lists_every_command_with_a_key() {
    let mut window = started([1920.0, 1080.0]);
    window.key_press_modifiers(egui::Modifiers::SHIFT, egui::Key::Questionmark);
    window.run_steps(3);
    for spec in COMMANDS.iter().filter(|s| !s.keys.is_empty()) {
        assert!(window.query_all_by_label_contains(spec.help).next().is_some(), "{} is missing", spec.label);
    }
    press(&mut window, egui::Modifiers::NONE, egui::Key::Escape);
    assert!(!window.state().view().keys_open);
}

#[test]
fn a_bad_file_is_a_message_and_nothing_else_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/sample.glb");
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
    let problems = &window.state().view().problems;
    assert_eq!(problems.len(), 4);
    for ((name, _), problem) in cases.iter().zip(problems) {
        assert!(problem.title.contains(name), "{problem:?}");
        assert!(problem.detail.len() > 40, "{problem:?}");
    }
    assert_eq!(window.state().workspace().library.sources().len(), 1, "the sample is still there");
    window.get_by_label("Close message 1").click();
    window.run_steps(3);
    assert_eq!(window.state().view().problems.len(), 3);
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
    let source = &workspace.library.sources()[0];
    let direct =
        export_clips(&source.rig, &source.clips, workspace.active_recipe(), CONTAINER, &Default::default()).unwrap();
    assert_eq!(written, direct);
    let archive = Archive::open(&written, None).unwrap();
    assert_eq!(archive.clips().len(), source.clips.len());
    assert!(window.state().view().status.contains("walk.posepress"));
}

#[test]
fn a_corpus_file_is_opened_chosen_and_tuned() {
    let Some(knight) = corpus("kaykit/Knight.glb") else { return };
    let mut window = open_window([1280.0, 800.0], vec![knight], TestPicker::default());
    settle(&mut window);
    assert_eq!(window.state().workspace().library.clip_ids().count(), 76);
    window.get_by_label("Filter clips by name").click();
    window.run_steps(2);
    window.get_by_label("Filter clips by name").type_text("Walking_A");
    window.run_steps(3);
    window.get_by_label("Walking_A").click();
    window.run_steps(2);
    settle(&mut window);
    let shown = window.state().workspace().shown().unwrap();
    assert_eq!(shown.source.clip.name(), "Walking_A");
    assert!(shown.outcome.report.vertex.is_some() && !shown.outcome.report.contacts.plants.is_empty());
}

#[test]
fn a_file_in_another_unit_is_a_question_with_one_button() {
    let Some(fox) = corpus("fox/Fox.glb") else { return };
    let mut window = open_window([1280.0, 800.0], vec![fox], TestPicker::default());
    settle(&mut window);
    assert_eq!(window.state().view().problems.len(), 1);
    window.get_by_label("Use centimetres").click();
    window.run_steps(2);
    settle(&mut window);
    assert!(window.state().view().problems.is_empty());
    let sources = window.state().workspace().library.sources();
    assert_eq!((sources.len(), sources[0].clips.len()), (1, 3));
    let highest = sources[0].rig.meshes.iter().flat_map(|m| &m.positions).map(|p| p.y).fold(0.0, f32::max);
    assert!((0.3..3.0).contains(&highest), "{highest}");
}

#[test]
fn reading_can_be_given_up_and_what_is_open_stays() {
    let folder = tempfile::tempdir().unwrap();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/sample.glb");
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
    let read = window.state().workspace().library.sources().len();
    assert!((1..40).contains(&read), "{read} files are open");
    assert!(window.state().view().loading.is_empty());
}

/// A few pixels may differ between versions of the software driver, never more.
fn compare(window: &mut Window, name: &str) {
    window.snapshot_options(name, &SnapshotOptions::new().threshold(1.0).max_failed_pixels(40));
}

#[test]
fn pictures_of_the_whole_window() {
    let mut window = started([1920.0, 1080.0]);
    compare(&mut window, "wide_dark");
    press(&mut window, egui::Modifiers::NONE, egui::Key::Num2);
    compare(&mut window, "wipe");
    press(&mut window, egui::Modifiers::NONE, egui::Key::Num1);
    window.get_by_label("View").click();
    window.run_steps(2);
    window.get_by_label("Light theme").click();
    window.run_steps(4);
    settle(&mut window);
    compare(&mut window, "wide_light");
}

/// Every view mode and both overlays, at one moment that differs visibly.
#[test]
fn pictures_of_all_view_modes() {
    let mut window = started([1280.0, 800.0]);
    let modes = [(egui::Key::Num1, "mode_1_side_by_side"), (egui::Key::Num2, "mode_2_wipe")];
    let more = [(egui::Key::Num3, "mode_3_onion"), (egui::Key::Num4, "mode_4_blink")];
    key(&mut window, egui::Key::Num5);
    for (mode, name) in modes.into_iter().chain(more) {
        key(&mut window, mode);
        compare(&mut window, name);
    }
    key(&mut window, egui::Key::Num1);
    key(&mut window, egui::Key::Num5);
    compare(&mut window, "mode_5_heat");
    key(&mut window, egui::Key::Num3);
    key(&mut window, egui::Key::Num6);
    key(&mut window, egui::Key::T);
    compare(&mut window, "mode_6_onion_difference_trails");
    key(&mut window, egui::Key::Num1);
    compare(&mut window, "mode_6_difference");
}

#[test]
fn picture_of_the_worst_vertex() {
    let mut window = started([1280.0, 800.0]);
    key(&mut window, egui::Key::W);
    compare(&mut window, "worst_vertex");
}

#[test]
fn picture_of_a_narrow_window() {
    let mut window = started([1280.0, 800.0]);
    compare(&mut window, "narrow_dark");
}

#[test]
fn an_empty_window_says_what_to_do() {
    let mut window = started([1280.0, 800.0]);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::W);
    window.run_steps(6);
    assert!(window.state().workspace().library.sources().is_empty());
    window.get_by_label("No clips. Open or drop a file");
    compare(&mut window, "empty");
    window.get_by_label("Open the sample").click();
    window.run_steps(2);
    settle(&mut window);
    assert_eq!(window.state().workspace().library.sources().len(), 1);
}
