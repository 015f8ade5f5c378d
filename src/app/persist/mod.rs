//! State saved between sessions.

mod autosave;
mod marking;
mod saved;
#[cfg(unix)]
mod signals;

#[cfg(not(target_family = "wasm"))]
pub use autosave::Inbox;
pub use autosave::{Autosave, DELAY};
pub use marking::Marking;
#[cfg(not(target_family = "wasm"))]
pub use saved::folder;
pub use saved::{SavedWindow, State, not_kept};
#[cfg(unix)]
pub use signals::save_first;
