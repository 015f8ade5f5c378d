//! Sets of keys: presets of other programs, and a file of the user.

use super::*;
use egui::{Key, Modifiers};

const NONE: Modifiers = Modifiers::NONE;

fn open(folder: &std::path::Path) -> Window {
    let picker = TestPicker::default();
    let mut window = open_window_of([1280.0, 800.0], vec![], picker, Some(folder.to_path_buf()));
    settle(&mut window);
    window
}

/// Chooses a set of keys in the key sheet.
fn choose_keys(window: &mut Window, name: &str) {
    press(window, Modifiers::SHIFT, Key::Questionmark);
    window.get_by_role_and_label(Role::RadioButton, name).click();
    window.run_steps(3);
    press(window, NONE, Key::Escape);
}

fn selected(window: &Window) -> Option<posepress_core::model::ClipId> {
    window.state().workspace().selected()
}

#[test]
fn keys_of_another_program_act_are_shown_and_come_back_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(folder.path());
    choose_keys(&mut window, "Blender");
    let first = selected(&window);
    press(&mut window, NONE, Key::ArrowDown);
    assert_eq!(selected(&window), first, "the key now goes to an earlier peak");
    press(&mut window, NONE, Key::PageDown);
    assert_ne!(selected(&window), first);
    drop(window);
    let mut window = open(folder.path());
    let first = selected(&window);
    press(&mut window, NONE, Key::PageDown);
    assert_ne!(selected(&window), first, "kept for the next start");
    press(&mut window, Modifiers::SHIFT, Key::Questionmark);
    let next_clip = window.query_all_by_label_contains("PageDown").next();
    assert!(next_clip.is_some(), "the sheet shows the keys in use");
    press(&mut window, NONE, Key::Escape);
    choose_keys(&mut window, "Posepress");
    let second = selected(&window);
    press(&mut window, NONE, Key::PageDown);
    assert_eq!(selected(&window), second);
}

#[test]
fn own_keys_are_in_a_file_whose_mistakes_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("keys.toml");
    let mut window = open(folder.path());
    choose_keys(&mut window, "Own file");
    let made = std::fs::read_to_string(&file).unwrap();
    assert!(made.contains("# toggle-play = [\"Space\"]"), "{made}");
    std::fs::write(&file, "toggle-play = [\"Ctrl+J\"]").unwrap();
    choose_keys(&mut window, "Own file");
    press(&mut window, Modifiers::COMMAND, Key::J);
    assert!(window.state().view().transport.playing);
    press(&mut window, NONE, Key::Space);
    assert!(window.state().view().transport.playing, "its usual key is free");
    std::fs::write(&file, "toggle-pay = [\"J\"]").unwrap();
    choose_keys(&mut window, "Own file");
    let messages = &window.state().view().messages;
    let last = messages.problems.last().map(|problem| format!("{problem:?}")).unwrap_or_default();
    assert!(last.contains("did you mean 'toggle-play'?") && last.contains("keys.toml"), "{last}");
}
