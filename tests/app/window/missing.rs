//! Files of a project that are not at their path: they stay in the project, however it is opened.

use super::until;
use super::{TestPicker, Window, open_window_of, press, settle};
use crate::project::sample;
use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;
use posepress_app::App;
use posepress_core::project::{Project, StateFile};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const CTRL: Modifiers = Modifiers::COMMAND;

/// A way to open a project in a window.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    Session,
    Dialog,
    CommandLine,
    Recent,
    Dropped,
}

const WAYS: [Way; 5] = [Way::Session, Way::Dialog, Way::CommandLine, Way::Recent, Way::Dropped];

/// A file that is dropped on the window.
#[derive(Debug)]
struct Dropped(PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|error| error.to_string())
    }
}

struct Home {
    folder: tempfile::TempDir,
    picker: TestPicker,
}

impl Home {
    /// A folder with a project of one file, in which a clip was approved and marked. The project is saved and closed.
    fn with_project() -> Self {
        let home = Self { folder: tempfile::tempdir().unwrap(), picker: TestPicker::default() };
        std::fs::create_dir(home.at("takes")).unwrap();
        std::fs::copy(sample(), home.file()).unwrap();
        *home.picker.save.lock().unwrap() = Some(home.project());
        let mut window = home.start(vec![home.file()]);
        settle(&mut window);
        press(&mut window, CTRL, Key::L);
        press(&mut window, CTRL.plus(Modifiers::SHIFT), Key::A);
        press(&mut window, CTRL, Key::S);
        until(&mut window, "the project is open", |window| window.state().view().project.is_some());
        home.close(window);
        assert!(home.saved().document.decisions.len() > 1 && !home.saved().document.loops.is_empty());
        home
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn file(&self) -> PathBuf {
        self.at("takes/hero.glb")
    }

    fn project(&self) -> PathBuf {
        self.at("team.posepress.toml")
    }

    fn saved(&self) -> Project {
        Project::from_toml(&std::fs::read_to_string(self.project()).unwrap(), self.folder.path()).unwrap()
    }

    fn start(&self, files: Vec<PathBuf>) -> Window {
        open_window_of([1280.0, 800.0], files, self.picker.clone(), Some(self.at("state")))
    }

    /// Closes the window as its close button does, and waits for the last write.
    fn close(&self, window: Window) {
        drop(window);
        let closed = Instant::now();
        while StateFile::claim(&self.at("state")).unwrap().0.number() != 1 {
            assert!(closed.elapsed() < Duration::from_secs(60), "it still holds its file");
        }
    }

    fn open(&self, way: Way) -> Window {
        if way != Way::Session {
            // Otherwise the saved session would open the project by itself.
            let kept = std::fs::read_to_string(self.at("state/window-1.toml")).unwrap();
            let settings = kept.split("[session]").next().unwrap().to_owned();
            std::fs::write(self.at("state/window-1.toml"), settings).unwrap();
        }
        let files = if way == Way::CommandLine { vec![self.project()] } else { vec![] };
        let mut window = self.start(files);
        match way {
            Way::Session | Way::CommandLine => {}
            Way::Dialog => {
                settle(&mut window);
                *self.picker.open.lock().unwrap() = vec![self.project()];
                press(&mut window, CTRL, Key::O);
            }
            Way::Recent => {
                settle(&mut window);
                window.get_by_label("File").click();
                window.run_steps(3);
                window.get_by_label_contains("Recent projects").click();
                window.run_steps(3);
                window.get_by_label("team.posepress.toml").click();
                window.run_steps(3);
            }
            Way::Dropped => {
                settle(&mut window);
                window.input_mut().dropped_files.push(std::sync::Arc::new(Dropped(self.project())));
                window.step();
            }
        }
        until(&mut window, "the project is open and searched for", |window| {
            window.state().view().project.is_some() && !window.state().view().pending.is_searching()
        });
        window
    }
}

fn open_files(window: &Window) -> Vec<PathBuf> {
    window.state().workspace().library().sources().iter().filter_map(|source| source.path.clone()).collect()
}

fn absent(app: &App) -> Vec<&Path> {
    app.view().pending.absent().map(|pending| &*pending.source.path).collect()
}

/// Saves, and waits for the file, which another thread writes.
fn save(home: &Home, window: &mut Window) {
    std::fs::remove_file(home.project()).unwrap();
    press(window, CTRL, Key::S);
    until(window, "the project is written", |_| home.project().is_file());
}

#[test]
fn a_file_that_was_moved_below_the_projects_folder_is_found_by_every_way_in() {
    for way in WAYS {
        let home = Home::with_project();
        std::fs::create_dir(home.at("elsewhere")).unwrap();
        std::fs::rename(home.file(), home.at("elsewhere/hero.glb")).unwrap();
        let before = home.saved();
        let mut window = home.open(way);
        assert_eq!(open_files(&window), [home.at("elsewhere/hero.glb")], "{way:?}");
        assert!(absent(window.state()).is_empty() && window.state().view().messages.problems.is_empty(), "{way:?}");
        save(&home, &mut window);
        let after = home.saved();
        assert_eq!(after.document, before.document, "{way:?}");
        assert_eq!(after.sources[0].path, home.at("elsewhere/hero.glb"), "{way:?}");
        assert_eq!((&after.sources[0].digest, after.sources.len()), (&before.sources[0].digest, 1), "{way:?}");
    }
}

#[test]
fn a_file_that_is_missing_stays_in_the_project_by_every_way_in() {
    for way in WAYS {
        let home = Home::with_project();
        std::fs::rename(home.file(), home.folder.path().parent().unwrap().join(format!("away-{way:?}.glb"))).unwrap();
        let before = home.saved();
        let mut window = home.open(way);
        assert!(open_files(&window).is_empty(), "{way:?}");
        assert_eq!(window.state().workspace().library().sources().len(), 0, "{way:?}: no sample in its place");
        assert_eq!(absent(window.state()), [home.file()], "{way:?}");
        assert!(window.query_by_label_contains("hero.glb not found").is_some(), "{way:?}");
        save(&home, &mut window);
        assert_eq!(home.saved(), before, "{way:?}");
        home.close(window);
        // The next start still has it.
        let mut window = home.start(vec![]);
        until(&mut window, "the search ends", |window| !window.state().view().pending.is_searching());
        assert_eq!(absent(window.state()), [home.file()], "{way:?}");
        save(&home, &mut window);
        assert_eq!(home.saved(), before, "{way:?}");
        let away = home.folder.path().parent().unwrap().join(format!("away-{way:?}.glb"));
        std::fs::remove_file(away).unwrap();
    }
}

#[test]
fn a_missing_file_is_located_or_removed_by_a_person() {
    let home = Home::with_project();
    let elsewhere = tempfile::tempdir().unwrap();
    let away = elsewhere.path().join("renamed.glb");
    std::fs::rename(home.file(), &away).unwrap();
    let before = home.saved();
    let mut window = home.open(Way::Session);
    *home.picker.open.lock().unwrap() = vec![away.clone()];
    window.get_by_label("Locate\u{2026}").click();
    window.run_steps(2);
    until(&mut window, "all files are found", |window| {
        window.state().view().pending.absent().next().is_none() && window.state().is_settled()
    });
    assert_eq!(open_files(&window), std::slice::from_ref(&away));
    assert_eq!(window.state().workspace().document(), &before.document);
    save(&home, &mut window);
    assert_eq!((home.saved().sources[0].path.clone(), home.saved().sources.len()), (away.clone(), 1));
    home.close(window);

    std::fs::remove_file(&away).unwrap();
    let mut window = home.open(Way::Session);
    window.get_by_label("Remove").click();
    window.run_steps(3);
    assert!(absent(window.state()).is_empty());
    save(&home, &mut window);
    assert!(home.saved().sources.is_empty());
    assert_eq!(home.saved().document, before.document, "decisions stay");
    // Reopening the closed file brings it back.
    press(&mut window, CTRL.plus(Modifiers::SHIFT), Key::T);
    until(&mut window, "a file is missing", |window| window.state().view().pending.absent().next().is_some());
    save(&home, &mut window);
    assert_eq!(home.saved().sources.len(), 1);
}

/// Saving while files are read, or when a file cannot be read, drops no file.
#[test]
fn a_file_that_cannot_be_read_stays_in_the_project() {
    let home = Home::with_project();
    std::fs::write(home.file(), b"glTF, but cut").unwrap();
    let before = home.saved();
    let mut window = home.open(Way::CommandLine);
    until(&mut window, "a file is missing", |window| window.state().view().pending.absent().next().is_some());
    assert!(window.query_all_by_label_contains("hero.glb cannot be read").next().is_some());
    save(&home, &mut window);
    assert_eq!(home.saved(), before);
}

/// The external file belongs to the project, too.
#[test]
fn the_other_tools_file_stays_in_the_project() {
    let home = Home::with_project();
    let other = home.at("theirs.glb");
    std::fs::copy(sample(), &other).unwrap();
    *home.picker.open.lock().unwrap() = vec![other.clone()];
    let mut window = home.open(Way::Session);
    press(&mut window, CTRL.plus(Modifiers::SHIFT), Key::C);
    until(&mut window, "the other file is open", |window| window.state().workspace().external_slot().is_some());
    save(&home, &mut window);
    assert_eq!(home.saved().document.external.as_ref().unwrap().path, other);
    home.close(window);
    std::fs::remove_file(&other).unwrap();
    for way in [Way::Session, Way::CommandLine] {
        let before = home.saved();
        let mut window = home.open(way);
        until(&mut window, "the other file is missing", |window| {
            window.state().view().pending.absent_external().is_some()
        });
        save(&home, &mut window);
        assert_eq!(home.saved().document.external, before.document.external, "{way:?}");
        home.close(window);
    }
    let mut window = home.open(Way::Session);
    until(&mut window, "the other file is missing", |window| window.state().view().pending.absent_external().is_some());
    window.get_by_label("Remove").click();
    window.run_steps(3);
    save(&home, &mut window);
    assert!(home.saved().document.external.is_none());
}
