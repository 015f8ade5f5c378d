//! Bytes: readers and writers that check every length.

mod bytes;
mod error;

pub use bytes::{ByteReader, ByteWriter};
pub use error::DecodeError;
