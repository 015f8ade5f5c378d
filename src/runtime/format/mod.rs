//! Bytes: readers and writers that check every length, and the container that keeps rig and clips.

mod bits;
mod bytes;
mod container;
mod error;
mod rig_section;

pub use bits::{BitReader, BitWriter, MAX_BITS_AT, bits_at, f32_at};
pub use bytes::{ByteReader, ByteWriter};
pub use container::{CONTAINER_MAGIC, CONTAINER_VERSION, ClipEntry, Container};
pub use error::DecodeError;
pub use rig_section::{RigJoint, RigSection};
