//! A crowd of the selected clip.

use super::{Window, press, settle, started, until};
use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;

/// The text about the bytes that a crowd reads, if they are counted.
fn found(window: &Window) -> Option<String> {
    window.query_by(|node| node.value().is_some_and(|text| text.ends_with(" read")))?.value()
}

/// The text about the bytes that a crowd reads.
fn read(window: &mut Window) -> String {
    until(window, "the bytes are counted", |window| found(window).is_some());
    found(window).unwrap()
}

#[test]
fn a_crowd_says_what_it_reads_is_framed_and_goes_again() {
    let mut window = started([1280.0, 800.0]);
    press(&mut window, Modifiers::NONE, Key::A);
    let alone_m = window.state().view().cameras.main.distance_m;
    press(&mut window, Modifiers::SHIFT, Key::C);
    settle(&mut window);
    assert_eq!(window.state().view().crowd, 100);
    assert!(window.state().view().cameras.main.distance_m > 4.0 * alone_m, "the camera shows everybody");
    let of_100 = read(&mut window);
    window.get_by_label("Characters of the crowd").focus();
    press(&mut window, Modifiers::NONE, Key::ArrowUp);
    settle(&mut window);
    assert_eq!(window.state().view().crowd, 101);
    assert_ne!(read(&mut window), of_100);
    window.get_by_label("Close the crowd").click();
    settle(&mut window);
    assert_eq!(window.state().view().crowd, 1);
    assert!((window.state().view().cameras.main.distance_m / alone_m - 1.0).abs() < 0.01);
    assert!(window.query_by_label("Characters of the crowd").is_none());
}

#[test]
fn a_crowd_stands_beside_every_recipe_clip_and_view_mode() {
    let mut window = started([1024.0, 700.0]);
    press(&mut window, Modifiers::SHIFT, Key::C);
    for key in [Key::Num2, Key::Num3, Key::Num4, Key::Num1, Key::Num5, Key::Num6, Key::ArrowDown, Key::ArrowDown] {
        press(&mut window, Modifiers::NONE, key);
        settle(&mut window);
        assert!(window.query_by_label("Characters of the crowd").is_some() || key == Key::Num4, "{key:?}");
    }
    press(&mut window, Modifiers::COMMAND, Key::Num2);
    settle(&mut window);
    assert!(read(&mut window).contains(" KB"), "another recipe");
    for tab in [Key::F3, Key::F4, Key::F2] {
        press(&mut window, Modifiers::NONE, tab);
        settle(&mut window);
    }
    assert_eq!(window.state().view().crowd, 100);
}
