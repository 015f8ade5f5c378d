use crate::codecs::encode::open_own;
use crate::codecs::{EncodeError, Encoder, Source};
use crate::format::DecodeError;
use crate::model::{ModelPose, Pose, Sampler};

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
    let mut sampler = open_own(codec.id(), source, payload, correction).map_err(|e| unreadable(codec, &e))?;
    Ok(played_error_m(&mut sampler, 0, source.clip.grid().steps(stride), dense))
}

/// As [`decoded_error_m`], of what somebody plays at some places, which are those of samples of `dense`, from sample `first` on.
pub fn played_error_m(
    sampler: &mut dyn Sampler,
    first: usize,
    places: impl Iterator<Item = f64>,
    dense: &Source<'_>,
) -> f32 {
    let mut pose = Pose::with_size(dense.clip.joints(), 0);
    let (mut raw, mut model) = (ModelPose::default(), ModelPose::default());
    let mut worst_m = 0.0f32;
    for (step, at_sample) in (first..).zip(places) {
        sampler.sample(at_sample, &mut pose);
        raw.update(dense.skeleton, dense.clip.pose(step));
        model.update(dense.skeleton, &pose.joints);
        for (joint, (raw, lossy)) in raw.joints.iter().zip(&model.joints).enumerate() {
            worst_m = worst_m.max(dense.error_sq(step, joint, raw, lossy).sqrt());
        }
    }
    worst_m
}

/// Of an encoder whose decoder refuses what it wrote.
pub fn unreadable(codec: &dyn Encoder, error: &DecodeError) -> EncodeError {
    EncodeError::Unsupported(format!("{} cannot read its own bytes: {error}", codec.name()))
}
