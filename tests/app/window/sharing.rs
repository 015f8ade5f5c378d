//! The view as a line of text: copied in one window, shown again in another.

use super::{TestPicker, Window, open_window, press, settle, started, until};
use egui::{Key, Modifiers, OutputCommand};
use egui_kittest::kittest::Queryable;
use image::AnimationDecoder;
use image::codecs::png::PngDecoder;
use posepress_app::{App, Options};
use posepress_core::view::{CameraPreset, Layer, SharedView, ViewMode};

/// The text that `Ctrl+C` puts on the clipboard.
pub(super) fn copied(window: &mut Window) -> String {
    // The key arrives as this event.
    window.event(egui::Event::Copy);
    window.step();
    let commands = &window.output().platform_output.commands;
    let text = commands.iter().find_map(|command| match command {
        OutputCommand::CopyText(text) => Some(text.clone()),
        _ => None,
    });
    text.expect("something is copied")
}

pub(super) fn paste(window: &mut Window, text: &str) {
    window.event(egui::Event::Paste(text.to_owned()));
    window.run_steps(2);
    settle(window);
}

/// A window with another view than at the start.
fn busy() -> Window {
    let mut window = started([1280.0, 800.0]);
    press(&mut window, Modifiers::NONE, Key::ArrowDown);
    press(&mut window, Modifiers::COMMAND, Key::Num2);
    press(&mut window, Modifiers::NONE, Key::W);
    press(&mut window, Modifiers::NONE, Key::Num3);
    press(&mut window, Modifiers::NONE, Key::Num6);
    press(&mut window, Modifiers::NONE, Key::Num8);
    window
}

#[test]
fn a_copied_view_is_shown_again_in_another_window() {
    let mut window = busy();
    let text = copied(&mut window);
    let view: SharedView = text.parse().unwrap();
    assert_eq!((view.mode, view.recipe.as_deref(), view.file.as_deref()), (ViewMode::Onion, Some("B"), None));
    assert!(view.layers.is_on(Layer::Difference) && view.joint.is_some() && view.time_secs > 0.0, "{text}");
    let direction = view.camera.unwrap().direction;
    assert!((direction.yaw_deg - CameraPreset::Side.direction().yaw_deg).abs() < 0.01, "{text}");

    let mut other = started([1280.0, 800.0]);
    assert_ne!(copied(&mut other), text);
    paste(&mut other, &text);
    assert_eq!(copied(&mut other), text);
    assert_eq!(other.state().workspace().selected(), window.state().workspace().selected());
    assert!(other.state().view().messages.problems.is_empty());
}

#[test]
fn a_view_given_at_the_start_is_what_the_window_opens_with() {
    let text = copied(&mut busy());
    let view = Some(text.parse().unwrap());
    let mut window = egui_kittest::Harness::builder().with_size(egui::vec2(1280.0, 800.0)).wgpu().build_eframe(|cc| {
        let picker = Box::new(TestPicker::default());
        App::new(cc, Options { view, picker, state_folder: None, timings: false, ..Options::default() })
    });
    settle(&mut window);
    assert_eq!(copied(&mut window), text);
}

#[test]
fn what_is_not_here_is_said_and_the_rest_is_shown() {
    let mut window = started([1280.0, 800.0]);
    let view: SharedView = copied(&mut busy()).parse().unwrap();
    let lacking = SharedView {
        joint: Some("tail_07".into()),
        recipe: Some("Q".into()),
        reference: Some("Z".into()),
        ..view.clone()
    };
    paste(&mut window, &lacking.to_string());
    let problem = window.state().view().messages.problems.last().unwrap().clone();
    assert!(problem.detail.contains("'tail_07'") && problem.detail.contains("recipe Q"), "{}", problem.detail);
    assert!(problem.detail.contains("compares with 'Z'"), "{}", problem.detail);
    assert_eq!(window.state().view().settings.mode, ViewMode::Onion);
    assert!((window.state().view().transport.time_secs - view.time_secs).abs() < 1e-4);

    let gone = SharedView { clip: Some("Swim".into()), mode: ViewMode::Wipe, ..view.clone() };
    let before = window.state().workspace().selected();
    paste(&mut window, &gone.to_string());
    let problem = window.state().view().messages.problems.last().unwrap().clone();
    assert!(problem.detail.contains("no clip 'Swim'"), "{}", problem.detail);
    assert_eq!((window.state().workspace().selected(), window.state().view().settings.mode), (before, ViewMode::Wipe));

    let elsewhere = SharedView { file: Some("Dragon.glb".into()), ..view };
    paste(&mut window, &elsewhere.to_string());
    let problem = window.state().view().messages.problems.last().unwrap().clone();
    assert!(problem.detail.contains("Dragon.glb is not open"), "{}", problem.detail);

    paste(&mut window, "posepress-view:1 { mode = \"up\" }");
    let problem = window.state().view().messages.problems.last().unwrap().clone();
    assert!(
        problem.title.contains("not contain a view") && problem.detail.contains("expected one of side"),
        "{}",
        problem.detail
    );
}

#[test]
fn a_file_that_was_open_lately_is_opened_for_a_view_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("biped.glb");
    std::fs::write(&path, include_bytes!("../../../src/app/assets/sample.glb")).unwrap();
    let mut window = open_window([1280.0, 800.0], vec![path], TestPicker::default());
    settle(&mut window);
    press(&mut window, Modifiers::NONE, Key::End);
    let text = copied(&mut window);
    assert!(text.contains("file = \"biped.glb\""), "{text}");
    press(&mut window, Modifiers::NONE, Key::Home);
    window.key_press_modifiers(Modifiers::COMMAND, Key::W);
    window.run_steps(3);
    assert!(window.state().workspace().selected().is_none());
    window.event(egui::Event::Paste(text.clone()));
    window.run_steps(2);
    settle(&mut window);
    assert_eq!(copied(&mut window), text);
}

/// Waits until a file that is being saved is written.
fn saved(window: &mut Window, path: &std::path::Path) -> Vec<u8> {
    until(window, "it is written", |window| window.state().view().filming.is_none() && path.exists());
    std::fs::read(path).unwrap()
}

fn save(window: &mut Window, picker: &TestPicker, entry: &str, path: &std::path::Path) -> Vec<u8> {
    *picker.save.lock().unwrap() = Some(path.to_path_buf());
    window.get_by_label("File").click();
    window.run_steps(2);
    window.get_by_label(entry).click();
    window.run_steps(2);
    saved(window, path)
}

#[test]
fn what_is_seen_is_saved_as_a_picture_and_the_played_part_as_a_film() {
    let folder = tempfile::tempdir().unwrap();
    let picker = TestPicker::default();
    let mut window = open_window([1280.0, 800.0], vec![], picker.clone());
    settle(&mut window);
    press(&mut window, Modifiers::NONE, Key::Home);
    press(&mut window, Modifiers::SHIFT, Key::ArrowRight);
    press(&mut window, Modifiers::NONE, Key::I);
    press(&mut window, Modifiers::SHIFT, Key::ArrowRight);
    press(&mut window, Modifiers::NONE, Key::O);
    let picture = save(&mut window, &picker, "Save picture\u{2026}", &folder.path().join("seen.png"));
    let picture = image::load_from_memory(&picture).unwrap().into_rgba8();
    assert!(picture.width() > 300 && picture.pixels().any(|p| p != picture.get_pixel(0, 0)));
    let before = copied(&mut window);
    let film = save(&mut window, &picker, "Save animation\u{2026}", &folder.path().join("walk.apng"));
    let film =
        PngDecoder::new(std::io::Cursor::new(film)).unwrap().apng().unwrap().into_frames().collect_frames().unwrap();
    let [start, end] = window.state().view().transport.range_secs.unwrap();
    assert_eq!(film.len(), ((end - start) * 25.0 + 1e-3) as usize + 1);
    assert_ne!(film[0].buffer(), film[film.len() - 1].buffer(), "the figure moves");
    assert_eq!(copied(&mut window), before, "playhead and cameras are where they were");
    let gif = save(&mut window, &picker, "Save animation\u{2026}", &folder.path().join("walk.gif"));
    assert!(gif.starts_with(b"GIF89a"));
}
