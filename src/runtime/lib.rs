#![doc = include_str!("README.md")]
#![cfg_attr(not(test), no_std)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod channel;
mod clip;
pub mod codecs;
pub mod compensation;
pub mod format;
mod groups;
pub mod math;
pub mod memory;
mod opened;
pub mod parts;
mod playback;
mod player;
mod pose;
mod pose_layout;
mod sampler;
mod state_memory;
#[cfg(feature = "press")]
mod tiers;
mod time;

pub use channel::{Channel, FloatHold, HeldIntervals, Hold};
pub use clip::{ClipSections, CodecId};
pub use format::{Container, DecodeError, TierFile};
pub use groups::JointGroups;
pub use math::Transform;
pub use memory::NoMemory;
pub use opened::{Cursor, Opened};
pub use parts::ClipHeader;
pub use playback::{Ends, Playback, Rounding};
pub use player::Player;
pub use pose::Pose;
pub use pose_layout::{Joints, PoseLayout};
pub use sampler::Sampler;
pub use state_memory::{BlockError, Boxed, List, StateMemory};
#[cfg(feature = "press")]
pub use tiers::{TIER_VERSION, TIERED, TieredPayload, join_tier};
pub use time::TimeGrid;
