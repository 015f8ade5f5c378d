//! Keys: their times, their coding, their layouts, and the search for the keys around a time.

pub(in crate::parts) mod combinations;
pub(in crate::parts) mod curve_block;
pub(in crate::parts) mod jump_table;
pub(in crate::parts) mod key;
pub(in crate::parts) mod key_blocks;
pub(in crate::parts) mod key_coding;
pub(in crate::parts) mod key_lists;
pub(in crate::parts) mod key_pair;
pub(in crate::parts) mod key_place;
pub(in crate::parts) mod key_search;
pub(in crate::parts) mod key_set;
pub(in crate::parts) mod key_stream;
pub(in crate::parts) mod key_times;
pub(in crate::parts) mod key_track;
pub(in crate::parts) mod key_tracks;
pub(in crate::parts) mod need_order;
pub(in crate::parts) mod ranged;

pub use combinations::{combination_bits, combinations};
pub use curve_block::{
    CURVE_COUNT_BITS, CURVE_FIELD_BITS, CURVE_POSITION, CURVE_ROTATION, CURVE_TIME_BITS, read_curve_block,
};
pub use jump_table::JumpTable;
pub use key::{
    KeyFormat, RANGE_BITS, TrackGroup, check_key, check_keys, grouped, groups_of, next_run, read_range, sample_groups,
};
pub use key_blocks::{BlockSize, KeyBlocks, block_count_bits, width_bits};
pub use key_coding::{KeyCoding, KeyReader, RANGED_CODE, ValueCoding};
pub use key_lists::{TimeLayout, count_bits, read_times, time_bits};
pub use key_pair::KeyPair;
pub use key_place::{KeyAt, KeyPlace};
pub use key_search::KeySearch;
pub use key_set::KeySet;
pub use key_stream::{KeyStream, KeyStreamCursor, track_bits};
pub use key_track::KeyTrack;
pub use key_tracks::{KeyTracks, KeyTracksCursor};
pub use need_order::{NeedOrder, NeedScan, StreamLayout};
pub use ranged::{
    RANGED_COARSER_BITS, RANGED_COARSER_CODES, RANGED_DROPPED_BITS, RANGED_MAX_LEAST_BITS, RANGED_MAX_WIDTH,
    RANGED_STEP_BITS, RANGED_WIDTH_BITS, Ranged, RangedPart, RangedSteps,
};
