//! What decoders share: the clip's header, key formats, the table of tracks, key times with their cursor, and the float
//! tracks and held intervals stored around the payload.

mod bit_window;
mod combinations;
mod correction_track;
mod curve_block;
mod curve_tracks;
mod exact_tracks;
mod float_steps;
mod float_tracks;
mod header;
mod jump_table;
mod key;
mod key_blocks;
mod key_coding;
mod key_place;
mod key_search;
mod key_stream;
mod key_track;
mod key_tracks;
mod lanes;
mod lattice;
mod limbs;
#[cfg(feature = "press")]
mod logistic;
mod need_order;
mod payload_end;
mod pose_slice;
#[cfg(any(feature = "press", feature = "wavelet"))]
mod range_coder;
mod ranged;
mod rate;
mod rate_lanes;
mod rotation_format;
mod rows;
mod scale_offsets;
mod section_cursor;
mod segments;
mod spline_section;
mod stretches;
#[cfg(feature = "wavelet")]
mod symbols;
mod track_table;
mod two_bone;
mod value_format;
mod vector_format;

pub use combinations::{combination_bits, combinations};
pub use correction_track::{
    CORRECTION_CONSTANT_BITS, CORRECTION_HIGHEST_BITS, CORRECTION_SEGMENT_SAMPLES, CorrectionTrack,
};
pub use curve_block::{
    CURVE_COUNT_BITS, CURVE_FIELD_BITS, CURVE_POSITION, CURVE_ROTATION, CURVE_TIME_BITS, read_curve_block,
};
pub use curve_tracks::{CurveTracks, CurveTracksCursor};
pub use exact_tracks::{ExactTracks, is_blendable};
pub use float_steps::FloatSteps;
pub use float_tracks::{FloatTracks, HELD_FLOAT, float_between, read_holds};
pub use header::{ClipHeader, Following};
pub use jump_table::JumpTable;
pub use key::{
    KeyFormat, RANGE_BITS, TrackGroup, check_key, check_keys, grouped, groups_of, next_run, read_range,
    sample_finished_groups, sample_groups,
};
pub use key_blocks::{BlockSize, KeyBlocks, block_count_bits, width_bits};
pub use key_coding::{KeyCoding, RANGED_CODE, ValueCoding};
pub use key_place::KeyPlace;
pub use key_search::KeySearch;
pub use key_stream::{KeyStream, KeyStreamCursor, track_bits};
pub use key_track::{KeyPair, KeyTrack, TimeLayout, count_bits, read_times, time_bits};
pub use key_tracks::{KeyTracks, KeyTracksCursor};
pub use lanes::{RangeLanes, rotations, vectors};
pub use lattice::{LATTICE_EXACT, LATTICE_REFERENCE, lattice_step, read_width, unzigzag32, width_difference, zigzag32};
pub use limbs::{Limb, LimbScratch, Limbs, place_bits};
#[cfg(feature = "press")]
pub use logistic::{squash, stretch, stretch_of_zero, tail};
pub use need_order::{NeedOrder, NeedScan, StreamLayout};
pub use payload_end::{PayloadEnd, Window, word};
pub use pose_slice::PoseSlice;
#[cfg(any(feature = "press", feature = "wavelet"))]
pub use range_coder::{Chance, CodeBit, LOW_RANGE, PROBABILITY_BITS, RangeDecoder, code_digits};
pub use ranged::{
    RANGED_COARSER_BITS, RANGED_COARSER_CODES, RANGED_DROPPED_BITS, RANGED_MAX_LEAST_BITS, RANGED_MAX_WIDTH,
    RANGED_STEP_BITS, RANGED_WIDTH_BITS, Ranged, RangedPart,
};
pub use rate::{
    ROTATION_SPAN_BITS, ROTATION_STEPS, Rate, Span, VECTOR_SPAN_BITS, dequantize3, read_rotation_span,
    read_vector_span, rotation_span, rotation3, vector_extent,
};
pub use rate_lanes::{EXACT_BITS, Place, PlaceLanes, Slot};
pub use rotation_format::RotationFormat;
pub use rows::PoseRows;
pub use scale_offsets::ScaleOffset;
pub use section_cursor::SectionCursor;
pub use segments::Segments;
pub use spline_section::{Knots, Spline, SplineKey, SplineSection, SplineShape, points_and_steps};
pub use stretches::Stretches;
#[cfg(feature = "wavelet")]
pub use symbols::{
    ARITHMETIC_SIZES, ARITHMETIC_TRAINED, ArithmeticModel, ArithmeticReader, ArithmeticStart, ByteReaderOf,
    CanonicalCode, Context, EntropyCoder, HUFFMAN_LONGEST, HUFFMAN_OWN, HUFFMAN_SYMBOLS, HuffmanCodes, HuffmanReader,
    HuffmanTables, InflateBuffer, Inflater, PlainBytes, RANS_BITS, RANS_LOW, RANS_TABLES, RansReader, SymbolReader,
    ZeroRunReader, unzigzag,
};
pub use track_table::{FORMAT_BITS, TrackKind, TrackTable};
pub use value_format::ValueFormat;
pub use vector_format::{RangeSource, VectorFormat, is_usable};
