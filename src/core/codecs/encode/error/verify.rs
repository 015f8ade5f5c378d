use crate::codecs::encode::open_own;
use crate::codecs::{EncodeError, Encoder, Source};
use crate::format::DecodeError;
use crate::metrics::PromisedError;
use crate::model::{ModelPose, Pose, Sampler};
use posepress_runtime::Player;
use rayon::prelude::*;

/// Fewest steps per parallel task. With fewer, looking for the first of them costs more than it saves.
const STEPS_A_TASK: usize = 64;

/// The true error of encoded bytes: the weighted shell error that the tolerance bounds, in metres, at `stride` steps per sample, each a
/// sample of `dense`.
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
    let unreadable = |e: DecodeError| unreadable(codec, &e);
    let opened = open_own(codec.id(), source, payload, correction).map_err(unreadable)?;
    let grid = source.clip.grid();
    let steps = grid.steps(stride).len();
    let rows = steps.div_ceil(rayon::current_num_threads()).max(STEPS_A_TASK);
    let errors = |task: usize| {
        let mut player = Player::new(&opened).map_err(|e| unreadable(e.into()))?;
        let places = grid.some_steps(stride, task * rows..(task + 1) * rows);
        Ok(played_errors(&mut player, task * rows, places, dense))
    };
    let none = || PromisedError::new(dense.promise, dense.clip.joints());
    let all = (0..steps.div_ceil(rows)).into_par_iter().map(errors).try_reduce(none, |a, b| Ok(a.and(&b)));
    all.map(|errors| errors.bounded_m())
}

/// Like [`decoded_error_m`], for any sampler at places that match the samples of `dense` from `first` on.
pub fn played_error_m(
    sampler: &mut dyn Sampler,
    first: usize,
    places: impl Iterator<Item = f64>,
    dense: &Source<'_>,
) -> f32 {
    played_errors(sampler, first, places, dense).bounded_m()
}

fn played_errors(
    sampler: &mut dyn Sampler,
    first: usize,
    places: impl Iterator<Item = f64>,
    dense: &Source<'_>,
) -> PromisedError {
    let mut pose = Pose::with_size(dense.clip.joints(), 0);
    let (mut raw, mut model) = (ModelPose::default(), ModelPose::default());
    let mut errors = PromisedError::new(dense.promise, dense.clip.joints());
    for (step, at_sample) in (first..).zip(places) {
        sampler.sample(at_sample, &mut pose);
        raw.update(dense.skeleton, dense.clip.pose(step));
        model.update(dense.skeleton, &pose.joints);
        let pairs = raw.joints.iter().zip(&model.joints).enumerate();
        errors.add(pairs.map(|(joint, (raw, lossy))| dense.error_sq(step, joint, raw, lossy).sqrt()));
    }
    errors
}

/// The error of an encoder whose decoder rejects its bytes.
pub fn unreadable(codec: &dyn Encoder, error: &DecodeError) -> EncodeError {
    EncodeError::Unsupported(format!("{} cannot read its own bytes: {error}", codec.name()))
}
