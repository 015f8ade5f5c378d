//! Shared parts of decoders: the clip's header, key formats, the table of tracks, key times with their cursor, float tracks and
//! stepped intervals.

mod curves;
#[cfg(any(feature = "press", feature = "wavelet"))]
mod entropy;
mod formats;
mod header;
mod keys;
mod limbs;
mod pose_slice;
mod rates;
mod stretches;
mod tracks;
mod two_bone;
mod window;

pub use curves::*;
#[cfg(any(feature = "press", feature = "wavelet"))]
pub use entropy::*;
pub use formats::*;
pub use header::{ClipHeader, Following};
pub use keys::*;
pub use limbs::{Limb, LimbScratch, Limbs, place_bits};
pub use pose_slice::PoseSlice;
pub use rates::*;
pub use stretches::Stretches;
pub use tracks::*;
pub use window::{Tail, WINDOW, Window, word};
