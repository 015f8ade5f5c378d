use super::options::Options;
use crate::persist::{Marking, SavedWindow, State as SavedState};
use crate::state::{LeftOut, Opens, Problem, Start};
use posepress_core::project::{Document, ExternalFile, StateFile};
use std::path::PathBuf;

/// The plan of a start: saved state and options, without files that ended the last start.
pub struct Plan {
    pub start: Start,
    /// Marks on disk what is being opened.
    pub marking: Marking,
    /// Skipped files.
    pub left: Option<LeftOut>,
    /// Skipped external file.
    pub external: Option<ExternalFile>,
    /// Messages.
    pub problems: Vec<Problem>,
    /// State file of the window.
    pub file: Option<StateFile>,
}

impl Plan {
    pub fn of(mut kept: SavedWindow, options: &Options) -> Self {
        let (mut settings, offer) = (kept.settings(), kept.offer());
        settings.author = options.author.clone().unwrap_or(settings.author);
        let (mut marking, last) = Marking::begin(kept.file.as_ref().map(StateFile::opening_mark));
        let left = kept.leave_out(last);
        let SavedWindow { file, state, mut problems } = kept;
        problems.extend(offer);
        let resolves = !options.files.is_empty();
        let is_first = state.is_none() && !resolves && left.is_none();
        let SavedState { session, mut document, .. } = state.unwrap_or_default();
        if is_first {
            document = Document::of_sample();
        }
        if resolves && session.is_empty() {
            document.leave_sample();
        }
        let external = left.as_ref().and_then(|left| left.take_external(&mut document));
        let is_left_out = |path: &PathBuf| left.as_ref().is_some_and(|left| left.has(path));
        let told: Vec<PathBuf> = options.files.iter().filter(|file| !is_left_out(file)).cloned().collect();
        let opens = match () {
            () if !told.is_empty() => Opens::Files(told),
            () if resolves => Opens::Nothing,
            () if !session.is_empty() => Opens::Session(Box::new(session)),
            () if left.is_none() => Opens::Sample,
            () => Opens::Nothing,
        };
        // Files are marked before they are read. If one ends the program, the next start finds it in the mark.
        let other_tools = document.external.iter().map(|file| file.path.clone());
        let opened: Vec<PathBuf> =
            opens.files().into_iter().chain(other_tools).filter(|path| !is_left_out(path)).collect();
        marking.add(|opening| (opening.files, opening.sample) = (opened, opens == Opens::Sample));
        let view = options.view.as_ref().map(ToString::to_string);
        let start = Start { settings, document, opens, import: options.import, view };
        Self { start, marking, left, external, problems, file }
    }
}
