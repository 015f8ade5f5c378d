//! The contents of the left and the right side.

use super::*;
use egui_kittest::kittest::by;
use posepress_core::workspace::Reference;

fn two_recipes() -> Window {
    let mut window = open_window([1280.0, 800.0], vec![], TestPicker::default());
    settle(&mut window);
    window.get_by_label("Got it").click();
    window.run_steps(3);
    window
}

#[test]
fn a_recipe_stands_where_the_original_stands_and_s_swaps_the_sides() {
    let mut window = two_recipes();
    let plain = window.state().workspace().shown().unwrap().outcome.report.samples.stats.max_m;
    window.get_by_label("Reference").click();
    window.run_steps(3);
    window.get_by_label("Compare with recipe B").click();
    window.run_steps(3);
    settle(&mut window);
    let workspace = window.state().workspace();
    assert_eq!(workspace.reference(), Reference::Slot(1));
    let apart = workspace.pair().expect("A beside B").outcome.report.samples.stats.max_m;
    assert!(apart > 0.0 && apart != plain);
    // The text about the pair names both recipes.
    let [a, b] = [0, 1].map(|slot| format!("{}  {}", workspace.slot_letter(slot), workspace.slot_title(slot)));
    window.get_by_value(&format!("{a}  compared with  {b}"));
    compare(&mut window, "sides_a_beside_b", Region::Viewports);
    press(&mut window, egui::Modifiers::NONE, egui::Key::S);
    settle(&mut window);
    window.get_by_value(&format!("{b}  compared with  {a}"));
    assert!(window.state().workspace().is_swapped());
    // The pictures have changed places. The measurements are the same.
    let left = |window: &Window, name: &str| window.get_by_label(name).rect().left();
    assert!(left(&window, "Viewport compressed") < left(&window, "Viewport original"));
    assert_eq!(window.state().workspace().pair().unwrap().outcome.report.samples.stats.max_m, apart);
    // A window that gets this view as text shows the same sides.
    let text = sharing::copied(&mut window);
    let mut other = two_recipes();
    sharing::paste(&mut other, &text);
    let there = other.state().workspace();
    assert!(there.is_swapped() && there.reference() == Reference::Slot(1), "{text}");
    press(&mut window, egui::Modifiers::NONE, egui::Key::S);
    settle(&mut window);
    window.get_by_label("Report").click();
    window.run_steps(3);
    window.get_by_label("Back to the original").click();
    window.run_steps(3);
    settle(&mut window);
    let workspace = window.state().workspace();
    assert!(workspace.is_plainly_paired() && workspace.shown().unwrap().outcome.report.samples.stats.max_m == plain);
}

#[test]
fn another_clip_of_the_list_is_the_reference() {
    let mut window = two_recipes();
    let names: Vec<String> = {
        let library = window.state().workspace().library();
        library.clip_ids().map(|id| library.clip(id).unwrap().1.name().to_owned()).collect()
    };
    let menu = |window: &mut Window, name: &str, entry: &str| {
        window.get_by_role_and_label(egui::accesskit::Role::ListBoxOption, name).click_secondary();
        window.run_steps(3);
        window.get_by_label(entry).click();
        window.run_steps(3);
        settle(window);
    };
    menu(&mut window, &names[1], "Compare with this clip");
    let workspace = window.state().workspace();
    let other = workspace.library().clip_ids().nth(1).unwrap();
    assert_eq!((workspace.reference(), workspace.pair().is_some()), (Reference::Clip(other), true));
    window.get_by_value(&format!("A  {}  compared with  {}", workspace.slot_title(0), names[1]));
    // Two clips differ. That is no verdict, and nothing is to be fixed.
    assert!(window.query_all_by_label_contains("Difference: ").next().is_some());
    assert!(window.query_by_label_contains("Apply ").is_none());
    // A window that gets this view as text shows the same sides.
    let text = sharing::copied(&mut window);
    let mut there = two_recipes();
    sharing::paste(&mut there, &text);
    assert_eq!(there.state().workspace().reference(), Reference::Clip(other), "{text}");
    menu(&mut window, &names[1], "Back to the original");
    assert!(window.state().workspace().is_plainly_paired());
    menu(&mut window, &names[1], "Compare with this clip");
    press(&mut window, egui::Modifiers::NONE, egui::Key::Escape);
    assert!(window.state().workspace().is_plainly_paired(), "Escape ends it, too");
}

#[test]
fn what_was_approved_stands_beside_what_is_tuned() {
    let mut window = two_recipes();
    // A clip that fails would ask for a reason first.
    press(&mut window, egui::Modifiers::COMMAND, egui::Key::Num2);
    window.get_by_label("Approve this clip").click();
    window.run_steps(3);
    settle(&mut window);
    let approved = window.state().workspace().shown().unwrap().outcome.bytes();
    press(&mut window, egui::Modifiers::COMMAND, egui::Key::Num1);
    press(&mut window, egui::Modifiers::NONE, egui::Key::F3);
    settle(&mut window);
    window.get_by_label("Show decided version").click();
    window.run_steps(3);
    settle(&mut window);
    let workspace = window.state().workspace();
    assert_eq!(workspace.reference(), Reference::Decided);
    let pair = workspace.pair().expect("A beside what was approved");
    assert_eq!(pair.reference.as_ref().unwrap().bytes(), approved);
    assert_ne!(pair.outcome.bytes(), approved);
    compare(&mut window, "sides_beside_the_approved", Region::Viewports);
    window.get_by_label("Show the original");
}

#[test]
fn levels_of_tiers_stand_under_each_other_and_a_click_shows_one_beside_the_original() {
    let mut window = started([1920.0, 2400.0]);
    press(&mut window, egui::Modifiers::COMMAND, egui::Key::Num2); // press, which has tiers
    settle(&mut window);
    let whole = window.state().workspace().shown().unwrap().outcome.bytes();
    window.get_by_role_and_label(Role::CheckBox, "Tiers").click_accesskit();
    window.run_steps(3);
    settle(&mut window);
    let levels: Vec<_> = {
        let tiers = window.state().workspace().tiers().expect("taken out").as_ref().expect("press can be parted");
        tiers.iter().map(|level| (level.name.clone(), level.outcome.bytes(), level.limit_m)).collect()
    };
    assert!(levels.len() >= 3 && levels[0].1 == whole, "{levels:?}");
    assert!(levels.windows(2).all(|pair| pair[1].1 < pair[0].1 && pair[1].2 > pair[0].2), "{levels:?}");
    let row = |name: &str| {
        by().role(Role::ListItem).predicate({
            let start = format!("{name}: ");
            move |node| node.label().is_some_and(|label| label.starts_with(&start))
        })
    };
    window.get(row(&levels[1].0)).click_accesskit();
    window.run_steps(3);
    settle(&mut window);
    let workspace = window.state().workspace();
    assert_eq!(workspace.reference(), Reference::Level(1));
    let pair = workspace.pair().expect("what is left of the clip beside the original");
    assert_eq!((pair.outcome.bytes(), pair.reference.is_none()), (levels[1].1, true));
    window.get(row(&levels[0].0)).click_accesskit();
    window.run_steps(3);
    settle(&mut window);
    assert_eq!(window.state().workspace().reference(), Reference::Original);
}

/// The viewports' pixels.
fn pictures(window: &mut Window) -> Vec<u8> {
    // The pointer is drawn, too: it is put on the status line.
    window.hover_at(egui::pos2(640.0, 790.0));
    window.run_steps(2);
    let image = window.render().unwrap();
    let mut pixels = Vec::new();
    for name in ["Viewport original", "Viewport compressed"] {
        let rect = window.get_by_label(name).rect();
        // Below the chips, which name the other side.
        let (x, y) = (rect.left() as u32 + 4, rect.top() as u32 + 70);
        let (width, height) = (rect.width() as u32 - 8, rect.height() as u32 - 140);
        pixels.extend(image::imageops::crop_imm(&image, x, y, width, height).to_image().into_raw());
    }
    pixels
}

#[test]
fn r_shows_the_original_whatever_the_compressed_side_is_compared_with() {
    let mut window = two_recipes();
    let held = |window: &mut Window| {
        window.key_down(egui::Key::R);
        window.run_steps(3);
        assert!(window.state().view().held.original);
        let seen = pictures(window);
        window.key_up(egui::Key::R);
        window.run_steps(3);
        seen
    };
    let original = held(&mut window);
    assert!(original != pictures(&mut window));
    // A is off by 5 mm, so the picture in the original's place differs visibly.
    press(&mut window, egui::Modifiers::COMMAND, egui::Key::Num2);
    window.get_by_label("Reference").click();
    window.run_steps(3);
    window.get_by_label("Compare with recipe A").click();
    window.run_steps(3);
    settle(&mut window);
    assert!(window.state().workspace().pair().is_some());
    assert!(original == held(&mut window), "the original on both sides, not recipe A");
    press(&mut window, egui::Modifiers::NONE, egui::Key::S);
    assert!(original == held(&mut window), "and so with the sides swapped");
}
