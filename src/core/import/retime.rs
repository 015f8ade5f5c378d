//! Frames at another rate than their file states.

use super::{Fault, ImportOptions};
use crate::model::Clip;

/// Samples per second of the file's own time. The requested rate refers to the time of the imported clips.
pub(super) fn sampled_hz(options: &ImportOptions, own_hz: impl FnOnce() -> f64) -> f64 {
    match (options.rate_hz, options.frames_are_hz) {
        (Some(rate_hz), None) => rate_hz.into(),
        (Some(rate_hz), Some(frames_hz)) => own_hz() * f64::from(rate_hz) / f64::from(frames_hz),
        (None, _) => own_hz(),
    }
}

/// The same samples at the frame rate of the options.
pub(super) fn redeclared(clip: Clip, options: &ImportOptions) -> Result<Clip, Fault> {
    let Some(frames_hz) = options.frames_are_hz.filter(|_| clip.samples() > 1) else { return Ok(clip) };
    let rate_hz = options.rate_hz.unwrap_or(frames_hz);
    let duration_secs = ((clip.samples() - 1) as f64 / f64::from(rate_hz)) as f32;
    let stretch = duration_secs / clip.duration_secs();
    let edited = clip.edited(|data| data.duration_secs = duration_secs)?;
    let sampling = clip.sampling().map(|sampling| sampling.clone().stretched(stretch));
    Ok(sampling.into_iter().fold(edited, Clip::with_sampling))
}
