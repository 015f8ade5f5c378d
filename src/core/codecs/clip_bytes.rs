use super::compensation::encode_compensated;
use super::encode::unreadable;
use super::compensation::{CompensatedClip, Compensation, CompensationResult, Correction};
use super::{
    AUTOMATIC, ClipHeader, Codec, CodecId, EncodeError, FittedCurve, KeptKeys, Ledger, ParamValues, Progress, Replay, Section, Source,
};
use crate::format::{ByteWriter, DecodeError};
use crate::math::Transform;
use crate::model::{Clip, Hold};
use posepress_runtime::codecs::payload_version;
use posepress_runtime::{ClipSections, Opened, Player};
use std::ops::Range;

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
    codec: &dyn Codec,
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
    codec: &dyn Codec,
    source: &Source<'_>,
    values: &ParamValues,
    compensation: &Compensation,
    progress: &Progress,
) -> Result<EncodedClip, EncodeError> {
    let values = values.validated(codec.params())?;
    check_shape(source)?;
    let clip = source.clip;
    progress.set_candidates(Vec::new());
    let compensated = encode_compensated(codec, source, &values, compensation, progress)?;
    let id = winner(codec.id(), &compensated.encoded.payload, &mut (0..compensated.encoded.payload.len()));
    let version = id.and_then(payload_version).map_err(|error| unreadable(&error))?;
    Ok(wrap(clip, compensated, version, codec.name()))
}

/// What a clip takes besides its payload, bytes.
pub(super) fn bytes_around(clip: &Clip) -> usize {
    wrap(clip, CompensatedClip::default(), 0, "nothing").bytes.len()
}

/// Puts everything that belongs to a clip around its payload.
fn wrap(clip: &Clip, compensated: CompensatedClip, version: u8, codec: &str) -> EncodedClip {
    let CompensatedClip { encoded, section, result } = compensated;
    let header = ClipHeader {
        joints: clip.joints(),
        grid: clip.grid(),
        float_tracks: clip.float_tracks(),
        looping: clip.is_looping(),
    };
    let mut out = ByteWriter::new();
    let mut ledger = encoded.ledger;
    write_header(&header, section.is_some(), &mut out);
    out.u32(1 + encoded.payload.len() as u32);
    out.u8(version);
    ledger.clip(Section::Header, 8 * out.len() as u64);
    out.bytes(&encoded.payload);
    let before_floats = out.len();
    write_floats(&mut out, clip);
    let before_holds = out.len();
    write_holds(&mut out, clip.holds());
    ledger.clip(Section::Floats, 8 * (before_holds - before_floats) as u64);
    ledger.clip(Section::Holds, 8 * (out.len() - before_holds) as u64);
    if let Some(section) = section {
        out.bytes(&section.bytes);
        ledger.extend(&section.ledger);
    }
    let bytes = out.finish();
    debug_assert_eq!(ledger.total_bits(), 8 * bytes.len() as u64, "{codec} loses bits in its ledger");
    EncodedClip { bytes, ledger, kept: encoded.kept, compensation: result }
}

/// Opens a clip's bytes, once for everyone who plays them. `bind` is the bind pose of the rig that the clip was made for.
///
/// # Errors
/// See [`DecodeError`]; any bytes are safe to pass.
pub fn open<B: AsRef<[u8]>>(codec: &dyn Codec, bytes: B, bind: &[Transform]) -> Result<Opened<B>, DecodeError> {
    let mut sections = ClipSections::read(bytes.as_ref())?;
    let id = winner(codec.id(), bytes.as_ref(), &mut sections.payload)?;
    Opened::from_sections(id, bytes, sections, bind)
}

/// As [`open`], for one player: its shape and a reader of it.
///
/// # Errors
/// See [`DecodeError`]; any bytes are safe to pass.
pub fn open_clip<'a>(
    codec: &dyn Codec,
    bytes: &'a [u8],
    bind: &[Transform],
) -> Result<(ClipHeader, Player<Box<Opened<&'a [u8]>>>), DecodeError> {
    let opened = open(codec, bytes, bind)?;
    Ok((*opened.header(), Player::new(Box::new(opened))))
}

/// The codec that made a payload, of which the id of the one that won is taken off.
pub(super) fn winner(codec: CodecId, bytes: &[u8], payload: &mut Range<usize>) -> Result<CodecId, DecodeError> {
    if codec != AUTOMATIC {
        return Ok(codec);
    }
    let left = payload.len();
    let id = bytes[payload.clone()].first_chunk::<4>();
    payload.start = (payload.start + 4).min(payload.end);
    id.map(|id| CodecId(*id)).ok_or(DecodeError::Truncated { what: "id of the codec", at: 0, needed: 4, left })
}

/// The stepped intervals stored with a clip.
///
/// # Errors
/// See [`DecodeError`]; any bytes are safe to pass.
pub fn clip_holds(bytes: &[u8]) -> Result<Vec<Hold>, DecodeError> {
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
/// and for clips compensated in place. Stepped intervals and other compensations, which lie on top of a codec's curves, are
/// not in it.
///
/// # Errors
/// See [`DecodeError`]; the bytes must be those of the same source and values.
pub fn replay_fit(
    codec: &dyn Codec,
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
    if let Some(Correction::InPlace) = correction(bytes, &sections)? {
        return Ok(None); // the codec fitted another clip than the source
    }
    codec.replay(source, values, &bytes[sections.payload], track)
}

fn correction(bytes: &[u8], sections: &ClipSections) -> Result<Option<Correction>, DecodeError> {
    let range = sections.compensation.clone();
    range.map(|range| Correction::read(&sections.header, &bytes[range])).transpose()
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

/// What [`ClipHeader::read`] reads.
fn write_header(header: &ClipHeader, is_compensated: bool, out: &mut ByteWriter) {
    out.u16(header.joints as u16);
    out.u16(header.float_tracks as u16);
    out.u32(header.grid.samples() as u32);
    out.f32(header.grid.duration_secs());
    let flag = |is_set: bool, flag: u16| if is_set { flag } else { 0 };
    out.u16(flag(header.looping, ClipHeader::LOOPING) | flag(is_compensated, ClipHeader::COMPENSATED));
}

pub fn write_floats(out: &mut ByteWriter, clip: &Clip) {
    for track in 0..clip.float_tracks() {
        let values: Vec<f32> = (0..clip.samples()).map(|s| clip.floats(s)[track]).collect();
        if values.iter().all(|v| *v == values[0]) {
            out.u8(0);
            out.f32(values[0]);
        } else {
            out.u8(1);
            values.iter().for_each(|v| out.f32(*v));
        }
    }
}

/// Count u32, then sample u32, joint u16 with the channel in the top two bits.
pub fn write_holds(out: &mut ByteWriter, holds: &[Hold]) {
    out.u32(holds.len() as u32);
    for hold in holds {
        out.u32(hold.sample);
        out.u16(hold.joint | (hold.channel as u16) << 14);
    }
}
