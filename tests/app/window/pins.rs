//! Pins: offered, marked, judged and taken back.

use super::*;
use egui::{Key, Modifiers};

/// Knight's idle with a two-handed weapon.
fn two_handed() -> Option<Window> {
    let mut window = open_window([1920.0, 1080.0], vec![corpus("kaykit/Knight.glb")?], TestPicker::default());
    settle(&mut window);
    choose_clip(&mut window, "2H_Melee_Idle");
    Some(window)
}

fn marks(window: &Window) -> Vec<String> {
    window.state().workspace().active_recipe().contacts.pins.clone()
}

#[test]
fn a_pin_is_offered_marked_judged_and_taken_back() {
    let Some(mut window) = two_handed() else { return };
    let name = "hand.l on handslot.r";
    assert!(window.query_all_by_label_contains(&format!("Pin {name}, drifts")).next().is_some(), "its block");
    assert!(window.query_by_label(&format!("Mark {name}")).is_none(), "the fold is closed");
    window.get_by_label_contains("Pins: 1 found").click_accesskit();
    window.run_steps(20);
    window.get_by_label(&format!("Mark {name}")).click_accesskit();
    window.run_steps(2);
    settle(&mut window);
    assert_eq!(marks(&window), [name]);
    let report = window.state().workspace().shown().unwrap().outcome.report.clone();
    let pin = report.pins.worst().expect("it is judged").clone();
    let block = format!("Pin {name}, drifts {}, {:?}", posepress_core::text::length(pin.drift_m), pin.verdict);
    window.get_by_label(&block).click();
    window.run_steps(3);
    settle(&mut window);
    let view = window.state().view();
    assert_eq!(view.selection.joint, Some(pin.joint));
    assert!((view.transport.time_secs - pin.worst_secs).abs() < 1e-4, "at its largest drift");
    window.get_by_label(&format!("Unmark {name}")).click_accesskit();
    window.run_steps(2);
    settle(&mut window);
    assert!(marks(&window).is_empty());
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(marks(&window), [name], "one step");
}

#[test]
fn all_pins_are_marked_at_once() {
    let Some(mut window) = two_handed() else { return };
    window.get_by_label_contains("Pins: 1 found").click_accesskit();
    window.run_steps(20);
    window.get_by_label("Mark all pins").click_accesskit();
    window.run_steps(2);
    settle(&mut window);
    assert_eq!(marks(&window), ["*"]);
    assert!(window.query_by_label("Unmark hand.l on handslot.r").is_some());
    window.get_by_label("Unmark all pins").click_accesskit();
    window.run_steps(2);
    settle(&mut window);
    assert!(marks(&window).is_empty());
}
