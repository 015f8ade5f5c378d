use super::carried::encode_carried;
use super::compensation::encode_compensated;
use super::compensation::{CompensatedClip, Compensation, CompensationResult, Correction};
use super::encode::{check_usable, played_error_m, unreadable};
use super::float_tracks::write_floats;
use super::wrapped::{holds_the_seam, stored_part};
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
use posepress_runtime::{Opened, Player};

/// A clip's bytes: header, codec payload, float tracks, held intervals and, where there is one, the compensation. This is
/// what an engine keeps a clip.
#[derive(Debug, Clone, PartialEq)]
pub struct EncodedClip {
    /// All that belongs to the clip.
    pub bytes: Vec<u8>,
    /// Every bit of `bytes`.
    pub ledger: Ledger,
    /// Samples that are stored, for codecs that drop some; empty means all.
    pub kept: Vec<KeptKeys>,
    /// What became of the compensation that was asked for.
    pub compensation: CompensationResult,
}

/// Encodes a clip with everything that belongs to it.
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

/// As [`encode_clip`], and compensates the codec's error.
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
    let how = How { codec, values: &values, compensation, additive: source.clip.base().is_some() };
    encode_carried(codec, source, &values, progress, |carried, offsets| how.encode(carried, offsets, progress))
}

/// What does not change from one source of a clip to another.
struct How<'a> {
    codec: &'a dyn Encoder,
    values: &'a ParamValues,
    compensation: &'a Compensation,
    /// Sources are what carries an additive clip.
    additive: bool,
}

impl How<'_> {
    /// Encodes a clip as it is, or without its last sample.
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
        let without_last = Source { clip: &stored, ..*source };
        let compensated = encode_compensated(codec, &without_last, values, compensation, progress)?;
        let wrapped = self.wrap(source, compensated, offsets, true)?;
        if holds_the_seam(codec, source, values, &wrapped.bytes)? { Ok(wrapped) } else { whole() }
    }

    /// Puts everything that belongs to a clip around its payload, which may be that of a loop without its last sample.
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

/// Opens a clip's bytes, once for everyone who plays them. `bind` is the bind pose of the rig that the clip was made for.
///
/// # Errors
/// See [`DecodeError`]; any bytes are safe to pass.
pub fn open<B: AsRef<[u8]>>(codec: &dyn Codec, bytes: B, bind: &[Transform]) -> Result<Opened<B>, DecodeError> {
    Opened::new(codec.id(), bytes, bind)
}

/// Plays a clip whose bytes somebody else keeps.
pub type BorrowingPlayer<'a> = Player<Box<Opened<&'a [u8]>>>;

/// As [`open`], for one player: its shape and a reader of it.
///
/// # Errors
/// See [`DecodeError`]; any bytes are safe to pass.
pub fn open_clip<'a>(
    codec: &dyn Codec,
    bytes: &'a [u8],
    bind: &[Transform],
) -> Result<(ClipHeader, BorrowingPlayer<'a>), DecodeError> {
    let opened = open(codec, bytes, bind)?;
    Ok((*opened.header(), Player::new(Box::new(opened))?))
}

/// Measures what clips of one source decode to, for those who compare many.
#[derive(Debug)]
pub struct ClipProbe<'a> {
    source: &'a Source<'a>,
}

impl<'a> ClipProbe<'a> {
    /// Checks the source.
    ///
    /// # Errors
    /// [`EncodeError::Unsupported`], where its coordinates are none that a codec can blend.
    pub fn new(source: &'a Source<'a>) -> Result<Self, EncodeError> {
        check_usable(source.clip)?;
        Ok(Self { source })
    }

    /// Largest shell error at the samples, metres, of what a clip's bytes decode to.
    ///
    /// # Errors
    /// [`EncodeError::Unsupported`], where the codec cannot read what it wrote.
    pub fn error_m(&self, codec: &dyn Encoder, bytes: &[u8]) -> Result<f32, EncodeError> {
        let bind = self.source.skeleton.bind_pose(0).joints;
        let (header, player) = open_clip(codec, bytes, &bind).map_err(|e| unreadable(codec, &e))?;
        let mut player = seen(player, self.source.clip);
        Ok(played_error_m(&mut *player, 0, header.grid.steps(1), self.source))
    }
}

/// What is seen of a clip's decoded poses: differences are put on the clip's base.
pub fn seen<'a>(player: impl Sampler + Send + 'a, of: &Clip) -> Box<dyn Sampler + Send + 'a> {
    match of.base() {
        None => Box::new(player),
        Some(base) => Box::new(AddedSampler::new(player, base.clone(), of.grid())),
    }
}

/// The stepped intervals stored with a clip.
///
/// # Errors
/// See [`DecodeError`]; any bytes are safe to pass.
pub fn clip_holds(bytes: &[u8]) -> Result<HeldIntervals, DecodeError> {
    Ok(ClipSections::read(bytes)?.holds)
}

/// What compensation a clip's bytes hold.
///
/// # Errors
/// See [`DecodeError`]; any bytes are safe to pass.
pub fn clip_compensation(bytes: &[u8]) -> Result<CompensationResult, DecodeError> {
    Ok(correction(bytes, &ClipSections::read(bytes)?)?.map(|c| CompensationResult::of(&c)).unwrap_or_default())
}

/// The fit of a track of an encoded clip as it was after some of its keys; `None` for codecs that do not insert keys,
/// for clips compensated in place or with groups of joints, for additive ones, and for those whose scales vanish. Stepped intervals and other
/// compensations, which lie on top of a codec's curves, are
/// not in it.
///
/// # Errors
/// See [`DecodeError`]; the bytes must be those of the same source and values.
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

/// What [`ScaleOffset::read_all`] reads; nothing where there are none.
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

/// What [`ClipHeader::read`] reads.
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

/// Count u32, then sample u32, joint u16 with the channel in the top two bits; of float tracks their number.
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
