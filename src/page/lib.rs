//! The window of Posepress in a web page. It is the window of the desktop: this package gives it a canvas, the files that people drop on the
//! page, and a way to save files.
//!
//! It is empty for other targets. `scripts/web.sh window` builds the page.

#![cfg(target_family = "wasm")]

mod crew;
mod disk;
mod libc;
mod picker;
mod window;

pub use crew::PageHand;
pub use window::Page;
