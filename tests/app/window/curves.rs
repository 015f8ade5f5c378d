//! The curve plot: the range of values by wheel and by box, reset of the range, bit rates as a band, the split scale of the error.

use super::{
    Region, TestPicker, Window, compare, corpus, double_click, open_window, press, run_action, settle, started,
};
use egui::{Event, Key, Modifiers, MouseWheelSource, MouseWheelUnit, TouchPhase, pos2, vec2};
use egui_kittest::kittest::Queryable;
use posepress_app::CurveKind;

const NONE: Modifiers = Modifiers::NONE;

fn values(window: &Window) -> Option<[f64; 2]> {
    window.state().view().selection.curve_zoom.map(|zoom| zoom.values)
}

/// A position in the curve plot, which is at the lower end of the timeline.
fn place(window: &Window, across: f32, above_end: f32) -> egui::Pos2 {
    let timeline = window.get_by_label("Timeline").rect();
    pos2(timeline.left() + timeline.width() * across, timeline.bottom() - above_end)
}

fn wheel(window: &mut Window, at: egui::Pos2, notches: f32) {
    window.hover_at(at);
    window.run_steps(1);
    let (unit, delta) = (MouseWheelUnit::Point, vec2(0.0, 60.0 * notches));
    let (phase, source, modifiers) = (TouchPhase::Move, MouseWheelSource::Wheel, Modifiers::COMMAND);
    let turn = Event::MouseWheel { unit, delta, phase, source, modifiers };
    window.event_modifiers(turn, Modifiers::COMMAND);
    window.run_steps(8);
    window.event(Event::ModifiersChanged(NONE));
    window.run_steps(1);
}

#[test]
fn values_are_zoomed_by_wheel_and_stay_while_the_clip_plays_until_the_curves_are_others() {
    let mut window = started([1920.0, 1080.0]);
    let at = place(&window, 0.5, 60.0);
    let part = window.state().view().range;
    wheel(&mut window, at, 3.0);
    let near = values(&window).expect("the wheel chose values");
    wheel(&mut window, at, 3.0);
    let nearer = values(&window).unwrap();
    assert!(nearer[1] - nearer[0] < near[1] - near[0], "{nearer:?} after {near:?}");
    assert_eq!(window.state().view().range, part, "time stays as it was");
    press(&mut window, NONE, Key::Space);
    window.run_steps(12);
    assert_eq!(values(&window), Some(nearer), "playing changes no scale");
    press(&mut window, NONE, Key::Space);
    window.get_by_role_and_label(egui::Role::ComboBox, "Curve").click();
    window.run_steps(3);
    window.get_by_label("translation, cm").click();
    window.run_steps(3);
    assert_eq!((window.state().view().settings.curve, values(&window)), (CurveKind::Translation, None));
    wheel(&mut window, at, 3.0);
    assert!(values(&window).is_some());
    let other = window.get_all_by_label("lower_leg_l").next().unwrap();
    other.click();
    window.run_steps(3);
    assert_eq!(values(&window), None, "another joint has other values");
}

#[test]
fn a_box_zooms_to_time_and_values_and_a_double_click_shows_all_again() {
    let mut window = started([1920.0, 1080.0]);
    let before = window.state().view().transport.time_secs;
    let (from, to) = (place(&window, 0.4, 90.0), place(&window, 0.6, 50.0));
    window.event(Event::ModifiersChanged(Modifiers::COMMAND));
    window.hover_at(from);
    window.run_steps(1);
    let button = |pos, pressed| {
        let button = egui::PointerButton::Primary;
        Event::PointerButton { pos, button, pressed, modifiers: Modifiers::COMMAND }
    };
    window.event(button(from, true));
    window.run_steps(1);
    for share in [0.3, 0.7, 1.0] {
        window.hover_at(from + (to - from) * share);
        window.run_steps(1);
    }
    window.event(button(to, false));
    window.run_steps(2);
    window.event(Event::ModifiersChanged(NONE));
    window.run_steps(2);
    let [low, high] = values(&window).expect("the box chose values");
    let (start, end) = window.state().view().range;
    assert!(low < high && start > 0.2 && end < 0.8 && start < end, "{low} to {high}, {start} to {end}");
    assert_eq!(window.state().view().transport.time_secs, before, "a box is no scrubbing");
    double_click(&mut window, to);
    assert_eq!((values(&window), window.state().view().range), (None, (0.0, 1.0)));
}

#[test]
fn bit_rates_are_a_band_with_their_average() {
    let mut window = started([1920.0, 1080.0]);
    assert!(window.query_by_label_contains("Bits per component").is_none(), "linear keys have one format");
    press(&mut window, Modifiers::COMMAND, Key::Num3);
    assert_eq!(window.state().workspace().active_recipe().codec.name(), "variable-rate");
    let band = window.get_by_label_contains("Bits per component").rect();
    let timeline = window.get_by_label("Timeline").rect();
    assert!(band.height() > 18.0 && band.bottom() <= timeline.bottom(), "{band:?} in {timeline:?}");
    compare(&mut window, "bit_rates", Region::Timeline);
}

#[test]
fn an_error_far_beyond_the_tolerance_splits_the_scale_of_its_plot() {
    let mut window = started([1920.0, 1080.0]);
    let note = "log above tolerance";
    assert!(window.query_by_label(note).is_none(), "12 mm against 5 mm needs no split");
    let Some(knight) = corpus("kaykit/Knight.glb") else { return };
    window = open_window([1920.0, 1080.0], vec![knight], TestPicker::default());
    settle(&mut window);
    let report = &window.state().workspace().shown().unwrap().outcome.report;
    let worst_m = report.vertex.as_ref().map_or(0.0, |v| v.worst.error_m);
    assert_eq!(window.query_by_label(note).is_some(), worst_m > 2.5 * report.tolerance_m, "{worst_m} m");
}

#[test]
fn the_curves_before_a_change_stay_until_the_next_one_or_escape() {
    let mut window = started([1920.0, 1080.0]);
    let bytes = |window: &Window| window.state().workspace().shown().unwrap().outcome.bytes();
    let before = |window: &Window| window.state().view().ghost.before().map(|sides| sides.outcome.bytes());
    let first = bytes(&window);
    assert_eq!(before(&window), None);
    let rect = window.get_by_label("Tolerance, millimetres").rect();
    let at = |share: f32| pos2(rect.left() + rect.width() * share, rect.center().y);
    let drag = |window: &mut Window, from: f32, to: f32| {
        window.hover_at(at(from));
        window.drag_at(at(from));
        window.run_steps(1);
        for step in 1..=4 {
            window.hover_at(at(from + (to - from) * step as f32 / 4.0));
            window.run_steps(1);
            // Each value is compressed, but none of them becomes the state to compare with.
            settle(window);
        }
        window.drop_at(at(to));
        settle(window);
    };
    drag(&mut window, 0.86, 0.5);
    let second = bytes(&window);
    assert_ne!(first, second);
    assert_eq!(before(&window), Some(first), "a drag is one change");
    drag(&mut window, 0.5, 0.3);
    assert_eq!(before(&window), Some(second));
    let joint = window.state().view().selection.joint;
    press(&mut window, NONE, Key::Escape);
    assert_eq!((before(&window), window.state().view().selection.joint), (None, joint));
    press(&mut window, Modifiers::SHIFT, Key::D);
    drag(&mut window, 0.3, 0.5);
    assert_eq!(before(&window), None, "the switch is off");
}

#[test]
fn the_curves_of_another_recipe_lie_beside_those_of_the_active_one() {
    let mut window = started([1920.0, 1080.0]);
    let is_named = |window: &Window, words: &str| window.query_by_label(words).is_some();
    assert!(!is_named(&window, "recipe B"));
    run_action(&mut window, "Curves of recipe B");
    assert!(is_named(&window, "recipe B"), "the legend names them");
    compare(&mut window, "curves_of_b", Region::Timeline);
    press(&mut window, Modifiers::COMMAND, Key::Num2);
    assert!(!is_named(&window, "recipe B"), "they are the current curves now");
    press(&mut window, Modifiers::COMMAND, Key::Num1);
    assert!(is_named(&window, "recipe B"));
    run_action(&mut window, "Curves of recipe B");
    assert!(!is_named(&window, "recipe B"), "again hides them");
}
