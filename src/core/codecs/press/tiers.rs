//! Tiers: bits that a clip can do without leave it for files that may be absent.

use super::tier_search::Search;
use super::{planes_within, take_out};
use crate::codecs::{Cancelled, Codec, Progress, Source};
use crate::format::{ByteWriter, DecodeError};
use posepress_runtime::internal::codecs::press::{PressIntegers, is_archive};
use posepress_runtime::internal::{ClipSections, TIER_VERSION, TIERED, TieredPayload};
use posepress_runtime::{CodecId, join_tier};
use std::ops::Range;
use thiserror::Error;

/// Why a clip cannot have tiers.
#[derive(Debug, Error, PartialEq, Clone)]
pub enum TierError {
    /// Other codecs have no bit planes.
    #[error("was made by {codec}; only press has tiers: take --codec press")]
    OtherCodec {
        /// Name of the codec.
        codec: &'static str,
    },
    /// PressIntegers of an archive depend on all before them.
    #[error("is in archive storage, which nothing can be taken out of; take --set storage=runtime")]
    Archive,
    /// What compensates reckons with every sample.
    #[error("is compensated, which takes every sample to be there; take --compensation none")]
    Compensated,
    /// The bytes are not those of a clip.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// Somebody asked to stop.
    #[error("cancelled")]
    Cancelled,
}

impl From<Cancelled> for TierError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

/// A clip without a tier, and the tier.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TakenOut {
    /// A clip like any other.
    pub clip: Vec<u8>,
    /// What [`posepress_runtime::join_tier`] makes it whole with; no bytes where nothing left.
    pub tier: Vec<u8>,
}

/// Says whether a clip can have tiers.
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

/// Takes out what a clip of press can do without: what is left decodes to poses within the tolerance of `source`, as far as the
/// errors of its joints count, at `sub_frames` steps a sample; where the clip itself is farther off, no farther than that.
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
    let parts = Parts::read(codec, clip)?;
    let search = Search::new(source, sub_frames, codec, &parts, clip)?;
    let mut share = 1.0;
    for _ in 0..ROUNDS {
        let taken = parts.take_out(codec, clip, &search.choose(share, progress)?);
        // Long takes are not looked at everywhere while planes are chosen: this is the proof.
        if search.is_held(&taken.clip)? {
            return Ok(taken);
        }
        share *= TIGHTER;
    }
    Ok(TakenOut { clip: clip.to_vec(), tier: Vec::new() })
}

/// Times that planes are chosen, each time within a smaller part of the tolerance.
const ROUNDS: usize = 8;
const TIGHTER: f32 = 0.85;

/// Takes out as many planes of each track as `planes` says by stretch and track, as far as it has them.
///
/// # Errors
/// See [`TierError`].
pub fn take_out_planes(
    codec: CodecId,
    clip: &[u8],
    mut planes: impl FnMut(usize, usize) -> u8,
) -> Result<TakenOut, TierError> {
    let parts = Parts::read(codec, clip)?;
    let of_stretch = |(stretch, integers): (usize, &PressIntegers)| {
        let tracks = integers.tracks.iter().enumerate();
        tracks.map(|(number, track)| planes_within(track, planes(stretch, number))).collect()
    };
    let planes: Vec<Vec<u8>> = parts.stretches.iter().enumerate().map(of_stretch).collect();
    Ok(parts.take_out(codec, clip, &planes))
}

/// The integers of a clip.
pub struct Parts {
    /// What they are in.
    pub payload: TieredPayload,
    /// One a stretch.
    pub stretches: Vec<PressIntegers>,
}

impl Parts {
    fn read(codec: CodecId, clip: &[u8]) -> Result<Self, DecodeError> {
        let payload = TieredPayload::find(codec, clip)?;
        let read = |(header, range): &(_, Range<usize>)| PressIntegers::read(header, &clip[range.clone()], usize::MAX);
        let stretches = payload.stretches().iter().map(read).collect::<Result<_, _>>()?;
        Ok(Self { payload, stretches })
    }

    /// `planes`: of each stretch, each track. Where nothing would leave, or could not be put back, nothing does.
    pub fn take_out(&self, codec: CodecId, clip: &[u8], planes: &[Vec<u8>]) -> TakenOut {
        let whole = TakenOut { clip: clip.to_vec(), tier: Vec::new() };
        if planes.iter().flatten().all(|planes| *planes == 0) {
            return whole;
        }
        let taken = self.stretches.iter().zip(self.payload.stretches()).zip(planes);
        let taken = taken.map(|((integers, (_, range)), planes)| take_out(integers, &clip[range.clone()], planes));
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
        if join_tier(codec, &taken.clip, &taken.tier).is_ok_and(|joined| joined == clip) { taken } else { whole }
    }
}
