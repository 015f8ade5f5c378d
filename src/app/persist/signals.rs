//! Saves the work when a signal from the system or the terminal ends the program.

use super::autosave::Inbox;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::sync::Arc;

/// Makes a signal write the work before it ends the program as usual.
///
/// # Errors
/// The system does not allow waiting for signals.
pub fn save_first(inbox: Arc<Inbox>) -> std::io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGINT])?;
    let wait = move || {
        for signal in signals.forever() {
            inbox.flush();
            if let Err(error) = emulate_default_handler(signal) {
                tracing::error!("signal {signal} does not end the program: {error}");
            }
        }
    };
    std::thread::Builder::new().name("signals".into()).spawn(wait).map(drop)
}
