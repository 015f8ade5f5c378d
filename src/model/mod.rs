//! What an animation is: rigs, clips, poses and the one way to read them at a time.

mod clip;
mod mesh;
mod pose;
mod sampler;
mod skeleton;
mod time;

pub use clip::{Channel, Clip, ClipData, ClipError, Hold};
pub use mesh::{Image, Material, MorphTarget, Rig, SkinJoint, SkinnedMesh, Tip};
pub use pose::{ModelPose, Pose};
pub use sampler::{ClipSampler, Sampler};
pub use skeleton::{Joint, Skeleton, SkeletonError};
pub use time::TimeGrid;
