use crate::clock::Instant;
use crate::codecs::{self, EncodeError, Progress, SearchRules, Source};
use crate::metrics::measure_vertices as vertex_report;
use crate::pipeline::encoder_limits::encoder_limits;
use crate::pipeline::hold::hold;
use crate::pipeline::measure::{Encoded, measure_encoded};
use crate::pipeline::{CompressError, Feet, Found, MeasuredClip, Outcome, search};
use crate::recipe::{JointLimits, Recipe};

/// Encodes a clip to bytes, decodes those bytes and measures the result. There is no other path from a clip to measured numbers.
///
/// ```
/// use glam::{Quat, Vec3};
/// use posepress_core::codecs::Progress;
/// use posepress_core::math::Transform;
/// use posepress_core::model::{Clip, ClipData, Joint, Rig, Skeleton};
/// use posepress_core::pipeline::{MeasuredClip, compress};
/// use posepress_core::recipe::Recipe;
/// use std::sync::Arc;
///
/// // One joint that turns about z for one second at 30 Hz.
/// let bind = Transform { rotation: Quat::IDENTITY, translation: Vec3::ZERO, scale: Vec3::ONE };
/// let root = Joint { name: "root".into(), parent: None, bind };
/// let rig = Rig::from_skeleton("arm", Skeleton::new(vec![root])?);
/// let pose = |i: u8| Transform { rotation: Quat::from_rotation_z((f32::from(i) * 0.2).sin()), ..bind };
/// let transforms = (0..=30).map(pose).collect();
/// let clip = Clip::new(ClipData {
///     name: "turn".into(),
///     joints: 1,
///     duration_secs: 1.0,
///     transforms,
///     float_tracks: 0,
///     floats: Vec::new(),
///     holds: Vec::new(),
///     looping: None,
/// })?;
///
/// let recipe = Recipe { tolerance_m: 0.0001, ..Recipe::chosen("press")? };
/// let source = MeasuredClip::new(Arc::new(rig), Arc::new(clip), &recipe);
/// let outcome = compress(&source, &recipe, &Progress::new())?;
/// assert!(outcome.report.within());
/// assert!(outcome.bytes() < source.clip.raw_bytes());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// See [`CompressError`].
pub fn compress(source: &MeasuredClip, recipe: &Recipe, progress: &Progress) -> Result<Outcome, CompressError> {
    let mut outcome = compress_shell(source, recipe, progress)?;
    measure_vertices(source, &mut outcome, progress)?;
    Ok(outcome)
}

/// Runs the first, quick part of [`compress`]: everything except the error on the skin.
///
/// # Errors
/// See [`CompressError`].
pub fn compress_shell(source: &MeasuredClip, recipe: &Recipe, progress: &Progress) -> Result<Outcome, CompressError> {
    let alone = attempt(source, recipe, &encoder_limits(source, recipe), progress)?;
    let can_hold = recipe.contacts.lock && recipe.codec.promises_with(&recipe.values);
    if can_hold { hold(source, recipe, alone, progress) } else { Ok(alone) }
}

/// Encodes a clip under the given limits, decodes it and measures it. The verdict uses the recipe's own limits.
pub(super) fn attempt(
    source: &MeasuredClip,
    recipe: &Recipe,
    limits: &JointLimits,
    progress: &Progress,
) -> Result<Outcome, CompressError> {
    let MeasuredClip { rig, clip, .. } = source;
    let encoder_source = limits.source(&rig.skeleton, clip, recipe.tolerance_m);
    let encoded = encode(source, &encoder_source, recipe, progress)?;
    progress.check().map_err(EncodeError::from)?;
    measure_encoded(source, recipe, encoded, progress)
}

/// Encodes with the recipe's codec, or with the best of the candidates that it lists.
fn encode(
    measured: &MeasuredClip,
    source: &Source<'_>,
    recipe: &Recipe,
    progress: &Progress,
) -> Result<Encoded, CompressError> {
    let started = Instant::now();
    let (chosen, compensation) = (recipe.codec, &recipe.compensation);
    let values = recipe.values.validated(chosen.params()).map_err(EncodeError::from)?;
    if let Some(codec) = chosen.encoder() {
        let encoded = codecs::encode_compensated_clip(codec, source, &values, compensation, progress)?;
        let encode_secs = Some(started.elapsed().as_secs_f32());
        return Ok(Encoded { codec, encoded, encode_secs, candidates: Vec::new() });
    }
    let rules = SearchRules::chosen(&values).map_err(EncodeError::from)?;
    let feet = Feet { of: measured, settings: &recipe.contacts };
    let Found { encoded, winner, rows } = search(source, compensation, &rules, Some(feet), progress)?;
    let encode_secs = Some(started.elapsed().as_secs_f32());
    Ok(Encoded { codec: winner.codec, encoded, encode_secs, candidates: rows })
}

/// Runs the second part of [`compress`]: the error of every vertex, at every sample.
///
/// # Errors
/// Returns [`CompressError::Encode`] with [`EncodeError::Cancelled`] if the task was stopped.
pub fn measure_vertices(
    source: &MeasuredClip,
    outcome: &mut Outcome,
    progress: &Progress,
) -> Result<(), CompressError> {
    let stride = source.raw.sub_frames();
    outcome.report.vertex = vertex_report(&source.rig, &source.raw, &outcome.decoded, stride);
    progress.check().map_err(EncodeError::from)?;
    Ok(())
}
