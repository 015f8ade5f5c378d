//! State that a window saves: after a restart, beside another window, and when the program is ended.

use super::{TestPicker, Window, open_window_of, press, settle};
use crate::project::sample;
use crate::until::until;
use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;
use posepress_core::project::{Document, StateFile};
use std::path::PathBuf;
use std::time::{Duration, Instant};

const CTRL: Modifiers = Modifiers::COMMAND;
const NONE: Modifiers = Modifiers::NONE;

/// A folder for the state, and two files that are not the sample.
struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        let home = Self { folder: tempfile::tempdir().unwrap() };
        home.files().iter().for_each(|file| assert!(std::fs::copy(sample(), file).unwrap() > 0));
        home
    }

    fn files(&self) -> [PathBuf; 2] {
        ["one.glb", "two.glb"].map(|name| self.folder.path().join(name))
    }

    fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    fn state_text(&self) -> String {
        std::fs::read_to_string(self.state().join("window-1.toml")).unwrap_or_default()
    }

    fn start(&self, files: &[PathBuf]) -> Window {
        let picker = TestPicker::default();
        picker.open.lock().unwrap().push(self.files()[0].clone());
        let mut window = open_window_of([1920.0, 1080.0], files.to_vec(), picker, Some(self.state()));
        settle(&mut window);
        window
    }

    /// Closes a window and waits for its last write. A busy disk can delay it longer than the program waits.
    fn close(&self, window: Window) {
        drop(window);
        let number = || StateFile::claim(&self.state()).unwrap().0.number();
        until("the window leaves its file", number, |number| *number == 1);
    }

    /// Waits until the marks are on the disk.
    fn wait_for_loops(&self) {
        until("the mark is written", || self.state_text(), |text| text.contains("[document.loops]"));
    }
}

fn session(window: &Window) -> (Vec<PathBuf>, String, f32, usize) {
    let workspace = window.state().workspace();
    let files = workspace.library().sources().iter().filter_map(|s| s.path.clone()).collect();
    let clip = workspace.library().clip(workspace.selected().unwrap()).unwrap().1.name().to_owned();
    (files, clip, window.state().view().transport.time_secs, workspace.active_slot())
}

#[test]
fn a_restart_goes_on_where_the_window_was_closed() {
    let home = Home::new();
    let mut window = home.start(&home.files());
    press(&mut window, NONE, Key::ArrowDown);
    press(&mut window, NONE, Key::ArrowRight);
    press(&mut window, CTRL, Key::Num2);
    press(&mut window, CTRL, Key::L);
    press(&mut window, NONE, Key::Num9);
    window.get_by_label("Section Overrides").click();
    window.run_steps(12);
    let (before, document) = (session(&window), window.state().workspace().document().clone());
    let camera = window.state().view().cameras.main;
    assert!(before.0.len() == 2 && before.2 > 0.0 && before.3 == 1 && !document.loops.is_empty(), "{before:?}");
    home.close(window);

    let mut window = home.start(&[]);
    assert_eq!(session(&window), before);
    assert_eq!(window.state().view().messages.status, "Restored 2 files with 20 clips, 1 mark");
    assert_eq!(window.state().workspace().document(), &document);
    assert_eq!(window.state().view().cameras.main, camera);
    assert_eq!(window.state().view().messages.problems, []);
    assert!(window.query_all_by_label_contains("Add ").next().is_none(), "the section is still folded");
    // Closing a file can be undone.
    press(&mut window, CTRL, Key::W);
    assert_eq!(session(&window).0.len(), 1);
    press(&mut window, CTRL.plus(Modifiers::SHIFT), Key::T);
    assert_eq!(session(&window).0.len(), 2);
}

#[test]
fn notes_of_undecided_clips_survive_a_restart_and_so_does_a_reason_that_is_typed() {
    let home = Home::new();
    let mut window = home.start(&home.files()[..1]);
    press(&mut window, NONE, Key::F3);
    press(&mut window, Modifiers::SHIFT, Key::Enter);
    window.event(egui::Event::Text("left hand".into()));
    window.run_steps(3);
    press(&mut window, NONE, Key::Escape);
    press(&mut window, NONE, Key::ArrowDown);
    press(&mut window, NONE, Key::X);
    window.event(egui::Event::Text("slides".into()));
    window.run_steps(3);
    home.close(window);
    let window = home.start(&[]);
    let drafts: Vec<&str> = window.state().view().review.drafts.values().map(String::as_str).collect();
    let (mut drafts, mut typed) = (drafts, ["left hand", "slides"]);
    drafts.sort_unstable();
    typed.sort_unstable();
    assert_eq!(drafts, typed);
}

/// Only the window's own clock triggers this write: the window is neither closed nor drawn.
#[test]
fn work_is_on_the_disk_within_five_seconds_while_the_window_rests() {
    let home = Home::new();
    let mut window = home.start(&home.files()[..1]);
    press(&mut window, CTRL, Key::L);
    assert!(!window.state().workspace().document().loops.is_empty());
    let changed = Instant::now();
    home.wait_for_loops();
    assert!(changed.elapsed() < Duration::from_secs(5), "{:?}", changed.elapsed());
}

#[test]
fn a_second_window_keeps_its_own_work_and_is_offered_that_of_the_first() {
    let home = Home::new();
    let mut first = home.start(&home.files()[..1]);
    press(&mut first, CTRL, Key::L);
    press(&mut first, NONE, Key::ArrowDown); // after a pause
    let marked = first.state().workspace().document().clone();
    home.wait_for_loops();
    let mut second = home.start(&home.files()[1..]);
    assert_eq!(second.state().view().messages.problems[0].title, "Posepress is open in another window");
    assert_eq!(second.state().workspace().document(), &Document::default());
    second.get_by_label("Take the recipes and marks of window 1").click();
    second.run_steps(3);
    settle(&mut second);
    assert_eq!(second.state().workspace().document(), &marked);
    assert!(second.state().view().messages.problems.is_empty());
    press(&mut second, CTRL, Key::Z);
    assert_eq!(second.state().workspace().document(), &Document::default(), "and undo takes it back");
    press(&mut second, CTRL, Key::Num3);
    drop(first);
    drop(second);
    let first = home.start(&[]);
    assert_eq!(first.state().workspace().document(), &marked, "the second one wrote nothing over it");
    assert_eq!(session(&first).0, home.files()[..1]);
}

#[test]
fn a_broken_state_is_said_and_the_window_opens() {
    let home = Home::new();
    std::fs::create_dir(home.state()).unwrap();
    std::fs::write(home.state().join("window-1.toml"), "version = 1\n[settings]\nzoom = 0.0\n[document").unwrap();
    let window = home.start(&[]);
    let problems = &window.state().view().messages.problems;
    assert_eq!(problems.len(), 1);
    assert!(problems[0].detail.contains("line 4") && problems[0].detail.contains("-unread-"), "{problems:?}");
}

#[test]
fn own_files_are_not_compressed_with_the_recipes_of_the_sample() {
    let home = Home::new();
    let recipes = |window: &Window| window.state().workspace().document().recipes.clone();
    let mut window = home.start(&[]);
    assert_eq!(recipes(&window), Document::of_sample().recipes);
    press(&mut window, CTRL, Key::O);
    assert_eq!(recipes(&window), Document::default().recipes);
    let said = &window.state().view().messages.status;
    assert!(said.ends_with("Recipes A, B, C were the sample's and are the defaults now"), "{said}");
    assert_eq!(window.state().workspace().history().undo_label(), None);
    home.close(window);
    // A start with the sample only leaves no trace of it for a later start with a file.
    let home = Home::new();
    drop(home.start(&[]));
    let window = home.start(&home.files()[..1]);
    assert_eq!(recipes(&window), Document::default().recipes);
}
