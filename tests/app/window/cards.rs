//! Cards over the pictures: no text overlaps other text.

use super::{PathBuf, TestPicker, Window, open_window, press, settle, started};
use egui::{Key, Modifiers, Rect};
use egui_kittest::kittest::Queryable;

/// The callout and the lens of every picture, and the controls inside pictures.
fn cards(window: &Window) -> Vec<(String, Rect)> {
    let callouts = window.query_all_by_label_contains(" slides ").filter(|n| n.rect().height() == 60.0);
    let callouts = callouts.map(|n| ("callout".to_owned(), n.rect()));
    let names = ["Foot lens, from above", "Onion mix, percent", "Blink rate", "Difference factor"];
    let named = names
        .into_iter()
        .flat_map(|name| window.query_all_by_label(name).map(move |n| (name.to_owned(), n.rect())).collect::<Vec<_>>());
    callouts.chain(named).collect()
}

#[test]
fn the_callout_never_lies_under_the_lens_or_a_control() {
    let (mut lenses, mut callouts) = (0, 0);
    for size in [[1920.0, 1080.0], [1280.0, 800.0]] {
        let mut window = started(size);
        for mode in [Key::Num1, Key::Num2, Key::Num3, Key::Num4] {
            press(&mut window, Modifiers::NONE, mode);
            for view in [Key::A, Key::Num7, Key::Num8, Key::Num9, Key::F, Key::W, Key::P, Key::N, Key::N, Key::Num6] {
                press(&mut window, Modifiers::NONE, view);
                let cards = cards(&window);
                lenses += cards.iter().filter(|c| c.0.starts_with("Foot lens")).count();
                callouts += cards.iter().filter(|c| c.0 == "callout").count();
                for (i, (name, rect)) in cards.iter().enumerate() {
                    for (other, over) in &cards[i + 1..] {
                        assert!(
                            !rect.intersects(*over),
                            "{size:?} {mode:?} {view:?}: {name} {rect} and {other} {over}"
                        );
                    }
                }
            }
        }
    }
    assert!(lenses > 30 && callouts > 40, "{lenses} lenses and {callouts} callouts were seen");
}

#[test]
fn error_cards_cover_no_button_and_no_head_of_a_table() {
    for size in [[1024.0, 700.0], [1280.0, 800.0]] {
        let folder = tempfile::tempdir().unwrap();
        let files: Vec<PathBuf> = (0..4).map(|index| folder.path().join(format!("{index}.glb"))).collect();
        files.iter().for_each(|file| std::fs::write(file, b"no glTF").unwrap());
        let picker = TestPicker::default();
        *picker.open.lock().unwrap() = files;
        let mut window = open_window(size, vec![], picker);
        settle(&mut window);
        window.get_by_label("Got it").click();
        press(&mut window, egui::Modifiers::COMMAND, egui::Key::O);
        assert_eq!(window.state().view().messages.problems.len(), 4);
        for (main_tab, names) in [
            (egui::Key::F2, &["Reference", "Viewport original", "Viewport compressed"][..]),
            (egui::Key::F3, &["Sort by name", "Filter clips by name"]),
            (egui::Key::F4, &["Compare recipes", "Clips and recipes", "All clips"]),
        ] {
            press(&mut window, egui::Modifiers::NONE, main_tab);
            let card = window.get_by_label("Close message 1").rect();
            for name in names {
                let rect = window.query_all_by_label(name).next().unwrap_or_else(|| panic!("{name}")).rect();
                let is_beside = rect.right() < card.left() - 640.0 || rect.left() > card.right();
                assert!(
                    rect.top() > card.bottom() || rect.bottom() < card.top() || is_beside,
                    "{name} {rect:?} {card:?}"
                );
            }
        }
    }
}

#[test]
fn messages_are_counted_closed_together_and_go_with_their_cause() {
    let folder = tempfile::tempdir().unwrap();
    let files: Vec<PathBuf> = (0..3).map(|index| folder.path().join(format!("{index}.glb"))).collect();
    files.iter().for_each(|file| std::fs::write(file, b"no glTF").unwrap());
    let picker = TestPicker::default();
    *picker.open.lock().unwrap() = files.clone();
    let mut window = open_window([1280.0, 800.0], vec![], picker.clone());
    settle(&mut window);
    press(&mut window, Modifiers::COMMAND, Key::O);
    window.get_by_label("3 messages");
    // One of the files is repaired and opened again.
    std::fs::copy(crate::project::sample(), &files[1]).unwrap();
    *picker.open.lock().unwrap() = vec![files[1].clone()];
    press(&mut window, Modifiers::COMMAND, Key::O);
    let titles = |window: &Window| {
        window.state().view().messages.problems.iter().map(|problem| problem.title.clone()).collect::<Vec<_>>()
    };
    assert_eq!(titles(&window), ["0.glb cannot be read", "2.glb cannot be read"]);
    // The same failure again is one message.
    *picker.open.lock().unwrap() = vec![files[0].clone()];
    press(&mut window, Modifiers::COMMAND, Key::O);
    assert_eq!(titles(&window).len(), 2);
    window.get_by_label("Close all").click();
    window.run_steps(3);
    assert!(titles(&window).is_empty() && window.query_by_label("Close all").is_none());
}

#[test]
fn the_factor_of_the_difference_stands_once_beside_a_heat_map() {
    let mut window = started([1280.0, 800.0]);
    press(&mut window, Modifiers::NONE, Key::Num6);
    press(&mut window, Modifiers::NONE, Key::F3);
    settle(&mut window);
    assert_eq!(window.query_all_by_label("Difference factor").count(), 1);
}
