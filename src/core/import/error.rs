use crate::model::{ClipError, SkeletonError};
use image::ImageError;
use posepress_runtime::DecodeError;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// An import error: file, place in it, problem, and advice.
#[derive(Debug, Error)]
#[error("{}: {what}{}{}", path.display(), place(at), advise(advice))]
pub struct ImportError {
    /// The file.
    pub path: PathBuf,
    /// The problem, with found and expected values.
    pub what: String,
    /// Place in the file: a byte, a line, a node.
    pub at: Option<String>,
    /// Advice to the user.
    pub advice: Option<String>,
}

fn place(at: &Option<String>) -> String {
    at.as_ref().map(|at| format!(" (at {at})")).unwrap_or_default()
}

fn advise(advice: &Option<String>) -> String {
    advice.as_ref().map(|a| format!(". {a}")).unwrap_or_default()
}

/// An [`ImportError`] without its file. Readers below the importer do not know the path; the importer adds it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fault {
    what: String,
    at: Option<String>,
    advice: Option<String>,
}

impl Fault {
    /// A fault with a problem, which gives found and expected values.
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), at: None, advice: None }
    }

    /// Adds the place in the file. A known place, which is nearer to the cause, is kept.
    pub fn at(mut self, place: impl Into<String>) -> Self {
        self.at.get_or_insert(place.into());
        self
    }

    /// Prefixes the problem with its subject.
    pub fn of(self, whose: impl std::fmt::Display) -> Self {
        Self { what: format!("{whose}: {}", self.what), ..self }
    }

    /// Adds advice. Known advice, which is nearer to the cause, is kept.
    pub fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice.get_or_insert(advice.into());
        self
    }

    /// The advice, if any.
    pub fn advice(&self) -> Option<&str> {
        self.advice.as_deref()
    }

    /// Adds the file.
    pub fn in_file(self, path: &Path) -> ImportError {
        ImportError { path: path.into(), what: self.what, at: self.at, advice: self.advice }
    }
}

/// Converts errors that describe the problem themselves.
macro_rules! passed_on {
    ($($error:ty),*) => {
        $(impl From<$error> for Fault {
            fn from(error: $error) -> Self {
                Self::new(error.to_string())
            }
        })*
    };
}

passed_on!(DecodeError, SkeletonError, ClipError, ImageError);

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.what, place(&self.at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_says_file_fault_place_and_remedy_and_the_innermost_place_wins() {
        let fault = Fault::new("found 3, expected 4").at("accessor 7").at("mesh 'a'").advise("Export it again");
        let text = fault.in_file(Path::new("x/a.glb")).to_string();
        assert_eq!(text, "x/a.glb: found 3, expected 4 (at accessor 7). Export it again");
    }
}
