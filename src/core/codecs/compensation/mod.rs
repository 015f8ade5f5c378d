//! Error compensation for any codec (Animation Compression: Error Compensation): in place, with additive tracks, or by
//! inverse kinematics.
//!
//! It wraps a codec: the codec encodes, its bytes are decoded, and what they lack is measured and given back. Whatever is
//! stored lies in a section of its own at the end of a clip's bytes and is judged by what the whole decodes to; where it
//! makes nothing better, it is left off, and the clip says why.

mod additive;
mod correction_bytes;
use posepress_runtime::compensation as decode;
mod ik;
mod in_place;
mod motion;
mod retarget;
mod settings;
mod track;

pub use decode::Correction;
pub use motion::Motion;
pub use settings::{Compensation, CompensationMethod};

use super::groups::encode_payload;
use super::runtime::Stretches;
use super::{EncodeError, Encoded, Encoder, ParamValues, Progress, Source};
use crate::metrics::limb_ends;
use correction_bytes::CorrectionBytes;
use serde::Serialize;

/// What became of the compensation that a recipe asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize)]
pub struct CompensationResult {
    /// What the recipe asked for.
    pub asked: CompensationMethod,
    /// What the bytes hold.
    pub applied: CompensationMethod,
    /// Extra tracks.
    pub tracks: usize,
    /// Why less was applied than asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_off: Option<LeftOff>,
}

impl CompensationResult {
    /// Of bytes that were read; what was asked for is no longer known.
    pub(super) fn of(correction: &Correction) -> Self {
        let (applied, tracks) = match correction {
            Correction::InPlace => (CompensationMethod::InPlace, 0),
            Correction::Additive(tracks) => (CompensationMethod::Additive, tracks.len()),
            Correction::Ik { offsets, .. } => (CompensationMethod::Ik, offsets.len()),
        };
        Self { asked: applied, applied, tracks, left_off: None }
    }
}

/// Why a compensation was left off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeftOff {
    /// No joint is off by more than what would be corrected.
    NothingToCorrect,
    /// The largest error would be no smaller.
    NotNearer,
    /// The codec promises the tolerance, and the result would not keep it.
    OverTolerance,
    /// The codec alone holds the tolerance in as few bytes.
    NotSmaller,
}

impl LeftOff {
    /// For people.
    pub fn text(self) -> &'static str {
        match self {
            Self::NothingToCorrect => "nothing is off by more than the accuracy",
            Self::NotNearer => "the largest error would be no smaller",
            Self::OverTolerance => "the result would be over the tolerance that the codec promises",
            Self::NotSmaller => "the codec alone holds the tolerance in as few bytes",
        }
    }
}

/// A codec's bytes, and those that bring what they decode to nearer to the original.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CompensatedClip {
    pub encoded: Encoded,
    pub correction: Option<CorrectionBytes>,
    pub result: CompensationResult,
}

/// What one compensation works with.
struct Job<'a> {
    codec: &'a dyn Encoder,
    /// With the codec's tolerance.
    source: &'a Source<'a>,
    values: &'a ParamValues,
    settings: &'a Compensation,
    /// See [`Compensation::accuracy_m`].
    accuracy_m: f32,
    raw: Motion,
    /// Ends of limbs.
    ends: Vec<usize>,
}

impl Job<'_> {
    /// What bytes decode to at every sample.
    fn decoded(&self, encoded: &Encoded, correction: Option<&CorrectionBytes>) -> Result<Motion, EncodeError> {
        let correction = correction.map(|s| s.bytes.as_slice());
        Motion::decoded(self.codec, self.source, &encoded.payload, correction, 1)
    }
}

/// Encodes a clip with a codec and compensates its error. `values`: checked.
///
/// # Errors
/// See [`EncodeError`].
pub fn encode_compensated(
    codec: &dyn Encoder,
    source: &Source<'_>,
    values: &ParamValues,
    settings: &Compensation,
    progress: &Progress,
) -> Result<CompensatedClip, EncodeError> {
    // Of long takes the motions that are compared would outweigh the take.
    let is_short = Stretches::of(source.clip.joints(), source.clip.samples()).count() == 1;
    let own = if is_short { codec.own_compensation(values) } else { Compensation::default() };
    // What a recipe asks for by itself is not done twice, and is told as what was asked for.
    let own = if own.method == settings.method { Compensation::default() } else { own };
    let encode = |source: &Source<'_>, progress: &Progress| encode_alone(codec, source, values, &own, progress);
    if settings.is_none() {
        return encode(source, progress);
    }
    let alone = encode(source, &progress.share(0.0..ALONE_SHARE))?;
    if settings.loosen == 1.0 {
        // Corrections add to it, or other values take its place.
        progress.check_room(alone.len())?;
    }
    let rest = progress.share(ALONE_SHARE..1.0);
    let loose = Source { tolerance_m: source.tolerance_m * settings.loosen, ..*source };
    let is_loose = loose.tolerance_m != source.tolerance_m;
    let looser = if is_loose { encode(&loose, &rest.share(0.0..ALONE_SHARE))? } else { alone.clone() };
    let job = Job {
        codec,
        source: &loose,
        values,
        settings,
        accuracy_m: settings.accuracy_m.unwrap_or(source.tolerance_m),
        raw: Motion::raw(source, 1),
        ends: ends(source, settings),
    };
    let judged = match compensate(&job, looser.encoded, &rest.share(ALONE_SHARE..1.0))? {
        Ok((encoded, correction)) => {
            let found = CompensatedClip::new(encoded, correction, settings.method);
            judge(&job, source, &alone, &found, is_loose)?.map_or(Ok(found), Err)
        }
        Err(why) => Err(why),
    };
    Ok(judged.unwrap_or_else(|why| alone.left_off(settings.method, why)))
}

/// What a codec gives by itself: its bytes, or those with the compensation that is one of its own parameters, on top of which
/// others may come.
fn encode_alone(
    codec: &dyn Encoder,
    source: &Source<'_>,
    values: &ParamValues,
    own: &Compensation,
    progress: &Progress,
) -> Result<CompensatedClip, EncodeError> {
    if own.is_none() {
        let encoded = encode_payload(codec, source, values, progress)?;
        return Ok(CompensatedClip { encoded, ..CompensatedClip::default() });
    }
    let found = encode_compensated(codec, source, values, own, progress)?;
    let result =
        CompensationResult { applied: found.result.applied, tracks: found.result.tracks, ..Default::default() };
    Ok(CompensatedClip { result, ..found })
}

/// Share of the work that encoding once is taken for.
const ALONE_SHARE: f32 = 0.3;

impl CompensatedClip {
    fn new(encoded: Encoded, correction: CorrectionBytes, method: CompensationMethod) -> Self {
        let result = CompensationResult { asked: method, applied: method, tracks: correction.tracks, left_off: None };
        Self { encoded, correction: Some(correction), result }
    }

    fn left_off(self, method: CompensationMethod, why: LeftOff) -> Self {
        Self { result: CompensationResult { asked: method, left_off: Some(why), ..self.result }, ..self }
    }

    fn correction_bytes(&self) -> Option<&[u8]> {
        self.correction.as_ref().map(|s| s.bytes.as_slice())
    }

    fn len(&self) -> usize {
        self.encoded.payload.len() + self.correction_bytes().map_or(0, <[u8]>::len)
    }
}

/// What a method gives: bytes of its own or those of the codec, and what is stored with them.
type Attempt<T> = Result<Result<T, LeftOff>, EncodeError>;

/// Bytes with what compensates their error, or why there are none.
fn compensate(job: &Job<'_>, plain: Encoded, progress: &Progress) -> Attempt<(Encoded, CorrectionBytes)> {
    Ok(match job.settings.method {
        CompensationMethod::None => Err(LeftOff::NothingToCorrect),
        CompensationMethod::InPlace => {
            in_place::encode(job, &plain, progress)?.map(|encoded| (encoded, CorrectionBytes::in_place()))
        }
        CompensationMethod::Additive => additive::encode(job, &plain, progress)?.map(|correction| (plain, correction)),
        CompensationMethod::Ik => ik::encode(job, &plain, progress)?.map(|correction| (plain, correction)),
    })
}

/// Why a compensated clip is worse than what the codec gives alone, `None` where it is not.
///
/// A codec that promises the tolerance keeps the promise: at the samples, and between them where it held there alone. Where
/// it worked under a looser one, the result must be smaller, too; that is what it was loosened for. Other codecs must come
/// nearer. Inverse kinematics, which is there for the ends of limbs, must bring nothing farther away than the codec alone
/// or the accuracy that was asked for has it, at samples and halfway between them: a knee is no better place for an error.
fn judge(
    job: &Job<'_>,
    source: &Source<'_>,
    alone: &CompensatedClip,
    found: &CompensatedClip,
    is_loose: bool,
) -> Result<Option<LeftOff>, EncodeError> {
    let raw = Motion::raw(source, 2);
    let errors = |clip: &CompensatedClip| -> Result<(f32, f32), EncodeError> {
        let halves = Motion::decoded(job.codec, source, &clip.encoded.payload, clip.correction_bytes(), 2)?;
        let at_halves = Source { weights: source.weights.at_steps(2), ..*source };
        Ok((halves.error_every_m(&raw, &at_halves, 2), halves.error_m(&raw, &at_halves)))
    };
    let (with, without) = (errors(found)?, errors(alone)?);
    if job.codec.promises_with(job.values) {
        let between_m = source.tolerance_m.max(without.1);
        if with.0 > source.tolerance_m || with.1 > between_m {
            return Ok(Some(LeftOff::OverTolerance));
        }
        return Ok((is_loose && found.len() >= alone.len()).then_some(LeftOff::NotSmaller));
    }
    let (with_m, without_m) = (with.1, without.1.max(job.accuracy_m));
    let is_nearer = match found.result.applied {
        CompensationMethod::Ik => with_m <= without_m,
        _ => with.0 < without.0,
    };
    Ok((!is_nearer).then_some(LeftOff::NotNearer))
}

/// The joints that a recipe names, else feet and hands.
fn ends(source: &Source<'_>, settings: &Compensation) -> Vec<usize> {
    if settings.limbs.is_empty() {
        return limb_ends(source.skeleton);
    }
    settings.limbs.iter().filter_map(|name| source.skeleton.find(name)).collect()
}
