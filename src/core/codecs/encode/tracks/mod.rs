//! Tracks before any codec: the choice of tracks to store, and the numbers that represent them.

pub(in crate::codecs::encode) mod dropped;
pub(in crate::codecs::encode) mod format_params;
pub(in crate::codecs::encode) mod pose_rows;
pub(in crate::codecs::encode) mod trivial;

pub use dropped::farthest_component;
pub use format_params::{ROTATION_FORMAT, SCALE_FORMAT, TRANSLATION_FORMAT};
pub use pose_rows::{PoseChannels, PoseFormats};
pub use trivial::{
    FIXED_TRIVIAL_SHARE, REMOVE_BIND, REMOVE_CONSTANTS, SEARCHED_TRIVIAL_SHARE, TrivialSettings, all_animated,
    check_usable, classify, constant_value, stored_constant, with_channel,
};
