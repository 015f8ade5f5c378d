//! The window without a pointer: the order of Tab, the keys of a focused control, and the commands that typing must not trigger.

use super::{Window, press, settle, started};
use egui::{Key, Modifiers, Rect, Role};
use egui_kittest::kittest::{NodeT, Queryable, by};
use posepress_core::view::Layer;
use std::collections::HashSet;

const NONE: Modifiers = Modifiers::NONE;

/// A stop of Tab.
#[derive(Debug, Clone, PartialEq)]
struct Stop {
    name: String,
    role: Role,
    rect: Rect,
}

fn focused(window: &Window) -> Option<Stop> {
    let node = window.query(by().predicate(|n| n.is_focused()))?;
    let access = node.accesskit_node();
    (access.role() != Role::Window).then(|| Stop {
        name: access.label().unwrap_or_default(),
        role: access.role(),
        rect: node.rect(),
    })
}

fn tab(window: &mut Window, modifiers: Modifiers) -> Stop {
    window.key_press_modifiers(modifiers, Key::Tab);
    window.run_steps(2);
    focused(window).expect("Tab always leads to something")
}

/// One cycle of Tab, from the first menu to the last stop before it.
fn round(window: &mut Window) -> Vec<Stop> {
    let first = tab(window, NONE);
    let mut stops = vec![first.clone()];
    loop {
        let next = tab(window, NONE);
        if (&next.name, next.role) == (&first.name, first.role) {
            return stops;
        }
        stops.push(next);
        assert!(stops.len() < 300, "Tab does not come back to {first:?}");
    }
}

/// Parts of the window in reading order. A stop's position gives its part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    TopBar,
    Left,
    Centre,
    Right,
    Transport,
    Timeline,
    Foot,
}

fn part_of(stop: &Stop, size: [f32; 2], [left, right, below]: [f32; 3]) -> Part {
    let at = stop.rect.center();
    if at.y < 48.0 {
        Part::TopBar
    } else if at.y > size[1] - 24.0 {
        Part::Foot
    } else if at.x < left {
        Part::Left
    } else if at.x > right {
        Part::Right
    } else if at.y < below {
        Part::Centre
    } else if at.y < below + 40.0 {
        Part::Transport
    } else {
        assert!(at.y < size[1]);
        Part::Timeline
    }
}

/// Checks the order of the parts, of the bars' stops from left to right, and of the mode bar above the rest of the centre.
fn check_order(stops: &[Stop], size: [f32; 2]) {
    let splitters = || stops.iter().filter(|s| s.role == Role::Splitter).map(|s| s.rect);
    let [left, right, below] = splitters().map(|r| r.center()).collect::<Vec<_>>()[..] else {
        panic!("three edges are moved by keys: {:?}", splitters().collect::<Vec<_>>());
    };
    let edges = [left.x, right.x, below.y];
    let stops: Vec<Stop> = stops.iter().filter(|s| s.role != Role::Splitter).cloned().collect();
    let parts: Vec<Part> = stops.iter().map(|s| part_of(s, size, edges)).collect();
    for (pair, stop) in parts.windows(2).zip(&stops[1..]) {
        assert!(pair[0] <= pair[1], "{} ({:?}) is reached after {:?}", stop.name, pair[1], pair[0]);
    }
    let of = |part: Part| stops.iter().zip(&parts).filter(move |(_, p)| **p == part).map(|(s, _)| s);
    for bar in [Part::TopBar, Part::Transport] {
        let across: Vec<&Stop> = of(bar).collect();
        for pair in across.windows(2) {
            // The headline has two lines.
            let is_below = pair[0].rect.center().y < pair[1].rect.top();
            let is_right = pair[0].rect.left() < pair[1].rect.left();
            assert!(is_right || is_below, "{} comes after {}", pair[0].name, pair[1].name);
        }
    }
    let mode_bar: Vec<&Stop> = of(Part::Centre).take_while(|s| s.rect.center().y < 48.0 + 36.0).collect();
    assert!(mode_bar.windows(2).all(|p| p[0].rect.left() < p[1].rect.left()), "{mode_bar:?}");
    assert!(of(Part::Centre).skip(mode_bar.len()).all(|s| s.rect.center().y > 48.0 + 36.0));
}

/// Checks that these names come in this order, with any other names between them.
fn check_names(stops: &[Stop], names: &[&str]) {
    let mut rest = stops.iter();
    for name in names {
        assert!(rest.any(|s| s.name == *name), "{name} is not reached where it should be");
    }
}

/// Checks that every focusable control is reached.
fn check_complete(window: &Window, stops: &[Stop]) {
    let takes = |role| {
        let controls = [Role::Button, Role::CheckBox, Role::ComboBox, Role::RadioButton, Role::Slider];
        let more = [Role::SpinButton, Role::TextInput, Role::Link, Role::Tab];
        controls.contains(&role) || more.contains(&role)
    };
    let all = window.query_all(by().predicate(move |n| takes(n.role()) && !n.is_disabled()));
    for node in all {
        let (name, role) = (node.accesskit_node().label().unwrap_or_default(), node.accesskit_node().role());
        // Blocks of the treemap are for the pointer only: the list of joints has the same numbers.
        let is_block = name.ends_with(" bytes") && role == Role::Button;
        assert!(is_block || stops.iter().any(|s| (&s.name, s.role) == (&name, role)), "{role:?} {name} is skipped");
    }
}

#[test]
fn tab_walks_the_wide_window_in_reading_order_and_misses_nothing() {
    let size = [1920.0, 1080.0];
    let mut window = started(size);
    let stops = round(&mut window);
    for stop in &stops {
        assert!(!stop.name.is_empty(), "{stop:?} has no name");
    }
    check_names(
        &stops,
        &[
            "File",
            "Edit",
            "View",
            "Playback",
            "Help",
            "Recipe A",
            "Recipe B",
            "Recipe C",
            "Export\u{2026}",
            "Filter clips by name",
            "walk",
            "Find joint",
            "Order of joints",
            "foot_r",
            "Side by side",
            "Difference",
            "One camera",
            "Camera",
            "Viewport original",
            "Viewport compressed",
            "Section Codec",
            "Codec",
            "Preset",
            "Tolerance",
            "Section Parameters",
            "Section Contacts",
            "Fail at",
            "Section Blame",
            "Section Seam",
            "Clip loops",
            "Added to",
            "Section Peaks",
            "First sample",
            "Play",
            "Loop",
            "Worst",
            "Timeline",
            "Curve",
            "Residual",
        ],
    );
    check_order(&stops, size);
    check_complete(&window, &stops);
}

#[test]
fn tab_walks_the_narrow_window_and_each_of_its_tabs() {
    let size = [1280.0, 800.0];
    let mut window = started(size);
    let stops = round(&mut window);
    check_names(
        &stops,
        &[
            "File",
            "Recipe A",
            "Export\u{2026}",
            "Clips",
            "Joints",
            "Filter clips by name",
            "walk",
            "Side by side",
            "Camera",
            "Viewport original",
            "Codec",
            "Contacts",
            "Report",
            "Section Codec",
            "Tolerance",
            "Play",
            "Error",
            "Curves",
            "Worst",
            "Timeline",
        ],
    );
    check_order(&stops, size);
    check_complete(&window, &stops);
    for tab in ["Contacts", "Report", "Joints", "Curves"] {
        window.get_by_label(tab).click();
        window.run_steps(4);
        let stops = round(&mut window);
        check_order(&stops, size);
        check_complete(&window, &stops);
    }
}

#[test]
fn tab_goes_back_the_same_way() {
    let mut window = started([1280.0, 800.0]);
    let forth: Vec<String> = (0..40).map(|_| tab(&mut window, NONE).name).collect();
    let back: Vec<String> = (0..39).map(|_| tab(&mut window, Modifiers::SHIFT).name).collect();
    assert_eq!(back, forth.into_iter().rev().skip(1).collect::<Vec<_>>());
}

/// The focus is an outline in the accent colour around the focused control, which is scrolled into sight. The test draws one
/// control of each kind and part, because a picture takes as long as a hundred frames.
#[test]
fn the_focus_is_seen_wherever_it_is() {
    let mut window = started([1280.0, 800.0]);
    let stops = round(&mut window).len();
    let mut drawn = HashSet::new();
    for _ in 0..stops {
        tab(&mut window, NONE);
        window.run_steps(6); // scrolls to it
        let Stop { name, role, rect } = focused(&window).expect("it has the focus");
        let whole = Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(1280.0, 800.0));
        assert!(whole.contains_rect(rect), "{name} is out of sight: {rect:?}");
        let column = (3.0 * rect.center().x / whole.width()) as u32;
        if !drawn.insert((role, column, rect.center().y < 48.0)) {
            continue;
        }
        let picture = window.render().expect("a software driver draws");
        let is_accent = |x: f32, y: f32| {
            let near = |p: &image::Rgba<u8>| [0x5A, 0xA2, 0xF0].iter().zip(p.0).all(|(a, b)| b.abs_diff(*a) < 24);
            picture.get_pixel_checked(x as u32, y as u32).is_some_and(near)
        };
        let middle = rect.center();
        let around = |at: &dyn Fn(f32) -> (f32, f32)| (-3..=3).any(|d| is_accent(at(d as f32).0, at(d as f32).1));
        let sides = [
            around(&|d| (middle.x, rect.top() + d)),
            around(&|d| (middle.x, rect.bottom() + d)),
            around(&|d| (rect.left() + d, middle.y)),
            around(&|d| (rect.right() + d, middle.y)),
        ];
        assert!(sides.iter().filter(|s| **s).count() >= 3, "no outline around {name} {rect:?}: {sides:?}");
    }
    assert!(drawn.len() > 8, "{drawn:?}");
}

fn focus(window: &mut Window, role: Role, name: &str) {
    window.get_by_role_and_label(role, name).focus();
    window.run_steps(2);
    assert_eq!(focused(window).map(|s| s.name).as_deref(), Some(name));
}

#[test]
fn space_and_enter_press_what_has_the_focus_and_nothing_else() {
    let mut window = started([1920.0, 1080.0]);
    for key in [Key::Space, Key::Enter] {
        let looped = window.state().view().transport.looped;
        focus(&mut window, Role::RadioButton, "Loop");
        press(&mut window, NONE, key);
        let transport = window.state().view().transport;
        assert_eq!((transport.looped, transport.playing), (!looped, false), "{key:?} is for the button alone");
    }
    focus(&mut window, Role::CheckBox, "Skeleton");
    press(&mut window, NONE, Key::Space);
    assert!(!window.state().view().settings.layers.is_on(Layer::Skeleton) && !window.state().view().transport.playing);
    focus(&mut window, Role::Button, "Play");
    press(&mut window, NONE, Key::Space);
    assert!(window.state().view().transport.playing, "pressed once, not twice");
    focus(&mut window, Role::Button, "Pause");
    press(&mut window, NONE, Key::Enter);
    assert!(!window.state().view().transport.playing);
    press(&mut window, NONE, Key::Escape);
    assert_eq!(focused(&window), None, "Escape gives the keys back");
    assert!(window.state().view().selection.joint.is_some(), "and does nothing else");
    press(&mut window, NONE, Key::Space);
    assert!(window.state().view().transport.playing, "to the commands");
    press(&mut window, NONE, Key::Space);
    press(&mut window, NONE, Key::Escape);
    assert_eq!(window.state().view().selection.joint, None, "the next Escape clears the selection");
}

#[test]
fn escape_closes_a_menu_before_it_clears_the_selection() {
    let mut window = started([1280.0, 800.0]);
    window.get_by_label("Camera").click();
    window.run_steps(3);
    assert!(window.query_all_by_label_contains("Look from top").next().is_some());
    press(&mut window, NONE, Key::Escape);
    assert!(window.query_all_by_label_contains("Look from top").next().is_none());
    assert!(window.state().view().selection.joint.is_some());
    press(&mut window, NONE, Key::Escape);
    assert_eq!(window.state().view().selection.joint, None);
}

#[test]
fn a_menu_is_as_high_as_its_entries_where_the_window_has_room() {
    let mut window = started([1920.0, 1080.0]);
    window.get_by_role_and_label(Role::Button, "Edit").click();
    window.run_steps(3);
    let first = window.get_by_label_contains("Note about this frame").rect();
    let entry = window.get_by_label_contains("Pick all clips of the list");
    assert!(entry.rect().top() > 500.0, "one of the last entries");
    assert_eq!(entry.rect().height(), first.height());
    let longest = window.get_by_label_contains("Approve with smallest recipes").rect();
    assert_eq!(longest.height(), first.height(), "the longest name stays in one line");
    entry.click();
    window.run_steps(3);
    assert!(window.state().view().selection.clips.len() > 1, "what is seen can be clicked");
}

#[test]
fn arrows_belong_to_the_control_that_has_the_focus() {
    let mut window = started([1920.0, 1080.0]);
    let sample = |window: &Window| {
        let clip = &window.state().workspace().shown().unwrap().source.clip;
        clip.grid().sample_at(window.state().view().transport.time_secs).round()
    };
    let (clip, at) = (window.state().workspace().selected(), sample(&window));
    let tolerance = |window: &Window| window.state().workspace().active_recipe().tolerance_m;
    let before_m = tolerance(&window);
    focus(&mut window, Role::Slider, "Tolerance, millimetres");
    press(&mut window, NONE, Key::ArrowRight);
    assert!(tolerance(&window) > before_m && sample(&window) == at, "the slider moves, the playhead does not");
    press(&mut window, NONE, Key::Escape);
    assert_eq!(window.state().workspace().history().undo_label().map(|l| l.starts_with("Tolerance")), Some(true));

    focus(&mut window, Role::Slider, "Timeline");
    press(&mut window, NONE, Key::ArrowLeft);
    assert_eq!((sample(&window), window.state().workspace().selected()), (at - 1.0, clip));
    press(&mut window, NONE, Key::Space);
    assert!(window.state().view().transport.playing);
    press(&mut window, NONE, Key::Space);

    let yaw = window.state().view().cameras.main.yaw_rad;
    focus(&mut window, Role::Image, "Viewport original");
    press(&mut window, NONE, Key::ArrowRight);
    assert!((window.state().view().cameras.main.yaw_rad - yaw).abs() > 0.05, "arrows turn the camera");
    press(&mut window, NONE, Key::Escape);
    press(&mut window, NONE, Key::ArrowDown);
    assert_ne!(window.state().workspace().selected(), clip, "without a focus they choose the clip");
}

#[test]
fn lists_are_one_stop_and_arrows_go_from_row_to_row() {
    let mut window = started([1920.0, 1080.0]);
    let clip = |window: &Window| window.state().workspace().selected().unwrap().clip;
    focus(&mut window, Role::TextInput, "Filter clips by name");
    let rows = ["walk", "walk_root_motion", "run", "idle"];
    let first = (0..16).map(|_| tab(&mut window, NONE).name).find(|name| rows.contains(&name.as_str()));
    assert_eq!(first.as_deref(), Some("walk"), "the selected row");
    press(&mut window, NONE, Key::ArrowDown);
    press(&mut window, NONE, Key::ArrowDown);
    assert_eq!((clip(&window), focused(&window).unwrap().name.as_str()), (2, "run"), "the focus goes along");
    press(&mut window, NONE, Key::ArrowUp);
    assert_eq!(clip(&window), 1);
    assert_eq!(tab(&mut window, NONE).name, "Find joint", "one stop for all rows");

    tab(&mut window, NONE);
    let stop = tab(&mut window, NONE);
    let selected = |window: &Window| window.state().view().selection.joint.unwrap();
    let last = selected(&window);
    assert_eq!((stop.name.as_str(), stop.role), ("foot_r", Role::TreeItem), "far down, and yet in sight");
    for _ in 1..last {
        press(&mut window, NONE, Key::ArrowUp);
        let stop = focused(&window).expect("what is selected is scrolled to and keeps the focus");
        assert!(stop.rect.bottom() <= 1080.0 - 24.0 && stop.rect.top() > 400.0, "{stop:?}");
    }
    assert_eq!((selected(&window), focused(&window).unwrap().name.as_str()), (1, "hips"));
    press(&mut window, NONE, Key::ArrowLeft);
    assert!(window.state().view().selection.folded.contains(&1), "left folds hips");
    press(&mut window, NONE, Key::ArrowRight);
    assert!(!window.state().view().selection.folded.contains(&1), "right unfolds it");
}

#[test]
fn typing_in_any_field_triggers_no_command() {
    let mut window = started([1920.0, 1080.0]);
    let state = |window: &Window| {
        let view = window.state().view();
        let (playing, time_secs, looped) = (view.transport.playing, view.transport.time_secs, view.transport.looped);
        (view.settings.clone(), playing, time_secs.to_bits(), looped, window.state().workspace().selected())
    };
    let letters = [(Key::W, "w"), (Key::Num3, "3"), (Key::L, "l"), (Key::T, "t"), (Key::Space, " "), (Key::Num5, "5")];
    for (role, name) in [
        (Role::TextInput, "Filter clips by name"),
        (Role::TextInput, "Find joint"),
        (Role::SpinButton, "Speed"),
        (Role::SpinButton, "Tolerance"),
        (Role::SpinButton, "Fail at"),
    ] {
        let before = state(&window);
        focus(&mut window, role, name);
        for (key, text) in letters {
            window.event(egui::Event::Text(text.into()));
            window.key_press(key);
            window.run_steps(2);
        }
        window.key_press(Key::ArrowLeft);
        window.key_press_modifiers(Modifiers::COMMAND, Key::ArrowLeft);
        window.run_steps(2);
        assert_eq!(state(&window), before, "typing into {name}");
        press(&mut window, NONE, Key::Escape);
        settle(&mut window);
    }
    assert_eq!(window.state().view().filters.clips, "w3lt 5");
}

#[test]
fn panels_are_still_resized_at_their_edges() {
    let mut window = started([1920.0, 1080.0]);
    let left = |window: &Window| window.get_by_label("Section Codec").rect().left();
    let before = left(&window);
    for dx in [-2.0, 2.0] {
        let edge = egui::pos2(left(&window) + dx, 300.0);
        window.hover_at(edge);
        window.run_steps(2);
        window.drag_at(edge);
        window.run_steps(1);
        window.hover_at(edge - egui::vec2(40.0, 0.0));
        window.run_steps(2);
        window.drop_at(edge - egui::vec2(40.0, 0.0));
        window.run_steps(2);
    }
    assert!((before - left(&window) - 80.0).abs() < 8.0, "from {before} to {}", left(&window));
}

/// An action that cannot run shows the reason in its menu and when its key is pressed.
#[test]
fn an_action_that_cannot_run_is_off_and_says_why() {
    let mut window = started([1920.0, 1080.0]);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(window.state().view().messages.status, "Nothing to undo.");
    let entry = |window: &mut Window| {
        window.get_by_role_and_label(Role::Button, "Edit").click();
        window.run_steps(3);
        window.get_by_label_contains("Undo").accesskit_node().is_disabled()
    };
    assert!(entry(&mut window), "there is nothing to undo");
    press(&mut window, NONE, Key::Escape);
    press(&mut window, Modifiers::COMMAND, Key::L);
    assert!(!entry(&mut window), "the mark can be taken back");
}

#[test]
fn the_selected_row_of_a_list_says_what_it_is_when_the_pointer_rests_on_it() {
    let mut window = started([1280.0, 800.0]);
    for list in [egui::Key::F2, egui::Key::F3] {
        press(&mut window, egui::Modifiers::NONE, list);
        window.get_by_role_and_label(Role::ListBoxOption, "run").click();
        window.run_steps(2);
        settle(&mut window);
        let row = window.get_by_role_and_label(Role::ListBoxOption, "run").rect();
        window.hover_at(row.center());
        window.run_steps(60);
        assert!(
            window.query_all_by_value("run").next().is_some()
                || window.query_all_by_label_contains("run\n").next().is_some()
        );
    }
}
