#![doc = include_str!("README.md")]
//!
//! # Map
//!
//! | item | use |
//! |---|---|
//! | [`Container`] | reads a `.posepress` file: a rig ([`RigSection`]) and its clips ([`ClipEntry`]) |
//! | [`Opened`] | one checked clip, shared by all of its players; [`ClipHeader`] describes it |
//! | [`Cursor`] | the state of one player, on the heap or in a block of the caller |
//! | [`Player`] | a clip with its own cursor, behind the trait [`Sampler`] |
//! | [`Playback`], [`Ends`], [`Rounding`] | seconds to a place in the clip: loop or clamp, blend or snap |
//! | [`Pose`], [`Transform`] | the result: one local transform per joint, one value per float track |
//! | [`Joints`], [`PoseLayout`] | selected joints, written to the memory layout of an engine |
//! | [`TimeGrid`] | the sample times of a clip |
//! | [`TierFile`], [`TierMark`] | quality tiers in files of their own |
//! | [`DecodeError`], [`NoMemory`], [`BlockError`] | every way to fail; all of them occur before sampling |
//!
//! # Example
//!
//! Opens a container from bytes and samples the middle of its first clip.
//! ```
//! use posepress_runtime::{CodecId, Container, Opened, Playback, Pose, Transform};
//!
//! # let file = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/press.posepress"));
//! let container = Container::read(file)?;
//! let rig = container.rig.as_ref().ok_or("the rig was stripped")?;
//! let bind = rig.bind_pose()?;
//!
//! let entry = &container.clips[0];
//! let clip = Opened::new(CodecId(entry.codec), &entry.bytes[..], &bind)?;
//! let mut cursor = clip.cursor()?;
//! let mut pose = Pose::with_size(clip.header().joints, clip.header().float_tracks);
//!
//! let middle_secs = 0.5 * f64::from(clip.header().grid.duration_secs());
//! let place = Playback::default().place(clip.header(), middle_secs);
//! clip.sample(&mut cursor, place, &mut pose);
//! assert!(pose.joints.iter().all(|joint| joint.rotation.is_normalized()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![cfg_attr(not(test), no_std)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod channel;
mod clip;
mod codec_id;
mod codecs;
mod compensation;
mod cursor;
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
mod rare;
mod sampler;
mod state_memory;
#[cfg(feature = "press")]
mod tiers;
mod time;

// The interface for games, listed in `tests/runtime/public_names.txt`. Items for encoders are in `internal`.
pub use codec_id::CodecId;
pub use cursor::Cursor;
pub use format::{BindPose, ClipEntry, Container, DecodeError, RigJoint, RigSection, SharedText, TierFile, TierMark};
pub use math::Transform;
pub use memory::NoMemory;
pub use opened::Opened;
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
use state_memory::{Boxed, List, StateMemory};
