//! A start after one that ended while it opened a file: it skips the file, and offers to try again.

use super::until;
use super::{TestPicker, Window, open_after, open_window_of, press, settle};
use crate::project::sample;
use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;
use posepress_app::Options;
use posepress_core::project::{Document, StateFile};
use std::path::PathBuf;
use std::time::{Duration, Instant};

struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn copy(&self, name: &str) -> PathBuf {
        std::fs::copy(sample(), self.at(name)).unwrap();
        self.at(name)
    }

    fn mark(&self) -> Option<String> {
        std::fs::read_to_string(self.at("state/window-1.opening")).ok()
    }

    fn start(&self, files: Vec<PathBuf>) -> Window {
        open_window_of([1280.0, 800.0], files, TestPicker::default(), Some(self.at("state")))
    }

    fn close(&self, window: Window) {
        drop(window);
        let closed = Instant::now();
        while StateFile::claim(&self.at("state")).unwrap().0.number() != 1 {
            assert!(closed.elapsed() < Duration::from_secs(60), "it still holds its file");
        }
    }

    /// A session with these files, long enough to be saved.
    fn session(&self, files: Vec<PathBuf>) {
        let mut window = self.start(files);
        settle(&mut window);
        until(&mut window, "the mark is gone", |_| self.mark().is_none());
        self.close(window);
    }
}

fn open_files(window: &Window) -> Vec<PathBuf> {
    window.state().workspace().library().sources().iter().filter_map(|source| source.path.clone()).collect()
}

fn titles(window: &Window) -> Vec<&str> {
    window.state().view().messages.problems.iter().map(|problem| &*problem.title).collect()
}

#[test]
fn the_mark_is_there_before_anything_is_read_and_goes_when_it_was_seen() {
    let home = Home::new();
    let file = home.copy("walk.glb");
    let picker = Box::new(TestPicker::default());
    let options =
        Options { files: vec![file.clone()], picker, state_folder: Some(home.at("state")), ..Options::default() };
    let mut mark = None;
    let mut window = open_after([1280.0, 800.0], options, || mark = home.mark());
    assert!(mark.as_ref().unwrap().contains("walk.glb"), "{mark:?}");
    settle(&mut window);
    until(&mut window, "the mark is gone", |_| home.mark().is_none());
    assert_eq!(open_files(&window), [file]);
    assert!(titles(&window).is_empty());
}

#[test]
fn what_ended_a_start_is_left_out_of_the_next_one_and_tried_again_when_asked() {
    let home = Home::new();
    let files = vec![home.copy("one.glb"), home.copy("two.glb")];
    home.session(files.clone());
    let state = || std::fs::read_to_string(home.at("state/window-1.toml")).unwrap();
    let whole = state();
    // Killed while it opened its session.
    home.close(home.start(vec![]));
    std::fs::write(home.at("state/window-1.opening"), format!("files = [{:?}]\n", files[1])).unwrap();
    let mut window = home.start(vec![]);
    settle(&mut window);
    assert_eq!(open_files(&window), files[..1], "the other one is opened as always");
    assert_eq!(titles(&window), ["The program ended while it opened a file"]);
    assert!(window.state().view().messages.problems[0].detail.contains("two.glb"));
    assert!(window.query_by_label_contains("two.glb not opened").is_some());
    until(&mut window, "the mark is gone", |_| home.mark().is_none());
    home.close(window);
    for file in ["one.glb", "two.glb"] {
        assert!(whole.contains(file) && state().contains(file), "{file} is still part of the session: {}", state());
    }
    // This start was not ended, so the next start opens both files again.
    let mut window = home.start(vec![]);
    settle(&mut window);
    assert_eq!(open_files(&window), files);
    home.close(window);
    // A skipped file can be opened by its button.
    std::fs::write(home.at("state/window-1.opening"), format!("files = [{:?}]\n", files[1])).unwrap();
    let mut window = home.start(vec![]);
    settle(&mut window);
    window.get_by_label("Try again").click();
    window.run_steps(2);
    until(&mut window, "both files are open", |window| window.state().workspace().library().sources().len() == 2);
    assert!(titles(&window).is_empty());
}

#[test]
fn the_bundled_sample_is_left_out_too() {
    let home = Home::new();
    // Killed before it was drawn.
    home.session(vec![]);
    std::fs::write(home.at("state/window-1.opening"), "sample = true\n").unwrap();
    let mut window = home.start(vec![]);
    window.run_steps(8);
    assert!(window.state().workspace().library().sources().is_empty());
    assert!(window.state().view().messages.problems[0].detail.contains("The bundled sample"));
    window.get_by_label("Without recipes and marks").click();
    window.run_steps(2);
    settle(&mut window);
    assert_eq!(window.state().workspace().document(), &Document::default());
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_ne!(window.state().workspace().document(), &Document::default(), "undo brings them back");
}

#[test]
fn work_that_ends_the_program_by_itself_is_set_aside_and_comes_back_when_asked() {
    let home = Home::new();
    let file = home.copy("walk.glb");
    let mut window = home.start(vec![file.clone()]);
    settle(&mut window);
    press(&mut window, Modifiers::COMMAND, Key::L);
    let document = window.state().workspace().document().clone();
    until(&mut window, "the mark is gone", |_| home.mark().is_none());
    home.close(window);
    std::fs::write(home.at("state/window-1.opening"), "").unwrap();
    let mut window = home.start(vec![]);
    window.run_steps(8);
    assert_eq!(window.state().workspace().document(), &Document::default());
    assert!(open_files(&window).is_empty());
    let beside = std::fs::read_dir(home.at("state")).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(beside.into_iter().any(|name| name.to_string_lossy().contains("-unread-")), "it is kept beside");
    window.get_by_label("Try again").click();
    window.run_steps(2);
    until(&mut window, "the sample is open", |window| !window.state().workspace().library().sources().is_empty());
    assert_eq!(window.state().workspace().document(), &document);
    assert_eq!(open_files(&window), [file]);
}
