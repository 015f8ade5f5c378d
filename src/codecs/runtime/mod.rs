//! What decoders share: the clip's header, key formats, the table of tracks, key times with their cursor, and the float
//! tracks and held intervals stored around the payload.

mod header;
mod key;
mod key_track;
mod rotation_format;
mod rows;
mod track_table;
mod vector_format;
mod wrap;

pub use header::ClipHeader;
pub(super) use key::{KeyFormat, RANGE_BITS, write_range};
pub(super) use key_track::{KeyTrack, count_bits, time_bits, write_times};
pub(super) use rotation_format::RotationFormat;
pub(super) use rows::PoseRows;
pub(super) use track_table::{TrackKind, TrackTable, write_format};
pub(super) use vector_format::{RangeSource, VectorFormat, is_usable};
pub(super) use wrap::{FloatTracks, WithExtras, read_holds, write_floats, write_holds};
