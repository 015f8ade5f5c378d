//! Contacts that are not found.

use super::{TestPicker, corpus, open_window, press, settle, started};
use egui::{Key, Modifiers, accesskit::Role};
use egui_kittest::kittest::Queryable;
use posepress_app::Panel;

#[test]
fn a_marked_joint_without_a_contact_says_so() {
    let mut window = started([1920.0, 1080.0]);
    window.get_by_role_and_label(Role::TreeItem, "head").click();
    window.run_steps(3);
    window.get_by_label("Mark head as contact").click();
    window.run_steps(3);
    settle(&mut window);
    window.get_by_label_contains("No contact of head found");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(window.query_by_label_contains("No contact of head found").is_none());
}

#[test]
fn a_clip_without_contacts_leads_to_the_panel_where_joints_are_marked() {
    let Some(cubes) = corpus("cesium_man/interpolation_test.gltf") else { return };
    let mut window = open_window([1280.0, 800.0], vec![cubes], TestPicker::default());
    settle(&mut window);
    window.get_by_label("Mark a joint").click();
    window.run_steps(3);
    assert!(window.state().view().settings.asked_panels.contains(&Panel::Contacts));
}
