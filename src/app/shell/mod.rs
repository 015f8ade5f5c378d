//! The window on the desktop: its frame, its keys, its end.

pub mod background;
mod keeping;
pub mod layout;
pub mod lost_device;
mod native;
mod type_ahead;

pub use native::run;
pub use type_ahead::*;
