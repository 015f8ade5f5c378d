//! What a codec is: what it gets, what it gives, and what is known of it without running it.

use super::{
    Cancelled, ClipHeader, CodecId, Compensation, FittedCurve, JointGroup, Kept, KeptKeys, Ledger, NoRoom, Param,
    ParamError, ParamValues, Preset, Progress, Replay,
};
use crate::format::DecodeError;
use crate::metrics::{Weights, shell_error_sq};
use crate::model::{Clip, Skeleton};
use glam::Affine3A;
use serde::{Serialize, Serializer};
use thiserror::Error;

/// What an encoder gets.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The rig, whose bind pose the decoder will have too.
    pub skeleton: &'a Skeleton,
    /// What is to be compressed. Codecs see clips without a base.
    pub clip: &'a Clip,
    /// Largest shell error allowed.
    pub tolerance_m: f32,
    /// Distance from each joint at which its error is measured, one per joint.
    pub shells_m: &'a [f32],
    /// Joints whose error counts more, or less, at some of the samples.
    pub weights: Weights<'a>,
    /// How far each float track may be off, in its own units, one a track; tracks without a limit lose nothing.
    pub float_limits: &'a [f32],
    /// Joints that are kept in another way than the rest. Codecs see sources without.
    pub groups: &'a [JointGroup],
}

impl<'a> Source<'a> {
    /// A source whose joints all count once, and whose float tracks lose nothing.
    pub fn new(skeleton: &'a Skeleton, clip: &'a Clip, tolerance_m: f32, shells_m: &'a [f32]) -> Self {
        Self { skeleton, clip, tolerance_m, shells_m, weights: Weights::EVEN, float_limits: &[], groups: &[] }
    }

    /// What is true of the clip whatever its codec, as far as its payload goes.
    pub fn header(&self) -> ClipHeader {
        let clip = self.clip;
        let (joints, grid, looping) = (clip.joints(), clip.grid(), clip.is_looping());
        ClipHeader { joints, grid, float_tracks: 0, looping, additive: false }
    }

    /// True for a joint that is stored to the bit.
    pub fn is_exact(&self, joint: usize) -> bool {
        self.groups.iter().any(|group| !matches!(group.kept, Kept::With(_)) && group.joints.contains(&joint))
    }

    /// True when some joints are kept in another way than the rest.
    pub fn has_groups(&self) -> bool {
        !self.groups.is_empty()
    }

    /// True for a joint that is, at some samples or throughout.
    pub fn is_grouped(&self, joint: usize) -> bool {
        self.groups.iter().any(|group| group.has(joint))
    }

    /// Square of a joint's shell error under two matrices, times the square of what it counts at that sample; square metres.
    #[inline]
    pub fn error_sq(&self, sample: usize, joint: usize, raw: &Affine3A, model: &Affine3A) -> f32 {
        let weight = self.weights.at(sample, joint);
        shell_error_sq(raw, model, self.shells_m[joint]) * (weight * weight)
    }
}

/// Bytes and where they went.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Encoded {
    /// What the decoder reads.
    pub payload: Vec<u8>,
    /// Every bit of the payload, by owner and section.
    pub ledger: Ledger,
    /// Samples that are stored, for codecs that drop some; empty means all.
    pub kept: Vec<KeptKeys>,
}

/// Why encoding gave no bytes.
#[derive(Debug, Error, PartialEq, Clone)]
pub enum EncodeError {
    /// Somebody asked to stop.
    #[error("cancelled")]
    Cancelled,
    /// A parameter does not fit the codec.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// The clip cannot be held by this format.
    #[error("{0}")]
    Unsupported(String),
    /// It takes more than there is room for: at least that many bytes.
    #[error(transparent)]
    NoRoom(#[from] NoRoom),
}

impl From<Cancelled> for EncodeError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

/// What is known of a codec without running it.
#[derive(Debug)]
pub struct CodecInfo {
    /// Four bytes on disk, where it has bytes of its own.
    pub id: CodecId,
    /// Short name, lower case with dashes: `linear-keys`.
    pub name: &'static str,
    /// One sentence for people.
    pub summary: &'static str,
    /// Article or paper that it implements.
    pub source: &'static str,
    /// True when the encoder searches for the smallest bytes within the tolerance, and so promises it.
    pub promises_tolerance: bool,
    /// What the user may choose.
    pub params: &'static [Param],
    /// Choices that have a name of their own.
    pub presets: &'static [Preset],
}

/// What people choose to compress with, by its name, with its parameters.
pub trait Codec: Sync {
    /// What is known of it without running it.
    fn info(&self) -> &'static CodecInfo;
    /// Four bytes on disk.
    fn id(&self) -> CodecId {
        self.info().id
    }
    /// Short name, lower case with dashes: `linear-keys`.
    fn name(&self) -> &'static str {
        self.info().name
    }
    /// What the user may choose.
    fn params(&self) -> &'static [Param] {
        self.info().params
    }
    /// True when it promises the tolerance with these values too: some metrics that engines use do not look at it.
    fn promises_with(&self, _values: &ParamValues) -> bool {
        self.info().promises_tolerance
    }
    /// True where the tolerance is all that most people set: forms fold the rest away.
    fn has_one_knob(&self) -> bool {
        false
    }
    /// How its error is compensated with these values unless a recipe asks for the same; what else a recipe asks for comes on top.
    fn own_compensation(&self, _values: &ParamValues) -> Compensation {
        Compensation::default()
    }
    /// What makes its bytes. `None` for `automatic`, which has none of its own: a search tries others in its place, and
    /// what it finds is stored as the bytes of the codec that won.
    fn encoder(&self) -> Option<&dyn Encoder>;
}

/// A codec with bytes of its own, which the runtime has a decoder for.
pub trait Encoder: Codec {
    /// Encodes joints only; float tracks and held intervals are stored around the payload by
    /// [`encode_clip`](super::encode_clip).
    ///
    /// Equal sources and values give equal bytes, on however many threads.
    ///
    /// # Errors
    /// See [`EncodeError`].
    fn encode(&self, source: &Source<'_>, values: &ParamValues, progress: &Progress) -> Result<Encoded, EncodeError>;
    /// True when it need not get the last sample of a clip that ends where it began: as a rule where what that does to the other
    /// samples is bounded.
    fn leaves_out_last(&self, values: &ParamValues) -> bool {
        self.promises_with(values)
    }
    /// True when its bytes give back every bit: what is left when no other codec keeps a tolerance.
    fn loses_nothing(&self) -> bool {
        false
    }
    /// True when a decoder reads any moment from the bytes as they are, at a cost that does not grow with the clip: nothing is
    /// expanded first, and no scan begins anew at the first key.
    fn plays_in_place(&self, _values: &ParamValues) -> bool {
        true
    }
    /// True when fits can be seen again with [`Encoder::replay`].
    fn can_replay(&self) -> bool {
        false
    }
    /// The fit of a track as it was after some of its keys; `None` for codecs that do not insert keys. `payload` is what
    /// [`Encoder::encode`] made of the same source and values.
    ///
    /// # Errors
    /// [`DecodeError`], where it is not.
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

/// Files name the codec.
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
