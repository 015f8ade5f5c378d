use super::Failure;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Where results and messages go.
pub struct Console<'a> {
    /// The result: a table, JSON or CSV.
    pub out: &'a mut dyn Write,
    /// Messages, one a line.
    pub messages: &'a mut dyn Write,
}

impl Console<'_> {
    /// Says something that is not part of the result.
    pub fn say(&mut self, message: impl std::fmt::Display) {
        let _ = writeln!(self.messages, "{message}"); // nowhere is left to complain to
    }

    /// Prints a JSON object and a line end.
    pub fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        serde_json::to_writer_pretty(&mut *self.out, value)?;
        Ok(writeln!(self.out)?)
    }
}

/// Progress on standard error: a bar on a terminal, plain lines elsewhere.
pub enum Ticker {
    /// A terminal.
    Bar(ProgressBar),
    /// A log file.
    Lines {
        /// What is being done.
        verb: &'static str,
        /// Steps done.
        done: AtomicUsize,
        /// Steps in all.
        total: usize,
    },
}

impl Ticker {
    /// Progress of `total` steps.
    pub fn new(verb: &'static str, total: usize) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self::Lines { verb, done: AtomicUsize::new(0), total };
        }
        let style =
            ProgressStyle::with_template("{prefix} [{bar:30}] {pos}/{len} {wide_msg}").expect("checked by hand");
        Self::Bar(ProgressBar::new(total as u64).with_style(style.progress_chars("##-")).with_prefix(verb))
    }

    /// One step is done; may be called from any thread.
    pub fn step(&self, name: &str) {
        match self {
            Self::Bar(bar) => {
                bar.set_message(name.to_owned());
                bar.inc(1);
            }
            Self::Lines { verb, done, total } => {
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                eprintln!("{verb} {done}/{total} {name}");
            }
        }
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}
