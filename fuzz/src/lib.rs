//! Shared by all fuzz targets.

pub mod targets;
