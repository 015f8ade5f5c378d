//! What decoders share: the clip's header, key formats, the table of tracks, key times with their cursor, and the float
//! tracks and held intervals stored around the payload.

mod curve_block;
mod header;
mod key;
mod key_search;
mod key_stream;
mod key_track;
mod key_tracks;
mod rate;
mod rotation_format;
mod rows;
mod segments;
mod symbols;
mod track_table;
mod vector_format;
mod wrap;

pub(super) use curve_block::{
    CURVE_COUNT_BITS, CURVE_FIELD_BITS, CURVE_POSITION, CURVE_ROTATION, CURVE_TIME_BITS, read_curve_block,
};
pub use header::ClipHeader;
pub(super) use key::{KeyFormat, RANGE_BITS, check_keys, write_range};
pub(super) use key_search::KeySearch;
pub(super) use key_stream::{KeyStreamSampler, track_bits};
pub(super) use key_track::{KeyTrack, count_bits, read_times, time_bits, write_times};
pub(super) use key_tracks::KeyTracksSampler;
pub(super) use rate::{
    ROTATION_SPAN_BITS, Rate, Span, VECTOR_SPAN_BITS, codes3_at, dequantize3, floats_at, quantize3, rotation_span,
    rotation_span_codes, rotation3, vector_extent, vector_extent_codes,
};
pub(super) use rotation_format::RotationFormat;
pub(super) use rows::PoseRows;
pub(super) use segments::Segments;
pub(super) use symbols::{
    ArithmeticReader, ArithmeticWriter, ByteReaderOf, Context, EntropyCoder, HuffmanCounter, HuffmanReader,
    HuffmanTables, HuffmanWriter, Inflater, PlainBytes, SymbolReader, SymbolWriter, VarintWriter, ZeroRunReader,
    ZeroRunWriter, deflate, unzigzag, zigzag,
};
pub(super) use track_table::{TrackKind, TrackTable, write_format};
pub(super) use vector_format::{RangeSource, VectorFormat, is_usable};
pub(super) use wrap::{FloatTracks, WithExtras, read_holds, write_floats, write_holds};
