//! Feet that slide in the file: offered, held, and as in the file again.

use super::*;
use egui::{Key, Modifiers};
use posepress_core::import::Fix;

fn largest_source_slide_m(window: &Window) -> f32 {
    let report = window.state().workspace().shown().unwrap().outcome.report.clone();
    report.slide.contacts.iter().map(|contact| contact.source_m).fold(0.0, f32::max)
}

#[test]
fn sliding_feet_of_the_file_are_held_and_set_free_by_one_button() {
    let Some(knight) = corpus("kaykit/Knight.glb") else { return };
    let mut window = open_window([1920.0, 1080.0], vec![knight], TestPicker::default());
    settle(&mut window);
    choose_clip(&mut window, "Walking_A");
    assert!(largest_source_slide_m(&window) > 0.05);
    window.get_by_label_contains("In the file, feet slide up to");
    window.get_by_label("Hold feet").click_accesskit();
    window.run_steps(2);
    settle(&mut window);
    assert!(largest_source_slide_m(&window) < 0.001, "{} m", largest_source_slide_m(&window));
    window.get_by_label_contains("Feet held. Feet move by up to");
    let id = window.state().workspace().selected().unwrap();
    let fixes = window.state().workspace().library().source(id.source).unwrap().fixes(id.clip as usize).unwrap();
    assert!(fixes.contains(&Fix::Feet));
    window.get_by_label("As in file").click_accesskit();
    window.run_steps(2);
    settle(&mut window);
    assert!(largest_source_slide_m(&window) > 0.05);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    assert!(largest_source_slide_m(&window) < 0.001, "one step");
}

#[test]
fn a_contact_that_is_drawn_is_held_where_it_was_drawn() {
    let Some(knight) = corpus("kaykit/Knight.glb") else { return };
    let mut window = open_window([1920.0, 1080.0], vec![knight], TestPicker::default());
    settle(&mut window);
    choose_clip(&mut window, "Walking_A");
    window.get_by_label("Hold feet").click_accesskit();
    window.run_steps(2);
    settle(&mut window);
    let id = window.state().workspace().selected().unwrap();
    let clip = |window: &Window| window.state().workspace().library().clip(id).unwrap().1.clone();
    let held = clip(&window);
    drag_touch_down(&mut window);
    assert_ne!(*clip(&window), *held, "the foot moves as in the file until it touches down");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    assert_eq!(*clip(&window), *held, "one step brings back what was held");
}
