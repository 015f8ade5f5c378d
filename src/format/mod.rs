//! Bytes: readers and writers that check every length.

mod bits;
mod bytes;
mod error;

pub use bits::{BitReader, BitWriter, MAX_BITS_AT, bits_at, f32_at};
pub use bytes::{ByteReader, ByteWriter};
pub use error::DecodeError;
