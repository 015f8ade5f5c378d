//! Essentials and all settings.

use super::screens::undrawn;
use super::*;
use egui::{Key, Modifiers};

const NONE: Modifiers = Modifiers::NONE;
const CTRL: Modifiers = Modifiers::COMMAND;

fn is_there(window: &Window, label: &str) -> bool {
    window.query_all_by_label(label).next().is_some()
}

#[test]
fn a_new_window_shows_the_essentials_and_the_switch_shows_the_rest() {
    let mut window = undrawn([1920.0, 1080.0], vec![]);
    let hidden = [
        "Section Parameters",
        "Section Compensation",
        "Section Overrides",
        "Recipe C",
        "Onion",
        "Difference",
        "First sample",
    ];
    for label in ["Section Codec", "Tolerance, millimetres", "Recipe A", "Recipe B", "Wipe", "Heat map", "Play"] {
        assert!(is_there(&window, label), "{label}");
    }
    hidden.iter().for_each(|label| assert!(!is_there(&window, label), "{label}"));
    show_level(&mut window, "All settings");
    hidden.iter().for_each(|label| assert!(is_there(&window, label), "{label}"));
    show_level(&mut window, "Essentials");
    hidden.iter().for_each(|label| assert!(!is_there(&window, label), "{label}"));
}

#[test]
fn keys_and_commands_for_what_is_hidden_work_and_show_it() {
    let mut window = undrawn([1280.0, 800.0], vec![]);
    for (modifiers, key, label) in
        [(NONE, Key::Num3, "Onion"), (NONE, Key::Num6, "Difference"), (CTRL, Key::Num3, "Recipe C")]
    {
        assert!(!is_there(&window, label), "{label}");
        press(&mut window, modifiers, key);
        assert!(is_there(&window, label), "{label}");
    }
    press(&mut window, CTRL, Key::Num1);
    assert!(!is_there(&window, "Recipe C"), "it is neither active nor changed");
    run_action(&mut window, "panel overrides");
    assert!(is_there(&window, "Section Overrides"));
    show_level(&mut window, "Essentials");
    assert!(!is_there(&window, "Section Overrides"), "a click on the level hides it again");
    run_action(&mut window, "graph editor");
    assert!(is_there(&window, "Curve X"), "found by the word of other programs");
}

#[test]
fn a_setting_that_differs_from_its_default_shows_itself() {
    let mut window = undrawn([1280.0, 800.0], vec![]);
    assert!(!is_there(&window, "Search"));
    show_level(&mut window, "All settings");
    choose(&mut window, "Preset", "unreal-linear");
    settle(&mut window);
    let changed: Vec<&str> = {
        let recipe = window.state().workspace().active_recipe();
        recipe
            .codec
            .params()
            .iter()
            .filter(|param| recipe.values.is_changed(param.key))
            .map(|param| param.label)
            .collect()
    };
    assert!(!changed.is_empty());
    show_level(&mut window, "Essentials");
    assert!(is_there(&window, "Section Parameters"));
    changed.iter().for_each(|label| assert!(is_there(&window, label), "{label}"));
    assert!(!is_there(&window, "Section Compensation"));
}

#[test]
fn level_and_columns_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let open = || open_window_of([1280.0, 800.0], vec![], TestPicker::default(), Some(folder.path().to_path_buf()));
    let mut window = open();
    settle(&mut window);
    assert!(is_there(&window, "Sort by slide") && !is_there(&window, "Sort by error"));
    window.get_by_label("Sort by slide").click_secondary();
    window.run_steps(3);
    window.get_by_label("Column error").click();
    window.run_steps(3);
    press(&mut window, NONE, Key::Escape);
    show_level(&mut window, "Essentials");
    assert!(is_there(&window, "Sort by error"));
    drop(window);
    let kept = std::fs::read_to_string(folder.path().join("window-1.toml")).unwrap();
    assert!(kept.contains("level = \"Essentials\"") && kept.contains("\"max_mm\""), "{kept}");
}

#[test]
fn picture_of_the_essentials() {
    let mut window = started([1280.0, 800.0]);
    show_level(&mut window, "Essentials");
    compare(&mut window, "essentials", Region::Whole);
}
