use super::carried::encode_carried;
use super::compensation::encode_compensated;
use super::compensation::{CompensatedClip, Compensation, CompensationResult, Correction};
use super::encode::{check_usable, played_error_m, unreadable};
use super::float_tracks::write_floats;
use super::wrapped::{holds_the_seam, stored_part, tolerance_without_last_m};
use super::{
    ClipHeader, Codec, EncodeError, Encoder, FittedCurve, KeptKeys, Ledger, ParamValues, Progress, Replay, Section,
    Source,
};
use crate::format::{ByteWriter, DecodeError, surrounded};
use crate::math::Transform;
use crate::model::{AddedSampler, Clip, Sampler};
use posepress_runtime::internal::codecs::payload_version;
use posepress_runtime::internal::parts::{Following, HELD_FLOAT, ScaleOffset};
use posepress_runtime::internal::{ClipSections, HeldIntervals, JointGroups};
use posepress_runtime::{BindPose, Opened, Player};
use serde::{Deserialize, Serialize};

/// A clip's bytes: header, codec payload, float tracks, held intervals and, if there is one, the compensation. This is what an engine
/// stores per clip.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EncodedClip {
    /// The complete bytes of the clip.
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
    /// Every bit of `bytes`.
    pub ledger: Ledger,
    /// The stored samples per track, for codecs that drop some. Empty if all are stored.
    pub kept: Vec<KeptKeys>,
    /// The outcome of the requested compensation.
    #[serde(with = "super::compensation::plain_result")]
    pub compensation: CompensationResult,
}

/// Encodes a clip completely.
///
/// # Errors
/// See [`EncodeError`].
pub fn encode_clip(
    codec: &dyn Encoder,
    source: &Source<'_>,
    values: &ParamValues,
    progress: &Progress,
) -> Result<EncodedClip, EncodeError> {
    encode_compensated_clip(codec, source, values, &Compensation::default(), progress)
}

/// Encodes a clip like [`encode_clip`], and compensates the codec's error.
///
/// # Errors
/// See [`EncodeError`].
pub fn encode_compensated_clip(
    codec: &dyn Encoder,
    source: &Source<'_>,
    values: &ParamValues,
    compensation: &Compensation,
    progress: &Progress,
) -> Result<EncodedClip, EncodeError> {
    let values = values.validated(codec.params())?;
    check_shape(source)?;
    let source = &Source { promise: codec.promise_with(&values), ..*source };
    let how = How { codec, values: &values, compensation, additive: source.clip.base().is_some() };
    encode_carried(codec, source, &values, progress, |carried, offsets| how.encode(carried, offsets, progress))
}

/// The inputs that are the same for all sources of a clip.
struct How<'a> {
    codec: &'a dyn Encoder,
    values: &'a ParamValues,
    compensation: &'a Compensation,
    /// True if the sources carry an additive clip.
    additive: bool,
}

impl How<'_> {
    /// Encodes a clip with or without its last sample.
    fn encode(
        &self,
        source: &Source<'_>,
        offsets: &[ScaleOffset],
        progress: &Progress,
    ) -> Result<EncodedClip, EncodeError> {
        let Self { codec, values, compensation, .. } = *self;
        let whole = || {
            let compensated = encode_compensated(codec, source, values, compensation, progress)?;
            self.wrap(source, compensated, offsets, false)
        };
        let Some(stored) = stored_part(codec, source, values) else { return whole() };
        let without_last = Source { clip: &stored, tolerance_m: tolerance_without_last_m(source), ..*source };
        let compensated = encode_compensated(codec, &without_last, values, compensation, progress)?;
        let wrapped = self.wrap(source, compensated, offsets, true)?;
        if holds_the_seam(codec, source, values, &wrapped.bytes)? { Ok(wrapped) } else { whole() }
    }

    /// Adds the other sections around a payload, which may be that of a loop without its last sample.
    fn wrap(
        &self,
        source: &Source<'_>,
        compensated: CompensatedClip,
        offsets: &[ScaleOffset],
        is_wrapped: bool,
    ) -> Result<EncodedClip, EncodeError> {
        let Self { codec, additive, .. } = *self;
        let clip = source.clip;
        let CompensatedClip { encoded, correction, result, .. } = compensated;
        let header = ClipHeader { float_tracks: clip.float_tracks(), additive, ..source.header() };
        let grid = if is_wrapped { header.grid.without_last() } else { header.grid };
        let stored = ClipHeader { grid, ..header };
        let version = payload_version(codec.id(), &stored).map_err(|e| unreadable(codec, &e))?;
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        let mut head = ByteWriter::new();
        let mut ledger = encoded.ledger;
        let following = Following { scale_offsets: !offsets.is_empty(), compensation: correction.is_some() };
        write_header(&header, following, &mut head);
        head.u32(1 + encoded.payload.len() as u32);
        head.u8(version | flag(source.has_groups(), JointGroups::FLAG) | flag(is_wrapped, ClipSections::WRAPPED));
        ledger.clip(Section::Header, 8 * head.len() as u64);
        let mut tail = ByteWriter::new();
        let limits = if codec.loses_nothing() { &[][..] } else { source.float_limits };
        write_floats(&mut tail, source, limits);
        let float_bytes = tail.len();
        write_holds(&mut tail, clip);
        let hold_bytes = tail.len() - float_bytes;
        write_scale_offsets(offsets, &mut tail);
        ledger.clip(Section::Floats, 8 * float_bytes as u64);
        ledger.clip(Section::Holds, 8 * hold_bytes as u64);
        ledger.clip(Section::Constant, 8 * (tail.len() - float_bytes - hold_bytes) as u64);
        if let Some(correction) = correction {
            tail.bytes(&correction.bytes);
            ledger.extend(&correction.ledger);
        }
        let bytes = surrounded(&head.finish(), encoded.payload, &tail.finish());
        debug_assert_eq!(ledger.total_bits(), 8 * bytes.len() as u64, "{} loses bits in its ledger", codec.name());
        Ok(EncodedClip { bytes, ledger, kept: encoded.kept, compensation: result })
    }
}

/// Opens a clip's bytes for any number of players. `bind` is the bind pose of the rig that the clip was made for.
///
/// # Errors
/// See [`DecodeError`]. Any bytes are safe to pass.
pub fn open<B: AsRef<[u8]>>(codec: &dyn Codec, bytes: B, bind: &[Transform]) -> Result<Opened<B>, DecodeError> {
    Opened::new(codec.id(), bytes, &BindPose::new(bind.iter().copied())?)
}

/// Like [`open`], with a copy of the bytes that sampling reads, as a game keeps them.
///
/// # Errors
/// See [`DecodeError`]. Any bytes are safe to pass.
pub fn open_owned(codec: &dyn Codec, bytes: &[u8], bind: &[Transform]) -> Result<Opened<Vec<u8>>, DecodeError> {
    Opened::owned(codec.id(), bytes, &BindPose::new(bind.iter().copied())?)
}

/// A player of borrowed bytes.
pub type BorrowingPlayer<'a> = Player<Box<Opened<&'a [u8]>>>;

/// Opens a clip's bytes for one player. Returns its header and the player.
///
/// # Errors
/// See [`DecodeError`]. Any bytes are safe to pass.
pub fn open_clip<'a>(
    codec: &dyn Codec,
    bytes: &'a [u8],
    bind: &[Transform],
) -> Result<(ClipHeader, BorrowingPlayer<'a>), DecodeError> {
    let opened = open(codec, bytes, bind)?;
    Ok((opened.header(), Player::new(Box::new(opened))?))
}

/// Measures decoded clips of one source. Made for comparing many encodings.
#[derive(Debug)]
pub struct ClipProbe<'a> {
    source: &'a Source<'a>,
}

impl<'a> ClipProbe<'a> {
    /// Checks the source.
    ///
    /// # Errors
    /// [`EncodeError::Unsupported`] if the source has coordinates that a codec cannot blend.
    pub fn new(source: &'a Source<'a>) -> Result<Self, EncodeError> {
        check_usable(source.clip)?;
        Ok(Self { source })
    }

    /// Largest shell error at the samples of a decoded clip, metres.
    ///
    /// # Errors
    /// [`EncodeError::Unsupported`] if the codec cannot read its own bytes.
    pub fn error_m(&self, codec: &dyn Encoder, bytes: &[u8]) -> Result<f32, EncodeError> {
        let bind = self.source.skeleton.bind_pose(0).joints;
        let (header, player) = open_clip(codec, bytes, &bind).map_err(|e| unreadable(codec, &e))?;
        let mut player = seen(player, self.source.clip);
        Ok(played_error_m(&mut *player, 0, header.grid.steps(1), self.source))
    }
}

/// The poses that a player shows. The differences of an additive clip are added to its base.
pub fn seen<'a>(player: impl Sampler + Send + 'a, of: &Clip) -> Box<dyn Sampler + Send + 'a> {
    match of.base() {
        None => Box::new(player),
        Some(base) => Box::new(AddedSampler::new(player, base.clone(), of.grid())),
    }
}

/// The stepped intervals stored with a clip.
///
/// # Errors
/// See [`DecodeError`]. Any bytes are safe to pass.
pub fn clip_holds(bytes: &[u8]) -> Result<HeldIntervals, DecodeError> {
    Ok(ClipSections::read(bytes)?.holds)
}

/// The compensation in a clip's bytes.
///
/// # Errors
/// See [`DecodeError`]. Any bytes are safe to pass.
pub fn clip_compensation(bytes: &[u8]) -> Result<CompensationResult, DecodeError> {
    Ok(correction(bytes, &ClipSections::read(bytes)?)?.map(|c| CompensationResult::of(&c)).unwrap_or_default())
}

/// The fit of a track of an encoded clip after some of its keys.
///
/// Returns `None` for codecs that do not insert keys, and for clips that are additive, compensated in place, have groups of joints or
/// raised scales. The curve does not contain stepped intervals and other compensations, which lie on top of it.
///
/// # Errors
/// See [`DecodeError`]. The bytes must come from the same source and values.
pub fn replay_fit(
    codec: &dyn Encoder,
    source: &Source<'_>,
    values: &ParamValues,
    bytes: &[u8],
    track: &Replay<'_>,
) -> Result<Option<FittedCurve>, DecodeError> {
    let sections = ClipSections::read(bytes)?;
    let (header, clip) = (sections.header, source.clip);
    if header.joints != source.skeleton.len() || header.joints != clip.joints() || header.grid != clip.grid() {
        return Err(DecodeError::invalid("clip", 0, "another shape", "that of its source"));
    }
    let is_other = header.additive || sections.is_grouped || !sections.scale_offsets.is_empty();
    if is_other || correction(bytes, &sections)?.is_some_and(|c| c.steps.in_place) {
        return Ok(None); // the codec fitted another clip than the source
    }
    let stored = sections.is_wrapped.then(|| clip.without_last());
    let source = Source { clip: stored.as_ref().unwrap_or(clip), ..*source };
    codec.replay(&source, values, &bytes[sections.payload], track)
}

fn correction(bytes: &[u8], sections: &ClipSections) -> Result<Option<Correction>, DecodeError> {
    let range = sections.compensation.clone();
    range.map(|range| Correction::read(&sections.stored(), &bytes[range])).transpose()
}

fn check_shape(source: &Source<'_>) -> Result<(), EncodeError> {
    let (clip, rig) = (source.clip, source.skeleton.len());
    if clip.joints() != rig || source.shells_m.len() != rig {
        let found = clip.joints();
        return Err(EncodeError::Unsupported(format!("clip '{}' has {found} joints, its rig {rig}", clip.name())));
    }
    if clip.samples() > ClipHeader::MAX_SAMPLES || clip.float_tracks() > usize::from(u16::MAX) {
        let max = ClipHeader::MAX_SAMPLES;
        return Err(EncodeError::Unsupported(format!("clip '{}' is longer than {max} samples; split it", clip.name())));
    }
    Ok(())
}

/// Writes what [`ScaleOffset::read_all`] reads. Writes nothing if there are no offsets.
fn write_scale_offsets(offsets: &[ScaleOffset], out: &mut ByteWriter) {
    if offsets.is_empty() {
        return;
    }
    out.u16(offsets.len() as u16);
    for ScaleOffset { joint, offset } in offsets {
        out.u16(*joint);
        offset.to_array().into_iter().for_each(|number| out.f32(number));
    }
}

/// Writes what [`ClipHeader::read`] reads.
fn write_header(header: &ClipHeader, following: Following, out: &mut ByteWriter) {
    out.u16(header.joints as u16);
    out.u16(header.float_tracks as u16);
    out.u32(header.grid.samples() as u32);
    out.f32(header.grid.duration_secs());
    let flag = |is_set: bool, flag: u16| if is_set { flag } else { 0 };
    let (looping, additive) = (flag(header.looping, ClipHeader::LOOPING), flag(header.additive, ClipHeader::ADDITIVE));
    let following = flag(following.compensation, ClipHeader::COMPENSATED)
        | flag(following.scale_offsets, ClipHeader::SCALE_OFFSETS);
    out.u16(looping | additive | following);
}

/// Writes the number of intervals as u32. Each interval has its sample as u32, and its joint as u16 with the channel in the top two bits.
/// Held float tracks have the track's number in place of the joint.
pub fn write_holds(out: &mut ByteWriter, clip: &Clip) {
    out.u32((clip.holds().len() + clip.float_holds().len()) as u32);
    for hold in clip.holds() {
        out.u32(hold.sample);
        out.u16(hold.joint | (hold.channel as u16) << 14);
    }
    for hold in clip.float_holds() {
        out.u32(hold.sample);
        out.u16(hold.track | HELD_FLOAT << 14);
    }
}
