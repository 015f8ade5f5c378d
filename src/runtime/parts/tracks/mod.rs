//! The table of tracks, and tracks that are stored without keys.

pub(in crate::parts) mod correction_track;
pub(in crate::parts) mod exact_tracks;
pub(in crate::parts) mod float_steps;
pub(in crate::parts) mod float_tracks;
pub(in crate::parts) mod rows;
pub(in crate::parts) mod scale_offsets;
pub(in crate::parts) mod still_pose;
pub(in crate::parts) mod track_table;

pub use correction_track::{
    CORRECTION_CONSTANT_BITS, CORRECTION_HIGHEST_BITS, CORRECTION_SEGMENT_SAMPLES, CorrectionTrack,
};
pub use exact_tracks::{ExactTracks, is_blendable};
pub use float_steps::FloatSteps;
pub use float_tracks::{FloatTracks, HELD_FLOAT, float_between, read_holds};
pub use rows::PoseRows;
pub use scale_offsets::ScaleOffset;
pub use still_pose::StillPose;
pub use track_table::{FORMAT_BITS, StoredTracks, TrackKind, TrackTable};
