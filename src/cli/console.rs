use super::{Failure, Painter};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};

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

/// Prints a message on standard error. A closed standard error is ignored.
pub fn say(message: impl Display) {
    let _ = writeln!(io::stderr(), "{message}"); // there is no other place to report the error
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
    /// Prints a message.
    pub fn say(&mut self, message: impl Display) {
        let _ = writeln!(self.messages, "{message}"); // there is no other place to report the error
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
        /// The past participle of the work, such as "compressed".
        verb: &'static str,
        /// Steps done.
        done: AtomicUsize,
        /// Steps in all.
        total: AtomicUsize,
    },
}

impl Ticker {
    /// Progress of `total` steps.
    pub fn new(verb: &'static str, total: usize) -> Self {
        if !io::stderr().is_terminal() {
            return Self::Lines { verb, done: AtomicUsize::new(0), total: AtomicUsize::new(total) };
        }
        let style =
            ProgressStyle::with_template("{prefix} [{bar:30}] {pos}/{len} {wide_msg}").expect("checked by hand");
        Self::Bar(ProgressBar::new(total as u64).with_style(style.progress_chars("##-")).with_prefix(verb))
    }

    /// Adds steps that were not known at the start.
    pub fn expect(&self, steps: usize) {
        match self {
            Self::Bar(bar) => bar.inc_length(steps as u64),
            Self::Lines { total, .. } => _ = total.fetch_add(steps, Ordering::Relaxed),
        }
    }

    /// Counts one step. Safe to call from any thread.
    pub fn step(&self, name: &str) {
        match self {
            Self::Bar(bar) => {
                bar.set_message(name.to_owned());
                bar.inc(1);
            }
            Self::Lines { verb, done, total } => {
                let (done, total) = (done.fetch_add(1, Ordering::Relaxed) + 1, total.load(Ordering::Relaxed));
                say(format_args!("{verb} {done}/{total} {name}"));
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
