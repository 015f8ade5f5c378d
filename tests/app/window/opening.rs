//! Opening and exporting on a system without a file dialog, folders, and questions about opened files.

use super::{TestPicker, Window, open_window, press, settle, started, until};
use crate::project::sample;
use egui::{Key, Modifiers};
use egui_kittest::kittest::{Queryable, by};
use posepress_app::{App, Options};
use posepress_core::pipeline::Archive;
use posepress_core::project::{Document, Project};
use std::path::{Path, PathBuf};

/// A take of a captured stage, in centimetres: a root at the origin, hips far from it, a body below.
pub(super) fn take(hips_name: &str, offset_x: f32) -> String {
    let limbs = ["Chest", "LeftLeg", "RightLeg"].map(|name| {
        let y = if name == "Chest" { 60 } else { -90 };
        format!(
            "JOINT {name}\n{{\nOFFSET 10 {y} 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{{\nOFFSET 0 10 0\n}}\n}}\n"
        )
    });
    let frame = |x: f32| format!("{} 90 400 0 0 0 {}\n", offset_x + x, "0 5 0 ".repeat(3));
    format!(
        "HIERARCHY\nROOT Stage\n{{\nOFFSET 0 0 0\nCHANNELS 0\nJOINT {hips_name}\n{{\nOFFSET 0 90 0\n\
         CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n{}}}\n}}\n\
         MOTION\nFrames: 3\nFrame Time: 0.0333333\n{}{}{}",
        limbs.concat(),
        frame(0.0),
        frame(1.0),
        frame(2.0)
    )
}

fn type_path(window: &mut Window, path: &Path) {
    until(window, "the sheet opens", |window| window.query_by_label("Path").is_some());
    window.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.event(egui::Event::Text(path.display().to_string()));
    window.run_steps(2);
}

#[test]
fn without_a_dialog_files_are_opened_and_written_by_path() {
    let folder = tempfile::tempdir().unwrap();
    let (copy, target) = (folder.path().join("walks.glb"), folder.path().join("out.posepress"));
    std::fs::copy(sample(), &copy).unwrap();
    let mut window = started([1280.0, 800.0]);
    window.key_press_modifiers(Modifiers::COMMAND, Key::O);
    type_path(&mut window, &folder.path().join("wa"));
    until(&mut window, "the folder is listed", |window| window.query_by_label("walks.glb").is_some());
    window.key_press(Key::Tab);
    window.run_steps(2);
    window.key_press(Key::Enter);
    window.run_steps(2);
    settle(&mut window);
    assert_eq!(window.state().workspace().library().sources()[0].path.as_deref(), Some(&*copy));

    window.key_press_modifiers(Modifiers::COMMAND, Key::E);
    type_path(&mut window, &folder.path().join("out"));
    let command = format!("posepress compress {} -o {}", copy.display(), folder.path().join("out").display());
    assert!(window.query_by_label_contains(&command).is_some(), "the command that does the same is shown");
    window.get_by_label("Write").click();
    window.run_steps(2);
    settle(&mut window);
    let written = std::fs::read(&target).unwrap();
    assert!(!Archive::open(&written, None).unwrap().clips().is_empty());

    // Existing and new contents are shown before a file is replaced.
    let clips = Archive::open(&written, None).unwrap().clips().len();
    window.key_press_modifiers(Modifiers::COMMAND, Key::E);
    type_path(&mut window, &target);
    window.key_press(Key::Enter);
    let question = format!("There is a file out.posepress with {clips} clips, ");
    until(&mut window, "it is said", |window| window.query_by_label_contains(&question).is_some());
    window.get_by_label_contains(&format!(". Replace it by {clips} clips?"));
    press(&mut window, Modifiers::NONE, Key::Escape);

    std::fs::write(&target, b"another").unwrap();
    window.key_press_modifiers(Modifiers::COMMAND, Key::E);
    type_path(&mut window, &target);
    window.key_press(Key::Enter);
    window.run_steps(3);
    assert_eq!(std::fs::read(&target).unwrap(), b"another", "nothing is replaced unasked");
    window.get_by_label("Replace").click();
    window.run_steps(2);
    settle(&mut window);
    assert_eq!(std::fs::read(&target).unwrap(), written);
}

/// A rig of two joints with a mesh of 60,000 vertices. The file stores only one vertex.
fn large_mesh(folder: &Path) -> PathBuf {
    let json = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0,2]}],
        "nodes":[{"name":"j0","children":[1]},{"name":"j1","translation":[0,0.5,0]},{"name":"m","mesh":0,"skin":0}],
        "buffers":[{"byteLength":56,"uri":"numbers.bin"}],
        "bufferViews":[{"buffer":0,"byteLength":8},{"buffer":0,"byteOffset":8,"byteLength":32},
            {"buffer":0,"byteOffset":40,"byteLength":4},{"buffer":0,"byteOffset":44,"byteLength":12}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":2,"type":"SCALAR"},
            {"bufferView":1,"componentType":5126,"count":2,"type":"VEC4"},
            {"componentType":5126,"type":"VEC3","count":60000,"sparse":{"count":1,
                "indices":{"bufferView":2,"componentType":5125},"values":{"bufferView":3}}}],
        "animations":[{"name":"c","channels":[{"sampler":0,"target":{"node":0,"path":"rotation"}}],
            "samplers":[{"input":0,"output":1}]}],
        "skins":[{"joints":[0,1]}],"meshes":[{"primitives":[{"attributes":{"POSITION":2}}]}]}"#;
    let numbers: Vec<u8> =
        [[0.0, 1.0].as_slice(), &[0.0, 0.0, 0.0, 1.0], &[0.0, 0.0, 0.0, 1.0], &[0.0], &[0.0, 1.0, 0.0]]
            .concat()
            .into_iter()
            .flat_map(f32::to_le_bytes)
            .collect();
    std::fs::write(folder.join("numbers.bin"), numbers).unwrap();
    let path = folder.join("large.gltf");
    std::fs::write(&path, json).unwrap();
    path
}

#[test]
fn a_rig_that_the_graphics_memory_cannot_hold_is_a_card_and_the_rest_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let large = large_mesh(folder.path());
    // Less than its vertices need, but enough for the window itself.
    let small = |_: &wgpu::Adapter| wgpu::DeviceDescriptor {
        required_limits: wgpu::Limits {
            max_buffer_size: 3 << 20,
            max_storage_buffer_binding_size: 3 << 20,
            ..wgpu::Limits::default()
        },
        ..Default::default()
    };
    let mut setup = egui_kittest::wgpu::default_wgpu_setup();
    let egui_wgpu::WgpuSetup::CreateNew(new) = &mut setup else { panic!("a device is made") };
    new.device_descriptor = std::sync::Arc::new(small);
    let builder = egui_kittest::Harness::builder().with_size(egui::vec2(960.0, 600.0)).with_max_steps(16);
    let mut window = builder.wgpu_setup(setup).build_eframe(|cc| {
        let picker = Box::new(TestPicker::default());
        App::new(cc, Options { files: vec![large], picker, state_folder: None, timings: false, ..Options::default() })
    });
    settle(&mut window);
    window.render().unwrap(); // the upload of the rig is tried
    window.run_steps(2);
    assert_eq!(window.query_all_by_label("This rig cannot be drawn").count(), 2, "in each viewport");
    assert!(window.query_all_by_label_contains("vertices of mesh 1 need 4.1 MB").next().is_some());
    assert!(window.state().view().messages.problems.is_empty());
    assert!(window.state().workspace().shown().is_some(), "numbers are still there");
}

#[test]
fn the_path_sheet_says_what_is_wrong_and_escape_closes_it() {
    let mut window = started([1280.0, 800.0]);
    window.key_press_modifiers(Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::O);
    type_path(&mut window, Path::new("/no/such/file.glb"));
    window.key_press(Key::Enter);
    window.run_steps(2);
    assert!(window.query_by_label_contains("There is no /no/such/file.glb").is_some());
    press(&mut window, Modifiers::COMMAND, Key::P);
    assert!(window.state().view().sheets.palette.is_none(), "nothing opens behind the sheet");
    window.event(egui::Event::Text("/~/".into()));
    window.run_steps(2);
    assert_eq!(window.state().view().sheets.path.as_ref().unwrap().text, "~/", "a whole path behind another");
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(window.state().view().sheets.path.is_none());
}

#[test]
fn the_path_sheet_lists_projects_and_leaves_out_files_of_settings() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(sample(), folder.path().join("walk.glb")).unwrap();
    let project = Project { sources: Vec::new(), document: Document::default() };
    std::fs::write(folder.path().join("review.posepress.toml"), project.to_toml(folder.path())).unwrap();
    std::fs::write(folder.path().join("rustfmt.toml"), "max_width = 100").unwrap();
    let mut window = started([1280.0, 800.0]);
    window.key_press_modifiers(Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::O);
    type_path(&mut window, &folder.path().join(""));
    until(&mut window, "the folder is listed", |window| window.query_by_label("walk.glb").is_some());
    assert!(window.query_by_label("review.posepress.toml").is_some());
    assert!(window.query_by_label("rustfmt.toml").is_none());
}

#[test]
fn a_folder_of_takes_in_another_unit_is_one_question_with_one_answer() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("more")).unwrap();
    for index in 0..5 {
        let name = if index < 3 { format!("{index}.bvh") } else { format!("more/{index}.bvh") };
        std::fs::write(folder.path().join(name), take("Hips", 300.0 * index as f32)).unwrap();
    }
    std::fs::write(folder.path().join("other.bvh"), take("Pelvis", 0.0)).unwrap();
    std::fs::write(folder.path().join("notes.txt"), b"no clip").unwrap();
    let mut window = open_window([1280.0, 800.0], vec![folder.path().to_path_buf()], TestPicker::default());
    until(&mut window, "all are read", |window| window.state().workspace().library().sources().len() == 6);
    settle(&mut window);
    assert!(window.state().view().messages.problems.is_empty());
    let bar = window.get_by_label("Scale all 5 by 0.01").rect();
    for side in ["Viewport original", "Viewport compressed", "Recipe A"] {
        assert!(!window.get_by_label(side).rect().intersects(bar), "the question covers {side}");
    }
    window.get_by_label_contains("Read 5 files of one skeleton as centimetres? Now the rig is ");
    window.get_by_label("1 more\u{2026}").click();
    window.run_steps(3);
    assert!(window.query_all_by_label_contains("1.60 m").next().is_some(), "what it would be then");
    press(&mut window, Modifiers::NONE, Key::Escape);
    window.get_by_label("Scale all 5 by 0.01").click();
    window.run_steps(2);
    settle(&mut window);
    // The cameras follow the figure: its hips are now four metres from the origin, not four hundred.
    let camera = window.state().view().cameras.main;
    let away_m = (camera.target - glam::vec3(0.0, 0.8, 4.0)).length();
    assert!(away_m < 1.0 && (1.0..12.0).contains(&camera.distance_m), "{camera:?}");
    window.get_by_label("Keep").click();
    window.run_steps(2);
    assert!(window.query_by_label("Keep").is_none());
    let sources = window.state().workspace().library().sources();
    let scaled = sources.iter().filter(|source| source.options.unit.is_some());
    assert_eq!((sources.len(), scaled.count()), (6, 5));
}

#[test]
fn a_second_plausible_unit_can_be_chosen_where_the_first_is_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("small.bvh");
    let changes =
        [("OFFSET 10 60", "OFFSET 2 12"), ("OFFSET 10 -90", "OFFSET 2 -17"), ("OFFSET 0 10 0", "OFFSET 0 2 0")];
    let small = changes.into_iter().fold(take("Hips", 0.0), |text, (from, to)| text.replace(from, to));
    std::fs::write(&file, small).unwrap();
    let mut window = open_window([1280.0, 800.0], vec![file], TestPicker::default());
    until(&mut window, "it is read", |window| !window.state().workspace().library().sources().is_empty());
    settle(&mut window);
    window.get_by_label("Use units of 5.644 cm (CMU)");
    window.get_by_label("Another unit").click();
    window.run_steps(3);
    window.get_by_label_contains("Read as centimetres: 0.3").click();
    window.run_steps(2);
    settle(&mut window);
    let options = window.state().workspace().library().sources()[0].options;
    assert_eq!(options.unit, Some(posepress_core::import::LengthUnit::Centimetre));
    assert!(window.query_by_label("Another unit").is_none(), "the question is answered");
}

#[test]
fn while_files_are_read_the_window_says_which_and_no_recipe_passes_yet() {
    let folder = tempfile::tempdir().unwrap();
    let files: Vec<PathBuf> = (0..3).map(|index| folder.path().join(format!("take_{index}.glb"))).collect();
    for file in &files {
        std::fs::copy(sample(), file).unwrap();
    }
    let mut window = open_window([1280.0, 800.0], files, TestPicker::default());
    let mut said = false;
    while !window.state().is_settled() {
        let workspace = window.state().workspace();
        let is_reading = workspace.reading().next().is_some();
        let totals = workspace.totals(0);
        let is_measured = totals.known() == totals.clips;
        let says = |words: &str| {
            let nodes =
                window.query_all(by().predicate(|node| node.value().is_some_and(|value| value.contains(words))));
            nodes.count() > 0
        };
        said |= is_reading && says("Reading take_");
        assert!(!is_reading || !says("No clips. Open"), "it is said what to do while it is done");
        assert!(is_measured || !says("pass with A"), "what is not measured does not pass");
        window.step();
    }
    assert!(said);
}

#[test]
fn every_file_that_was_written_is_named_with_its_size() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("walk.posepress");
    let picker = TestPicker::default();
    *picker.save.lock().unwrap() = Some(target.clone());
    let mut window = open_window([1920.0, 2400.0], vec![], picker);
    settle(&mut window);
    window.get_by_label("Got it").click();
    window.run_steps(3);
    press(&mut window, Modifiers::COMMAND, Key::Num2); // press, which has tiers
    window.get_by_role_and_label(egui::Role::CheckBox, "Tiers").click_accesskit();
    window.run_steps(3);
    settle(&mut window);
    press(&mut window, Modifiers::COMMAND, Key::E);
    let status = window.state().view().messages.status.clone();
    for file in std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap()) {
        let name = file.file_name().to_string_lossy().into_owned();
        let size = posepress_core::text::bytes(file.metadata().unwrap().len());
        assert!(status.contains(&format!("{name} {size}")), "{name} {size} in {status}");
    }
    assert_eq!(status.matches(".posepress-tier").count(), 2, "{status}");
}

#[test]
fn a_file_without_animation_is_a_rig_and_no_clip() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("stage.bvh");
    let take = take("Hips", 0.0);
    let frames = take.find("Frames: 3").unwrap();
    std::fs::write(&file, format!("{}Frames: 0\nFrame Time: 0.0333333\n", &take[..frames])).unwrap();
    let mut window = open_window([1280.0, 800.0], vec![file], TestPicker::default());
    until(&mut window, "it is read", |window| !window.state().workspace().library().sources().is_empty());
    if !window.state().view().messages.problems.is_empty() {
        panic!("{:?}", window.state().view().messages.problems);
    }
    settle(&mut window);
    let workspace = window.state().workspace();
    assert_eq!(workspace.library().clip_ids().count(), 0);
    assert_eq!(workspace.totals(0).clips, 0);
    let status = window.state().view().messages.status.clone();
    assert!(status.contains("a rig of") && !status.contains("clip"), "{status}");
    window.get_by_label("Rig stage.bvh");
    assert!(window.query_by_label_contains("58 B").is_none());
    assert!(window.state().workspace().selected().is_some(), "and it is looked at");
}
