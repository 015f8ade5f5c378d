//! Decoders: one file or folder per codec, and one line in the list of `registry`.

#[cfg(feature = "catmull-rom")]
pub mod catmull_rom;
mod codec;
#[cfg(feature = "every-second-key")]
pub mod every_second_key;
#[cfg(feature = "linear-keys")]
pub mod linear_keys;
#[cfg(feature = "per-track")]
pub mod per_track;
#[cfg(feature = "press")]
pub mod press;
#[cfg(feature = "quantize")]
pub mod quantize;
#[cfg(feature = "raw")]
pub mod raw;
mod registry;
mod stretched;
#[cfg(feature = "variable-rate")]
pub mod variable_rate;
#[cfg(feature = "wavelet")]
pub mod wavelet;

pub use codec::{Decode, DecodeCursor};
pub(crate) use registry::check_version;
pub use registry::{Decoder, DecoderCursor, payload_version};
pub use stretched::{Stretched, StretchedCursor};

#[allow(unused_imports)] // used only by decoders with a cursor
use codec::other_cursor;
