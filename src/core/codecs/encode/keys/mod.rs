//! The solver for tracks with key times of their own. Joints are solved from the roots down, each on top of its decoded parents. A
//! [`KeyChooser`] chooses the keys of a track: lines here, curves elsewhere.

mod after_keys;
mod bound;
mod choose;
mod cutoffs;
mod effectors;
mod four_keys;
mod joint;
mod kept_points;
mod key_chain;
mod metric;
mod pack;
mod params;
mod ranged;
mod reduce;
mod solve;
mod tracks;
mod worst_point;

pub use bound::Interest;
pub use choose::{KeyChooser, KeyedTrack, LinearChooser, TrackToKey};
pub use cutoffs::{by_height, by_probe};
pub use effectors::Effectors;
pub use joint::pin;
pub use kept_points::KeptPoints;
pub use key_chain::KeyChain;
pub use metric::{LocalThresholds, Metric, local_error};
pub use pack::{StoredTrack, TrackPacker, by_time_needed, pack_by_track, stored_tracks, track_table};
pub(in crate::codecs) use params::unreal_values;
pub use params::{
    BETWEEN, BLOCK_SAMPLES, EFFECTOR_THRESHOLD, JUMP_EVERY, KEEP_EVERY, LAST_THRESHOLD, METRIC, ORDER,
    PARENT_KEY_SCALE, POSITION_THRESHOLD, RETARGET, ROTATION_THRESHOLD, SCALE_THRESHOLD, SEED, SOCKET_THRESHOLD,
    block_size, chosen_metric, order, retarget, thresholds,
};
pub use reduce::{KeyOrder, reduce_keys};
pub use solve::{FormatChoice, SolveSettings, Solved, solve};
pub use tracks::{JointKeys, TrackKeys, exact_keys, fraction};
