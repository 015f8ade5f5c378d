//! Records the log of commands, as `posepress --record` does.

use posepress_app::COMMANDS;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use tracing::dispatcher::{Dispatch, with_default};
use tracing::subscriber::NoSubscriber;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::prelude::*;
use tracing_subscriber::{Layer, fmt};

/// Bytes written by all clones.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The recording of a session in a window on this thread.
pub fn recorded(session: impl FnOnce()) -> String {
    let written = Written::default();
    let into = written.clone();
    let lines = fmt::layer().with_writer(move || into.clone()).with_ansi(false);
    let lines = lines.without_time().with_level(false).with_target(false);
    let commands = Targets::new().with_target(COMMANDS, LevelFilter::INFO);
    let log = Dispatch::new(tracing_subscriber::registry().with(lines.with_filter(commands)));
    // With one dispatcher, tracing caches the answer of the first thread that reaches a log line, perhaps of another test.
    // With two it asks both each time.
    let _second = Dispatch::new(NoSubscriber::new());
    with_default(&log, session);
    let bytes = written.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap()
}
