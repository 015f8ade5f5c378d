//! Posepress tunes skeletal animation compression: it loads a rig and clips, compresses them, shows original and
//! compressed side by side, says where and why they differ, and exports what was approved.
//!
//! Layers look down only: `math`, `model`, `format` at the bottom, then `metrics`, `codecs`, `import` and `export`,
//! `session`, and on top the command line and (feature `gui`) the window.

#[cfg(feature = "gui")]
pub mod app;
pub mod cli;
pub mod codecs;
pub mod export;
pub mod format;
pub mod import;
pub mod math;
pub mod metrics;
pub mod model;
pub mod session;
pub mod text;
