#![doc = include_str!("README.md")]
#![cfg_attr(not(test), no_std)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod channel;
mod clip;
mod codec_id;
mod codecs;
mod compensation;
mod format;
mod groups;
#[doc(hidden)]
pub mod internal;
mod math;
mod memory;
mod opened;
mod parts;
mod playback;
mod player;
mod pose;
mod pose_layout;
mod sampler;
mod state_memory;
#[cfg(feature = "press")]
mod tiers;
mod time;

// What a game needs; `tests/runtime/public_names.txt` lists it. All that encoders need stands in `internal`.
pub use codec_id::CodecId;
pub use format::{ClipEntry, Container, DecodeError, RigJoint, RigSection, SharedText, TierFile, TierMark};
pub use math::Transform;
pub use memory::NoMemory;
pub use opened::{Cursor, Opened};
pub use parts::ClipHeader;
pub use playback::{Ends, Playback, Rounding};
pub use player::Player;
pub use pose::Pose;
pub use pose_layout::{Joints, PoseLayout};
pub use sampler::Sampler;
pub use state_memory::BlockError;
#[cfg(feature = "press")]
pub use tiers::join_tier;
pub use time::TimeGrid;

use channel::{Channel, FloatHold, HeldIntervals, Hold};
use clip::ClipSections;
#[cfg(feature = "wavelet")]
use state_memory::Boxed;
use state_memory::{List, StateMemory};
