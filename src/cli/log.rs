//! The log: messages to standard error, and the commands of a window to a recording.

use super::Failure;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use tracing::Level;
use tracing_subscriber::filter::{EnvFilter, Targets};
use tracing_subscriber::prelude::*;
use tracing_subscriber::{Layer, fmt};

/// Starts the log. Events with the given target go to the recording, one per line.
///
/// # Errors
/// [`Failure::Input`]: the recording cannot be written.
pub fn start_log(recording: Option<(&Path, &'static str)>) -> Result<(), Failure> {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| "warn".into());
    // Without this, a closed standard error causes a panic: the writer reports the error on standard error.
    let lines = fmt::layer().with_writer(io::stderr).log_internal_errors(false).with_filter(filter);
    let file = match recording {
        None => None,
        Some((path, target)) => {
            let file = File::create(path).map_err(|error| Failure::file(path, error))?;
            let layer = fmt::layer().with_writer(Arc::new(file)).with_ansi(false).log_internal_errors(false);
            let layer = layer.without_time().with_level(false).with_target(false);
            Some(layer.with_filter(Targets::new().with_target(target, Level::INFO)))
        }
    };
    tracing_subscriber::registry().with(lines).with(file).init();
    Ok(())
}
