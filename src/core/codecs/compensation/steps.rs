//! Encodes with one step of compensation after another, as far as each improves the bytes.

use super::correction_bytes::{CorrectionBytes, Corrections};
use super::decode::CorrectionSteps;
use super::job::{Attempt, Job};
use super::{Compensation, CompensationMethod, CompensationResult, LeftOff, Motion, additive, ik, in_place};
use crate::codecs::groups::encode_payload;
use crate::codecs::runtime::Stretches;
use crate::codecs::{EncodeError, Encoded, Encoder, ParamValues, Progress, Source};
use crate::metrics::limb_ends;

/// A codec's bytes, with the correction of their error.
#[derive(Debug, Clone, Default)]
pub struct CompensatedClip {
    pub encoded: Encoded,
    /// The corrections that `correction` was written from.
    corrections: Corrections,
    pub correction: Option<CorrectionBytes>,
    pub result: CompensationResult,
}

/// Encodes a clip with a codec and compensates its error. `values` must be validated.
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
    // For long takes, the compared motions would take more memory than the take itself.
    let is_short = Stretches::of(source.clip.joints(), source.clip.samples()).count() == 1;
    let own = if is_short { codec.own_compensation(values) } else { Compensation::default() };
    // What a recipe asks for is not done twice. It is reported as asked for.
    let own = Compensation { method: own.method.without(settings.method), ..own };
    let encode = |source: &Source<'_>, progress: &Progress| encode_alone(codec, source, values, &own, progress);
    if settings.is_none() {
        return encode(source, progress);
    }
    let alone = encode(source, &progress.share(0.0..ALONE_SHARE))?;
    if settings.loosen == 1.0 {
        // Corrections add to the size, unless other values replace it.
        progress.check_room(alone.len())?;
    }
    let rest = progress.share(ALONE_SHARE..1.0);
    let loose = Source { tolerance_m: source.tolerance_m * settings.loosen, ..*source };
    let is_loose = loose.tolerance_m != source.tolerance_m;
    let looser = if is_loose { encode(&loose, &rest.share(0.0..ALONE_SHARE))? } else { alone.clone() };
    let accuracy_m = settings.accuracy_m.unwrap_or(source.tolerance_m);
    let job = Job {
        codec,
        source: &loose,
        values,
        settings,
        accuracy_m,
        limb_accuracy_m: settings.limb_accuracy_m.unwrap_or(accuracy_m),
        raw: Motion::raw(source, 1),
        ends: ends(source, settings),
    };
    let (mut found, mut why) = compensate(&job, looser, &rest.share(ALONE_SHARE..1.0))?;
    while let Some(clip) = found.pop() {
        match judge(&job, source, &alone, &clip, is_loose)? {
            None => return Ok(clip.asked(settings.method, why)),
            Some(worse) => why = Some(worse),
        }
    }
    Ok(alone.asked(settings.method, why))
}

/// The codec's result without the recipe's compensation: its bytes, or its bytes with a compensation that is one of its own settings.
/// Further compensation may be added on top.
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
    let result = CompensationResult { asked: CompensationMethod::None, left_off: None, ..found.result };
    Ok(CompensatedClip { result, ..found })
}

/// Share of the progress for one plain encoding.
const ALONE_SHARE: f32 = 0.3;

impl CompensatedClip {
    /// The clip with its corrections, for a rig with that many joints.
    fn new(encoded: Encoded, corrections: Corrections, joints: usize) -> Self {
        let correction = corrections.write(joints);
        let applied = CompensationMethod::of_steps(corrections.steps);
        let result = CompensationResult { applied, tracks: correction.tracks, ..CompensationResult::default() };
        Self { encoded, corrections, correction: Some(correction), result }
    }

    /// Sets the method that a recipe asked for, and the reason if some of it is missing.
    fn asked(self, method: CompensationMethod, why: Option<LeftOff>) -> Self {
        let is_whole = self.result.applied.has(method);
        let left_off = if is_whole { None } else { why.or(Some(LeftOff::NothingToCorrect)) };
        Self { result: CompensationResult { asked: method, left_off, ..self.result }, ..self }
    }

    fn correction_bytes(&self) -> Option<&[u8]> {
        self.correction.as_ref().map(|s| s.bytes.as_slice())
    }

    fn len(&self) -> usize {
        self.encoded.payload.len() + self.correction_bytes().map_or(0, <[u8]>::len)
    }
}

/// The clip after each step that corrected something, and the reason why the first of the others did not.
fn compensate(
    job: &Job<'_>,
    plain: CompensatedClip,
    progress: &Progress,
) -> Result<(Vec<CompensatedClip>, Option<LeftOff>), EncodeError> {
    let steps: Vec<_> = CompensationMethod::STEPS.into_iter().filter(|step| job.settings.method.has(*step)).collect();
    let (mut clip, mut found, mut why) = (plain, Vec::new(), None);
    for (index, step) in steps.iter().enumerate() {
        let part = index as f32 / steps.len() as f32..(index + 1) as f32 / steps.len() as f32;
        match take(job, *step, &clip, &progress.share(part))? {
            Ok(next) => {
                clip = next;
                found.push(clip.clone());
            }
            Err(left_off) => why = why.or(Some(left_off)),
        }
    }
    Ok((found, why))
}

/// Applies one step to the result of the earlier steps.
fn take(
    job: &Job<'_>,
    step: CompensationMethod,
    clip: &CompensatedClip,
    progress: &Progress,
) -> Attempt<CompensatedClip> {
    let (joints, before) = (job.source.skeleton.len(), &clip.corrections);
    let with = |encoded: Encoded, corrections| CompensatedClip::new(encoded, corrections, joints);
    Ok(if step == CompensationMethod::InPlace {
        let steps = CorrectionSteps { in_place: true, ..before.steps };
        in_place::encode(job, &clip.encoded, progress)?
            .map(|encoded| with(encoded, Corrections { steps, ..before.clone() }))
    } else if step == CompensationMethod::Additive {
        let steps = CorrectionSteps { additive: true, ..before.steps };
        additive::encode(job, &clip.encoded, progress)?
            .map(|tracks| with(clip.encoded.clone(), Corrections { steps, tracks, ..before.clone() }))
    } else {
        ik::encode(job, &clip.encoded, before, progress)?.map(|corrections| with(clip.encoded.clone(), corrections))
    })
}

/// The reason why a compensated clip is worse than the codec's own result. `None` if it is not.
///
/// A codec that guarantees the tolerance must keep it: at the samples, and between them if the codec alone did so. If it worked with a
/// looser tolerance, the result must also be smaller, which is the purpose of loosening. Other codecs must get a smaller error, except with
/// inverse kinematics alone. That method improves the ends of limbs, and must raise no error above that of the codec alone or the requested
/// accuracy, at samples and halfway between: an error must not move to a knee.
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
    let (with, without) = rayon::join(|| errors(found), || errors(alone));
    let (with, without) = (with?, without?);
    if job.codec.promises_with(job.values) {
        let between_m = source.tolerance_m.max(without.1);
        if with.0 > source.tolerance_m || with.1 > between_m {
            return Ok(Some(LeftOff::OverTolerance));
        }
        return Ok((is_loose && found.len() >= alone.len()).then_some(LeftOff::NotSmaller));
    }
    let steps = found.result.applied.without(alone.result.applied);
    let is_nearer = steps == CompensationMethod::Ik || with.0 < without.0;
    let is_no_farther = !steps.has(CompensationMethod::Ik) || with.1 <= without.1.max(job.accuracy_m);
    Ok((!(is_nearer && is_no_farther)).then_some(LeftOff::NotNearer))
}

/// The joints that a recipe names, or else feet and hands.
fn ends(source: &Source<'_>, settings: &Compensation) -> Vec<usize> {
    if settings.limbs.is_empty() {
        return limb_ends(source.skeleton);
    }
    settings.limbs.iter().filter_map(|name| source.skeleton.find(name)).collect()
}
