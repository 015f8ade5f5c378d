use super::{Again, LeftOut};
use posepress_core::project::Document;
use posepress_core::text;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// An action that a message offers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Offer {
    /// Replace recipes and marks with those of another window. The text is the undo label.
    TakeDocument(String, Box<Document>),
    /// Open what was skipped because the last start ended while opening it.
    OpenLeftOut(Box<LeftOut>, Again),
    /// Keep results on disk again, after a fault.
    KeepResults,
}

/// A message that stays until it is closed.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// The problem in a few words.
    pub title: String,
    /// Place, expectation and advice.
    pub detail: String,
    /// Label and action of each button; empty for an error without a question.
    pub offers: Vec<(String, Offer)>,
    /// The file that it is about. The message closes when that file is read or written after all.
    pub about: Option<PathBuf>,
}

impl Problem {
    /// An error without buttons.
    pub fn error(title: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { title: title.into(), detail: text::capital(&detail.into()), offers: Vec::new(), about: None }
    }

    /// The same error about a file.
    pub fn about(self, path: &Path) -> Self {
        Self { about: Some(path.to_path_buf()), ..self }
    }
}

/// Messages of the window: problems, until they are closed, and the last event.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Messages {
    /// Oldest first.
    pub problems: Vec<Problem>,
    /// One line. The next one replaces it.
    pub status: String,
    /// The last status line that warns.
    pub warned: String,
    /// The file that was written last, and the status line about it.
    pub written: Option<(String, PathBuf)>,
}

impl Messages {
    /// Sets the status line.
    pub fn say(&mut self, status: impl Into<String>) {
        self.status = status.into();
    }

    /// Sets the status line to a warning.
    pub fn warn(&mut self, status: impl Into<String>) {
        self.status = status.into();
        self.warned.clone_from(&self.status);
    }

    /// True while the status line is a warning.
    pub fn warns(&self) -> bool {
        !self.status.is_empty() && self.status == self.warned
    }

    /// Sets the status line about a file that was written.
    pub fn say_written(&mut self, status: String, path: &Path) {
        self.written = Some((status.clone(), path.to_path_buf()));
        self.status = status;
    }

    /// True while the status line is about the file that was written last.
    pub fn says_written(&self) -> bool {
        self.written.as_ref().is_some_and(|(status, _)| *status == self.status)
    }

    /// Shows a problem until it is closed.
    pub fn report(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    /// Shows a problem unless one with the same title is open. A driver may report the same error in every frame.
    pub fn report_once(&mut self, problem: Problem) {
        if self.problems.iter().all(|known| known.title != problem.title) {
            self.report(problem);
        }
    }

    /// Closes a problem by its index. Does nothing if the index is out of range.
    pub fn close(&mut self, index: usize) {
        if index < self.problems.len() {
            self.problems.remove(index);
        }
    }

    /// Closes all problems with this title.
    pub fn close_titled(&mut self, title: &str) {
        self.problems.retain(|problem| problem.title != title);
    }

    /// Closes all problems about a file.
    pub fn close_about(&mut self, path: &Path) {
        self.problems.retain(|problem| problem.about.as_deref() != Some(path));
    }

    /// Closes the latest problem. Returns false if there is none.
    pub fn close_latest(&mut self) -> bool {
        self.problems.pop().is_some()
    }

    /// Closes problems that have an offer for which `answered` is true.
    pub fn close_offers(&mut self, answered: impl Fn(&Offer) -> bool) {
        self.problems.retain(|problem| !problem.offers.iter().any(|(_, offer)| answered(offer)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_stays_until_it_is_closed_and_is_not_repeated() {
        let mut messages = Messages::default();
        messages.report(Problem::error("a.glb cannot be read", "Cut"));
        for frame in 0..3 {
            messages.report_once(Problem::error("The driver refused", format!("frame {frame}")));
        }
        assert_eq!(messages.problems.len(), 2);
        assert_eq!(messages.problems[1].detail, "Frame 0", "the first complaint explains the rest");
        messages.close(7);
        messages.close(0);
        assert_eq!(messages.problems[0].title, "The driver refused");
        assert!(messages.close_latest() && !messages.close_latest());
    }

    #[test]
    fn questions_go_when_they_are_answered() {
        let mut messages = Messages::default();
        let offer = |label: &str| Offer::TakeDocument(label.to_owned(), Box::default());
        let offers = vec![("Use it".to_owned(), offer("1"))];
        messages.report(Problem { offers, ..Problem::error("Unit?", "") });
        messages.report(Problem::error("a.glb cannot be read", "Cut").about("a.glb".as_ref()));
        messages.close_about("b.glb".as_ref());
        assert_eq!(messages.problems.len(), 2);
        messages.close_about("a.glb".as_ref());
        messages.report(Problem::error("Unit?", "an error is no question"));
        messages.close_offers(|known| *known == offer("2"));
        assert_eq!(messages.problems.len(), 2);
        messages.close_offers(|known| *known == offer("1"));
        assert_eq!(messages.problems.len(), 1);
        assert_eq!(messages.problems[0].detail, "An error is no question");
    }
}
