//! Findings of the import checks are fixed, and the rig of clips is chosen, through the window's controls.

use super::opening::take;
use super::*;
use egui::{Key, Modifiers};
use posepress_core::model::Additive;

/// A walk of thirty frames in which the chest turns away and back in one frame.
fn with_flip() -> String {
    let still = take("Hips", 0.0);
    let (head, _) = still.split_once("MOTION").unwrap();
    let frame = |at: usize| format!("{at} 90 0 0 0 0 0 {} 0 0 5 0 0 5 0\n", if at == 12 { 85 } else { at / 2 });
    format!("{head}MOTION\nFrames: 30\nFrame Time: 0.0333333\n{}", (0..30).map(frame).collect::<String>())
}

fn chest_turn_rad(window: &Window) -> f32 {
    let clip = &window.state().workspace().library().sources()[0].clips[0];
    clip.at(11, 2).rotation.angle_between(clip.at(12, 2).rotation)
}

fn open_findings(window: &mut Window) {
    run_action(window, "import findings");
}

#[test]
fn a_flip_is_smoothed_by_a_button_beside_its_finding_and_put_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("walk.bvh");
    std::fs::write(&path, with_flip()).unwrap();
    let mut window = open_window([1280.0, 800.0], vec![path], TestPicker::default());
    settle(&mut window);
    assert!(chest_turn_rad(&window) > 1.2);
    open_findings(&mut window);
    compare(&mut window, "import-findings-fix", Region::Around(&["Import findings"]));
    window.get_by_role_and_label(Role::Button, "Smooth flips").click_accesskit();
    window.run_steps(2);
    settle(&mut window);
    assert!(chest_turn_rad(&window) < 0.1, "{}", chest_turn_rad(&window));
    assert_eq!(window.state().workspace().history().undo_label(), Some("Smooth flips"));
    window.get_by_role_and_label(Role::Button, "Remove fix").click_accesskit();
    window.run_steps(2);
    assert!(chest_turn_rad(&window) > 1.2);
    press(&mut window, Modifiers::NONE, Key::Escape);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(chest_turn_rad(&window) < 0.1, "undo takes back that it was put back");
}

#[test]
fn the_rig_of_clips_is_chosen_beside_the_joints_that_are_found_there() {
    let folder = tempfile::tempdir().unwrap();
    let [near, far] = ["near.bvh", "far.bvh"].map(|name| folder.path().join(name));
    std::fs::write(&near, take("Hips", 0.0)).unwrap();
    // Other hips: nothing is put on another rig without a question.
    std::fs::write(&far, take("Pelvis", 30.0).replace("LeftLeg", "LegL").replace("OFFSET 10 60", "OFFSET 10 70"))
        .unwrap();
    let mut window = open_window([1280.0, 800.0], vec![near, far], TestPicker::default());
    settle(&mut window);
    run_action(&mut window, "rig of clips");
    window.get_by_role_and_label(Role::ComboBox, "Rig").click_accesskit();
    window.run_steps(2);
    window.get_by_label("of far.bvh").click();
    window.run_steps(4);
    compare(&mut window, "rig-of-clips", Region::Around(&["Choose rig"]));
    window.get_by_role_and_label(Role::Button, "Use this rig").click_accesskit();
    window.run_steps(2);
    settle(&mut window);
    let sources = window.state().workspace().library().sources();
    assert!(Arc::ptr_eq(&sources[0].rig, &sources[1].rig));
    assert!(window.query_by_label("Use this rig").is_none(), "the sheet is closed");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    let sources = window.state().workspace().library().sources();
    assert!(!Arc::ptr_eq(&sources[0].rig, &sources[1].rig));
}

#[test]
fn another_scene_of_a_file_is_read_instead_from_its_finding() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scenes.gltf");
    let mut json: serde_json::Value = {
        let glb = std::fs::read(sample()).unwrap();
        let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
        std::fs::write(folder.path().join("sample.bin"), &glb[20 + length + 8..]).unwrap();
        serde_json::from_slice(&glb[20..20 + length]).unwrap()
    };
    json["buffers"][0]["uri"] = "sample.bin".into();
    let roots = json["scenes"][0]["nodes"].clone();
    json["scenes"] = serde_json::json!([{ "name": "yard", "nodes": roots }, { "name": "studio", "nodes": roots }]);
    std::fs::write(&path, json.to_string()).unwrap();
    let mut window = open_window([1280.0, 800.0], vec![path], TestPicker::default());
    settle(&mut window);
    open_findings(&mut window);
    window.get_by_label("Read instead").click_accesskit();
    window.run_steps(2);
    window.get_by_label("studio").click_accesskit();
    window.run_steps(2);
    settle(&mut window);
    let sources = window.state().workspace().library().sources();
    assert_eq!((sources.len(), sources[0].options.scene), (1, Some(2.0)));
    assert!(window.query_by_label_contains("scene 2 of 2 is read, studio").is_some());
}

#[test]
fn a_clip_without_its_rig_asks_for_one_until_it_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let [rig, clip] = ["rig.bvh", "walk.anm"].map(|name| folder.path().join(name));
    std::fs::write(&rig, with_flip()).unwrap();
    let read = posepress_core::import::import_file(&rig, &Default::default()).unwrap();
    let mut clips = [posepress_core::export::ExportClip::raw(&read.clips[0])];
    let anm = posepress_core::export::by_key("anm").unwrap();
    std::fs::write(&clip, anm.export(&read.rig, &mut clips, &Default::default()).unwrap()).unwrap();

    let picker = TestPicker { open: Arc::new(Mutex::new(vec![rig])), ..TestPicker::default() };
    let mut window = open_window([1280.0, 800.0], vec![clip], picker);
    settle(&mut window);
    assert!(window.query_by_label_contains("Open the file with the rig of walk.anm too?").is_some());
    compare(&mut window, "import-needs-rig", Region::Around(&["Side by side", "Show\u{2026}"]));
    window.get_by_role_and_label(Role::Button, "Open\u{2026}").click_accesskit();
    settle(&mut window);
    let library = window.state().workspace().library();
    assert!(Arc::ptr_eq(&library.sources()[0].rig, &library.sources()[1].rig));
    assert!(window.query_by_label_contains("Open the file with the rig").is_none());
}

#[test]
fn a_clip_that_looks_like_differences_is_put_on_the_bind_pose_by_a_button_beside_the_question() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lean.bvh");
    let joint = |name: &str, below: &str| {
        let channels = "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation";
        format!("JOINT {name}\n{{\nOFFSET 0 30 0\n{channels}\n{below}\n}}\n")
    };
    let limbs = joint("spine", &joint("chest", &joint("head", "End Site\n{\nOFFSET 0 20 0\n}")));
    let root = joint("hips", &limbs).replacen("JOINT", "ROOT", 1);
    let frame = |at: usize| "0 0 0 ".repeat(2) + &format!("0 0 0 {at} 0 0 ").repeat(3) + "\n";
    let frames: String = (0..12).map(frame).collect();
    std::fs::write(&path, format!("HIERARCHY\n{root}MOTION\nFrames: 12\nFrame Time: 0.0333333\n{frames}")).unwrap();
    let mut window = open_window([1280.0, 800.0], vec![path], TestPicker::default());
    settle(&mut window);
    let base = |window: &Window| window.state().workspace().document().additive.values().next().cloned();
    open_findings(&mut window);
    window.get_by_role_and_label(Role::Button, "Add to bind pose").click_accesskit();
    window.run_steps(2);
    settle(&mut window);
    assert_eq!(base(&window), Some(Additive::TO_BIND));
    assert_eq!(window.state().workspace().shown().unwrap().report.added_to.as_deref(), Some("the bind pose"));
    compare(&mut window, "import-findings-additive", Region::Around(&["Import findings"]));
    window.get_by_role_and_label(Role::Button, "Remove mark").click_accesskit();
    window.run_steps(2);
    assert_eq!(base(&window), None);
}
