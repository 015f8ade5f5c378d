//! Keys and commands that other programs have too.

use super::*;
use egui::{Key, Modifiers};

const NONE: Modifiers = Modifiers::NONE;

#[test]
fn j_k_and_l_play_as_in_every_player_and_u_loops() {
    let mut window = started([1280.0, 800.0]);
    let state = |window: &Window| {
        let transport = window.state().view().transport;
        (transport.playing, transport.shuttle)
    };
    for (key, expected) in [
        (Key::L, (true, 1.0)),
        (Key::L, (true, 2.0)),
        (Key::J, (true, -1.0)),
        (Key::J, (true, -2.0)),
        (Key::K, (false, 1.0)),
    ] {
        window.key_press(key);
        window.run_steps(1);
        assert_eq!(state(&window), expected, "{key:?}");
    }
    let looped = window.state().view().transport.looped;
    press(&mut window, NONE, Key::U);
    assert_ne!(window.state().view().transport.looped, looped);
}

#[test]
fn tiers_are_a_command_and_a_switch_of_the_export() {
    let mut window = started([1280.0, 800.0]);
    let is_on = |window: &Window| window.state().workspace().document().tiers.on;
    for (words, expected) in [("tiers", true), ("export to a path", true)] {
        press(&mut window, Modifiers::COMMAND, Key::P);
        window.event(egui::Event::Text(words.into()));
        window.run_steps(2);
        press(&mut window, NONE, Key::Enter);
        assert_eq!(is_on(&window), expected, "{words}");
    }
    window.get_by_role_and_label(Role::CheckBox, "Tiers").click();
    window.run_steps(3);
    assert!(!is_on(&window));
}
