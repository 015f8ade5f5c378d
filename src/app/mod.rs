//! The window and everything that draws.

pub mod render;
