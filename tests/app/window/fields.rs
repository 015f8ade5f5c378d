//! Numbers of the forms: an edit changes only the recipe that it was made for, and nothing changes without an edit.

use super::{Window, choose, press, settle, started};
use egui::{Key, Modifiers, Role, vec2};
use egui_kittest::kittest::{NodeT, Queryable, by};
use posepress_core::codecs::{CODECS, Compensation, ParamKind, ParamValue};
use posepress_core::metrics::ContactSettings;
use posepress_core::recipe::{JointOverride, Recipe};
use posepress_core::settings::{Param, Settings};
use std::collections::BTreeSet;

fn recipes(window: &Window) -> Vec<Recipe> {
    window.state().workspace().document().recipes.clone()
}

/// Types into the field with this name, and leaves it with a key.
pub(super) fn type_into(window: &mut Window, name: &str, text: &str, (modifiers, key): (Modifiers, Key)) {
    window.get_by_role_and_label(Role::SpinButton, name).focus();
    window.run_steps(2);
    window.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.event(egui::Event::Text(text.into()));
    window.run_steps(1);
    window.key_press_modifiers(modifiers, key);
    window.run_steps(3);
}

const ENTER: (Modifiers, Key) = (Modifiers::NONE, Key::Enter);

/// Names of the numbers of a form that have an effect with its settings.
fn numbers<S: Settings>(of: &S) -> Vec<&'static str> {
    let shown = S::ALL.iter().filter(|s| s.in_form && s.is_active(of));
    shown.filter(|s| is_number(&s.param())).map(|s| s.label).collect()
}

fn is_number(param: &Param) -> bool {
    matches!(param.kind, ParamKind::Int { .. } | ParamKind::Float { .. })
}

/// Names of all numbers that the forms show for a recipe, from the tables of settings.
fn described(recipe: &Recipe) -> Vec<&'static str> {
    let params = recipe.codec.params();
    let params = params.iter().filter(|p| is_number(p) && recipe.values.is_active(params, p)).map(|p| p.label);
    let overrides = recipe.overrides.iter().flat_map(numbers::<JointOverride>);
    let settings = [numbers(recipe), numbers(&recipe.contacts), numbers(&recipe.compensation)].concat();
    settings.into_iter().chain(params).chain(overrides).collect()
}

/// Names of the numbers in the right column, from top to bottom.
fn shown(window: &Window) -> Vec<String> {
    let right = window.get_by_label("Section Codec").rect().left();
    let nodes = window.query_all(by().role(Role::SpinButton));
    let nodes = nodes.filter(|n| n.rect().left() > right);
    nodes.map(|n| n.accesskit_node().label().unwrap_or_default()).collect()
}

fn set(window: &mut Window, index: usize, value: f64) {
    let right = window.get_by_label("Section Codec").rect().left();
    let node = window.query_all(by().role(Role::SpinButton)).filter(|n| n.rect().left() > right).nth(index).unwrap();
    node.set_value_accesskit(value);
    window.run_steps(2);
}

#[test]
fn every_number_is_set_to_both_ends_in_its_own_recipe_and_taken_back() {
    let mut window = started([1920.0, 1080.0]);
    window.get_by_label_contains("Add ").click();
    window.run_steps(3);
    let key = |window: &mut Window, key| {
        window.key_press_modifiers(Modifiers::COMMAND, key);
        window.run_steps(2);
    };
    key(&mut window, Key::W); // with nothing to compress, only frames take time
    let (mut seen, mut tried) = (BTreeSet::new(), BTreeSet::new());
    for (at, codec) in CODECS.iter().enumerate() {
        let slot = at % 3;
        key(&mut window, [Key::Num1, Key::Num2, Key::Num3][slot]);
        if recipes(&window)[slot].codec.name() != codec.name() {
            choose(&mut window, "Codec", codec.name());
        }
        if codec.has_one_knob() {
            window.get_by_label("More").click();
            window.run_steps(20);
        }
        let names = shown(&window);
        let before = recipes(&window);
        for expected in described(&before[slot]) {
            assert!(names.iter().any(|n| n == expected), "{expected} of {} is not shown", codec.name());
            seen.insert(expected);
        }
        for (index, name) in names.iter().enumerate() {
            if !tried.insert((slot, name.clone())) {
                continue;
            }
            for end in [-1e30, 1e30] {
                set(&mut window, index, end);
                let now = recipes(&window);
                let others = |recipes: &[Recipe]| {
                    recipes.iter().enumerate().filter(|(s, _)| *s != slot).map(|(_, r)| r.clone()).collect::<Vec<_>>()
                };
                assert_eq!(others(&now), others(&before), "{name} of {}", codec.name());
                for recipe in &now {
                    recipe.clone().validated().unwrap_or_else(|e| panic!("{name} at {end}: {e}"));
                }
                window.run_steps(2);
                assert_eq!(recipes(&window), now, "{name} of {} changes by itself", codec.name());
                if now != before {
                    key(&mut window, Key::Z);
                }
                assert_eq!(recipes(&window), before, "undo of {name} of {} at {end}", codec.name());
            }
        }
    }
    for name in
        [numbers(&Recipe::default()), numbers(&ContactSettings::default()), numbers(&Compensation::default())].concat()
    {
        assert!(seen.contains(name), "{name}");
    }
}

#[test]
fn every_choice_of_a_codec_is_taken_by_pointer_and_back_by_its_menu() {
    let mut window = started([1920.0, 1080.0]);
    window.key_press_modifiers(Modifiers::COMMAND, Key::W); // with nothing to compress, only frames take time
    window.run_steps(2);
    let mut tried = 0;
    for codec in CODECS {
        if recipes(&window)[0].codec.name() != codec.name() {
            choose(&mut window, "Codec", codec.name());
        }
        if codec.has_one_knob() {
            window.get_by_label("More").click();
            window.run_steps(20);
        }
        for param in codec.params() {
            let ParamKind::Choice { options, default } = param.kind else { continue };
            let Some(combo) = window.query_by_role_and_label(Role::ComboBox, param.label) else { continue };
            let other = options.iter().find(|option| option.key != default).unwrap();
            combo.click();
            window.run_steps(3);
            window.query_all_by_label(other.label).last().unwrap_or_else(|| panic!("{}: no list", param.label)).click();
            window.run_steps(3);
            let now = |window: &Window| recipes(window)[0].values.get(param);
            assert_eq!(now(&window), ParamValue::Choice(other.key.to_owned()), "{} of {}", param.key, codec.name());
            window.get_by_role_and_label(Role::ComboBox, param.label).click_secondary();
            window.run_steps(3);
            window.query_all_by_label_contains("Back to ").last().unwrap().click();
            window.run_steps(3);
            assert_eq!(now(&window), ParamValue::Choice(default.to_owned()), "{} of {}", param.key, codec.name());
            tried += 1;
        }
    }
    assert!(tried >= 5, "{tried} choices");
}

#[test]
fn a_number_at_its_minimum_stays_in_its_recipe() {
    let mut window = started([1920.0, 1080.0]);
    let before = recipes(&window);
    type_into(&mut window, "Tolerance", "0", ENTER);
    type_into(&mut window, "Shell", "0", ENTER);
    let smallest = recipes(&window);
    assert_eq!(smallest[1..], before[1..]);
    for slot in [Key::Num2, Key::Num3, Key::Num1] {
        press(&mut window, Modifiers::COMMAND, slot);
        window.run_steps(4);
        assert_eq!(recipes(&window), smallest, "{slot:?}");
    }
    press(&mut window, Modifiers::COMMAND, Key::Z);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(recipes(&window), before);
}

#[test]
fn a_drag_stays_with_the_recipe_in_which_it_began() {
    for name in ["Shell", "Tolerance, millimetres"] {
        let mut window = started([1920.0, 1080.0]);
        let before = recipes(&window);
        let at = window.get_by_label(name).rect().center();
        window.hover_at(at);
        window.drag_at(at);
        window.run_steps(1);
        window.hover_at(at + vec2(20.0, 0.0));
        window.run_steps(2);
        let dragged = recipes(&window);
        assert_ne!(dragged[0], before[0]);
        window.key_press_modifiers(Modifiers::COMMAND, Key::Num2);
        window.run_steps(2);
        window.hover_at(at + vec2(60.0, 0.0));
        window.run_steps(2);
        window.drop_at(at + vec2(60.0, 0.0));
        window.run_steps(2);
        assert_eq!(recipes(&window), dragged, "{name}");
        press(&mut window, Modifiers::COMMAND, Key::Z);
        assert_eq!(recipes(&window), before, "the drag was one step");
        assert_eq!(window.state().workspace().history().undo_label(), None);
    }
}

#[test]
fn what_is_being_typed_goes_to_its_recipe_when_a_key_leads_to_another() {
    let mut window = started([1920.0, 1080.0]);
    let before = recipes(&window);
    type_into(&mut window, "Shell", "50", (Modifiers::COMMAND, Key::Num2));
    settle(&mut window);
    assert_eq!(window.state().workspace().active_slot(), 1);
    let now = recipes(&window);
    assert_eq!((now[0].shell_m, &now[1..]), (0.05, &before[1..]));
}

#[test]
fn frames_are_counted_from_where_the_user_says() {
    let mut window = started([1280.0, 800.0]);
    let clock = posepress_core::text::clock(window.state().view().transport.time_secs);
    window.get_by_role_and_label(Role::Button, &clock).click();
    window.run_steps(3);
    type_into(&mut window, "First frame", "9999999", ENTER);
    assert_eq!(window.state().view().settings.first_frame, 100_000);
    type_into(&mut window, "First frame", "1001", ENTER);
    assert_eq!(window.state().view().settings.first_frame, 1001);
    press(&mut window, Modifiers::NONE, Key::Escape);
    window.get_by_label("Report").click();
    window.run_steps(3);
    let peaks: Vec<_> =
        window.query_all_by_label_contains("Peak ").filter_map(|n| n.accesskit_node().label()).collect();
    assert!(!peaks.is_empty() && peaks.iter().all(|peak| peak.contains(" at f1")), "{peaks:?}");
}
