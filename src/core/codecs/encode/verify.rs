use super::open_own;
use crate::codecs::{EncodeError, Encoder, Source};
use crate::format::DecodeError;
use crate::model::{ModelPose, Pose};

/// What decoded bytes really are off by: decodes a payload, and the correction that may be stored with it, with the codec's own
/// decoder and returns the largest shell error, as far as it counts, at `stride` steps per sample, each a sample of `dense`; metres.
///
/// # Errors
/// [`EncodeError::Unsupported`], where the codec cannot read what it wrote.
pub fn decoded_error_m(
    codec: &dyn Encoder,
    source: &Source<'_>,
    dense: &Source<'_>,
    stride: usize,
    (payload, correction): (&[u8], Option<&[u8]>),
) -> Result<f32, EncodeError> {
    let clip = source.clip;
    let mut sampler = open_own(codec.id(), source, payload, correction).map_err(|e| unreadable(codec, &e))?;
    let mut pose = Pose::with_size(clip.joints(), 0);
    let (mut raw, mut model) = (ModelPose::default(), ModelPose::default());
    let mut worst_m = 0.0f32;
    for (step, at_sample) in clip.grid().steps(stride).enumerate() {
        sampler.sample(at_sample, &mut pose);
        raw.update(source.skeleton, dense.clip.pose(step));
        model.update(source.skeleton, &pose.joints);
        for (joint, (raw, lossy)) in raw.joints.iter().zip(&model.joints).enumerate() {
            worst_m = worst_m.max(dense.error_sq(step, joint, raw, lossy).sqrt());
        }
    }
    Ok(worst_m)
}

/// Of an encoder whose decoder refuses what it wrote.
pub fn unreadable(codec: &dyn Encoder, error: &DecodeError) -> EncodeError {
    EncodeError::Unsupported(format!("{} cannot read its own bytes: {error}", codec.name()))
}
