//! File formats: readers that check every length, and the container of rig and clips.

mod bind_pose;
mod bit_writer;
mod bits;
mod bytes;
mod checksum;
mod container;
mod error;
mod names;
mod rig_section;
mod shared_text;
mod tier_file;

pub use bind_pose::BindPose;
pub use bit_writer::BitWriter;
pub use bits::{BitReader, MAX_BITS_AT, bits_at, f32_at, word_at};
pub use bytes::ByteReader;
pub(crate) use bytes::section;
pub(crate) use checksum::checksum;
pub use container::{
    CONTAINER_HEADER_BYTES, CONTAINER_MAGIC, CONTAINER_VERSION, ClipEntry, Container, TIER_MAGIC, directory_crc,
};
pub use error::DecodeError;
pub use names::MAX_SHARED_NAME_BYTES;
pub use rig_section::{RigJoint, RigSection, UNSTORED_BIND};
pub use shared_text::SharedText;
pub use tier_file::{TIER_FILE_VERSION, TierFile, TierMark};
