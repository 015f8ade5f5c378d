//! A mark on disk while files are being opened. A start that finds it skips what ended the last start, and offers to
//! try again.

use crate::state::Opening;
use posepress_core::clock::Instant;
use posepress_core::project::OpeningMark;
use std::path::PathBuf;
use std::time::Duration;

/// Number of frames with everything open before the mark is removed, because some work starts only when it is drawn.
const FRAMES_TO_SEE: u32 = 3;
/// Least time before files that are open are removed from the mark.
const SHRINKS_EVERY: Duration = Duration::from_millis(500);

/// Writes and removes the mark.
#[derive(Debug)]
pub struct Marking {
    /// `None` if windows save nothing.
    mark: Option<OpeningMark>,
    /// Contents of the mark; `None` without one.
    written: Option<Opening>,
    written_at: Instant,
    /// Frames since nothing was being read.
    frames: u32,
}

impl Marking {
    /// The mark of the window, and the files that the last start was opening when it ended.
    pub fn begin(mark: Option<OpeningMark>) -> (Self, Option<Opening>) {
        let last = mark.as_ref().and_then(OpeningMark::read).map(|text| Opening::read(&text));
        (Self { mark, written: None, written_at: Instant::now(), frames: 0 }, last)
    }

    /// Changes the mark: `change` adds what is being opened.
    pub fn add(&mut self, change: impl FnOnce(&mut Opening)) {
        let mut opening = self.written.clone().unwrap_or_default();
        change(&mut opening);
        self.frames = 0;
        self.write(opening);
    }

    fn write(&mut self, opening: Opening) {
        let Some(mark) = &self.mark else { return };
        if self.written.as_ref() == Some(&opening) {
            return;
        }
        let text = toml::to_string(&opening).unwrap_or_default();
        if let Err(error) = mark.write(&text) {
            tracing::error!("what is being opened cannot be marked: {error}");
        }
        (self.written, self.written_at) = (Some(opening), Instant::now());
    }

    /// True while there is a mark.
    pub fn is_set(&self) -> bool {
        self.written.is_some()
    }

    /// Call it in frames in which files are being opened. From time to time it removes files from the mark that are not
    /// in `still`, the files that are being read, if known.
    pub fn goes_on(&mut self, still: impl FnOnce() -> Option<Vec<PathBuf>>) {
        self.frames = 0;
        let Some(written) = self.written.clone().filter(|_| self.written_at.elapsed() >= SHRINKS_EVERY) else { return };
        if let Some(reading) = still() {
            let files = written.files.into_iter().filter(|file| reading.contains(file)).collect();
            self.write(Opening { files, ..written });
        }
    }

    /// Call it in frames in which everything is open. After a few of them, and if the selected clip has a result, it
    /// removes the mark.
    pub fn was_drawn(&mut self, is_answered: bool) {
        self.frames += 1;
        if self.frames > FRAMES_TO_SEE && is_answered {
            self.end();
        }
    }

    /// Removes the mark, because everything is open or the window closes normally.
    pub fn end(&mut self) {
        if self.written.take().is_some() {
            self.mark.iter().for_each(OpeningMark::remove);
        }
    }
}
