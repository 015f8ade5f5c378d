//! One session from start to end: a clip of the corpus is judged with keys, fixed with an override, approved and saved. The
//! program is killed, started again, and exports. Only the expected bytes change.

use super::*;
use crate::window::fields::type_into;
use egui::{Key, Modifiers};
use posepress_core::import::{ImportOptions, LengthUnit};
use posepress_core::pipeline::{ArchiveClip, ArchiveListing};
use posepress_core::project::{RecipePlace, StateFile};
use std::path::Path;

const NONE: Modifiers = Modifiers::NONE;
const CTRL: Modifiers = Modifiers::COMMAND;

fn open(file: Option<&Path>, state: &Path, picker: &TestPicker) -> Window {
    let options = Options {
        files: file.map(Path::to_path_buf).into_iter().collect(),
        import: ImportOptions { unit: Some(LengthUnit::Centimetre), ..ImportOptions::default() },
        picker: Box::new(picker.clone()),
        state_folder: Some(state.to_path_buf()),
        timings: false,
        author: Some("Ann".into()),
        ..Options::default()
    };
    let size = egui::vec2(1920.0, 1080.0);
    let mut window =
        Harness::builder().with_size(size).with_max_steps(16).wgpu().build_eframe(move |cc| App::new(cc, options));
    settle(&mut window);
    show_level(&mut window, "All settings");
    window
}

/// Exports all clips to a container.
fn exported(window: &mut Window, picker: &TestPicker, path: &Path) -> Vec<ArchiveClip> {
    *picker.save.lock().unwrap() = Some(path.to_path_buf());
    press(window, CTRL, Key::E);
    until(window, "the file is written", |_| path.is_file());
    ArchiveListing::read(&std::fs::read(path).unwrap()).unwrap().clips
}

fn seen(window: &Window) -> (String, f32, RecipePlace) {
    let workspace = window.state().workspace();
    let (_, clip) = workspace.library().clip(workspace.selected().unwrap()).unwrap();
    (clip.name().to_owned(), window.state().view().transport.time_secs, workspace.active_place())
}

fn slide_mm(window: &Window) -> f64 {
    let workspace = window.state().workspace();
    let answer = workspace.answer(workspace.selected().unwrap(), 0).unwrap();
    answer.report.as_ref().unwrap().slide.worst_slide_mm.unwrap()
}

#[test]
fn from_the_worst_contact_to_the_file_that_a_game_reads() {
    let Some(fox) = corpus("fox/Fox.glb") else { return };
    let home = tempfile::tempdir().unwrap();
    let (file, state, project) =
        (home.path().join("fox.glb"), home.path().join("state"), home.path().join("fox.posepress.toml"));
    std::fs::copy(fox, &file).unwrap();
    let picker = TestPicker::default();
    let mut window = open(Some(&file), &state, &picker);
    // A loose recipe: the feet slide. Selects the walk, its worst contact, and the joint that causes it.
    type_into(&mut window, "Tolerance", "5", (NONE, Key::Enter));
    settle(&mut window);
    press(&mut window, NONE, Key::Escape);
    press(&mut window, NONE, Key::ArrowDown);
    assert_eq!(seen(&window).0, "Walk");
    let before_mm = slide_mm(&window);
    assert!(before_mm > 2.0, "{before_mm} mm");
    let before = exported(&mut window, &picker, &home.path().join("before.posepress"));
    press(&mut window, NONE, Key::P);
    press(&mut window, NONE, Key::G);
    let at_secs = seen(&window).1;
    let joint = window.state().view().selection.joint.expect("there is a blame");
    let rig = window.state().workspace().library().clip(window.state().workspace().selected().unwrap()).unwrap().0;
    let joint = rig.skeleton.name(joint).to_owned();
    // The recipe gets a name for this clip alone. The joint gets a smaller tolerance there, and contacts are locked.
    window.get_by_label("Keep recipe under a name").focus();
    window.run_steps(2);
    window.event(egui::Event::Text("walking".into()));
    window.run_steps(2);
    press(&mut window, NONE, Key::Enter);
    assert_eq!(seen(&window).2, RecipePlace::Named("walking".into()));
    window.get_by_label(&format!("Add {joint}")).focus();
    press(&mut window, NONE, Key::Enter);
    window.get_by_role_and_label(Role::CheckBox, "Lock contacts").focus();
    window.run_steps(3);
    press(&mut window, NONE, Key::Space);
    press(&mut window, NONE, Key::Escape);
    assert!(slide_mm(&window) < 1.0, "{} mm", slide_mm(&window));
    // Approves and saves.
    press(&mut window, NONE, Key::M);
    window.event(egui::Event::Text("held by lock and shell".into()));
    window.run_steps(2);
    press(&mut window, NONE, Key::Enter);
    window.get_by_label("Approve this clip").click();
    window.run_steps(3);
    assert!(window.state().workspace().review_state(window.state().workspace().selected().unwrap()).is_approved());
    *picker.save.lock().unwrap() = Some(project.clone());
    press(&mut window, CTRL, Key::S);
    until(&mut window, "the project is written", |_| project.is_file());
    let text = std::fs::read_to_string(&project).unwrap();
    for part in ["path = \"fox.glb\"", "[document.named.walking]", "lock = true", "kind = \"approved\"", "held by lock"]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
    // Killed: only the files on the disk are left. The folder is copied while its window is still open.
    let (was, kept) = (seen(&window), home.path().join("kept"));
    let on_disk = || std::fs::read_to_string(state.join("window-1.toml")).unwrap_or_default();
    until(&mut window, "the decision and its project are kept", |_| {
        on_disk().contains("approved") && on_disk().contains("fox.posepress.toml")
    });
    std::fs::create_dir(&kept).unwrap();
    std::fs::copy(state.join("window-1.toml"), kept.join("window-1.toml")).unwrap();
    std::mem::forget(window);
    assert!(StateFile::claim(&kept).is_ok());
    let mut window = open(None, &kept, &picker);
    let (clip, time_secs, place) = seen(&window);
    assert_eq!((clip, place), (was.0, was.2));
    assert!((time_secs - at_secs).abs() < 1e-3, "{time_secs} s, not {at_secs}");
    assert_eq!(window.state().view().project.as_deref(), Some(project.as_path()));
    assert!(window.state().workspace().review_state(window.state().workspace().selected().unwrap()).is_approved());
    let bytes = {
        let workspace = window.state().workspace();
        workspace.answer(workspace.selected().unwrap(), 0).unwrap().report.as_ref().unwrap().bytes
    };
    // The exported walk has the new recipe. The other clips are unchanged, byte for byte.
    let after = exported(&mut window, &picker, &home.path().join("after.posepress"));
    assert_eq!(after.len(), before.len());
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before.name, after.name);
        assert_eq!(before.bytes == after.bytes, after.name != "Walk", "{}", after.name);
    }
    let walk = after.iter().find(|clip| clip.name == "Walk").unwrap();
    assert_eq!(walk.bytes.len(), bytes, "what was shown is what is written");
    assert!(walk.recipe().contacts.lock && walk.recipe().overrides[0].joint == joint);
}
