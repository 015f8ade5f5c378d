//! The external result, in the slot after the recipes.

use super::*;
use crate::written;
use egui_kittest::kittest::NodeT;
use posepress_core::export::ExportTarget;
use posepress_core::import::{ImportOptions, import_file};
use posepress_core::recipe::Recipe;

/// The sample's first clips, coarser, as a container or GLB that another tool might write.
fn other(folder: &std::path::Path) -> PathBuf {
    let imported = import_file(&sample(), &ImportOptions::default()).unwrap();
    let clips: Vec<_> = imported.clips.into_iter().take(2).map(Arc::new).collect();
    let recipe = Recipe { tolerance_m: 0.02, ..Recipe::chosen("linear-keys").unwrap() };
    let rig = Arc::new(imported.rig);
    let bytes = written::export(&rig, &clips, &recipe, "glb", &ExportTarget::default()).unwrap();
    let path = folder.join("from-elsewhere.glb");
    std::fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn another_tools_file_is_looked_at_as_a_recipe_is() {
    let folder = tempfile::tempdir().unwrap();
    let picker = TestPicker::default();
    let mut window = open_window([1280.0, 800.0], vec![], picker.clone());
    settle(&mut window);
    window.get_by_label("Got it").click();
    window.run_steps(3);
    *picker.open.lock().unwrap() = vec![other(folder.path())];
    press(&mut window, egui::Modifiers::COMMAND.plus(egui::Modifiers::SHIFT), egui::Key::C);
    let workspace = |window: &Window| window.state().workspace().shown().unwrap().report.clone();
    assert_eq!(workspace(&window).external.as_ref().unwrap().file, "from-elsewhere.glb");
    window.get_by_label("External file");
    window.get_by_label("+ 1 sample");
    // One sample later and back, by keys and by the button.
    press(&mut window, egui::Modifiers::ALT, egui::Key::Period);
    let offset_secs = |window: &Window| workspace(window).external.as_ref().unwrap().offset_secs;
    assert!((offset_secs(&window) - 1.0 / 30.0).abs() < 1e-6, "{}", offset_secs(&window));
    window.get_by_label("\u{2212} 1 sample").click();
    window.run_steps(2);
    settle(&mut window);
    assert_eq!(offset_secs(&window), 0.0);
    window.get_by_value("over tolerance: limit 5.0 mm."); // and no recipe is suggested
    compare(&mut window, "other_file", Region::Around(&["Section Codec", "Section Overrides"]));
    // There is nothing to export, and the recipes are unchanged.
    assert!(window.get_by_role_and_label(Role::Button, "Export\u{2026}").accesskit_node().is_disabled());
    press(&mut window, egui::Modifiers::COMMAND, egui::Key::Num1);
    assert!(workspace(&window).external.is_none());
    press(&mut window, egui::Modifiers::COMMAND, egui::Key::Num4);
    assert!(workspace(&window).external.is_some());
    window.get_by_label("Stop comparing").click();
    window.run_steps(2);
    settle(&mut window);
    assert!(window.query_by_label("External file").is_none() && workspace(&window).external.is_none());
    press(&mut window, egui::Modifiers::COMMAND, egui::Key::Z);
    assert!(window.query_by_label("External file").is_some());
}
