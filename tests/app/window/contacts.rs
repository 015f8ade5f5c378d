//! Contacts that are not found.

use super::{TestPicker, Window, corpus, open_window, press, settle, started};
use egui::{Key, Modifiers, accesskit::Role};
use egui_kittest::kittest::{NodeT, Queryable};
use posepress_app::Panel;

#[test]
fn a_marked_joint_without_a_contact_says_so() {
    let mut window = started([1920.0, 1080.0]);
    let rows = window.query_all_by_role(Role::TreeItem);
    let joints: Vec<String> = rows.filter_map(|row| row.accesskit_node().label()).collect();
    let says = |window: &Window, joint: &str| {
        let words = format!("No contact of {joint} found");
        window.query_by(|node| node.value().is_some_and(|text| text.contains(&words))).is_some()
    };
    let mut said = false;
    // Legs first: a hand may well rest.
    for joint in joints.iter().rev() {
        window.get_by_role_and_label(Role::TreeItem, joint).click();
        window.run_steps(3);
        let mark = format!("Mark {joint} as contact");
        if window.query_by_label(&mark).is_none() {
            continue; // it is a foot
        }
        window.get_by_label(&mark).click_accesskit(); // it may be scrolled out of sight
        window.run_steps(3);
        settle(&mut window);
        let workspace = window.state().workspace();
        assert!(workspace.active_recipe().contacts.extra_joints.contains(joint));
        let (report, rig) = (&workspace.shown().unwrap().outcome.report.slide, &workspace.shown().unwrap().source.rig);
        let is_there = report.contacts.iter().any(|of| rig.skeleton.name(report.plan.feet[of.foot].joint) == joint);
        assert_eq!(says(&window, joint), !is_there, "{joint}");
        said |= !is_there;
        press(&mut window, Modifiers::COMMAND, Key::Z);
        settle(&mut window);
        assert!(!says(&window, joint), "it is not marked any more");
        if said {
            break;
        }
    }
    assert!(said, "one of these joints never stands: {joints:?}");
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
