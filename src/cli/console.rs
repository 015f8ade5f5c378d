use super::{Failure, Painter};
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use posepress_core::text;
use serde::Serialize;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Standard output. After a write error the rest of the output is dropped, but the work goes on: files are still written, and
/// the program reports the error when it ends.
pub struct Output<W> {
    inner: W,
    failure: Option<io::Error>,
    holds_file: bool,
}

/// The destination of results.
pub trait ResultOutput: Write {
    /// Makes an early close by the reader an error from now on, because half a file is useless.
    fn must_arrive(&mut self);
}

impl<W: Write> ResultOutput for Output<W> {
    fn must_arrive(&mut self) {
        self.holds_file = true;
    }
}

impl<W: Write> Output<W> {
    /// An output without an error.
    pub fn new(inner: W) -> Self {
        Self { inner, failure: None, holds_file: false }
    }

    /// Flushes the output. An early close by a reader (`posepress decode ... | head`) is an error only for a file.
    ///
    /// # Errors
    /// The disk is full, or the reader of a file closed early.
    pub fn finish(mut self) -> Result<(), Failure> {
        self.flush()?;
        match self.failure {
            Some(error) if self.holds_file || error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
            _ => Ok(()),
        }
    }

    fn attempt(&mut self, work: impl FnOnce(&mut W) -> io::Result<()>) {
        if self.failure.is_none() {
            self.failure = work(&mut self.inner).err();
        }
    }
}

impl<W: Write> Write for Output<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.attempt(|inner| inner.write_all(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.attempt(Write::flush);
        Ok(())
    }
}

/// Prints a message on standard error, with characters that control a terminal escaped. A closed standard error is ignored.
pub fn say(message: impl Display) {
    let _ = writeln!(io::stderr(), "{}", text::escaped_lines(&message.to_string())); // there is no other place to report the error
}

/// The destinations of results and messages.
pub struct Console<'a> {
    /// The result: a table, JSON or CSV.
    pub out: &'a mut dyn ResultOutput,
    /// Messages, one per line.
    pub messages: &'a mut dyn Write,
    /// Draws frames for pages; `None` in builds that cannot draw.
    pub painter: Option<Box<dyn Painter>>,
}

impl Console<'_> {
    /// Prints a message, with characters that control a terminal escaped.
    pub fn say(&mut self, message: impl Display) {
        let _ = writeln!(self.messages, "{}", text::escaped_lines(&message.to_string())); // there is no other place to report the error
    }

    /// Prints a JSON object and a line end.
    pub fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        serde_json::to_writer_pretty(&mut *self.out, value)?;
        Ok(writeln!(self.out)?)
    }
}

/// Form of the progress on standard error.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ProgressForm {
    /// A bar on a terminal, else a line per step.
    #[default]
    Auto,
    /// A JSON object per step, on a line of its own.
    Json,
}

/// Progress on standard error.
pub struct Ticker {
    /// The past participle of the work, such as "compressed".
    verb: &'static str,
    shown: Shown,
    /// Locked while a step is shown, so that the numbers of lines rise.
    counts: Mutex<Counts>,
}

#[derive(Debug, Clone, Copy, Serialize)]
struct Counts {
    done: usize,
    failed: usize,
    total: usize,
}

enum Shown {
    Bar(ProgressBar),
    Lines,
    Json,
}

/// A step that ended, as a program reads it.
#[derive(Serialize)]
struct StepEvent<'a> {
    event: &'a str,
    name: &'a str,
    #[serde(flatten)]
    counts: Counts,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

impl Ticker {
    /// Progress of `total` steps: a bar on a terminal, else lines.
    pub fn new(verb: &'static str, total: usize) -> Self {
        Self::of(verb, total, ProgressForm::Auto)
    }

    /// Progress of `total` steps in a form.
    pub fn of(verb: &'static str, total: usize, form: ProgressForm) -> Self {
        let shown = match form {
            ProgressForm::Json => Shown::Json,
            ProgressForm::Auto if !io::stderr().is_terminal() => Shown::Lines,
            ProgressForm::Auto => Shown::Bar(bar(verb, total)),
        };
        Self { verb, shown, counts: Mutex::new(Counts { done: 0, failed: 0, total }) }
    }

    /// Adds steps that were not known at the start.
    pub fn expect(&self, steps: usize) {
        self.counts().total += steps;
        if let Shown::Bar(bar) = &self.shown {
            bar.inc_length(steps as u64);
        }
    }

    /// Takes back steps that were expected, and are none.
    pub fn drop_steps(&self, steps: usize) {
        self.counts().total -= steps;
        if let Shown::Bar(bar) = &self.shown {
            bar.dec_length(steps as u64);
        }
    }

    /// Counts a step. Safe to call from any thread.
    pub fn step(&self, name: &str) {
        self.count(name, None);
    }

    /// Counts a step that failed.
    pub fn fail(&self, name: &str, error: &str) {
        self.count(name, Some(error));
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self, name: &str, error: Option<&str>) {
        let mut counts = self.counts();
        counts.done += 1;
        counts.failed += usize::from(error.is_some());
        let Counts { done, failed, total } = *counts;
        let verb = if error.is_some() { "failed" } else { self.verb };
        let step = text::escaped(&error.map_or(name.to_owned(), |error| format!("{name}: error: {error}")));
        match &self.shown {
            Shown::Bar(bar) => {
                error.iter().for_each(|_| bar.println(&step));
                let name = text::escaped(name);
                bar.set_message(if failed > 0 { format!("{failed} failed, {name}") } else { name });
                bar.inc(1);
            }
            Shown::Lines => say(format_args!("{verb} {done}/{total} {step}")),
            Shown::Json => {
                let event = StepEvent { event: verb, name, counts: *counts, error };
                let line = serde_json::to_string(&event).unwrap_or_default();
                let _ = writeln!(io::stderr(), "{line}"); // as in `say`
            }
        }
    }
}

/// A bar with rate and time left. The message is the last step, after the number of failures.
fn bar(verb: &'static str, total: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{prefix} [{bar:30}] {pos}/{len}, {per_sec}, {eta} left, {wide_msg}");
    let style = style.expect("checked by hand").progress_chars("##-");
    ProgressBar::new(total as u64).with_style(style).with_prefix(verb)
}

impl Drop for Ticker {
    fn drop(&mut self) {
        if let Shown::Bar(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }
}
