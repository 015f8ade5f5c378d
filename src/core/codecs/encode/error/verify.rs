use crate::codecs::encode::open_own;
use crate::codecs::{EncodeError, Encoder, Source};
use crate::format::DecodeError;
use crate::model::{ModelPose, Pose, Sampler};

/// The true error of encoded bytes: the largest weighted shell error in metres, at `stride` steps per sample, each a sample of `dense`.
/// Decodes the payload, and the correction stored with it, with the codec's own decoder.
///
/// # Errors
/// [`EncodeError::Unsupported`] if the codec cannot read its own bytes.
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

/// Like [`decoded_error_m`], for any sampler at places that match the samples of `dense` from `first` on.
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

/// The error of an encoder whose decoder rejects its bytes.
pub fn unreadable(codec: &dyn Encoder, error: &DecodeError) -> EncodeError {
    EncodeError::Unsupported(format!("{} cannot read its own bytes: {error}", codec.name()))
}
