//! State of the sheet that asks for a path without a file dialog: typed text, folder contents, completion.

use super::Seen;
use super::{is_notes, is_project, named};
use posepress_core::import::readable_extensions;
use posepress_core::pipeline::{CONTAINER, FormatKey, export_extension, format_key};
use posepress_core::project::PROJECT_EXTENSION;
use posepress_core::workspace::ExportScope;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use thiserror::Error;

/// Purpose of a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum PathPurpose {
    /// Files or a folder to open.
    Open,
    /// An external file to judge.
    Compare,
    /// New location of a missing file of the project.
    Locate(PathBuf),
    /// Destination of the project.
    SaveProject,
    /// Destination of a picture or an animation.
    SaveSeen(Seen),
    /// Destination of clips.
    Export {
        /// Key of the format.
        #[serde(deserialize_with = "format_key")]
        exporter: FormatKey,
        /// The clips.
        scope: ExportScope,
    },
}

impl PathPurpose {
    /// True if a file is written to the path.
    pub fn writes(&self) -> bool {
        match self {
            Self::Open | Self::Compare | Self::Locate(_) => false,
            Self::SaveProject | Self::SaveSeen(_) | Self::Export { .. } => true,
        }
    }
}

/// An entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FolderEntry {
    /// False for folders, which come first.
    pub is_file: bool,
    /// Its name.
    pub name: String,
}

/// Contents of a folder, or the error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing {
    /// The folder.
    pub folder: PathBuf,
    /// Its entries in order.
    pub entries: Result<Vec<FolderEntry>, UnreadFolder>,
}

/// The system's message why a folder cannot be listed.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(transparent)]
#[error("{words}")]
pub struct UnreadFolder {
    words: String,
}

impl From<io::Error> for UnreadFolder {
    fn from(error: io::Error) -> Self {
        Self { words: error.to_string() }
    }
}

impl Default for Listing {
    fn default() -> Self {
        Self { folder: PathBuf::new(), entries: Ok(Vec::new()) }
    }
}

/// The sheet, while it is open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathSheet {
    /// Purpose.
    pub purpose: PathPurpose,
    /// The typed text.
    pub text: String,
    /// The row that was selected with the keyboard.
    pub at: Option<usize>,
    /// True to list files of every kind.
    pub all_files: bool,
    /// Contents of a folder when it was last read. The typed folder may differ by now.
    pub listing: Listing,
    /// Message about the path: why it is refused, or a question.
    pub answer: Option<PathAnswer>,
}

/// Message of the sheet about a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum PathAnswer {
    /// The path is refused, for this reason.
    Refused(String),
    /// The file exists and may be replaced. The text describes its contents, once they are known.
    Replace(PathBuf, Option<String>),
}

/// Result of Enter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    /// Open this file or folder.
    Open(PathBuf),
    /// Compare with this external file.
    Compare(PathBuf),
    /// The project's file at the first path is now at the second.
    Located(PathBuf, PathBuf),
    /// Write to this path.
    Write(PathBuf),
    /// Keep the sheet open and show this message.
    Stay(PathAnswer),
}

impl PathSheet {
    /// A sheet whose text is a folder and a file name, which may be empty.
    pub fn new(purpose: PathPurpose, folder: &Path, name: &str) -> Self {
        let text = format!("{}{name}", with_separator(folder));
        Self { purpose, text, at: None, all_files: false, listing: Listing::default(), answer: None }
    }

    /// The path that was typed; `~` is the home folder.
    pub fn path(&self) -> PathBuf {
        let typed = self.text.trim();
        match (typed.strip_prefix('~'), std::env::home_dir()) {
            (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with(is_separator) => {
                home.join(rest.trim_start_matches(is_separator))
            }
            _ => PathBuf::from(typed),
        }
    }

    /// The folder of the typed path.
    pub fn folder(&self) -> PathBuf {
        let path = self.path();
        if self.names_folder() { path } else { path.parent().map(Path::to_path_buf).unwrap_or_default() }
    }

    /// True if the text names a folder: it is empty, `~`, or ends with a separator.
    fn names_folder(&self) -> bool {
        let typed = self.text.trim();
        typed.is_empty() || typed == "~" || typed.ends_with(is_separator)
    }

    /// Removes the text before a complete path that was typed or pasted behind it: `/takes//home/me` becomes
    /// `/home/me`, `/takes/~/me` becomes `~/me`.
    pub fn start_over(&mut self) {
        let after_separator = |at: usize| self.text[..at].ends_with(is_separator);
        let begins = |at: usize| {
            let rest = &self.text[at..];
            let is_drive = rest.starts_with(|c: char| c.is_ascii_alphabetic()) && rest[1..].starts_with(":\\");
            rest.starts_with('/') || rest == "~" || rest.starts_with("~/") || is_drive
        };
        let starts: Vec<usize> = self.text.char_indices().map(|(at, _)| at).skip(2).collect();
        if let Some(at) = starts.into_iter().rfind(|at| after_separator(*at) && begins(*at)) {
            self.text.drain(..at);
        }
    }

    /// The typed start of a name, in lower case; empty for a folder.
    fn beginning(&self) -> String {
        if self.names_folder() {
            return String::new();
        }
        self.path().file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default()
    }

    /// Entries that start with the typed name, folders first. `..` comes before them while no name is typed. Hidden
    /// entries are listed only after a dot.
    pub fn rows(&self) -> Vec<FolderEntry> {
        let Ok(entries) = &self.listing.entries else { return Vec::new() };
        let beginning = self.beginning();
        let up = (beginning.is_empty() && self.listing.folder.parent().is_some())
            .then(|| FolderEntry { is_file: false, name: UP.into() });
        let fits = |entry: &&FolderEntry| {
            let is_seen = beginning.starts_with('.') || !entry.name.starts_with('.');
            is_seen
                && entry.name.to_lowercase().starts_with(&beginning)
                && (!entry.is_file || self.is_kind(&entry.name))
        };
        up.into_iter().chain(entries.iter().filter(fits).cloned()).collect()
    }

    /// True if the file's extension fits the purpose, or if all files are listed.
    fn is_kind(&self, name: &str) -> bool {
        let extension = Path::new(name).extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        self.all_files
            || match self.purpose {
                PathPurpose::Open => {
                    readable_extensions().any(|known| known == extension)
                        || name.to_lowercase().ends_with(&format!(".{PROJECT_EXTENSION}"))
                        || is_notes(Path::new(name))
                }
                PathPurpose::SaveProject => is_project(Path::new(name)),
                PathPurpose::Locate(_) => readable_extensions().any(|known| known == extension),
                PathPurpose::SaveSeen(seen) => seen.extensions().contains(&&*extension),
                PathPurpose::Compare => comparable_extensions().any(|known| known == extension),
                PathPurpose::Export { exporter, .. } => export_extension(exporter) == Some(&extension),
            }
    }

    /// Replaces the text with the path of a row. A folder gets a separator, so that its contents are listed.
    pub fn choose(&mut self, row: &FolderEntry) {
        let folder = &self.listing.folder;
        self.text = match row {
            FolderEntry { name, .. } if name == UP => with_separator(folder.parent().unwrap_or(folder)),
            FolderEntry { is_file: false, name } => with_separator(&folder.join(name)),
            FolderEntry { is_file: true, name } => folder.join(name).display().to_string(),
        };
        (self.at, self.answer) = (None, None);
    }

    /// Moves the choice in the list by one row. The first step down skips the parent folder if there are other rows.
    pub fn step(&mut self, down: bool) {
        let rows = self.rows();
        let first = usize::from(rows.len() > 1 && rows[0].name == UP);
        self.at = match (down, self.at) {
            (true, at) => Some(at.map_or(first, |at| at + 1).min(rows.len().saturating_sub(1))),
            (false, at) => at.and_then(|at| at.checked_sub(1)),
        };
    }

    /// The row that Enter stands for: the chosen one, or the only match of a name that is not complete.
    pub fn meant(&self) -> Option<FolderEntry> {
        let rows = self.rows();
        match (self.at, rows.as_slice()) {
            (Some(at), rows) => rows.get(at).cloned(),
            (None, [only]) if !self.purpose.writes() && !self.names_folder() && !self.path().exists() => {
                Some(only.clone())
            }
            _ => None,
        }
    }

    /// Completes the text to the start that all rows have in common. A single row is typed whole.
    pub fn complete(&mut self) {
        let rows: Vec<FolderEntry> = self.rows().into_iter().filter(|row| row.name != UP).collect();
        match rows.as_slice() {
            [] => {}
            [only] => self.choose(only),
            [first, rest @ ..] => {
                let agrees = |end: usize| {
                    let start = first.name[..end].to_lowercase();
                    rest.iter().all(|row| row.name.to_lowercase().starts_with(&start))
                };
                let ends = first.name.char_indices().map(|(at, c)| at + c.len_utf8());
                let end = ends.take_while(|end| agrees(*end)).last().unwrap_or(0);
                self.text = self.listing.folder.join(&first.name[..end]).display().to_string();
            }
        }
    }

    /// The path, with the extension that the purpose needs.
    fn with_extension(&self, path: PathBuf) -> PathBuf {
        let exporter = match self.purpose {
            PathPurpose::Export { exporter, .. } => exporter,
            PathPurpose::SaveSeen(seen) => return seen.named(path),
            PathPurpose::Open | PathPurpose::Compare | PathPurpose::Locate(_) | PathPurpose::SaveProject => {
                return named(path);
            }
        };
        let extension = export_extension(exporter).unwrap_or_default();
        let has = path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension));
        if has { path } else { PathBuf::from(format!("{}.{extension}", path.display())) }
    }

    /// The result of Enter. `replace` is true if an existing file may be replaced.
    pub fn take(&self, replace: bool) -> Taken {
        let path = self.path();
        let refused = |words: String| Taken::Stay(PathAnswer::Refused(words));
        match &self.purpose {
            PathPurpose::Open if path.exists() => Taken::Open(path),
            PathPurpose::Compare if path.is_file() => Taken::Compare(path),
            PathPurpose::Locate(old) if path.is_file() => Taken::Located(old.clone(), path),
            PathPurpose::Open | PathPurpose::Compare | PathPurpose::Locate(_) => {
                refused(format!("There is no {}.", path.display()))
            }
            _ if self.names_folder() || path.is_dir() => refused("Type the name of the file to write.".into()),
            PathPurpose::Export { .. } | PathPurpose::SaveProject | PathPurpose::SaveSeen(_) => {
                let path = self.with_extension(path);
                let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
                match folder {
                    Some(folder) if !folder.is_dir() => refused(format!("There is no folder {}.", folder.display())),
                    _ if path.exists() && !replace => Taken::Stay(PathAnswer::Replace(path, None)),
                    _ => Taken::Write(path),
                }
            }
        }
    }
}

/// Extensions of external files: all readable formats, and containers.
pub fn comparable_extensions() -> impl Iterator<Item = &'static str> {
    readable_extensions().chain(export_extension(CONTAINER))
}

/// Name of the row for the parent folder.
pub const UP: &str = "..";

fn is_separator(c: char) -> bool {
    std::path::is_separator(c)
}

fn with_separator(folder: &Path) -> String {
    let text = folder.display().to_string();
    if text.is_empty() || text.ends_with(is_separator) { text } else { format!("{text}{MAIN_SEPARATOR}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXPORT: PathPurpose = PathPurpose::Export { exporter: CONTAINER, scope: ExportScope::All };

    const FOLDERS: [&str; 3] = [".git", "Walks", "water"];
    const FILES: [&str; 4] = ["old.posepress", "walk.txt", "walk_a.glb", "Walk_b.BVH"];

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for inner in FOLDERS {
            std::fs::create_dir(folder.path().join(inner)).unwrap();
        }
        for name in FILES {
            std::fs::write(folder.path().join(name), b"").unwrap();
        }
        folder
    }

    /// Contents of [`folder`] from `files::list`.
    fn listing(folder: PathBuf) -> Listing {
        let entry = |is_file| move |name: &str| FolderEntry { is_file, name: name.into() };
        let entries = FOLDERS.map(entry(false)).into_iter().chain(FILES.map(entry(true)));
        Listing { folder, entries: Ok(entries.collect()) }
    }

    fn sheet(purpose: PathPurpose, folder: &Path, name: &str) -> PathSheet {
        let mut sheet = PathSheet::new(purpose, folder, name);
        sheet.listing = listing(sheet.folder());
        sheet
    }

    fn names(sheet: &PathSheet) -> Vec<String> {
        sheet.rows().into_iter().map(|row| row.name).collect()
    }

    #[test]
    fn rows_are_folders_and_files_of_the_kind_that_begin_as_typed() {
        let folder = folder();
        let names = |purpose, name| names(&sheet(purpose, folder.path(), name));
        assert_eq!(names(PathPurpose::Open, ""), ["..", "Walks", "water", "walk_a.glb", "Walk_b.BVH"]);
        assert_eq!(names(PathPurpose::Open, "WALK_"), ["walk_a.glb", "Walk_b.BVH"]);
        assert_eq!(names(PathPurpose::Open, ".g"), [".git"]);
        assert_eq!(names(EXPORT, "o"), ["old.posepress"]);
        let mut all = sheet(PathPurpose::Open, folder.path(), "walk.");
        all.all_files = true;
        assert_eq!(all.rows().len(), 1);
    }

    #[test]
    fn tab_types_what_all_agree_in_and_a_row_is_entered_or_typed_whole() {
        let folder = folder();
        let mut open = sheet(PathPurpose::Open, folder.path(), "wal");
        open.complete();
        assert_eq!(open.path(), folder.path().join("Walk"));
        open.text += "_a";
        open.complete();
        assert_eq!(open.path(), folder.path().join("walk_a.glb"));
        assert_eq!(open.take(false), Taken::Open(folder.path().join("walk_a.glb")));
        let row = |name: &str| FolderEntry { is_file: false, name: name.into() };
        open.choose(&row("Walks"));
        assert_eq!((open.folder(), open.beginning().as_str()), (folder.path().join("Walks").join(""), ""));
        open.listing = Listing { folder: open.folder(), entries: Ok(Vec::new()) };
        open.choose(&row(UP));
        assert_eq!(open.folder(), folder.path().join(""));
        open.complete();
        assert_eq!(open.path(), folder.path().join(""), "they agree in nothing");
    }

    #[test]
    fn the_keyboard_takes_the_first_file_and_the_only_match() {
        let folder = folder();
        let mut open = sheet(PathPurpose::Open, folder.path(), "");
        open.step(true);
        assert_eq!(open.meant().unwrap().name, "Walks", "not the parent folder");
        for _ in 0..9 {
            open.step(true);
        }
        assert_eq!(open.meant().unwrap().name, "Walk_b.BVH");
        for _ in 0..5 {
            open.step(false);
        }
        assert_eq!(open.meant(), None);
        let only = |purpose, name| sheet(purpose, folder.path(), name).meant().map(|row| row.name);
        assert_eq!(only(PathPurpose::Open, "walk_b").as_deref(), Some("Walk_b.BVH"));
        assert_eq!((only(PathPurpose::Open, "walk_"), only(EXPORT, "o")), (None, None), "two match; a new file");
    }

    #[test]
    fn a_whole_path_behind_another_takes_its_place() {
        for (typed, stands) in [
            ("/takes//home/me", "/home/me"),
            ("/takes/~/me", "~/me"),
            ("/takes/~", "~"),
            ("/takes//a//b", "/b"),
            ("/takes/C:\\me", "C:\\me"),
            ("/takes/walk~/a", "/takes/walk~/a"),
            ("//server/takes", "//server/takes"),
            ("", ""),
        ] {
            let mut sheet = PathSheet::new(PathPurpose::Open, Path::new(typed), "");
            sheet.text = typed.into();
            sheet.start_over();
            assert_eq!(sheet.text, stands);
        }
    }

    #[test]
    fn a_file_is_replaced_only_when_that_was_said_and_gets_its_extension() {
        let folder = folder();
        let target = folder.path().join("old.posepress");
        let sheet = |name| sheet(EXPORT, folder.path(), name);
        assert_eq!(sheet("old").take(false), Taken::Stay(PathAnswer::Replace(target.clone(), None)));
        assert_eq!(sheet("old.posepress").take(true), Taken::Write(target));
        assert_eq!(sheet("v1.2").take(false), Taken::Write(folder.path().join("v1.2.posepress")));
        for wrong in ["", "Walks", "no/such/x"] {
            assert!(matches!(sheet(wrong).take(true), Taken::Stay(PathAnswer::Refused(_))), "{wrong}");
        }
    }

    #[test]
    fn what_is_not_there_is_said() {
        let folder = folder();
        let open = sheet(PathPurpose::Open, folder.path(), "nothing.glb");
        let Taken::Stay(PathAnswer::Refused(words)) = open.take(false) else { panic!() };
        assert!(words.contains("nothing.glb"));
        let home = PathSheet { text: "~".into(), ..open };
        assert_eq!(Some(home.folder()), std::env::home_dir());
    }
}
