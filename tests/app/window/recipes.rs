//! Recipes as text: the command line reads what the window saves, opens, copies and pastes.

use super::{TestPicker, Window, open_window, press, settle};
use egui::{Key, Modifiers, OutputCommand};
use egui_kittest::kittest::Queryable;
use posepress_core::recipe::Recipe;

fn active(window: &Window) -> Recipe {
    window.state().workspace().active_recipe().as_ref().clone()
}

fn run(window: &mut Window, entry: &str) {
    window.get_by_label("Edit").click();
    window.run_steps(2);
    window.get_by_label(entry).click();
    window.run_steps(1);
}

fn paste(window: &mut Window, text: &str) {
    window.event(egui::Event::Paste(text.to_owned()));
    window.run_steps(2);
    settle(window);
}

#[test]
fn a_recipe_goes_through_a_file_and_the_clipboard_and_what_is_none_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hands.toml");
    let picker = TestPicker::default();
    *picker.save.lock().unwrap() = Some(path.clone());
    picker.open.lock().unwrap().push(path.clone());
    let mut window = open_window([1920.0, 1080.0], vec![], picker);
    settle(&mut window);
    press(&mut window, Modifiers::COMMAND, Key::Num3);
    let third = active(&window);
    run(&mut window, "Save recipe\u{2026}");
    window.run_steps(2);
    assert_eq!(Recipe::from_toml(&std::fs::read_to_string(&path).unwrap()).unwrap(), third);
    run(&mut window, "Copy recipe");
    let copied = window.output().platform_output.commands.iter().find_map(|command| match command {
        OutputCommand::CopyText(text) => Some(text.clone()),
        _ => None,
    });
    let copied = copied.expect("something was copied");
    assert_eq!(Recipe::from_toml(&copied).unwrap(), third);

    press(&mut window, Modifiers::COMMAND, Key::Num1);
    let first = active(&window);
    assert_ne!(first, third);
    run(&mut window, "Open recipe\u{2026}");
    window.run_steps(2);
    settle(&mut window);
    assert_eq!(active(&window), third);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(active(&window), first, "one undo takes it back");
    paste(&mut window, &copied);
    assert_eq!(active(&window), third);
    press(&mut window, Modifiers::COMMAND, Key::Z);

    paste(&mut window, "codec = \"zip\"");
    std::fs::write(&path, "tolerance_m = -1.0").unwrap();
    run(&mut window, "Open recipe\u{2026}");
    window.run_steps(2);
    settle(&mut window);
    assert_eq!(active(&window), first);
    let problems = &window.state().view().messages.problems;
    let said: Vec<_> = problems.iter().map(|p| (p.title.as_str(), p.detail.as_str())).collect();
    assert_eq!(said[0].0, "The clipboard does not contain a recipe");
    assert!(said[0].1.contains("zip") && said[0].1.contains("Recipe A did not change"), "{said:?}");
    assert_eq!(said[1].0, "hands.toml cannot be used as a recipe");
    assert!(said[1].1.contains("tolerance_m"), "{said:?}");
    // In a text field, text is pasted as in any other.
    window.get_by_label("Filter clips by name").click();
    window.run_steps(2);
    paste(&mut window, "walk");
    assert_eq!(
        (window.state().view().filters.clips.as_str(), window.state().view().messages.problems.len()),
        ("walk", 2)
    );
}
