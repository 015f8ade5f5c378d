//! Errors and the tolerance in pixels: shown on request, saved with the document, undone.

use super::fields::type_into;
use super::{Region, Window, compare, press, settle, started};
use egui::{Key, Modifiers, Role};
use egui_kittest::kittest::{NodeT, Queryable};
use posepress_core::report::Screen;
use posepress_core::text;

const ENTER: (Modifiers, Key) = (Modifiers::NONE, Key::Enter);

fn screen(window: &Window) -> Screen {
    window.state().workspace().document().screen
}

/// The text about the shell error on the screen.
fn shell(window: &Window) -> Option<String> {
    window.query_by_label_contains("shell on screen ").and_then(|node| node.accesskit_node().value())
}

#[test]
fn errors_are_shown_in_pixels_and_the_tolerance_is_given_in_them() {
    let mut window = started([1920.0, 1080.0]);
    assert!(shell(&window).is_none() && !screen(&window).shown);
    // The focus scrolls to it.
    window.get_by_role_and_label(Role::CheckBox, "Pixels").focus();
    window.run_steps(3);
    press(&mut window, Modifiers::NONE, Key::Space);
    assert!(screen(&window).shown);
    let expected = |window: &Window| {
        let workspace = window.state().workspace();
        let report = workspace.answer(workspace.selected().unwrap(), 0).unwrap().report.clone().unwrap();
        let pixels = screen(window).pixels((report.error.max_mm / 1000.0) as f32);
        format!("shell on screen {}", text::pixels(pixels))
    };
    assert_eq!(shell(&window), Some(expected(&window)));
    let before = expected(&window);
    type_into(&mut window, "Distance", "150 cm", ENTER);
    assert_eq!(screen(&window).distance_m, 1.5);
    assert!(shell(&window) == Some(expected(&window)) && expected(&window) != before);
    compare(&mut window, "on_screen", Region::Around(&["Section Report", "Distance"]));

    type_into(&mut window, "on screen", "2 px", ENTER);
    settle(&mut window);
    let tolerance_m = window.state().workspace().document().recipes[0].tolerance_m;
    assert!((screen(&window).pixels(tolerance_m) - 2.0).abs() < 1e-4, "{tolerance_m}");
    assert_eq!(shell(&window), Some(expected(&window)), "of the new compression");
    for _ in 0..3 {
        press(&mut window, Modifiers::COMMAND, Key::Z);
    }
    assert!(screen(&window) == Screen::default() && shell(&window).is_none());
}
