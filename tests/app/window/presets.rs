//! Presets of a codec, and the list of candidates of the automatic choice.

use super::{Region, Window, choose, compare, double_click, press, settle, started};
use egui_kittest::kittest::Queryable;

#[test]
fn a_preset_is_chosen_in_one_step_and_the_menu_says_when_values_are_ones_own() {
    let mut window = started([1920.0, 1080.0]);
    let values = |window: &Window| window.state().workspace().active_recipe().values.clone();
    choose(&mut window, "Preset", "riot-order");
    settle(&mut window);
    let preset = |name: &str| posepress_core::codecs::by_name_and_preset(name).unwrap().1;
    assert_eq!(values(&window), preset("linear-keys:riot-order"));
    press(&mut window, egui::Modifiers::COMMAND, egui::Key::Z);
    assert_eq!(values(&window), preset("linear-keys"));
}

#[test]
fn automatic_shows_what_it_tried_and_a_click_shows_a_candidate_that_a_button_takes() {
    let mut window = started([1920.0, 1080.0]);
    choose(&mut window, "Codec", "automatic");
    choose(&mut window, "Preset", "quick");
    settle(&mut window);
    let recipe = |window: &Window| window.state().workspace().active_recipe().as_ref().clone();
    let automatic = recipe(&window);
    let (rows, running) = window.state().workspace().candidates();
    assert!(!running && rows.len() == 7);
    for row in &rows {
        window.get_by_label(&format!("Candidate {}", row.candidate.line));
        window.get_by_label(&format!("Try {}", row.candidate.line));
    }
    compare(&mut window, "candidates", Region::Around(&["Section Parameters", "Edit candidates"]));

    // The highest row is the winner. Sorting by the list moves it to its place there.
    let winner = rows.iter().position(|r| r.is_winner).unwrap();
    let top = |window: &Window, line: &str| window.get_by_label(&format!("Candidate {line}")).rect().top();
    let tops = |window: &Window| rows.iter().map(|r| top(window, &r.candidate.line)).collect::<Vec<_>>();
    let highest = |tops: &[f32]| (0..tops.len()).min_by(|a, b| tops[*a].total_cmp(&tops[*b])).unwrap();
    assert_eq!(highest(&tops(&window)), winner);
    window.get_by_label("Sort by list").click();
    window.run_steps(3);
    assert!(tops(&window).is_sorted());

    window.get_by_label(&format!("Try {}", rows[0].candidate.line)).click();
    window.run_steps(3);
    settle(&mut window);
    assert_eq!(window.state().workspace().candidates().0.len(), 6, "a candidate that is off is not tried");
    press(&mut window, egui::Modifiers::COMMAND, egui::Key::Z);
    assert_eq!(recipe(&window), automatic);

    let other = &rows[(winner + 1) % rows.len()].candidate;
    window.get_by_label(&format!("Candidate {}", other.line)).click();
    window.run_steps(3);
    settle(&mut window);
    assert_eq!(recipe(&window), automatic, "a click shows");
    window.get_by_label("Use this candidate").click_accesskit(); // it may be scrolled out of sight
    window.run_steps(3);
    settle(&mut window);
    assert_eq!((recipe(&window).codec.name(), recipe(&window).values), (other.codec.name(), other.values.clone()));
    press(&mut window, egui::Modifiers::COMMAND, egui::Key::Z);
    assert_eq!(recipe(&window), automatic);

    settle(&mut window);
    let place = window.get_by_label(&format!("Candidate {}", rows[winner].candidate.line)).rect().center();
    double_click(&mut window, place);
    settle(&mut window);
    assert_eq!(recipe(&window).codec.name(), rows[winner].candidate.codec.name(), "a double-click takes it");
}

#[test]
fn the_list_of_candidates_is_edited_as_text_and_says_which_line_is_wrong() {
    let mut window = started([1920.0, 1080.0]);
    choose(&mut window, "Codec", "automatic");
    choose(&mut window, "Preset", "quick");
    settle(&mut window); // results move the button
    window.get_by_label("Edit candidates").click_accesskit(); // it may be scrolled out of sight
    window.run_steps(30);
    let apply = window.get_by_label("Apply").rect();
    assert!((0.0..1080.0).contains(&apply.bottom()), "the editor comes into sight: {apply:?}");
    let write = |window: &mut Window, text: &str| {
        window.get_by_label("Candidates as text").focus();
        window.run_steps(2);
        window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
        window.run_steps(1);
        window.get_by_label("Candidates as text").type_text(text);
        window.run_steps(3);
    };
    write(&mut window, "quantize\n\nquantise");
    assert!(window.query_all_by_label_contains("line 3").next().is_some());
    write(&mut window, "quantize\n\nper-track\n# raw");
    assert!(window.query_all_by_label_contains("line 3").next().is_none());
    window.get_by_label("Apply").click_accesskit();
    window.run_steps(3);
    settle(&mut window);
    let (rows, _) = window.state().workspace().candidates();
    let lines: Vec<_> = rows.iter().map(|r| r.candidate.line.as_str()).collect();
    assert_eq!(lines, ["quantize", "per-track"]);
    assert!(window.query_by_label("Candidates as text").is_none(), "the editor closes");
    assert!(window.query_by_label("Edit fallbacks").is_some(), "the other list has an editor of its own");
    window.get_by_label("Try raw");

    // Codecs that were tried because nothing of the list is within the tolerance are shown below the list.
    window.get_by_label("Edit candidates").click_accesskit();
    window.run_steps(3);
    write(&mut window, "quantize rotation_format=identity");
    window.get_by_label("Apply").click_accesskit();
    window.run_steps(3);
    settle(&mut window);
    let (rows, _) = window.state().workspace().candidates();
    assert!(rows.len() > 2, "{rows:?}");
    for row in &rows {
        window.get_by_label(&format!("Candidate {}", row.candidate.line));
    }
}
