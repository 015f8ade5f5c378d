//! What the decoded bytes really are off by: the last word of every encoder that promises a tolerance.

use super::levers::RawModel;
use super::runtime::ClipHeader;
use super::{Codec, EncodeError, Encoded, Source};
use crate::format::DecodeError;
use crate::math::Transform;
use crate::model::{ModelPose, Pose};
use glam::Affine3A;

/// Decodes a payload with the codec's own decoder and returns the largest shell error at `stride` steps a sample, each
/// of which `raw` holds; metres. NaN reads as infinite.
pub fn decoded_error_at_steps_m(
    codec: &dyn Codec,
    source: &Source<'_>,
    raw: &RawModel,
    stride: usize,
    payload: &[u8],
) -> Result<f32, DecodeError> {
    let clip = source.clip;
    let header = ClipHeader { joints: clip.joints(), grid: clip.grid(), float_tracks: 0, looping: clip.is_looping() };
    let bind: Vec<Transform> = source.skeleton.joints().iter().map(|j| j.bind).collect();
    let mut sampler = posepress_runtime::codecs::decoder(codec.id(), &header, payload, &bind)?;
    let mut pose = Pose::with_size(clip.joints(), 0);
    let mut model = ModelPose::default();
    let mut worst = 0.0f32;
    for step in 0..=(clip.samples() - 1) * stride {
        sampler.sample(clip.grid().time_secs(step as f64 / stride as f64), &mut pose);
        model.update(source.skeleton, &pose.joints);
        for (joint, lossy) in model.joints.iter().enumerate() {
            let error = shell_error_m(&raw.at(step, joint), lossy, source.shells_m[joint]);
            worst = if error.is_nan() { f32::INFINITY } else { worst.max(error) };
        }
    }
    Ok(worst)
}

/// The largest distance between the shell points of a joint under two matrices, metres.
pub fn shell_error_m(raw: &Affine3A, lossy: &Affine3A, shell_m: f32) -> f32 {
    shell_error_sq(raw, lossy, shell_m).sqrt()
}

/// Square of the largest distance between the shell points of a joint under two matrices, square metres. NaN when a
/// matrix holds one.
#[inline]
pub fn shell_error_sq(raw: &Affine3A, lossy: &Affine3A, shell_m: f32) -> f32 {
    let origin = raw.translation - lossy.translation;
    let (a, b) = (&raw.matrix3, &lossy.matrix3);
    let axes = [a.x_axis - b.x_axis, a.y_axis - b.y_axis, a.z_axis - b.z_axis];
    let squares = axes.map(|axis| (origin + axis * shell_m).length_squared());
    // `f32::max` would drop a NaN.
    if squares.iter().any(|s| s.is_nan()) { f32::NAN } else { squares.into_iter().fold(0.0, f32::max) }
}

/// A search aims this much below the tolerance: f32 rounding along a chain of matrices must not tip it over.
const AIM: f32 = 0.995;
/// Searches before a clip is stored exactly. One is usual, two are rare.
const ATTEMPTS: usize = 6;

/// Searches under smaller and smaller limits until the decoded bytes are within the tolerance; `None` where matrices are
/// so large or so flat that f32 cannot tell.
pub fn within_tolerance(
    tolerance_m: f32,
    mut attempt: impl FnMut(f32) -> Result<Encoded, EncodeError>,
    measured_m: impl Fn(&Encoded) -> Result<f32, EncodeError>,
) -> Result<Option<Encoded>, EncodeError> {
    let mut limit_m = tolerance_m * AIM;
    for _ in 0..ATTEMPTS {
        let encoded = attempt(limit_m)?;
        let error_m = measured_m(&encoded)?;
        if error_m <= tolerance_m {
            return Ok(Some(encoded));
        }
        limit_m *= (AIM * tolerance_m / error_m).clamp(0.1, 0.95);
    }
    Ok(None)
}
