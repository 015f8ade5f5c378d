//! Tiers: bits that a clip does not need move to a second file, which may be absent.

use super::tier_search::Search;
use super::{planes_within, take_out};
use crate::codecs::{Cancelled, Codec, Progress, Source};
use crate::format::{ByteWriter, DecodeError};
use posepress_runtime::internal::codecs::press::{Contents, is_archive};
use posepress_runtime::internal::{ClipSections, TIER_VERSION, TIERED, TieredPayload};
use posepress_runtime::{BindPose, CodecId, join_tier};
use std::ops::Range;
use thiserror::Error;

/// The reasons why a clip cannot have tiers.
#[derive(Debug, Error, PartialEq, Clone)]
pub enum TierError {
    /// Other codecs have no bit planes.
    #[error("was made by {codec}; only press has tiers: use --codec press")]
    #[expect(missing_docs, reason = "the message says it")]
    OtherCodec { codec: &'static str },
    /// Values of an archive depend on all values before them.
    #[error("is in archive storage, from which no tier can be taken; use --set storage=runtime")]
    Archive,
    /// A compensation needs every sample as it was encoded.
    #[error("is compensated, which needs all bits of every frame; use --compensation none")]
    Compensated,
    /// The bytes are not a clip.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The job was cancelled.
    #[error("cancelled")]
    Cancelled,
}

impl From<Cancelled> for TierError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

/// A clip without its tier, and the tier.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TakenOut {
    /// A complete, playable clip.
    pub clip: Vec<u8>,
    /// The bytes from which [`posepress_runtime::join_tier`] restores the whole clip. Empty if nothing was taken out.
    pub tier: Vec<u8>,
}

/// Checks that a clip can have tiers.
///
/// # Errors
/// See [`TierError`].
pub fn check_tierable(codec: &dyn Codec, clip: &[u8]) -> Result<(), TierError> {
    if codec.id() != TIERED {
        return Err(TierError::OtherCodec { codec: codec.name() });
    }
    let sections = ClipSections::read(clip)?;
    if sections.compensation.is_some() {
        return Err(TierError::Compensated);
    }
    let payload = TieredPayload::find(codec.id(), clip)?;
    let is_archived = |(_, range): &(_, Range<usize>)| is_archive(&clip[range.clone()]);
    if payload.stretches().iter().any(is_archived) { Err(TierError::Archive) } else { Ok(()) }
}

/// Takes out the bits that a clip of press does not need.
///
/// The remaining clip has weighted errors within the tolerance of `source`, at `sub_frames` steps per sample. Where the clip itself exceeds
/// the tolerance, the error does not grow.
///
/// # Errors
/// See [`TierError`].
pub fn take_out_tier(
    source: &Source<'_>,
    sub_frames: usize,
    codec: CodecId,
    clip: &[u8],
    progress: &Progress,
) -> Result<TakenOut, TierError> {
    let bind = source.skeleton.shared_bind().map_err(DecodeError::from)?;
    let parts = Parts::read(codec, clip, bind)?;
    let search = Search::new(source, sub_frames, codec, &parts, clip)?;
    let mut share = 1.0;
    for _ in 0..ROUNDS {
        let taken = parts.take_out(codec, clip, &search.choose(share, progress)?);
        // While planes are chosen, long takes are not checked everywhere. This check is complete.
        if search.is_held(&taken.clip)? {
            return Ok(taken);
        }
        share *= TIGHTER;
    }
    Ok(TakenOut { clip: clip.to_vec(), tier: Vec::new() })
}

/// Attempts at choosing planes, each within a smaller part of the tolerance.
const ROUNDS: usize = 8;
const TIGHTER: f32 = 0.85;

/// Takes out the number of planes that `planes` returns for a block of samples and a track, as far as the track has them.
///
/// # Errors
/// See [`TierError`].
pub fn take_out_planes(
    codec: CodecId,
    clip: &[u8],
    bind: &BindPose,
    mut planes: impl FnMut(usize, usize) -> u8,
) -> Result<TakenOut, TierError> {
    let parts = Parts::read(codec, clip, bind.clone())?;
    let of_stretch = |(stretch, contents): (usize, &Contents)| {
        let tracks = contents.head.tracks.iter().enumerate();
        tracks.map(|(number, track)| planes_within(track, planes(stretch, number))).collect()
    };
    let planes: Vec<Vec<u8>> = parts.stretches.iter().enumerate().map(of_stretch).collect();
    Ok(parts.take_out(codec, clip, &planes))
}

/// The integers of a clip.
pub struct Parts {
    /// The payload that holds them.
    pub payload: TieredPayload,
    /// One per block of samples.
    pub stretches: Vec<Contents>,
    /// Bind pose of the clip's rig.
    bind: BindPose,
}

impl Parts {
    fn read(codec: CodecId, clip: &[u8], bind: BindPose) -> Result<Self, DecodeError> {
        let payload = TieredPayload::find(codec, clip)?;
        let read =
            |(header, range): &(_, Range<usize>)| Contents::read(header, &clip[range.clone()], &bind, usize::MAX);
        let stretches = payload.stretches().iter().map(read).collect::<Result<_, _>>()?;
        Ok(Self { payload, stretches, bind })
    }

    /// Takes out `planes`, given per block and track. Returns the whole clip if nothing would be taken out, or if it could not be put back.
    pub fn take_out(&self, codec: CodecId, clip: &[u8], planes: &[Vec<u8>]) -> TakenOut {
        let whole = TakenOut { clip: clip.to_vec(), tier: Vec::new() };
        if planes.iter().flatten().all(|planes| *planes == 0) {
            return whole;
        }
        let taken = self.stretches.iter().zip(planes);
        let taken = taken.map(|(contents, planes)| take_out(contents, planes, &self.bind));
        let (payloads, planes): (Vec<_>, Vec<_>) = taken.unzip();
        let without = self.payload.replaced(clip, &payloads).expect("memory");
        let mut tier = ByteWriter::new();
        tier.u8(TIER_VERSION);
        tier.u32(crc32fast::hash(&without));
        tier.u32(crc32fast::hash(clip));
        for planes in &planes {
            if self.stretches.len() > 1 {
                tier.u32(planes.len() as u32);
            }
            tier.bytes(planes);
        }
        let taken = TakenOut { clip: without, tier: tier.finish() };
        if join_tier(codec, &taken.clip, &taken.tier, &self.bind).is_ok_and(|joined| joined == clip) {
            taken
        } else {
            whole
        }
    }
}
