//! All that asks for a path, and reads and writes beside the window.

mod asks;
mod projects;
mod recipes;
mod watch;

pub use asks::*;
pub use projects::*;
pub use recipes::*;
pub use watch::*;
