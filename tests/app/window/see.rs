//! Tools to see differences: view modes and their controls, trails, cameras, the worst vertex, the seam, the ground.

use super::{Region, TestPicker, Window, compare, open_window, press, settle, started};
use crate::project::sample;
use egui_kittest::kittest::Queryable;
use posepress_app::render::Side;
use posepress_core::metrics::Verdict;
use posepress_core::model::{Additive, Holds};
use posepress_core::view::{Layer, ViewMode};

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
    assert!(!settings(&window).layers.is_on(Layer::Difference));
    key(&mut window, egui::Key::Minus);
    assert!(settings(&window).layers.is_on(Layer::Difference), "a factor is of no use while nothing is exaggerated");
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
    let camera = window.state().view().cameras.main;
    window.key_down(egui::Key::V);
    window.hover_at(at(0.75));
    window.run_steps(2);
    assert!((wipe(&window) - 0.75).abs() < 0.02, "{}", wipe(&window));
    window.key_up(egui::Key::V);
    window.run_steps(1);
    window.hover_at(at(0.2));
    window.run_steps(2);
    assert!((wipe(&window) - 0.75).abs() < 0.02, "the key was let go");
    assert_eq!(window.state().view().cameras.main, camera, "the line moved, not the camera");
}

#[test]
fn unlocked_cameras_turn_by_themselves_and_locking_takes_the_originals() {
    let mut window = started([1920.0, 1080.0]);
    let drag = |window: &mut Window, name: &str| {
        let centre = window.get_by_label(name).rect().center();
        super::drag(window, centre, egui::vec2(60.0, 0.0));
    };
    let yaws = |window: &Window| {
        let view = window.state().view();
        [Side::Original, Side::Compressed].map(|side| view.cameras.of(side).yaw_rad)
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
    key(&mut window, egui::Key::C);
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
    assert_eq!(view.selection.marked_vertex, Some((worst.mesh, worst.vertex)));
    let mesh = &shown.source.rig.meshes[worst.mesh];
    let step = (worst.time_secs * shown.source.raw.grid().rate_hz() as f32).round() as usize;
    let step = step * shown.source.raw.sub_frames();
    let at = mesh.skin_vertex(worst.vertex, &shown.source.raw.pose(step), &shown.source.raw.floats(step));
    assert!(
        view.cameras.main.target.distance(at) < 0.02, // the middle of the free area below the chips
        "{} looks at {}, not {at}",
        worst.vertex,
        view.cameras.main.target
    );
    let outward = mesh.skin_normal(worst.vertex, &shown.source.raw.pose(step));
    assert!(outward.dot(view.cameras.main.axes().2) > 0.0, "it is on the side that is seen");
    press(&mut window, egui::Modifiers::NONE, egui::Key::Escape);
    assert_eq!(window.state().view().selection.marked_vertex, None);
}

#[test]
fn trails_follow_the_selection_and_kept_ones_stay() {
    let mut window = started([1920.0, 1080.0]);
    let trails = |window: &Window| window.state().view().selection.trails().into_iter().collect::<Vec<_>>();
    let first = window.state().view().selection.joint.unwrap();
    press(&mut window, egui::Modifiers::SHIFT, egui::Key::T);
    assert!(window.state().view().settings.layers.is_on(Layer::Trails));
    press(&mut window, egui::Modifiers::NONE, egui::Key::W);
    let second = window.state().view().selection.joint.unwrap();
    assert_ne!(first, second);
    let mut both = vec![first, second];
    both.sort_unstable();
    assert_eq!(trails(&window), both);
    key(&mut window, egui::Key::T);
    assert!(!window.state().view().settings.layers.is_on(Layer::Trails));
}

#[test]
fn a_loop_shows_its_seam_and_plays_it_over_and_over() {
    let mut window = started([1920.0, 1080.0]);
    let report = window.state().workspace().shown().unwrap().outcome.report.clone();
    assert!(report.motion.looping);
    let motion = report.motion;
    let changes = [motion.seam_pop_m, motion.seam_velocity_m_s / 30.0];
    assert_eq!(changes.map(|change_m| report.limits.seam_verdict(change_m)), [Verdict::Good, Verdict::Warn]);
    let name = format!("seam {}", posepress_core::text::speed(motion.seam_velocity_m_s));
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
fn a_clip_is_marked_as_additive_where_loops_are_marked_and_undo_takes_it_back() {
    let mut window = started([1920.0, 2400.0]);
    let added_to = |window: &Window| window.state().workspace().shown().unwrap().report.added_to.clone();
    assert_eq!(added_to(&window), None);
    let choose = |window: &mut Window, row: &str, choice: &str| {
        window.get_by_role_and_label(egui::Role::ComboBox, row).click_accesskit();
        window.run_steps(3);
        window.get_by_label(choice).click_accesskit();
        window.run_steps(3);
        settle(window);
    };
    let bytes = |window: &Window| window.state().workspace().shown().unwrap().outcome.bytes();
    let alone = bytes(&window);
    choose(&mut window, "Added to", "the bind pose");
    assert_eq!(added_to(&window).as_deref(), Some("the bind pose"));
    window.get_by_label("Added to the bind pose");
    window.get_by_role_and_label(egui::Role::ComboBox, "Clip holds");
    let mark = |window: &Window| window.state().workspace().document().additive.values().next().cloned();
    assert_eq!(mark(&window).map(|mark| mark.holds), Some(Holds::Poses), "a walk looks like no difference");
    assert!(bytes(&window).abs_diff(alone) <= alone / 20, "{} of {alone}", bytes(&window));
    choose(&mut window, "Clip holds", "differences");
    assert_eq!(mark(&window), Some(Additive::TO_BIND));
    press(&mut window, egui::Modifiers::COMMAND, egui::Key::Z);
    press(&mut window, egui::Modifiers::COMMAND, egui::Key::Z);
    settle(&mut window);
    assert_eq!((mark(&window), added_to(&window)), (None, None));
    press(&mut window, egui::Modifiers::COMMAND | egui::Modifiers::SHIFT, egui::Key::D);
    settle(&mut window);
    assert_eq!(mark(&window), Some(Additive::TO_BIND), "the same by key");
    window.get_by_label("Added to back to default").click_accesskit();
    window.run_steps(3);
    settle(&mut window);
    assert_eq!((mark(&window), added_to(&window)), (None, None), "as its file says");
}

#[test]
fn a_clip_is_marked_as_looping_then_plays_its_seam_and_undo_takes_it_back() {
    let mut window = started([1920.0, 2900.0]);
    let motion = |window: &Window| window.state().workspace().shown().unwrap().outcome.report.motion;
    window.get_by_label("walk_root_motion").click();
    window.run_steps(2);
    settle(&mut window);
    assert!(!motion(&window).looping, "it travels: its ends do not meet");
    window.get_by_label("No seam: the clip does not loop.");
    assert!(window.query_all_by_label_contains("seam pop").next().is_none());
    press(&mut window, egui::Modifiers::SHIFT, egui::Key::L);
    assert!(!window.state().view().transport.seam, "there is nothing to play yet");

    window.get_by_role_and_label(egui::Role::ComboBox, "Clip loops").click();
    window.run_steps(3);
    window.get_by_label("looping").click();
    window.run_steps(3);
    settle(&mut window);
    assert!(motion(&window).looping);
    let pop = posepress_core::text::length(motion(&window).seam_pop_m);
    window.get_by_label(&format!("seam pop {pop}"));
    // It may lie below the visible part.
    window.get_by_label("Play the seam").click_accesskit();
    window.run_steps(1);
    assert!(window.state().view().transport.seam);
    let duration_secs = window.state().workspace().shown().unwrap().source.clip.duration_secs();
    let mut sides = [false; 2];
    // The seam's loop lasts a second. A frame takes at least a sixtieth of it.
    for _ in 0..80 {
        window.step();
        sides[usize::from(window.state().view().transport.time_secs < duration_secs / 2.0)] = true;
    }
    assert_eq!(sides, [true; 2], "before and after the seam");

    press(&mut window, egui::Modifiers::COMMAND, egui::Key::Z);
    assert!(!motion(&window).looping && !window.state().view().transport.seam, "no seam, nothing to loop");
    press(&mut window, egui::Modifiers::COMMAND, egui::Key::L);
    assert!(motion(&window).looping, "the same by key");
    press(&mut window, egui::Modifiers::COMMAND | egui::Modifiers::SHIFT, egui::Key::L);
    assert!(!motion(&window).looping);
    assert_eq!(window.state().workspace().document().loops.values().collect::<Vec<_>>(), [&false]);
    window.get_by_label("Clip loops back to default").click();
    window.run_steps(3);
    assert!(window.state().workspace().document().loops.is_empty(), "as found");
    window.get_by_label("pose_t").click();
    window.run_steps(2);
    settle(&mut window);
    press(&mut window, egui::Modifiers::COMMAND, egui::Key::L);
    assert!(window.state().workspace().document().loops.is_empty(), "a pose has no seam to mark");
}

#[test]
fn the_ground_height_is_part_of_the_recipe_and_can_be_taken_back() {
    let mut window = started([1920.0, 1080.0]);
    let ground = |window: &Window| window.state().workspace().active_recipe().contacts.ground_m;
    let plan = |window: &Window| window.state().workspace().shown().unwrap().outcome.report.slide.plan.ground_m;
    let found_m = plan(&window);
    window.get_by_label("Camera").click();
    window.run_steps(2);
    window.get_by_label("Detect ground").click();
    window.run_steps(2);
    assert_eq!(ground(&window), Some(found_m));
    window.get_by_label("Ground height").set_value_accesskit(-200.0);
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
    std::fs::copy(sample(), &copy).unwrap();
    let mut window = open_window([1920.0, 1080.0], vec![copy], TestPicker::default());
    settle(&mut window);
    let tall = |window: &Window| {
        let shown = window.state().workspace().shown().unwrap();
        let pose = shown.source.raw.pose(0);
        let heights = pose.iter().map(|m| m.translation.y);
        heights.clone().fold(f32::MIN, f32::max) - heights.fold(f32::MAX, f32::min)
    };
    assert!(tall(&window) > 1.4, "{}", tall(&window));
    window.get_by_label("Camera").click();
    window.run_steps(2);
    window.get_by_label("Up axis Z").click();
    window.run_steps(2);
    settle(&mut window);
    assert_eq!(window.state().workspace().library().sources().len(), 1);
    assert!(tall(&window) < 1.2, "the figure lies: {}", tall(&window));
}

/// Every view mode and both overlays, at a frame with a visible difference.
#[test]
fn pictures_of_all_view_modes() {
    let mut window = started([1280.0, 800.0]);
    let modes = [(egui::Key::Num1, "mode_1_side_by_side"), (egui::Key::Num2, "mode_2_wipe")];
    let more = [(egui::Key::Num3, "mode_3_onion"), (egui::Key::Num4, "mode_4_blink")];
    key(&mut window, egui::Key::Num5);
    for (mode, name) in modes.into_iter().chain(more) {
        key(&mut window, mode);
        compare(&mut window, name, Region::Viewports);
    }
    key(&mut window, egui::Key::Num1);
    key(&mut window, egui::Key::Num5);
    compare(&mut window, "mode_5_heat", Region::Viewports);
    key(&mut window, egui::Key::Num3);
    key(&mut window, egui::Key::Num6);
    key(&mut window, egui::Key::T);
    compare(&mut window, "mode_6_onion_difference_trails", Region::Viewports);
    key(&mut window, egui::Key::Num1);
    compare(&mut window, "mode_6_difference", Region::Viewports);
}

#[test]
fn picture_of_the_worst_vertex() {
    let mut window = started([1280.0, 800.0]);
    key(&mut window, egui::Key::W);
    compare(&mut window, "worst_vertex", Region::Viewports);
}

#[test]
fn meshes_are_hidden_and_shown_by_name() {
    let Some(knight) = crate::project::corpus("kaykit/Knight.glb") else { return };
    let mut window = open_window([1920.0, 1080.0], vec![knight], TestPicker::default());
    settle(&mut window);
    let hidden = |window: &Window| window.state().view().settings.hidden_meshes.clone();
    window.get_by_label("Meshes").click();
    window.run_steps(3);
    window.get_by_label("1H_Sword").click();
    window.run_steps(3);
    assert_eq!(hidden(&window).into_iter().collect::<Vec<_>>(), ["1H_Sword"]);
    assert!(window.query_all_by_label_contains("Meshes ").next().is_some(), "the bar shows that some are hidden");
    window.get_by_label("All meshes").click();
    window.run_steps(3);
    assert!(hidden(&window).is_empty());
    window.get_by_label("All meshes").click();
    window.run_steps(3);
    assert!(hidden(&window).len() > 10, "all of a knight's things: {:?}", hidden(&window));
}

#[test]
fn the_middle_button_moves_the_camera_across_and_a_tooltip_lies_beside_its_row() {
    let mut window = started([1280.0, 800.0]);
    let before = window.state().view().cameras.main;
    let centre = window.get_by_label("Viewport original").rect().center();
    let button = |pressed, pos| egui::Event::PointerButton {
        pos,
        button: egui::PointerButton::Middle,
        pressed,
        modifiers: egui::Modifiers::NONE,
    };
    window.hover_at(centre);
    window.event(button(true, centre));
    window.run_steps(1);
    window.hover_at(centre + egui::vec2(80.0, 0.0));
    window.run_steps(1);
    window.event(button(false, centre + egui::vec2(80.0, 0.0)));
    window.run_steps(2);
    let after = window.state().view().cameras.main;
    assert_eq!((after.yaw_rad, after.pitch_rad), (before.yaw_rad, before.pitch_rad));
    assert_ne!(after.target, before.target);
    let row = window.get_by_role_and_label(egui::Role::ListBoxOption, "idle").rect();
    window.hover_at(row.center());
    window.run_steps(30);
    let tooltip = window.get_by_label_contains(" samples, ").rect();
    assert!(tooltip.left() >= row.right() - 1.0, "{tooltip} {row}");
}
