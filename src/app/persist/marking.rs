//! A mark on the disk while something is opened: a start that finds it leaves out what ended the last one, and offers to try again.

use crate::state::Opening;
use posepress_core::project::OpeningMark;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Frames that are drawn with everything before the mark goes: what opens only when it is drawn has opened by then.
const FRAMES_TO_SEE: u32 = 3;
/// The mark of many files shrinks as seldom as that.
const SHRINKS_EVERY: Duration = Duration::from_millis(500);

/// Keeps the mark.
#[derive(Debug)]
pub struct Marking {
    /// Nothing where windows keep nothing.
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

    /// Says on the disk that this is opened, too.
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

    /// True while something is marked.
    pub fn is_set(&self) -> bool {
        self.written.is_some()
    }

    /// Something is still being opened. Now and then only those files stay marked that are `still` read, where that is known.
    pub fn goes_on(&mut self, still: impl FnOnce() -> Option<Vec<PathBuf>>) {
        self.frames = 0;
        let Some(written) = self.written.clone().filter(|_| self.written_at.elapsed() >= SHRINKS_EVERY) else { return };
        if let Some(reading) = still() {
            let files = written.files.into_iter().filter(|file| reading.contains(file)).collect();
            self.write(Opening { files, ..written });
        }
    }

    /// A frame was drawn with everything in it; after a few of them, and with the answer for what is looked at, the mark goes.
    pub fn was_drawn(&mut self, is_answered: bool) {
        self.frames += 1;
        if self.frames > FRAMES_TO_SEE && is_answered {
            self.end();
        }
    }

    /// Everything is open, or the window closes as a person wants it.
    pub fn end(&mut self) {
        if self.written.take().is_some() {
            self.mark.iter().for_each(OpeningMark::remove);
        }
    }
}
