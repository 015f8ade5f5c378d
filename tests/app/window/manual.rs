//! The manual in the window.

use super::{TestPicker, Window, open_window, press, settle, started};
use egui::{Key, Modifiers, Pos2, accesskit::Role};
use egui_kittest::kittest::{NodeT, Queryable};

const NONE: Modifiers = Modifiers::NONE;

fn path(window: &Window) -> Option<String> {
    window.state().view().sheets.manual.as_ref().map(|manual| manual.path.clone())
}

/// Opens the manual with the pointer at a place, and closes it.
fn page_at(window: &mut Window, place: Pos2) -> String {
    window.hover_at(place);
    window.run_steps(3);
    press(window, NONE, Key::F1);
    let page = path(window).unwrap_or_else(|| panic!("no page about {place}"));
    press(window, NONE, Key::Escape);
    assert_eq!(path(window), None);
    page
}

/// A place in a tab of the right panel, which it shows.
fn in_tab(window: &mut Window, name: &str) -> Pos2 {
    window.get_by_role_and_label(Role::Tab, name).click();
    window.run_steps(3);
    window.get_by_role_and_label(Role::Tab, name).rect().center() + egui::vec2(0.0, 70.0)
}

#[test]
fn f1_opens_the_page_about_what_lies_under_the_pointer() {
    let mut window = started([1280.0, 800.0]);
    for (tab, page) in [
        ("Codec", "how-to/pick-a-codec.md"),
        ("Contacts", "explanation/contacts.md"),
        ("Report", "reference/measures.md"),
    ] {
        let place = in_tab(&mut window, tab);
        assert_eq!(page_at(&mut window, place), page);
    }
    for (key, page) in
        [(Key::F2, "reference/window.md"), (Key::F3, "how-to/review.md"), (Key::F4, "how-to/fit-a-budget.md")]
    {
        press(&mut window, NONE, key);
        assert_eq!(page_at(&mut window, egui::pos2(640.0, 400.0)), page);
    }
    press(&mut window, NONE, Key::F2);
    press(&mut window, NONE, Key::Questionmark);
    window.hover_at(egui::pos2(640.0, 400.0));
    window.run_steps(3);
    press(&mut window, NONE, Key::F1);
    assert_eq!(path(&window).as_deref(), Some("reference/keys.md"), "about the open sheet");
    press(&mut window, NONE, Key::F1);
    assert_eq!(path(&window), None, "again: closed");
}

#[test]
fn pages_are_searched_turned_and_turned_back() {
    let mut window = open_window([1024.0, 700.0], vec![], TestPicker::default());
    settle(&mut window);
    window.get_by_label("Got it").click();
    press(&mut window, NONE, Key::F1);
    let page = |title: &str| (Role::ListBoxOption, title.to_owned());
    let (role, first) = page("Fit a budget");
    window.get_by_role_and_label(role, &first).click();
    window.run_steps(3);
    assert_eq!(path(&window).as_deref(), Some("how-to/fit-a-budget.md"));
    window.get_by_label("Back").click();
    window.run_steps(3);
    assert_ne!(path(&window).as_deref(), Some("how-to/fit-a-budget.md"));
    window.get_by_label("Search the manual").focus();
    window.get_by_label("Search the manual").type_text("cross-fade seam loop");
    window.run_steps(3);
    window.get_by_label("Search the manual").type_text(" xyzzy");
    window.run_steps(3);
    assert!(window.query_by_role_and_label(Role::ListBoxOption, "Fit a budget").is_none());
    press(&mut window, NONE, Key::Escape);
    press(&mut window, NONE, Key::Escape);
    assert_eq!(path(&window), None);
}

#[test]
fn a_link_of_a_page_turns_to_another() {
    let mut window = started([1280.0, 800.0]);
    let place = in_tab(&mut window, "Codec");
    window.hover_at(place);
    window.run_steps(3);
    press(&mut window, NONE, Key::F1);
    let before = path(&window);
    window.query_all_by_role(Role::Link).last().expect("a link").click_accesskit();
    window.run_steps(3);
    assert_ne!(path(&window), before);
    press(&mut window, NONE, Key::Backspace);
    assert_eq!(path(&window), before);
}

#[test]
fn every_page_is_drawn_in_letters_that_the_fonts_have() {
    let mut window = started([1280.0, 800.0]);
    press(&mut window, NONE, Key::F1);
    let mut seen = std::collections::BTreeSet::new();
    for number in 0.. {
        let rows = window.query_all_by_role(Role::ListBoxOption);
        let pages: Vec<String> = rows.filter_map(|row| row.accesskit_node().label()).collect();
        let Some(title) = pages.get(number).cloned() else { break };
        window.get_all_by_role_and_label(Role::ListBoxOption, &title).last().unwrap().click_accesskit();
        window.run_steps(2);
        seen.extend(path(&window));
    }
    assert!(seen.len() > 50, "{seen:?}");
}
