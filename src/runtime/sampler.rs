use crate::Pose;

/// Samples an animation at any place. Raw clips and decoded clips are samplers, so that callers treat them alike.
///
/// A sampler holds cursors and caches: use one per thread.
pub trait Sampler {
    /// Overwrites `out`, which must have the clip's number of joints and float tracks, with the pose at a place in the clip. Places count
    /// samples from the start, so that samples are exact in clips of any length. Places outside are clamped.
    fn sample(&mut self, at_sample: f64, out: &mut Pose);
}
