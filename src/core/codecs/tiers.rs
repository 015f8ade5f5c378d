//! Tiers: samples that a clip can do without leave it for files that may be absent.

use super::press::{Stays, take_out};
use super::tier_search::Search;
use super::{Cancelled, Codec, Progress, Source};
use crate::format::{ByteWriter, DecodeError};
use crate::metrics::ModelTrack;
use posepress_runtime::codecs::press::{RowMap, is_archive};
use posepress_runtime::{ClipSections, CodecId, TIER_VERSION, TIERED, TieredPayload};
use std::ops::Range;
use thiserror::Error;

/// Why a clip cannot have tiers.
#[derive(Debug, Error, PartialEq, Clone)]
pub enum TierError {
    /// Other codecs have no samples that are predicted from others.
    #[error("was made by {codec}; only press has tiers: take --codec press")]
    OtherCodec {
        /// Name of the codec.
        codec: &'static str,
    },
    /// Integers of an archive depend on all before them.
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
/// errors of its joints count, at every step of `raw`; where the clip itself is farther off, no farther than that.
///
/// # Errors
/// See [`TierError`].
pub fn take_out_tier(
    source: &Source<'_>,
    raw: &ModelTrack,
    codec: CodecId,
    clip: &[u8],
    progress: &Progress,
) -> Result<TakenOut, TierError> {
    let parts = Parts::read(codec, clip)?;
    let mut search = Search::new(source, raw, codec, &parts, clip)?;
    let mut stays = search.choose(progress)?;
    loop {
        let taken = parts.take_out(clip, &stays);
        // What a choice comes to is known beforehand to the bit of float32: this is the proof.
        if !search.give_back(&taken.clip, &mut stays)? {
            return Ok(taken);
        }
    }
}

/// Takes out what `stays` says: of each stretch, each of its segments, each of its tracks.
///
/// # Errors
/// See [`TierError`].
pub fn take_out_rows(
    codec: CodecId,
    clip: &[u8],
    mut stays: impl FnMut(usize, usize, usize) -> Stays,
) -> Result<TakenOut, TierError> {
    let parts = Parts::read(codec, clip)?;
    let of_stretch = |(stretch, map): (usize, &RowMap)| {
        let tracks = map.tracks.len();
        let of_segment = |segment| (0..tracks).map(|track| stays(stretch, segment, track)).collect();
        (0..map.segments.len()).map(of_segment).collect()
    };
    let stays: Vec<Vec<Vec<Stays>>> = parts.maps.iter().enumerate().map(of_stretch).collect();
    Ok(parts.take_out(clip, &stays))
}

/// Where rows lie in a clip.
pub struct Parts {
    /// What they are in.
    pub payload: TieredPayload,
    /// One a stretch.
    pub maps: Vec<RowMap>,
}

impl Parts {
    fn read(codec: CodecId, clip: &[u8]) -> Result<Self, DecodeError> {
        let payload = TieredPayload::find(codec, clip)?;
        let map = |(header, range): &(_, Range<usize>)| RowMap::read(header, &clip[range.clone()]);
        let maps = payload.stretches().iter().map(map).collect::<Result<_, _>>()?;
        Ok(Self { payload, maps })
    }

    /// `stays`: of each stretch, each segment, each track.
    pub fn take_out(&self, clip: &[u8], stays: &[Vec<Vec<Stays>>]) -> TakenOut {
        let taken = self.maps.iter().zip(self.payload.stretches()).zip(stays);
        let taken = taken.map(|((map, (_, range)), stays)| take_out(map, &clip[range.clone()], stays));
        let (payloads, rows): (Vec<_>, Vec<_>) = taken.unzip();
        let without = self.payload.replaced(clip, &payloads);
        if without == clip {
            return TakenOut { clip: without, tier: Vec::new() };
        }
        let mut tier = ByteWriter::new();
        tier.u8(TIER_VERSION);
        tier.u32(crc32fast::hash(&without));
        tier.u32(crc32fast::hash(clip));
        for rows in &rows {
            if self.maps.len() > 1 {
                tier.u32(rows.len() as u32);
            }
            tier.bytes(rows);
        }
        TakenOut { clip: without, tier: tier.finish() }
    }
}
