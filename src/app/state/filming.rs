use crate::render::FilmFormat;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The kind of file that a view is saved as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Seen {
    /// This moment, as PNG.
    Moment,
    /// The part that is played, or the whole clip, as GIF or animated PNG.
    Film,
}

impl Seen {
    /// Ends of names that its file may have; the first is the usual one.
    pub fn extensions(self) -> Vec<&'static str> {
        match self {
            Self::Moment => vec!["png"],
            Self::Film => FilmFormat::ALL.map(FilmFormat::extension).into(),
        }
    }

    /// The path, with an extension that says what is in the file.
    pub fn named(self, path: PathBuf) -> PathBuf {
        let known = self.extensions();
        let has = path.extension().is_some_and(|end| known.iter().any(|known| end.eq_ignore_ascii_case(known)));
        if has { path } else { PathBuf::from(format!("{}.{}", path.display(), known[0])) }
    }
}

/// A film or a picture that is being drawn.
#[derive(Debug, Clone)]
pub struct Filming {
    /// Path of the file.
    pub path: PathBuf,
    /// Pictures that are to be drawn.
    pub pictures: usize,
    /// Counts them.
    pub drawn: Arc<AtomicUsize>,
    /// True after a cancel.
    pub stop: Arc<AtomicBool>,
}

impl Filming {
    /// Pictures that are drawn.
    pub fn drawn(&self) -> usize {
        self.drawn.load(Ordering::Relaxed)
    }

    /// Gives it up.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}
