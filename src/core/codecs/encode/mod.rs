//! Code that encoders share. A codec's folder uses this folder, the types of [`crate::codecs`] and the runtime, never another codec's
//! folder.

mod clips;
mod error;
pub mod keys;
pub mod lattice;
mod tracks;
pub mod write;

pub use clips::*;
pub use error::*;
pub use tracks::*;
