//! Levels of detail of a platform: measured, seen, changed and kept.

use super::{Window, press, run_action, settle, sharing, started};
use egui::{Key, Modifiers};
use egui_kittest::kittest::{Queryable, by};
use posepress_core::lod::{LodBy, Platform, UpdateRate};
use posepress_core::report::LodRow;
use posepress_core::workspace::Reference;

/// A window with the levels of a platform in its panel.
fn with_levels() -> Window {
    let mut window = started([1920.0, 2400.0]);
    press(&mut window, Modifiers::COMMAND, Key::Num2);
    run_action(&mut window, "show levels of detail");
    settle(&mut window);
    window
}

fn platform(window: &Window) -> Platform {
    window.state().workspace().document().shown_platform().expect("it is shown").clone()
}

fn rows(window: &Window) -> Vec<LodRow> {
    let workspace = window.state().workspace();
    let (rig, _) = workspace.library().clip(workspace.selected().unwrap()).unwrap();
    LodRow::of(&platform(window), rig, &workspace.document().screen, workspace.lods().expect("measured"))
}

/// Chooses in a combo box of the panel, which may be out of sight.
fn choose(window: &mut Window, combo: &str, option: &str) {
    window.get_by_role_and_label(egui::accesskit::Role::ComboBox, combo).click_accesskit();
    window.run_steps(3);
    window.get_by_label(option).click_accesskit();
    window.run_steps(3);
}

fn click_level(window: &mut Window, level: usize) {
    let start = format!("level {level} ");
    let row = by().role(egui::accesskit::Role::ListItem);
    let row = row.predicate(move |node| node.label().is_some_and(|label| label.starts_with(&start)));
    window.get(row).click_accesskit();
    window.run_steps(3);
    settle(window);
}

#[test]
fn a_level_is_played_beside_the_original_and_changed_where_it_stands() {
    let mut window = with_levels();
    let before = rows(&window);
    assert_eq!(before.iter().map(|row| row.from_m).collect::<Vec<_>>(), [0.0, 10.0, 100.0]);
    let whole_m = window.state().workspace().shown().unwrap().outcome.report.samples.stats.max_m;
    click_level(&mut window, 2);
    let workspace = window.state().workspace();
    assert_eq!(workspace.reference(), Reference::Lod(2));
    let pair = workspace.pair().expect("the level beside the original");
    assert!(pair.reference.is_none() && pair.outcome.report.samples.stats.max_m > 5.0 * whole_m);
    assert!(window.query_all_by_label_contains("LOD 2  100 m").next().is_some(), "the title of its side");
    choose(&mut window, "Update", "every frame");
    settle(&mut window);
    assert_eq!(platform(&window).levels[2].every, UpdateRate::Each);
    assert_eq!(window.state().workspace().reference(), Reference::Lod(2), "it stays shown");
    let now_m = window.state().workspace().pair().unwrap().outcome.report.samples.stats.max_m;
    assert!((now_m - whole_m).abs() < 1e-7, "{now_m} {whole_m}");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    assert_eq!(rows(&window)[2].measured.as_ref().unwrap().max_mm, before[2].measured.as_ref().unwrap().max_mm);
    click_level(&mut window, 2);
    assert_eq!(window.state().workspace().reference(), Reference::Original, "a second click ends it");
}

#[test]
fn a_level_over_its_limit_starts_where_it_passes_by_one_click() {
    let mut window = with_levels();
    let mut strict = platform(&window);
    strict.limit_px = 0.01;
    strict.levels.truncate(2);
    sharing::paste(&mut window, &strict.to_toml());
    settle(&mut window);
    let far = rows(&window)[1].measured.clone().unwrap();
    assert!(far.max_px > far.limit_px, "{far:?}");
    let words = by()
        .role(egui::accesskit::Role::Button)
        .predicate(|node| node.label().is_some_and(|label| label.starts_with("Start at ")));
    window.get(words).click_accesskit();
    window.run_steps(3);
    settle(&mut window);
    let moved = rows(&window)[1].clone();
    let of = moved.measured.unwrap();
    assert!(of.max_px <= of.limit_px && moved.from_m > 10.0, "{of:?}");
    assert!(of.max_px > 0.9 * of.limit_px, "not farther than it must: {of:?}");
}

#[test]
fn a_first_level_over_its_limit_lowers_the_tolerance_by_one_click() {
    let mut window = started([1920.0, 2400.0]); // recipe A lets feet slide
    run_action(&mut window, "show levels of detail");
    settle(&mut window);
    let near = rows(&window)[0].measured.clone().unwrap();
    let before_m = window.state().workspace().active_recipe().tolerance_m;
    assert!(near.max_px > near.limit_px, "{near:?}");
    let name =
        format!("Tolerance {}", posepress_core::text::fine_length(before_m * (near.limit_px / near.max_px) as f32));
    window.get_by_label(&name).click_accesskit();
    window.run_steps(3);
    settle(&mut window);
    let now = rows(&window)[0].measured.clone().unwrap();
    assert!(
        window.state().workspace().active_recipe().tolerance_m < before_m && now.max_px < 0.7 * near.max_px,
        "{now:?}"
    );
}

#[test]
fn the_camera_chooses_the_level_by_its_distance() {
    let mut window = with_levels();
    let text = sharing::copied(&mut window);
    let at = |window: &mut Window, distance_m: f32| {
        let (start, rest) = text.split_once("distance_m = ").unwrap();
        let end = rest.find([',', ' ', '}']).unwrap();
        sharing::paste(window, &format!("{start}distance_m = {distance_m:.1}{}", &rest[end..]));
        settle(window);
        assert_eq!(window.state().view().cameras.main.distance_m, distance_m);
        window.state().workspace().reference()
    };
    assert_eq!(at(&mut window, 25.0), Reference::Original, "until it is asked for");
    window.get_by_label("Level by the camera's distance").click_accesskit();
    window.run_steps(3);
    settle(&mut window);
    assert_eq!(window.state().workspace().reference(), Reference::Lod(1));
    assert_eq!(at(&mut window, 3.0), Reference::Lod(0));
    assert_eq!(at(&mut window, 500.0), Reference::Lod(2));
    window.get_by_label("Level by the camera's distance").click_accesskit();
    window.run_steps(3);
    settle(&mut window);
    assert_eq!(window.state().workspace().reference(), Reference::Original);
}

#[test]
fn whoever_chooses_another_side_ends_the_choice_by_the_camera() {
    let mut window = with_levels();
    let by_camera = |window: &mut Window| {
        window.get_by_label("Level by the camera's distance").click_accesskit();
        window.run_steps(3);
        settle(window);
        assert!(window.state().view().lod_by_camera && window.state().workspace().reference() == Reference::Lod(0));
    };
    let is_at = |window: &Window, reference| {
        !window.state().view().lod_by_camera && window.state().workspace().reference() == reference
    };
    by_camera(&mut window);
    click_level(&mut window, 2);
    assert!(is_at(&window, Reference::Lod(2)), "the level that was clicked, however near the camera is");
    by_camera(&mut window);
    run_action(&mut window, "compare with recipe c");
    settle(&mut window);
    assert!(is_at(&window, Reference::Slot(2)));
    by_camera(&mut window);
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(is_at(&window, Reference::Original));
}

#[test]
fn platforms_are_added_renamed_removed_and_start_at_the_same_places_in_pixels() {
    let mut window = with_levels();
    let starts = |window: &Window| rows(window).iter().map(|row| (row.from_m * 100.0).round()).collect::<Vec<_>>();
    let before = starts(&window);
    choose(&mut window, "Levels by", "size in pixels");
    settle(&mut window);
    assert_eq!((platform(&window).by, starts(&window)), (LodBy::Pixels, before.clone()));
    window.get_by_label("Add level").click_accesskit();
    window.run_steps(3);
    settle(&mut window);
    let added = rows(&window);
    assert!(
        added.len() == 4 && (added[3].from_m / added[2].from_m - 2.0).abs() < 1e-3,
        "half as large is twice as far"
    );
    choose(&mut window, "Platform", "New: Desktop");
    settle(&mut window);
    assert_eq!((platform(&window), rows(&window).len()), (Platform::default(), 3));
    let names = |window: &Window| window.state().workspace().document().platforms.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&window), ["Desktop", "Game"]);
    window.get_by_label("Remove").click_accesskit();
    window.run_steps(3);
    settle(&mut window);
    assert_eq!(names(&window), ["Game"]);
    assert!(window.state().workspace().lods().is_none(), "nothing is measured without a platform");
}
