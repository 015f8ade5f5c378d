//! The codec traits: their input, their output, and the facts that are known without an encoding.

use super::{
    Cancelled, ClipHeader, CodecId, Compensation, FittedCurve, GroupStorage, JointGroup, KeptKeys, Ledger, NoRoom,
    Param, ParamError, ParamValues, Preset, Progress, Replay,
};
use crate::format::DecodeError;
use crate::metrics::{Promise, Weights, shell_error_sq};
use crate::model::{Clip, Skeleton};
use glam::Affine3A;
use serde::{Serialize, Serializer};
use thiserror::Error;

/// The input of an encoder.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The rig. The decoder has its bind pose too.
    pub skeleton: &'a Skeleton,
    /// The clip to compress. Codecs never see a clip with a base.
    pub clip: &'a Clip,
    /// The tolerance, metres.
    pub tolerance_m: f32,
    /// The error that the tolerance bounds. [`encode_clip`](super::encode_clip) sets it to that of the codec's values.
    pub promise: Promise,
    /// Shell distance per joint, in metres: the distance from the joint at which its error is measured.
    pub shells_m: &'a [f32],
    /// Weights of errors per joint and sample.
    pub weights: Weights<'a>,
    /// Largest error per float track, in the track's own units. Tracks without a limit are stored without loss.
    pub float_limits: &'a [f32],
    /// Joints that are stored differently from the rest. Codecs never see a source with groups.
    pub groups: &'a [JointGroup],
}

impl<'a> Source<'a> {
    /// A source without weights, in which float tracks are stored without loss.
    pub fn new(skeleton: &'a Skeleton, clip: &'a Clip, tolerance_m: f32, shells_m: &'a [f32]) -> Self {
        let (promise, weights) = (Promise::Largest, Weights::EVEN);
        Self { skeleton, clip, tolerance_m, promise, shells_m, weights, float_limits: &[], groups: &[] }
    }

    /// The clip's header, as far as it does not depend on the codec.
    pub fn header(&self) -> ClipHeader {
        let clip = self.clip;
        let (joints, grid, looping) = (clip.joints(), clip.grid(), clip.is_looping());
        ClipHeader { joints, grid, float_tracks: 0, looping, additive: false }
    }

    /// True for a joint that is stored bit for bit.
    pub fn is_exact(&self, joint: usize) -> bool {
        self.groups.iter().any(|group| !matches!(group.kept, GroupStorage::With(_)) && group.joints.contains(&joint))
    }

    /// True if some joints are stored differently from the rest.
    pub fn has_groups(&self) -> bool {
        !self.groups.is_empty()
    }

    /// True for a joint that belongs to a group, at some samples or at all.
    pub fn is_grouped(&self, joint: usize) -> bool {
        self.groups.iter().any(|group| group.has(joint))
    }

    /// The squared shell error of a joint between two matrices, times the square of the joint's weight at that sample; in square metres.
    #[inline]
    pub fn error_sq(&self, sample: usize, joint: usize, raw: &Affine3A, model: &Affine3A) -> f32 {
        let weight = self.weights.at(sample, joint);
        shell_error_sq(raw, model, self.shells_m[joint]) * (weight * weight)
    }
}

/// The bytes of an encoding, with the owner of every bit.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Encoded {
    /// The bytes that the decoder reads.
    pub payload: Vec<u8>,
    /// Every bit of the payload, by owner and section.
    pub ledger: Ledger,
    /// The stored samples per track, for codecs that drop some. Empty if all are stored.
    pub kept: Vec<KeptKeys>,
}

/// The reasons why an encoding returns no bytes.
#[derive(Debug, Error, PartialEq, Clone)]
pub enum EncodeError {
    /// The job was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// A setting does not fit the codec.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// The format cannot hold the clip.
    #[error("{0}")]
    Unsupported(String),
    /// The encoding takes more bytes than there is room for.
    #[error(transparent)]
    NoRoom(#[from] NoRoom),
}

impl From<Cancelled> for EncodeError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

/// Facts about a codec that are known without running it.
#[derive(Debug)]
pub struct CodecInfo {
    /// The four bytes that name the codec in files.
    pub id: CodecId,
    /// Short name in lower case, with dashes: `linear-keys`.
    pub name: &'static str,
    /// One sentence for users.
    pub summary: &'static str,
    /// The article or paper that it implements.
    pub source: &'static str,
    /// True if the encoder searches for the smallest bytes within the tolerance, and so guarantees it.
    pub promises_tolerance: bool,
    /// The settings of the codec.
    pub params: &'static [Param],
    /// Named sets of settings.
    pub presets: &'static [Preset],
}

/// A compression method that users choose by name, with settings.
pub trait Codec: Sync {
    /// Facts that are known without running the codec.
    fn info(&self) -> &'static CodecInfo;
    /// The four bytes that name the codec in files.
    fn id(&self) -> CodecId {
        self.info().id
    }
    /// Short name in lower case, with dashes: `linear-keys`.
    fn name(&self) -> &'static str {
        self.info().name
    }
    /// The settings of the codec.
    fn params(&self) -> &'static [Param] {
        self.info().params
    }
    /// True if the codec guarantees the tolerance with these values. Some metrics of engines do not measure the shell error.
    fn promises_with(&self, _values: &ParamValues) -> bool {
        self.info().promises_tolerance
    }
    /// The error that the codec keeps within the tolerance with these values.
    fn promise_with(&self, _values: &ParamValues) -> Promise {
        Promise::Largest
    }
    /// True if the tolerance is the only setting that most users change. Forms then fold the other settings away.
    fn has_one_knob(&self) -> bool {
        false
    }
    /// The compensation that the codec applies with these values. A compensation that a recipe asks for comes on top, unless it is the
    /// same.
    fn own_compensation(&self, _values: &ParamValues) -> Compensation {
        Compensation::default()
    }
    /// The encoder of the codec. `None` for `automatic`, which has no format: a search tries other codecs and stores the bytes of
    /// the one that wins.
    fn encoder(&self) -> Option<&dyn Encoder>;
}

/// A codec with a format of its own, for which the runtime has a decoder.
pub trait Encoder: Codec {
    /// Encodes the joints. [`encode_clip`](super::encode_clip) stores float tracks and held intervals around the payload.
    ///
    /// Equal sources and values give equal bytes with any number of threads.
    ///
    /// # Errors
    /// See [`EncodeError`].
    fn encode(&self, source: &Source<'_>, values: &ParamValues, progress: &Progress) -> Result<Encoded, EncodeError>;
    /// True if the codec can leave out the last sample of a clip that ends where it begins. By default this holds for codecs that
    /// bound the error of the other samples.
    fn leaves_out_last(&self, values: &ParamValues) -> bool {
        self.promises_with(values)
    }
    /// True if the decoded clip equals the source bit for bit. Such a codec is the fallback where no other keeps the tolerance.
    fn loses_nothing(&self) -> bool {
        false
    }
    /// The values, or similar ones, with which a decoder reads any time from the bytes as they are, at a cost that does not grow with the
    /// length of the clip: it expands nothing first, and does not scan again from the first key. `None` if it always has to.
    fn in_place(&self, values: &ParamValues) -> Option<ParamValues> {
        Some(values.clone())
    }
    /// True if its keys lie on splines, with tangents.
    fn keys_have_tangents(&self) -> bool {
        false
    }
    /// True if [`Encoder::replay`] shows how a track was fitted.
    fn can_replay(&self) -> bool {
        false
    }
    /// The fit of a track after some of its keys. `None` for codecs that do not insert keys. `payload` is the result of
    /// [`Encoder::encode`] for the same source and values.
    ///
    /// # Errors
    /// [`DecodeError`], if `payload` does not come from the same source and values.
    fn replay(
        &self,
        _source: &Source<'_>,
        _values: &ParamValues,
        _payload: &[u8],
        _track: &Replay<'_>,
    ) -> Result<Option<FittedCurve>, DecodeError> {
        Ok(None)
    }
}

impl std::fmt::Debug for dyn Codec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl PartialEq for dyn Codec {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
    }
}

/// A codec is serialized as its name.
impl Serialize for dyn Codec {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

impl std::fmt::Debug for dyn Encoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
