//! The window of Posepress in a web page. It is the window of the desktop: this package gives it a canvas, the files that people drop on the
//! page, and a way to save files.
//!
//! It is empty for other targets. `scripts/web.sh window` builds the page.

#![cfg(target_family = "wasm")]

mod disk;
mod libc;
mod page;
mod picker;

pub use page::Page;
