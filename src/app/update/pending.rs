//! Files of the project, or of the last session, that are not open: looked for, being read, not found, not readable, left out.
//! They stay in the project until a person removes them.

use crate::App;
use crate::commands::Command;
use crate::files::{FileEvent, file_name};
use crate::state::PathPurpose;
use crate::state::Problem;
use posepress_core::import::readable_extensions;
use posepress_core::session::{ForeignFile, FoundSource, ProjectSource, SourceFile, find_sources};
use posepress_core::text;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// A file that is not open.
#[derive(Debug, Clone, PartialEq)]
pub struct PendingSource {
    /// As the project has it.
    pub source: ProjectSource,
    /// Why it is not open.
    pub state: PendingState,
}

/// Why a file is not open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PendingState {
    /// It is looked for.
    Searching,
    /// It is being read from there.
    Reading(PathBuf),
    /// It is neither where it was nor below the project's folder.
    NotFound,
    /// It cannot be read; why.
    Failed(String),
    /// A person cancelled reading.
    Cancelled,
    /// The last start ended while it was opened.
    LeftOut,
}

impl PendingState {
    /// It may be open soon.
    pub const fn is_busy(&self) -> bool {
        matches!(self, Self::Searching | Self::Reading(_))
    }

    /// In a few words.
    pub fn words(&self) -> &str {
        match self {
            Self::Searching => "is looked for",
            Self::Reading(_) => "is being read",
            Self::NotFound => "not found",
            Self::Failed(_) => "cannot be read",
            Self::Cancelled => "not read: cancelled",
            Self::LeftOut => "left out: the last start ended here",
        }
    }
}

/// Files that are not open, and what is known of their order.
#[derive(Debug, Default)]
pub struct Pending {
    sources: Vec<PendingSource>,
    /// Paths in the order of the project.
    order: Vec<PathBuf>,
    /// Projects and sessions that are still being looked for.
    searches: usize,
    /// Files that are opened only when a person says so: the last start ended with them.
    left_out: HashSet<PathBuf>,
    /// Another tool's file that the project compares with.
    named_foreign: Option<ForeignFile>,
    /// The card that says which are missing.
    missing_title: Option<String>,
    /// The same, while the document lacks it: it cannot be read.
    absent_foreign: Option<(ForeignFile, PendingState)>,
}

impl Pending {
    /// Those that are not open and will not be by themselves.
    pub fn absent(&self) -> impl Iterator<Item = &PendingSource> {
        self.sources.iter().filter(|pending| !pending.state.is_busy())
    }

    /// Another tool's file that the project names and that cannot be read, and why.
    pub fn absent_foreign(&self) -> Option<&(ForeignFile, PendingState)> {
        self.absent_foreign.as_ref()
    }

    /// Something is still looked for.
    pub fn is_searching(&self) -> bool {
        self.searches > 0
    }

    /// Nothing is left of what was open before.
    fn clear(&mut self) {
        self.sources.clear();
        self.order.clear();
        (self.named_foreign, self.absent_foreign) = (None, None);
    }

    fn at(&self, path: &Path) -> Option<usize> {
        self.sources.iter().position(|pending| pending.source.path == path)
    }

    fn state_of(&mut self, path: &Path) -> Option<&mut PendingState> {
        let at = self.at(path)?;
        Some(&mut self.sources[at].state)
    }

    /// Files that open in one go, in the order of the project.
    fn put(&mut self, source: ProjectSource, state: PendingState) {
        if !self.order.contains(&source.path) {
            self.order.push(source.path.clone());
        }
        match self.at(&source.path) {
            Some(at) => self.sources[at] = PendingSource { source, state },
            None => self.sources.push(PendingSource { source, state }),
        }
    }

    /// The entry of a file that was opened: the one that was read from there, or that had its bytes.
    fn take_opened(&mut self, path: &Path, digest: &str) -> Option<PendingSource> {
        let is_read = |pending: &PendingSource| matches!(&pending.state, PendingState::Reading(at) if at == path);
        let is_it = |pending: &PendingSource| !pending.state.is_busy() && pending.source.digest == digest;
        let at = self.sources.iter().position(is_read).or_else(|| self.sources.iter().position(is_it))?;
        let pending = self.sources.remove(at);
        // It keeps its place, wherever it is now.
        self.order
            .iter_mut()
            .filter(|known| **known == pending.source.path)
            .for_each(|known| *known = path.to_path_buf());
        Some(pending)
    }
}

impl App {
    /// What a project and a session are made of, in the order of the project: open files, and those that are not open.
    pub(crate) fn sources(&self) -> Vec<ProjectSource> {
        let pending = &self.view.pending;
        let open = self.workspace.library().sources().iter().filter_map(ProjectSource::of);
        let absent = pending.sources.iter().map(|pending| pending.source.clone());
        let mut all: Vec<ProjectSource> = open.chain(absent.filter(|source| source.path.to_str().is_some())).collect();
        let place = |path: &Path| pending.order.iter().position(|known| known == path).unwrap_or(usize::MAX);
        all.sort_by_key(|source| place(&source.path));
        all
    }

    /// Another tool's file of the project while the document lacks it.
    pub(crate) fn pending_foreign(&self) -> Option<ForeignFile> {
        self.view.pending.absent_foreign.as_ref().map(|(file, _)| file.clone())
    }

    /// Something is being opened, or looked for to be opened.
    pub(crate) fn is_opening(&self) -> bool {
        self.view.pending.is_searching() || self.workspace.reading().next().is_some()
    }

    /// A project or a session is looked for, on another thread.
    pub(crate) fn search_begins(&mut self, sources: &[ProjectSource]) {
        self.view.pending.searches += 1;
        sources.iter().for_each(|source| self.view.pending.put(source.clone(), PendingState::Searching));
    }

    /// It was found, or not.
    pub(crate) fn search_ended(&mut self) {
        self.view.pending.searches = self.view.pending.searches.saturating_sub(1);
    }

    /// Everything that was open makes room.
    pub(crate) fn forget_sources(&mut self) {
        self.workspace.stop_reading();
        let open: Vec<u32> = self.workspace.library().sources().iter().map(|source| source.id).collect();
        open.into_iter().for_each(|source| self.workspace.close(source));
        self.view.pending.clear();
    }

    /// Begins to read what was found of a project's files, and says what was not, and what has other bytes. All of them stay in the
    /// project. Returns where each is now.
    pub(crate) fn take_sources(
        &mut self,
        sources: &[ProjectSource],
        found: Vec<Option<FoundSource>>,
    ) -> Vec<ProjectSource> {
        let (mut missing, mut changed, mut there) = (Vec::new(), Vec::new(), Vec::new());
        let wanted: Vec<PathBuf> = found.iter().flatten().map(|found| found.path.clone()).collect();
        self.mark_opening(|opening| opening.files.extend(wanted));
        for (source, found) in sources.iter().zip(found) {
            let is_left_out = |path: &Path| self.view.pending.left_out.contains(path);
            let path = match found {
                None => {
                    missing.push(source.path.display().to_string());
                    self.view.pending.put(source.clone(), PendingState::NotFound);
                    source.path.clone()
                }
                Some(found) if is_left_out(&source.path) || is_left_out(&found.path) => {
                    self.view.pending.put(source.clone(), PendingState::LeftOut);
                    source.path.clone()
                }
                Some(FoundSource { path, is_same }) => {
                    changed.extend((!is_same).then(|| path.display().to_string()));
                    self.read_pending(source.clone(), path.clone());
                    path
                }
            };
            there.push(ProjectSource { path, ..source.clone() });
        }
        self.report_sources(&missing, &changed);
        there
    }

    fn read_pending(&mut self, source: ProjectSource, path: PathBuf) {
        let import = source.import;
        self.view.pending.put(source, PendingState::Reading(path.clone()));
        self.workspace.open(SourceFile::Path(path), import);
    }

    /// Says which files are not there, or not as they were.
    fn report_sources(&mut self, missing: &[String], changed: &[String]) {
        let of = if self.view.project.is_some() { "the project" } else { "the last session" };
        if !missing.is_empty() {
            let title = format!("{} of {of} {} missing", text::count(missing.len(), "file"), are(missing.len()));
            let detail = format!(
                "{}\nEach stays in {of}, with all that was decided about its clips.\nWhat to do: 'Locate\u{2026}' beside its name in \
                 the list of clips says where it is now; 'Remove' takes it out.",
                missing.join("\n")
            );
            self.view.pending.missing_title = Some(title.clone());
            self.view.messages.report(Problem::error(title, detail));
        }
        if !changed.is_empty() {
            let title = format!("{} changed since {of} was saved", text::count(changed.len(), "file"));
            let detail = format!(
                "{}\nDecisions about their clips do not hold any more: the review shows them as changed since.\nWhat to do: look \
                 again, or bring the older files back.",
                changed.join("\n")
            );
            self.view.messages.report(Problem::error(title, detail));
        }
    }

    /// A file was opened: it is pending no longer. One that a person opened in the place of a missing one is read as that was.
    pub(crate) fn pending_opened(&mut self, id: u32) {
        let Some(source) = self.workspace.library().source(id) else { return };
        let Some(path) = source.path.clone() else { return };
        let (digest, options) = (source.digest.to_string(), source.options);
        let Some(pending) = self.view.pending.take_opened(&path, &digest) else { return };
        self.keep_missing_card();
        self.view.pending.left_out.remove(&path);
        if options != pending.source.import {
            self.workspace.read_as("Read as in the project", &[id], |_| pending.source.import);
        }
    }

    /// The card that says which files are missing goes when none is any more.
    fn keep_missing_card(&mut self) {
        let pending = &mut self.view.pending;
        let is_missing = pending.sources.iter().any(|pending| pending.state == PendingState::NotFound);
        if let Some(title) = pending.missing_title.take_if(|_| !is_missing) {
            self.view.messages.close_titled(&title);
        }
    }

    /// A file could not be read.
    pub(crate) fn pending_failed(&mut self, path: &Path, reason: &str) {
        let failed = || PendingState::Failed(reason.to_owned());
        let is_it = |state: &PendingState| matches!(state, PendingState::Reading(at) if at == path);
        let pending = &mut self.view.pending;
        pending.sources.iter_mut().filter(|p| is_it(&p.state)).for_each(|p| p.state = failed());
        if self.workspace.document().foreign.is_none()
            && let Some(file) = pending.named_foreign.take_if(|file| file.path == path)
        {
            pending.absent_foreign = Some((file, failed()));
        }
    }

    /// A person does not want to wait for what is being read.
    pub(crate) fn pending_cancelled(&mut self) {
        let pending = &mut self.view.pending;
        let reading = pending.sources.iter_mut().filter(|p| matches!(p.state, PendingState::Reading(_)));
        reading.for_each(|pending| pending.state = PendingState::Cancelled);
        if self.workspace.document().foreign.is_none()
            && let Some(file) = pending.named_foreign.take()
        {
            pending.absent_foreign = Some((file, PendingState::Cancelled));
        }
    }

    /// The file of another tool that the project names, before it is read.
    pub(crate) fn expect_foreign(&mut self) {
        self.view.pending.named_foreign = self.workspace.document().foreign.clone();
        self.view.pending.absent_foreign = None;
    }

    /// The last start ended with these: they are not opened unasked.
    pub(crate) fn leave_out(&mut self, files: &[PathBuf]) {
        self.view.pending.left_out.extend(files.iter().cloned());
    }

    /// Another tool's file was left out.
    pub(crate) fn leave_out_foreign(&mut self, file: ForeignFile) {
        self.view.pending.absent_foreign = Some((file, PendingState::LeftOut));
    }

    /// A person wants what was left out.
    pub(crate) fn open_left_out(&mut self) {
        let left_out = |pending: &&PendingSource| pending.state == PendingState::LeftOut;
        let paths: Vec<PathBuf> =
            self.view.pending.sources.iter().filter(left_out).map(|p| p.source.path.clone()).collect();
        self.view.pending.left_out.clear();
        paths.into_iter().for_each(|path| self.open_pending(&path));
        if let Some((file, _)) = self.view.pending.absent_foreign.take_if(|(_, state)| *state == PendingState::LeftOut)
        {
            self.open_foreign(file);
        }
    }

    /// Tries to open a file of the project once more, from where it was or below the project's folder.
    pub(crate) fn open_pending(&mut self, path: &Path) {
        if let Some((file, _)) = self.view.pending.absent_foreign.take_if(|(file, _)| file.path == path) {
            return self.open_foreign(file);
        }
        let Some(state) = self.view.pending.state_of(path) else { return };
        *state = PendingState::Searching;
        let Some(source) = self.view.pending.at(path).map(|at| self.view.pending.sources[at].source.clone()) else {
            return;
        };
        self.view.pending.left_out.remove(path);
        self.search_begins(&[]);
        let folder = self.view.project.as_deref().and_then(Path::parent).map(Path::to_path_buf);
        self.files.in_background("source", move || {
            let found = find_sources(std::slice::from_ref(&source), folder.as_deref());
            FileEvent::SourceFound(Box::new(source), found.into_iter().next().flatten())
        });
    }

    fn open_foreign(&mut self, file: ForeignFile) {
        self.mark_opening(|opening| opening.files.push(file.path.clone()));
        self.workspace
            .edit(format!("Compare with {}", file_name(&file.path)), |document| document.foreign = Some(file));
        self.expect_foreign();
    }

    /// Asks where a file of the project is now.
    pub(crate) fn ask_locate(&self, path: &Path) {
        let extensions: Vec<&str> = readable_extensions().collect();
        let (old, purpose) = (path.to_path_buf(), PathPurpose::Locate(path.to_path_buf()));
        let no_dialog = FileEvent::NoDialog(purpose, String::new());
        self.files.ask_read_one(&extensions, no_dialog, move |path| FileEvent::Located(old, path));
    }

    /// A person says where a file of the project is now.
    pub(crate) fn located(&mut self, old: &Path, path: PathBuf) {
        if let Some((file, _)) = self.view.pending.absent_foreign.take_if(|(file, _)| file.path == old) {
            return self.open_foreign(ForeignFile { path, ..file });
        }
        let Some(at) = self.view.pending.at(old) else { return };
        let source = self.view.pending.sources[at].source.clone();
        let path = std::path::absolute(&path).unwrap_or(path);
        self.search_begins(&[]);
        self.files.in_background("source", move || {
            let there = ProjectSource { path, ..source.clone() };
            let found = find_sources(&[there], None).into_iter().next().flatten();
            FileEvent::SourceFound(Box::new(source), found)
        });
    }

    /// A single file was looked for again.
    pub(crate) fn source_found(&mut self, source: &ProjectSource, found: Option<FoundSource>) {
        self.search_ended();
        // It may have been removed meanwhile.
        if self.view.pending.at(&source.path).is_some() {
            self.take_sources(std::slice::from_ref(source), vec![found]);
        }
    }

    /// Takes a file that is not open out of the project; *Reopen closed file* brings it back.
    pub(crate) fn remove_pending(&mut self, path: &Path) {
        if self.view.pending.absent_foreign.take_if(|(file, _)| file.path == path).is_some() {
            self.view.messages.say(format!("Removed {}", file_name(path)));
        } else if let Some(at) = self.view.pending.at(path) {
            let removed = self.view.pending.sources.remove(at);
            self.view.messages.say(format!("Removed {}", file_name(path)));
            self.view.closed_files.push(removed.source);
        }
        self.keep_missing_card();
        self.view.sources_changed();
    }

    /// Opens the file again that was closed or removed last.
    pub(crate) fn reopen_closed(&mut self) {
        if let Some(source) = self.view.closed_files.pop() {
            let path = source.path.clone();
            self.view.pending.put(source, PendingState::Searching);
            self.open_pending(&path);
        }
    }
}

/// What the list of clips offers for a file that is not open: words of the button, what it does.
pub fn offer(path: &Path, state: &PendingState) -> (&'static str, Command) {
    match state {
        PendingState::NotFound | PendingState::Failed(_) => ("Locate\u{2026}", Command::Locate(path.to_path_buf())),
        _ => ("Open", Command::OpenPending(path.to_path_buf())),
    }
}

fn are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}
