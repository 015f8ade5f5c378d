//! State saved between sessions, as text. Each part is read separately, so that an error in one does not affect the
//! others. Unreadable parts are reported and their file is kept, so that no work is lost.

use crate::state::{LeftOut, Offer, Opening, Problem, Session, Settings};
use posepress_core::project::{Document, DocumentError, FoundState, NewerState, STATE_VERSION, StateFile};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Everything that a window saves.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    /// Settings.
    pub settings: Settings,
    /// Open files and selection.
    pub session: Session,
    /// Recipes and marks.
    pub document: Document,
}

/// A part of a file that this version cannot read.
#[derive(Debug, Clone, PartialEq)]
pub struct Unread {
    /// Subject of the message, such as `The settings`.
    what: &'static str,
    reason: String,
}

#[derive(Serialize)]
struct Written<'a> {
    version: i64,
    settings: &'a Settings,
    session: &'a Session,
    document: &'a Document,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct SettingsPart {
    settings: Settings,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct SessionPart {
    session: Session,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct DocumentPart {
    document: Document,
}

impl State {
    /// The state as text.
    ///
    /// # Errors
    /// A value cannot be written as TOML.
    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        let Self { settings, session, document } = self;
        toml::to_string_pretty(&Written { version: STATE_VERSION, settings, session, document })
    }

    /// Reads as much as possible of a text. Unreadable parts get defaults.
    pub fn read(text: &str) -> (Self, Vec<Unread>) {
        if let Err(error) = text.parse::<toml::Table>() {
            let unread = Unread { what: "Settings, open files and recipes", reason: error.to_string() };
            return (Self::default(), vec![unread]);
        }
        let mut unread = Vec::new();
        let settings = part(text, "The settings", &mut unread, |part: SettingsPart| part.settings.clamped());
        let session = part(text, "The open files", &mut unread, |part: SessionPart| part.session.clamped());
        let document = part(text, "The recipes", &mut unread, |part: DocumentPart| part.document);
        let document = document.validated().unwrap_or_else(|error: DocumentError| {
            unread.push(Unread { what: "The recipes", reason: error.to_string() });
            Document::default()
        });
        (Self { settings, session, document }, unread)
    }
}

fn part<P: DeserializeOwned, T: Default>(
    text: &str,
    what: &'static str,
    unread: &mut Vec<Unread>,
    take: impl Fn(P) -> T,
) -> T {
    match toml::from_str::<P>(text) {
        Ok(part) => take(part),
        Err(error) => {
            unread.push(Unread { what, reason: error.to_string() });
            T::default()
        }
    }
}

/// A window's state file and its contents.
#[derive(Debug, Default)]
pub struct SavedWindow {
    /// State file of this window; `None` without a data folder.
    pub file: Option<StateFile>,
    /// Saved state; `None` at the first start.
    pub state: Option<State>,
    /// Messages about it.
    pub problems: Vec<Problem>,
}

impl SavedWindow {
    /// The work of a window whose state is kept elsewhere.
    pub fn of_text(text: &str) -> Self {
        let (state, unread) = State::read(text);
        Self { file: None, state: Some(state), problems: unread.iter().map(Unread::lost).collect() }
    }

    /// Claims a state file for this window and reads it.
    pub fn open(folder: &Path) -> Self {
        let (file, newer) = match StateFile::claim(folder) {
            Ok(claimed) => claimed,
            Err(error) => return Self { file: None, state: None, problems: vec![not_kept(&error.to_string())] },
        };
        let mut kept = Self { file: None, state: None, problems: newer.iter().map(left_alone).collect() };
        let unread = match file.read() {
            FoundState::Nothing => Vec::new(),
            FoundState::Unreadable(reason) => vec![Unread { what: "Settings, open files and recipes", reason }],
            FoundState::Text(text) => {
                let (state, unread) = State::read(&text);
                kept.state = Some(state);
                unread
            }
        };
        if unread.is_empty() {
            kept.file = Some(file);
        } else {
            match file.keep_beside() {
                Ok(path) => {
                    kept.problems.extend(unread.iter().map(|unread| unread.problem(&path)));
                    kept.file = Some(file);
                }
                // A file that cannot be moved away must not be overwritten.
                Err(error) => kept.problems.push(not_kept(&error.to_string())),
            }
        }
        kept
    }

    /// Takes out what ended the last start. If that was the state itself, its file is kept under another name.
    pub fn leave_out(&mut self, last: Option<Opening>) -> Option<LeftOut> {
        let parts = self.state.as_ref().map(|state| (state.document.clone(), state.session.clone()));
        let left = LeftOut::of(last?, parts)?;
        if left.state.is_some() {
            if let Some(Err(error)) = self.file.as_ref().map(StateFile::keep_beside) {
                self.problems.push(not_kept(&error.to_string()));
                self.file = None; // a file that cannot be moved away must not be overwritten
            }
            self.state = None;
        }
        Some(left)
    }

    /// Number of the window; 1 without a file.
    pub fn window_number(&self) -> usize {
        self.file.as_ref().map_or(1, StateFile::number)
    }

    /// Settings of this window. A new window takes those of the first one.
    pub fn settings(&self) -> Settings {
        match (&self.state, &self.file) {
            (Some(state), _) => state.settings.clone(),
            (None, Some(file)) => other(file, 1).map_or_else(Settings::default, |state| state.settings),
            (None, None) => Settings::default(),
        }
    }

    /// A message about another window's work, with an offer to take it.
    pub fn offer(&self) -> Option<Problem> {
        let own = self.window_number();
        let (number, document) = self.other_work()?;
        let (title, detail) = match own {
            1 => (
                format!("Window {number} was closed later than this one"),
                format!(
                    "Its recipes and marks are saved. They return when you open window {number} while this one is open."
                ),
            ),
            _ => (
                "Posepress is open in another window".to_owned(),
                format!(
                    "This is window {own}. It saves its recipes, marks and settings in its own file. The windows do not \
                     overwrite each other's work."
                ),
            ),
        };
        let take = Offer::TakeDocument(format!("Recipes and marks of window {number}"), Box::new(document));
        let words = format!("Take the recipes and marks of window {number}");
        Some(Problem { offers: vec![(words, take)], ..Problem::error(title, detail) })
    }

    /// Number and document of another window, if it has other work: the first window, or for the first a window that
    /// was closed later.
    fn other_work(&self) -> Option<(usize, Document)> {
        let file = self.file.as_ref()?;
        let number = if file.number() > 1 { 1 } else { *file.left_later().first()? };
        let document = other(file, number)?.document;
        let is_own = self.state.as_ref().is_some_and(|own| own.document == document);
        let is_untouched = [Document::default(), Document::of_sample()].contains(&document);
        (!is_own && !is_untouched).then_some((number, document))
    }
}

fn other(file: &StateFile, number: usize) -> Option<State> {
    match file.read_other(number) {
        FoundState::Text(text) => Some(State::read(&text).0),
        FoundState::Nothing | FoundState::Unreadable(_) => None,
    }
}

impl Unread {
    fn problem(&self, kept_as: &Path) -> Problem {
        let detail = format!(
            "{}\nThe file is kept as {}. The defaults are used instead.\nWhat to do: open it with the version that wrote it, or \
             enter it again.",
            self.reason,
            kept_as.display()
        );
        Problem::error(self.title(), detail)
    }

    /// The message where no file is kept.
    fn lost(&self) -> Problem {
        Problem::error(self.title(), format!("{}\nThe defaults are used instead.", self.reason))
    }

    fn title(&self) -> String {
        format!("{} of the last session cannot be read", self.what)
    }
}

fn left_alone(newer: &NewerState) -> Problem {
    let detail = format!(
        "{} has version {}; this program writes version {STATE_VERSION}. The file does not change, and this window saves its \
         work in another file.\nWhat to do: use the newer version to open that work.",
        newer.path.display(),
        newer.version
    );
    Problem::error("The last session was saved by a newer version", detail)
}

/// Message when the state cannot be saved.
pub fn not_kept(reason: &str) -> Problem {
    let detail = format!(
        "{reason}\nRecipes, marks and settings of this window are lost when it closes.\nWhat to do: free space on the disk, or \
         allow this program to write there."
    );
    Problem::error("Your work cannot be saved", detail)
}

/// Folder of state files; `None` if the system has no data folder.
#[cfg(not(target_family = "wasm"))]
pub fn folder() -> Option<std::path::PathBuf> {
    Some(dirs::data_dir()?.join("posepress"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use posepress_core::recipe::Recipe;

    fn state() -> State {
        let mut state = State::default();
        state.settings.remember("/takes/walk \"2\".glb".into());
        state.settings.zoom = 1.25;
        state.document.recipes.truncate(1);
        state.document.recipes[0] = Recipe { tolerance_m: 0.0007, ..Recipe::chosen("variable-rate").unwrap() };
        state
    }

    fn in_folder(text: &str) -> (tempfile::TempDir, SavedWindow) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("window-1.toml"), text).unwrap();
        let kept = SavedWindow::open(folder.path());
        (folder, kept)
    }

    #[test]
    fn a_state_is_read_again_and_nothing_is_said() {
        let (_folder, kept) = in_folder(&state().to_toml().unwrap());
        assert_eq!((kept.state, kept.problems), (Some(state()), vec![]));
        assert!(kept.file.is_some());
        let (_folder, kept) = in_folder("");
        assert_eq!((kept.state, kept.problems), (Some(State::default()), vec![]));
    }

    /// However a file is cut, the program starts, reports what it cannot read, and keeps the file.
    #[test]
    fn a_file_that_is_cut_anywhere_is_read_or_kept_beside() {
        let whole = state().to_toml().unwrap();
        let mut unread = 0;
        for length in (0..whole.len()).step_by(7) {
            let (folder, kept) = in_folder(&whole[..length]);
            let file = kept.file.as_ref().expect("there is a place to write to");
            if kept.problems.is_empty() {
                continue;
            }
            unread += 1;
            assert_eq!(file.read(), FoundState::Nothing);
            let beside = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
            let beside = beside.filter(|path| path.to_string_lossy().contains("-unread-"));
            let texts: Vec<String> = beside.map(|path| std::fs::read_to_string(path).unwrap()).collect();
            assert_eq!(texts, [&whole[..length]]);
        }
        assert!(unread > 20, "{unread}");
    }

    #[test]
    fn what_is_wrong_in_one_part_costs_nothing_of_the_others() {
        let text = state().to_toml().unwrap();
        for (good, bad, what) in [
            ("codec = \"variable-rate\"", "codec = \"zip\"", "The recipes"),
            ("zoom = 1.25", "zoom = \"large\"", "The settings"),
            ("slot = 0", "slot = \"x\"", "The open files"),
        ] {
            assert!(text.contains(good), "{text}");
            let (_folder, kept) = in_folder(&text.replace(good, bad));
            let found = kept.state.unwrap();
            let expected = State {
                settings: if what == "The settings" { Settings::default() } else { state().settings },
                document: if what == "The recipes" { Document::default() } else { state().document },
                session: Session::default(),
            };
            assert_eq!(found, expected, "{what}");
            assert_eq!(kept.problems.len(), 1);
            assert!(kept.problems[0].title.starts_with(what), "{:?}", kept.problems);
            assert!(kept.problems[0].detail.contains("window-1-unread-"), "{:?}", kept.problems);
        }
    }

    #[test]
    fn numbers_out_of_their_range_are_brought_into_it() {
        let text = state().to_toml().unwrap();
        for (written, zoom) in [("nan", 1.0), ("1e30", 2.5), ("0.0", 0.6), ("-inf", 1.0), ("1.5", 1.5)] {
            let (_folder, kept) = in_folder(&text.replace("zoom = 1.25", &format!("zoom = {written}")));
            assert_eq!(kept.problems, [], "{written}");
            assert_eq!(kept.state.unwrap().settings.zoom, zoom, "{written}");
        }
    }

    #[test]
    fn a_newer_file_stays_and_a_second_window_is_offered_the_work_of_the_first() {
        let newer = format!("version = {}\n", STATE_VERSION + 1);
        let (folder, kept) = in_folder(&newer);
        assert_eq!((kept.window_number(), kept.problems.len()), (2, 1));
        assert_eq!(std::fs::read_to_string(folder.path().join("window-1.toml")).unwrap(), newer);

        let (folder, first) = in_folder(&state().to_toml().unwrap());
        let second = SavedWindow::open(folder.path());
        assert_eq!((second.window_number(), second.state.is_none()), (2, true));
        assert_eq!(second.settings(), state().settings, "it looks as the first does");
        let offer = second.offer().unwrap().offers.remove(0).1;
        assert!(matches!(offer, Offer::TakeDocument(_, document) if *document == state().document));
        assert_eq!(first.offer(), None);
    }

    #[test]
    fn a_place_that_cannot_be_written_is_said() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), "").unwrap();
        let kept = SavedWindow::open(&folder.path().join("file"));
        assert!(kept.file.is_none() && kept.problems[0].title == "Your work cannot be saved");
    }
}
