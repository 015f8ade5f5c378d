//! Contacts that are not found.

use super::{TestPicker, corpus, open_window, settle};
use egui_kittest::kittest::Queryable;
use posepress_app::Panel;

#[test]
fn a_clip_without_contacts_leads_to_the_panel_where_joints_are_marked() {
    let Some(cubes) = corpus("cesium_man/interpolation_test.gltf") else { return };
    let mut window = open_window([1280.0, 800.0], vec![cubes], TestPicker::default());
    settle(&mut window);
    window.get_by_label("Mark a joint").click();
    window.run_steps(3);
    assert!(window.state().view().settings.asked_panels.contains(&Panel::Contacts));
}
