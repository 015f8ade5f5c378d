//! All that survives a restart.

mod autosave;
mod marking;
mod saved;
#[cfg(unix)]
mod signals;

pub use autosave::*;
pub use marking::*;
pub use saved::*;
#[cfg(unix)]
pub use signals::save_first;
