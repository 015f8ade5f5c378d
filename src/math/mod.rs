//! Transforms and the maps between rotations and numbers that codecs store.

mod transform;

pub use transform::{Transform, nlerp};
