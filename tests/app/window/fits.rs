//! Replay of a curve fit, key by key.

use super::{settle, started};
use egui::Role;
use egui_kittest::kittest::Queryable;
use posepress_core::model::Channel;

#[test]
fn the_insertion_slider_replays_a_fit_from_two_keys_to_the_end() {
    let mut window = started([1920.0, 1080.0]);
    assert!(window.query_by_role_and_label(Role::Slider, "Insertions").is_none(), "keys were not inserted");
    window.get_by_role_and_label(Role::ComboBox, "Codec").click();
    window.run_steps(3);
    window.get_by_label("catmull-rom").click();
    window.run_steps(3); // the click is processed before the test waits
    settle(&mut window);
    let joint = window.state().view().selection.joint.expect("the window opens with a joint");
    let outcome = window.state().workspace().shown().unwrap().outcome.clone();
    assert_eq!(outcome.recipe.codec.name(), "catmull-rom");
    let of_joint =
        |k: &&posepress_core::codecs::KeptKeys| usize::from(k.joint) == joint && k.channel == Channel::Rotation;
    let all = outcome.encoding().unwrap().encoded.kept.iter().find(of_joint).expect("it turns").samples.len();
    window.get_by_label(&format!("insertions {0} / {0}", all - 2));
    window.get_by_role_and_label(Role::Slider, "Insertions").set_value_accesskit(0.0);
    window.run_steps(3);
    assert_eq!(window.state().view().selection.replay_keys, Some(2));
    window.get_by_label(&format!("insertions 0 / {}", all - 2));
    window.get_by_role_and_label(Role::Slider, "Insertions").set_value_accesskit((all - 2) as f64);
    window.run_steps(3);
    assert_eq!(window.state().view().selection.replay_keys, None, "the end is what the bytes decode to");
}
