//! The top bar holds its buttons at every width.

use super::{Window, double_click, drag, press, settle, started};
use egui::Role;
use egui_kittest::kittest::Queryable;

#[test]
fn approve_and_export_stand_in_the_window_at_every_width_and_nothing_lies_under_them() {
    for width in [1024.0, 1280.0, 1499.0, 1500.0, 1560.0, 1600.0, 1660.0, 1700.0, 1760.0, 1920.0] {
        let window = started([width, 800.0]);
        let approve = window.get_by_role_and_label(Role::Button, "Approve this clip").rect();
        let export = window.get_by_role_and_label(Role::Button, "Export\u{2026}").rect();
        assert!(approve.right() <= export.left() && export.right() <= width, "{width}: {approve} {export}");
        let headline = window.get_by_label_contains("clips fail with A").rect();
        assert!(headline.right() <= approve.left() && headline.height() < 20.0, "{width}: {headline} {approve}");
        let reason = window.get_by_label_contains("feet slide up to").rect();
        assert!(reason.right() <= approve.left() && reason.top() >= headline.bottom(), "{width}: {reason} {headline}");
    }
}

#[test]
fn a_recipe_is_dragged_to_another_slot_or_moved_by_its_menu() {
    let mut window = started([1280.0, 800.0]);
    let titles = |window: &Window| [0, 1].map(|slot| window.state().workspace().recipe(slot).title());
    let before = titles(&window);
    let [a, b] = ["Recipe A", "Recipe B"].map(|name| window.get_by_label(name).rect().center());
    drag(&mut window, a, b - a);
    settle(&mut window);
    assert_eq!(titles(&window), [before[1].clone(), before[0].clone()]);
    assert_eq!(window.state().workspace().active_slot(), 1, "it stays the active one");
    window.get_by_label("Recipe B").click_secondary();
    window.run_steps(3);
    window.get_by_label("Move left").click();
    window.run_steps(3);
    settle(&mut window);
    assert_eq!(titles(&window), before);
}

#[test]
fn a_double_click_names_a_slot_and_its_menu_removes_the_name() {
    let mut window = started([1920.0, 1080.0]);
    let title = |window: &Window| window.state().workspace().own_title(1);
    let codec = title(&window);
    let at = window.get_by_label("Recipe B").rect().center();
    double_click(&mut window, at);
    window.get_by_label("Name of the slot");
    window.event(egui::Event::Text("crowd".into()));
    window.run_steps(2);
    press(&mut window, egui::Modifiers::NONE, egui::Key::Enter);
    assert_eq!(title(&window), "crowd");
    assert!(window.query_by_label("Name of the slot").is_none(), "the field is gone");
    press(&mut window, egui::Modifiers::COMMAND, egui::Key::Z);
    assert_eq!(title(&window), codec);
    press(&mut window, egui::Modifiers::COMMAND.plus(egui::Modifiers::SHIFT), egui::Key::Z);
    window.get_by_label("Recipe B").click_secondary();
    window.run_steps(4);
    window.get_by_label("Remove the name").click();
    window.run_steps(3);
    assert_eq!(title(&window), codec);
    double_click(&mut window, at);
    window.run_steps(3);
    window.event(egui::Event::Text("fast".into()));
    window.run_steps(2);
    press(&mut window, egui::Modifiers::NONE, egui::Key::Escape);
    assert_eq!(title(&window), codec, "Escape gives it up");
}
