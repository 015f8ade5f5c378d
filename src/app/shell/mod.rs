//! The window on the desktop: start, layout, keys and end.

mod app;
mod background;
mod blind_keys;
mod dragged;
mod given;
mod layout;
mod lost_device;
mod native;
mod options;
mod plan;
mod pressed;
mod replay;
mod review;
mod type_ahead;

pub use app::App;
pub use native::{WindowError, run};
pub use options::Options;
pub use replay::{ReplayError, Replayed, replay};
