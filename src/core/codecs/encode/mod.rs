//! What encoders share. A codec's folder uses this room, the types of [`crate::codecs`] and the runtime, never another
//! codec's folder.

mod dropped;
mod format_params;
pub mod keys;
pub mod lattice;
mod levers;
mod other_motion;
mod own_payload;
mod pose_rows;
mod steps;
mod stretches;
mod tolerance;
mod trial;
mod trivial;
mod verify;
pub mod write;

pub use dropped::farthest_component;
pub use format_params::{ROTATION_FORMAT, SCALE_FORMAT, TRANSLATION_FORMAT};
pub use levers::{LeverPoints, Levers, RawLocals, RawModel, Reach, raw_track, reaches_m};
pub use other_motion::with_locals;
pub use own_payload::{OwnPayload, open_own};
pub use pose_rows::{PoseChannels, PoseFormats};
pub use steps::Steps;
pub use stretches::encode_stretches;
pub use tolerance::{AIM, CLOSE_AIM, ToleranceLoop};
pub use trial::{Hierarchy, Trial};
pub use trivial::{
    FIXED_TRIVIAL_SHARE, REMOVE_BIND, REMOVE_CONSTANTS, SEARCHED_TRIVIAL_SHARE, TrivialSettings, all_animated,
    check_usable, classify, constant_value, stored_constant, with_channel,
};
pub use verify::{decoded_error_m, played_error_m, unreadable};
