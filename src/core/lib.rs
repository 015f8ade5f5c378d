#![doc = include_str!("README.md")]
//!
//! # Layers
//!
//! Layers look down only: `text`, `files`, `settings`, `math` and `model` at the bottom, then `metrics`, `codecs`, `import` and `export`, then `recipe`, `pipeline`, `report`, `study`,
//! `project`, `tasks` and `workspace`; `view` stands alone.
//! What a player needs to open and sample a clip is the package `posepress-runtime`, on which all of this stands.

pub mod codecs;
pub mod export;
pub mod files;
pub mod format;
pub mod import;
pub mod math;
pub mod metrics;
pub mod model;
pub mod pipeline;
pub mod project;
pub mod recipe;
pub mod report;
pub mod settings;
pub mod study;
pub mod tasks;
pub mod text;
pub mod threads;
pub mod view;
pub mod workspace;
