//! The window, on the desktop and in a web page: start, layout, keys and end.

mod app;
#[cfg(not(target_family = "wasm"))]
mod background;
mod blind_keys;
mod dragged;
mod given;
mod graphics;
mod layout;
#[cfg(not(target_family = "wasm"))]
mod lost_device;
#[cfg(not(target_family = "wasm"))]
mod native;
mod options;
mod plan;
mod pressed;
mod replay;
mod review;
mod type_ahead;

pub use app::App;
pub use graphics::wgpu_options;
#[cfg(not(target_family = "wasm"))]
pub use native::{WindowError, run};
pub use options::Options;
pub use replay::{ReplayError, Replayed, replay};
