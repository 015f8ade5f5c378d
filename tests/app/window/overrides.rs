//! Joints with their own tolerance, and locked feet.

use super::*;
use egui::{Key, Modifiers};
use posepress_core::pipeline::Outcome;
use posepress_core::recipe::{JointOverride, Recipe};

fn active(window: &Window) -> Recipe {
    window.state().workspace().active_recipe().as_ref().clone()
}

fn shown(window: &Window) -> Arc<Outcome> {
    window.state().workspace().shown().unwrap().outcome.clone()
}

/// Selects a joint in the tree, and shows recipe B.
fn with_joint(name: &str) -> Window {
    let mut window = started([1920.0, 1080.0]);
    press(&mut window, Modifiers::COMMAND, Key::Num2);
    settle(&mut window);
    window.get_by_role_and_label(Role::TreeItem, name).click();
    window.run_steps(3);
    window
}

/// Marks the part between two samples for playback.
fn mark_part(window: &mut Window, (first, last): (usize, usize)) {
    press(window, Modifiers::NONE, Key::Home);
    for (steps, key) in [(first, Key::I), (last - first, Key::O)] {
        (0..steps).for_each(|_| press(window, Modifiers::NONE, Key::ArrowRight));
        press(window, Modifiers::NONE, key);
    }
}

#[test]
fn a_joint_gets_a_tolerance_of_its_own_in_the_part_that_is_played() {
    let mut window = with_joint("foot_l");
    let plain = shown(&window);
    window.get_by_label("Add foot_l").click();
    window.run_steps(2);
    settle(&mut window);
    assert_eq!(active(&window).overrides, [JointOverride { shell_m: Some(1.0), ..JointOverride::of("foot_l") }]);
    assert!(window.query_by_label("Add foot_l").is_none(), "it is listed by now");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(active(&window).overrides.is_empty());

    mark_part(&mut window, (5, 15));
    window.get_by_label_contains("Add foot_l, ").click();
    window.run_steps(2);
    settle(&mut window);
    let recipe = active(&window);
    let part = recipe.overrides[0].clone();
    assert_eq!((part.tolerance_m, part.shell_m), (Some(recipe.tolerance_m * 0.5), None));
    assert_eq!((part.clip.as_str(), part.samples(plain.decoded.grid())), ("walk", 5..16));
    let tight = shown(&window);
    let (joint, stride) = (window.state().view().selection.joint.unwrap(), tight.report.sub_frames);
    let error_m = |outcome: &Outcome| {
        let errors = (5..16).map(|sample| outcome.report.shell.step(sample * stride)[joint]);
        errors.fold(0.0, f32::max)
    };
    let half_m = recipe.tolerance_m * 0.5;
    assert!(error_m(&plain) > half_m && error_m(&tight) <= half_m && tight.report.within());
    // The figure is the largest error, even if the verdict comes from another error.
    let largest = posepress_core::text::length(tight.report.samples.worst.error_m);
    assert!(window.query_all_by_label_contains(&format!("joints (shell) {largest}, ")).next().is_some(), "{largest}");
    assert!(window.query_all_by_label_contains("foot_l protected").next().is_some(), "the timeline shows it");
    // The cost was tried, and the part in the timeline shows the time range.
    let cost = tight.bytes() as i64 - plain.bytes() as i64;
    let words = if cost < 0 { "saves " } else { "costs " };
    let words = format!("{words}{}", posepress_core::text::bytes(cost.unsigned_abs()));
    window.get_by_value(&format!("walk, f5\u{2013}15, {words}"));
    compare(&mut window, "overrides_timeline", Region::Timeline);
    compare(&mut window, "overrides", Region::Around(&["Section Overrides", "Section Named recipes"]));

    // A pattern adds joints, a pattern without a match is reported, and the cross removes the override.
    let rename = |window: &mut Window, to: &str| {
        window.get_by_label("Joints of the override").click();
        window.run_steps(2);
        press(window, Modifiers::COMMAND, Key::A);
        window.get_by_label("Joints of the override").type_text(to);
        window.run_steps(2);
        press(window, Modifiers::NONE, Key::Enter);
        settle(window);
    };
    rename(&mut window, "foot_*");
    assert_eq!(active(&window).overrides[0].joint, "foot_*");
    window.get_by_value("2 joints");
    rename(&mut window, "tail");
    window.get_by_value("no such joint");
    window.get_by_label("Remove override of tail").click();
    window.run_steps(2);
    settle(&mut window);
    assert!(active(&window).overrides.is_empty());
    assert_eq!(shown(&window).bytes(), plain.bytes());
}

#[test]
fn the_menu_of_a_joint_overrides_it() {
    let mut window = with_joint("foot_l");
    window.get_by_role_and_label(Role::TreeItem, "foot_l").click_secondary();
    window.run_steps(3);
    window.get_by_label("Override foot_l").click();
    window.run_steps(2);
    settle(&mut window);
    assert_eq!(active(&window).overrides.len(), 1);
}

#[test]
fn a_joint_is_never_touched_or_gets_parameters_of_its_own() {
    let mut window = with_joint("foot_l");
    let (plain, plain_values) = (shown(&window), active(&window).values);
    let joint = window.state().view().selection.joint.unwrap();
    window.get_by_role_and_label(Role::TreeItem, "foot_l").click_secondary();
    window.run_steps(3);
    window.get_by_label("Keep foot_l lossless").click();
    window.run_steps(2);
    settle(&mut window);
    assert_eq!(active(&window).overrides, [JointOverride { exact: true, ..JointOverride::of("foot_l") }]);
    let exact = shown(&window);
    let raw = window.state().workspace().shown().unwrap().source.raw.clone();
    let is_lossless = |outcome: &Outcome| {
        let mut steps = (0..raw.steps()).step_by(raw.sub_frames());
        steps.all(|step| outcome.decoded.local(step, joint) == raw.local(step, joint))
    };
    assert!(is_lossless(&exact) && !is_lossless(&plain) && exact.bytes() > plain.bytes());
    compare(&mut window, "never_touched", Region::Around(&["Section Overrides", "Section Named recipes"]));

    window.get_by_role_and_label(Role::CheckBox, "Lossless").click_accesskit();
    window.run_steps(2);
    settle(&mut window);
    assert_eq!(shown(&window).bytes(), plain.bytes(), "an override that asks for nothing");
    window.get_by_label("Own parameter").click_accesskit();
    window.run_steps(3);
    window.get_by_role_and_label(Role::Button, "Storage").click_accesskit();
    window.run_steps(3);
    settle(&mut window);
    let set = &active(&window).overrides[0].set;
    assert_eq!(set.keys().collect::<Vec<_>>(), ["storage"], "{set:?}");
    assert_eq!(active(&window).values, plain_values, "the rest keeps its own");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(active(&window).overrides[0].set.is_empty());
}

#[test]
fn locked_contacts_hold_the_feet_that_the_first_recipe_lets_slide() {
    let mut window = started([1920.0, 1080.0]);
    let before = shown(&window);
    assert_eq!(before.report.slide.verdict(), Verdict::Fail);
    window.get_by_role_and_label(Role::CheckBox, "Lock contacts").focus();
    window.run_steps(3);
    press(&mut window, Modifiers::NONE, Key::Space);
    settle(&mut window);
    let after = shown(&window);
    let lock = after.encoding().unwrap().lock.unwrap();
    assert_eq!((after.report.slide.verdict(), lock.left), (Verdict::Good, 0), "{lock:?}");
    assert_eq!(active(&window).tolerance_m, before.recipe.tolerance_m, "all else stays");
    window.get_by_value(&format!("Locked: {}.", lock.words()));
    compare(&mut window, "contact_lock", Region::Around(&["Section Contacts", "Slide at most"]));
    window.get_by_role_and_label(Role::ComboBox, "Codec").focus();
    window.run_steps(20); // the column scrolls to it
    choose(&mut window, "Codec", "quantize");
    settle(&mut window);
    window.get_by_value("quantize cannot lock contacts: it does not search.");
}
