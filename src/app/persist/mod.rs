//! State saved between sessions.

mod autosave;
mod marking;
mod saved;
#[cfg(unix)]
mod signals;

pub use autosave::{Autosave, DELAY, Inbox};
pub use marking::Marking;
pub use saved::{SavedWindow, State, folder, not_kept};
#[cfg(unix)]
pub use signals::save_first;
