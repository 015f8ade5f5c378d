//! Notes about frames: written at a frame, found again on the timeline. Also decisions about several clips at once.

use super::*;
use egui::{Key, Modifiers};
use posepress_core::project::{DecisionKind, ReviewState};

const NONE: Modifiers = Modifiers::NONE;

fn write(window: &mut Window, text: &str) {
    press(window, NONE, Key::M);
    window.event(egui::Event::Text(text.into()));
    window.run_steps(2);
    press(window, NONE, Key::Enter);
}

fn notes(window: &Window) -> Vec<(f32, Option<String>, String)> {
    let workspace = window.state().workspace();
    let notes = workspace.notes(workspace.selected().unwrap());
    notes.iter().map(|note| (note.at_secs, note.joint.clone(), note.text.clone())).collect()
}

#[test]
fn a_note_stays_with_its_moment_and_joint() {
    let mut window = started([1920.0, 1080.0]);
    // A first start shows the worst contact.
    let (at_secs, joint) = {
        let state = window.state();
        let (rig, _) = state.workspace().library().clip(state.workspace().selected().unwrap()).unwrap();
        let joint = state.view().selection.joint.unwrap();
        (state.view().transport.time_secs, rig.skeleton.name(joint).to_owned())
    };
    write(&mut window, "the toes drag");
    assert_eq!(notes(&window), [(at_secs, Some(joint.clone()), "the toes drag".to_owned())]);
    press(&mut window, NONE, Key::Home);
    press(&mut window, NONE, Key::Escape);
    press(&mut window, NONE, Key::Escape);
    write(&mut window, "starts too early");
    assert_eq!(notes(&window)[0], (0.0, None, "starts too early".to_owned()));
    compare(&mut window, "notes", Region::Timeline);
    // The lane of notes leads back to the frame.
    let sign = window.get_all_by_role(Role::Button).find(|node| {
        let label = egui_kittest::kittest::NodeT::accesskit_node(node).label();
        label.is_some_and(|label| label.starts_with("Note ") && label.ends_with(": the toes drag"))
    });
    sign.expect("the lane has it").click();
    window.run_steps(2);
    settle(&mut window);
    let state = window.state();
    let (rig, _) = state.workspace().library().clip(state.workspace().selected().unwrap()).unwrap();
    assert_eq!(state.view().transport.time_secs, at_secs);
    assert_eq!(state.view().selection.joint.map(|joint| rig.skeleton.name(joint)), Some(joint.as_str()));
    // A note is changed in the panel, removed, and brought back.
    let field = window.get_all_by_role(Role::TextInput).find(|node| {
        let label = egui_kittest::kittest::NodeT::accesskit_node(node).label();
        label.is_some_and(|label| label.starts_with("Note at ") && label.ends_with(&joint))
    });
    field.expect("the panel has it").focus();
    window.run_steps(2);
    window.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.event(egui::Event::Text("the left toes drag".into()));
    window.run_steps(2);
    press(&mut window, NONE, Key::Enter);
    assert_eq!(notes(&window)[1].2, "the left toes drag");
    window.get_by_label("Remove note at f0").click_accesskit();
    window.run_steps(2);
    settle(&mut window);
    assert_eq!(notes(&window).len(), 1);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    let texts: Vec<String> = notes(&window).into_iter().map(|(.., text)| text).collect();
    assert_eq!(texts, ["starts too early", "the toes drag"]);
}

#[test]
fn notes_of_a_page_are_added_to_the_open_clips() {
    let folder = tempfile::tempdir().unwrap();
    let [file, notes_file] = ["walk.glb", "notes.posepress.json"].map(|name| folder.path().join(name));
    std::fs::copy(sample(), &file).unwrap();
    let picker = TestPicker::default();
    let mut window = open_window([1920.0, 1080.0], vec![file], picker.clone());
    settle(&mut window);
    let clip = {
        let workspace = window.state().workspace();
        workspace.library().clip(workspace.selected().unwrap()).unwrap().1.name().to_owned()
    };
    let note = |file: &str, text: &str| format!(r#"{{"file":"{file}","clip":"{clip}","at_secs":0.5,"text":"{text}"}}"#);
    let json = format!(
        r#"{{"kind":"posepress-notes","schema":1,"notes":[{},{}]}}"#,
        note("walk.glb", "pops"),
        note("other.glb", "lost")
    );
    std::fs::write(&notes_file, json).unwrap();
    *picker.open.lock().unwrap() = vec![notes_file];
    press(&mut window, Modifiers::COMMAND, Key::O);
    until(&mut window, "the notes are added", |window| !notes(window).is_empty());
    assert_eq!(notes(&window), [(0.5, None, "pops".to_owned())]);
    window.run_steps(2);
    window.get_by_label_contains("1 note could not be added");
}

#[test]
fn several_clips_are_decided_in_one_step() {
    let mut window = started([1280.0, 800.0]);
    press(&mut window, NONE, Key::F3);
    let all = window.state().workspace().library().clip_ids().count();
    window.get_by_role_and_label(Role::ListBoxOption, "walk").click();
    window.run_steps(2);
    window.get_by_role_and_label(Role::ListBoxOption, "idle").click_modifiers(Modifiers::COMMAND);
    window.run_steps(2);
    assert_eq!(window.state().view().selection.clips.len(), 1);
    press(&mut window, NONE, Key::Escape);
    assert!(window.state().view().selection.clips.is_empty(), "Escape picks the one clip again");
    window.get_by_role_and_label(Role::ListBoxOption, "idle").click_modifiers(Modifiers::COMMAND);
    window.run_steps(2);
    window.get_by_label("Reject").click();
    window.run_steps(3);
    window.event(egui::Event::Text("feet slide in both".into()));
    window.run_steps(2);
    press(&mut window, NONE, Key::Enter);
    let rejected = |window: &Window| {
        let workspace = window.state().workspace();
        let state = |id: &_| workspace.review_state(*id) == ReviewState::Decided(DecisionKind::Rejected);
        workspace.library().clip_ids().filter(state).count()
    };
    assert_eq!(rejected(&window), 2);
    assert!(window.state().view().selection.clips.is_empty());
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(rejected(&window), 0, "one step");
    press(&mut window, Modifiers::COMMAND, Key::A);
    assert_eq!(window.state().view().selection.clips.len(), all);
}
