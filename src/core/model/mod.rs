//! The animation model: rigs, clips, poses, and sampling at a time.

mod additive;
mod body;
mod bones;
mod bytes;
mod clip;
mod clip_error;
mod clip_key;
mod clip_sampler;
mod constraints;
mod human;
mod looping;
mod mesh;
mod model_pose;
mod sampling;
mod skeleton;

pub use additive::{AddedSampler, Additive, Base, BaseOf, Holds};
pub use body::{Capsule, UnitCapsule, capsules};
pub use bones::{Bone, bones};
pub(crate) use clip::unit_rotation;
pub use clip::{Clip, ClipData, TrackKeys, raw_bytes};
pub use clip_error::ClipError;
pub use clip_key::{ClipId, ClipKey, SourceDigest};
pub use clip_sampler::ClipSampler;
pub use constraints::{Following, JointConstraint, JointConstraints};
pub use human::Human;
pub use mesh::{Alpha, Image, Material, MorphTarget, Rig, SkinJoint, SkinnedMesh, Tip};
pub use model_pose::ModelPose;
pub use posepress_runtime::internal::{Channel, FloatHold, Hold};
pub use posepress_runtime::{Pose, Sampler, TimeGrid};
pub use sampling::{FootSampling, Sampling, SamplingError};
pub use skeleton::{Joint, Skeleton, SkeletonError};
