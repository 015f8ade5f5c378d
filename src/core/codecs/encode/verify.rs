use super::{RawModel, open_own};
use crate::codecs::{EncodeError, Encoder, Source};
use crate::format::DecodeError;
use crate::metrics::shell_error_m;
use crate::model::{ModelPose, Pose};

/// What decoded bytes really are off by: decodes a payload with the codec's own decoder and returns the largest shell error
/// at `stride` steps per sample, each of which `raw` holds; metres.
///
/// # Errors
/// [`EncodeError::Unsupported`], where the codec cannot read what it wrote.
pub fn decoded_error_m(
    codec: &dyn Encoder,
    source: &Source<'_>,
    raw: &RawModel,
    stride: usize,
    payload: &[u8],
) -> Result<f32, EncodeError> {
    let clip = source.clip;
    let mut sampler = open_own(codec.id(), source, payload, None).map_err(|e| unreadable(codec, &e))?;
    let mut pose = Pose::with_size(clip.joints(), 0);
    let mut model = ModelPose::default();
    let mut worst_m = 0.0f32;
    for (step, at_sample) in clip.grid().steps(stride).enumerate() {
        sampler.sample(at_sample, &mut pose);
        model.update(source.skeleton, &pose.joints);
        for (joint, lossy) in model.joints.iter().enumerate() {
            worst_m = worst_m.max(shell_error_m(&raw.at(step, joint), lossy, source.shells_m[joint]));
        }
    }
    Ok(worst_m)
}

/// Of an encoder whose decoder refuses what it wrote.
pub fn unreadable(codec: &dyn Encoder, error: &DecodeError) -> EncodeError {
    EncodeError::Unsupported(format!("{} cannot read its own bytes: {error}", codec.name()))
}
