//! Every importer.

mod budgets;
mod bvh;
mod bvh_rates;
mod bvh_variants;
mod damaged;
mod errors;
pub mod fbx;
mod gltf;
mod ozz;
mod riot;
#[cfg(feature = "usd")]
pub mod usd;
pub mod vrm;
