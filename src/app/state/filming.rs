use crate::render::FilmFormat;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The kind of file that a view is saved as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Seen {
    /// The frame at the playhead, as PNG.
    Moment,
    /// The played range or the whole clip, as GIF or animated PNG.
    Film,
}

impl Seen {
    /// Extensions that its file may have. The first is the default.
    pub fn extensions(self) -> Vec<&'static str> {
        match self {
            Self::Moment => vec!["png"],
            Self::Film => FilmFormat::ALL.map(FilmFormat::extension).into(),
        }
    }

    /// The path, with the default extension appended if it has none of the known ones.
    pub fn named(self, path: PathBuf) -> PathBuf {
        let known = self.extensions();
        let has = path.extension().is_some_and(|end| known.iter().any(|known| end.eq_ignore_ascii_case(known)));
        if has { path } else { PathBuf::from(format!("{}.{}", path.display(), known[0])) }
    }
}

/// A picture or an animation that is being drawn.
#[derive(Debug, Clone)]
pub struct Filming {
    /// Path of the file.
    pub path: PathBuf,
    /// Number of frames to draw.
    pub pictures: usize,
    /// Number of frames that are drawn.
    pub drawn: Arc<AtomicUsize>,
    /// True after a cancel.
    pub stop: Arc<AtomicBool>,
}

impl Filming {
    /// Number of frames that are drawn.
    pub fn drawn(&self) -> usize {
        self.drawn.load(Ordering::Relaxed)
    }

    /// Cancels it.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}
