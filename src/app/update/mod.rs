//! The one writer: carries out what panels and keys ask for, a noun a file.

mod asking;
mod clips;
mod dispatch;
mod edits;
mod filming;
mod framing;
mod ghost;
mod marks;
mod naming;
mod pending;
mod recipe_edit;
mod reopen;
mod review;
mod sharing;
mod unsaved;

pub use clips::*;
pub use filming::*;
pub use ghost::*;
pub use naming::*;
pub use pending::*;
pub use recipe_edit::*;
pub use reopen::*;
pub use review::*;
pub use sharing::*;
pub use unsaved::*;
