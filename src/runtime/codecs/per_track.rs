use crate::format::{BitReader, DecodeError};
use crate::math::Transform;
use crate::parts::{ClipHeader, KeySearch, KeyTracksSampler};

/// Opens tracks of keys, each in a format of its own. On disk: what [`KeyTracksSampler`] reads.
pub fn open<'a>(header: &ClipHeader, bytes: &'a [u8], bind: &[Transform]) -> Result<KeyTracksSampler<'a>, DecodeError> {
    KeyTracksSampler::read(header, BitReader::new(bytes), bytes, bind, KeySearch::Cursor)
}
