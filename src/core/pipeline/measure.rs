//! Measurement of decoded bytes and external results against the raw clip.

use crate::clock::Instant;
use crate::codecs::{self, CandidateRow, EncodeError, EncodedClip, Encoder, Progress};
use crate::metrics::{ErrorReport, FloatError, ModelTrack, Open, measure, measure_pins};
use crate::model::Pose;
use crate::pipeline::outcome_bytes::{OutcomeBytes, open_shared, played};
use crate::pipeline::{CompressError, Encoding, Made, MeasuredClip, Outcome};
use crate::recipe::{JointLimits, Recipe};
use posepress_runtime::Opened;
use std::sync::Arc;

/// Encoded bytes that are not yet opened and measured.
pub(super) struct Encoded {
    /// The codec of the bytes.
    pub codec: &'static dyn Encoder,
    pub encoded: EncodedClip,
    /// `None` if the bytes were there.
    pub encode_secs: Option<f32>,
    /// The candidates that were tried.
    pub candidates: Vec<CandidateRow>,
}

/// Decodes a clip's bytes and measures the result. The bytes must have the shape of the raw clip.
///
/// # Errors
/// See [`CompressError`].
pub(super) fn measure_encoded(
    source: &MeasuredClip,
    recipe: &Recipe,
    encoded: Encoded,
    progress: &Progress,
) -> Result<Outcome, CompressError> {
    let Encoded { codec, encoded, encode_secs, candidates } = encoded;
    let encoded = Arc::new(encoded);
    let opened = open_shared(codec, &encoded, &source.rig)?;
    // Alone: work beside it would be in its time.
    let decode_secs_per_pose = decode_secs_per_pose(&opened);
    let decoded = decoded_track(source, &opened);
    progress.check().map_err(EncodeError::from)?;
    let of = source.clip.clone();
    let (lock, lod) = (None, None);
    let encoding = Encoding { codec, encoded, opened, of, encode_secs, decode_secs_per_pose, candidates, lock, lod };
    Ok(measured(source, recipe, Made::Here(encoding), Arc::new(decoded)))
}

/// Mean time to decode one pose during sequential playback.
pub(super) fn decode_secs_per_pose(opened: &Arc<Opened<OutcomeBytes>>) -> f32 {
    let (header, mut sampler) = (opened.header(), played(opened.clone()));
    let started = Instant::now();
    let mut pose = Pose::with_size(header.joints, header.float_tracks);
    for sample in 0..header.grid.samples() {
        sampler.sample(sample as f64, &mut pose);
    }
    started.elapsed().as_secs_f32() / header.grid.samples() as f32
}

/// Measures a decoded track against the raw clip, except for the error on the skin.
pub(crate) fn measured(source: &MeasuredClip, recipe: &Recipe, made: Made, decoded: Arc<ModelTrack>) -> Outcome {
    let MeasuredClip { rig, clip, raw, plan, pins, .. } = source;
    let JointLimits { shells_m, weights, floats, .. } = recipe.limits_of(rig, clip);
    let report = measure(rig, clip, raw, &decoded, plan, &shells_m, recipe.tolerance_m, &recipe.contacts);
    let report =
        ErrorReport { limits: recipe.limits(), ..report }.weighed(weights, raw.times()).promising(recipe.promise());
    let floats = FloatError::measure(raw, &decoded, &floats);
    let pins = measure_pins(raw, &decoded, pins, recipe.contacts.slide_limits(plan.scale));
    Outcome {
        recipe: recipe.clone(),
        shells_m: shells_m.into(),
        made,
        decoded,
        report: ErrorReport { floats, pins, ..report },
    }
}

/// The decoded poses at the steps of the raw track.
pub(super) fn decoded_track(source: &MeasuredClip, opened: &Arc<Opened<OutcomeBytes>>) -> ModelTrack {
    let header = opened.header();
    let (open, sub_frames) = (opens(source, opened), source.raw.sub_frames());
    ModelTrack::sampled_by(source.rig.clone(), open, header.grid, sub_frames, header.float_tracks)
}

/// The same, decoded when they are asked for.
pub(super) fn asked_track(source: &MeasuredClip, opened: &Arc<Opened<OutcomeBytes>>) -> ModelTrack {
    let header = opened.header();
    let (open, sub_frames) = (opens(source, opened), source.raw.sub_frames());
    ModelTrack::asked(source.rig.clone(), open, header.grid, sub_frames, header.float_tracks)
}

fn opens(source: &MeasuredClip, opened: &Arc<Opened<OutcomeBytes>>) -> Open {
    let (shared, clip) = (opened.clone(), source.clip.clone());
    Box::new(move || codecs::seen(played(shared.clone()), &clip))
}
