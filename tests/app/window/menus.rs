//! Menus of the right mouse button on the timeline and on the slider.

use super::*;
use egui::{Key, Modifiers};

/// Opens the menu of a node, and clicks the entry that begins so.
fn choose(window: &mut Window, node: &str, entry: &str) {
    window.get_by_label(node).click_secondary();
    window.run_steps(4);
    window.query_all_by_label_contains(entry).last().unwrap_or_else(|| panic!("no entry {entry}")).click();
    window.run_steps(3);
    settle(window);
}

#[test]
fn the_timeline_has_a_menu_about_the_moment_that_was_clicked() {
    let mut window = started([1280.0, 800.0]);
    press(&mut window, Modifiers::NONE, Key::Home);
    choose(&mut window, "Timeline", "In point");
    let clicked_secs = window.state().view().transport.time_secs;
    assert!(clicked_secs > 0.0, "the playhead is there");
    let range = window.state().view().transport.range_secs.expect("an in point");
    assert_eq!(range[0], clicked_secs);
}

#[test]
fn the_name_of_a_foot_selects_its_joint_and_has_its_menu() {
    let mut window = started([1280.0, 800.0]);
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert_eq!(window.state().view().selection.joint, None);
    choose(&mut window, "Joint foot_l", "Keep trail");
    let joint = window.state().view().selection.joint.expect("the foot");
    let (rig, _) = window.state().workspace().library().clip(window.state().workspace().selected().unwrap()).unwrap();
    assert_eq!(rig.skeleton.name(joint), "foot_l");
    assert!(!window.state().view().selection.kept_trails.is_empty());
}

#[test]
fn the_slider_has_a_way_back_to_the_default() {
    let mut window = started([1280.0, 800.0]);
    press(&mut window, Modifiers::COMMAND, Key::Num2);
    let recipe = |window: &Window| window.state().workspace().active_recipe().clone();
    let default_m = posepress_core::recipe::Recipe::of(recipe(&window).codec).tolerance_m;
    assert_ne!(recipe(&window).tolerance_m, default_m);
    choose(&mut window, "Tolerance, millimetres", "Back to ");
    assert_eq!(recipe(&window).tolerance_m, default_m);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_ne!(recipe(&window).tolerance_m, default_m);
    let at = window.get_by_label("Tolerance, millimetres").rect().center();
    double_click(&mut window, at);
    settle(&mut window);
    assert_eq!(recipe(&window).tolerance_m, default_m, "and so has a double-click");
}
