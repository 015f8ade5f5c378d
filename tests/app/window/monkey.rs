//! Random clicks, keys and text in random order: the window does not crash, a change stays with its recipe, and a recording
//! can be replayed.

use super::{TestPicker, Window, open_window, settle};
use crate::recorded::recorded;
use egui::{Key, Modifiers, Role};
use egui_kittest::kittest::{NodeT, Queryable, by};
use posepress_app::{Action, actions, replay};
use posepress_core::recipe::Recipe;

const STEPS: usize = 1000;
/// Number of steps of a recorded session. Each waits until the window is at rest.
const RECORDED_STEPS: usize = 150;

/// Random numbers that are the same on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % sides.max(1)
    }
}

const PRESSED: [Role; 7] =
    [Role::Button, Role::CheckBox, Role::RadioButton, Role::ListBoxOption, Role::Tab, Role::ComboBox, Role::Label];
const SET: [Role; 2] = [Role::Slider, Role::SpinButton];

/// Labels of actions that would write to a disk, leave the window, or fill the clipboard of the person who runs the tests.
const LEFT_ALONE: [&str; 5] = ["Write", "Replace", "Quit", "Copy", "Home"];

/// Words of steps that change other recipes than the active one.
const OF_ALL: [&str; 5] = ["Take over", "Undo", "Redo", "Move left", "Move right"];

/// Does a random action of a person. Returns its description.
fn act(window: &mut Window, dice: &mut Dice) -> String {
    let keys = [Key::Escape, Key::Tab, Key::Space, Key::ArrowDown, Key::ArrowUp, Key::ArrowLeft, Key::Delete];
    match dice.roll(10) {
        0 => {
            let key = keys[dice.roll(keys.len())];
            window.key_press(key);
            format!("{key:?}")
        }
        1 => press_keys_of(window, actions()[dice.roll(actions().len())]),
        2 => {
            let text = ["0", "-1", "1e30", "2 cm", "0,3", "abc", "\u{e9}"][dice.roll(7)];
            window.event(egui::Event::Text(text.into()));
            text.to_owned()
        }
        _ => use_a_control(window, dice),
    }
}

fn press_keys_of(window: &mut Window, action: &Action) -> String {
    let is_harmless = !LEFT_ALONE.iter().any(|word| action.label.contains(word));
    if let Some(key) = action.keys.first().filter(|_| is_harmless) {
        window.key_press_modifiers(key.modifiers, key.logical_key);
    }
    action.label.to_string()
}

fn use_a_control(window: &mut Window, dice: &mut Dice) -> String {
    let usable = |role: Role| PRESSED.contains(&role) || SET.contains(&role);
    let nodes = || window.query_all(by().predicate(move |node| usable(node.role()) && !node.is_disabled()));
    let Some(node) = nodes().nth(dice.roll(nodes().count())) else { return "nothing".into() };
    let (role, name) = (node.accesskit_node().role(), node.accesskit_node().label().unwrap_or_default());
    if LEFT_ALONE.iter().any(|word| name.contains(word)) {
        return "nothing".into();
    }
    match (SET.contains(&role), dice.roll(6)) {
        (true, side) => node.set_value_accesskit([-1e30, -1.0, 0.0, 0.5, 30.0, 1e30][side]),
        (false, 0) => node.click_secondary(),
        (false, _) => node.click(),
    }
    format!("{role:?} {name}")
}

fn recipes(window: &Window) -> Vec<Recipe> {
    window.state().workspace().document().recipes.clone()
}

/// One step. Recipes that it does not name must stay unchanged.
fn step(window: &mut Window, done: impl FnOnce(&mut Window) -> String) {
    let (before, slot) = (recipes(window), window.state().workspace().active_slot());
    let what = done(window);
    window.run_steps(2);
    let now = recipes(window);
    assert_eq!(now.len(), before.len(), "{what}");
    // A click goes to the topmost control, which may be a menu entry: then the step has the name of that entry.
    let step = window.state().workspace().history().undo_label().unwrap_or_default();
    let says_so = step.contains(" as recipe ") || OF_ALL.iter().any(|word| what.contains(word));
    if !says_so {
        let active = window.state().workspace().active_slot();
        for other in (0..now.len()).filter(|other| ![slot, active].contains(other)) {
            assert_eq!(now[other], before[other], "{what} with recipe {slot} changed recipe {other}");
        }
    }
    for recipe in now {
        recipe.validated().unwrap_or_else(|error| panic!("{what}: {error}"));
    }
}

#[test]
fn nothing_that_a_monkey_does_ends_the_window_or_reaches_another_recipe() {
    let folder = tempfile::tempdir().unwrap();
    let picker = TestPicker::default();
    *picker.save.lock().unwrap() = Some(folder.path().join("out"));
    picker.open.lock().unwrap().push(crate::project::sample());
    let mut window = open_window([1280.0, 800.0], vec![crate::project::sample()], picker);
    settle(&mut window);
    for mode in [Key::Num1, Key::Num2, Key::Num3, Key::Num4] {
        window.key_press(mode);
        for action in actions().iter().filter(|action| !action.keys.is_empty()) {
            step(&mut window, |window| press_keys_of(window, action));
            // Closes what the action opened, and any question of a sheet.
            window.key_press_modifiers(Modifiers::NONE, Key::Escape);
            window.run_steps(1);
        }
    }
    let mut dice = Dice(0x5EED);
    for _ in 0..STEPS {
        step(&mut window, |window| act(window, &mut dice));
    }
}

#[test]
fn what_a_monkey_did_comes_out_the_same_without_a_window() {
    let recording = recorded(|| {
        let mut window = open_window([1280.0, 800.0], vec![], TestPicker::default());
        settle(&mut window);
        let mut dice = Dice(0xB1_ED);
        for _ in 0..RECORDED_STEPS {
            step(&mut window, |window| act(window, &mut dice));
            settle(&mut window);
        }
    });
    let replayed = replay(&recording, true).unwrap_or_else(|error| panic!("{error}\n{recording}"));
    assert!(replayed.commands > RECORDED_STEPS / 4, "{replayed:?}");
}

#[test]
fn decisions_that_replace_others_come_out_the_same_at_another_time() {
    let recording = recorded(|| {
        let mut window = open_window([1280.0, 800.0], vec![], TestPicker::default());
        settle(&mut window);
        window.key_press_modifiers(Modifiers::COMMAND, Key::Num2);
        window.key_press(Key::F3);
        settle(&mut window);
        for _ in 0..2 {
            window.get_by_role_and_label(Role::ListBoxOption, "walk").click();
            settle(&mut window);
            window.key_press(Key::Escape);
            window.run_steps(2);
            window.key_press(Key::Enter);
            settle(&mut window);
        }
        let workspace = window.state().workspace();
        let earlier: Vec<usize> = workspace.document().decisions.values().map(|one| one.earlier.len()).collect();
        assert_eq!(earlier, [1]);
    });
    // Decisions have their time in seconds.
    let since = std::time::Instant::now();
    crate::until::until("another second begins", || since.elapsed().as_secs(), |secs| *secs > 0);
    replay(&recording, true).unwrap_or_else(|error| panic!("{error}\n{recording}"));
}
