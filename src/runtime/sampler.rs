use crate::Pose;

/// Reads an animation anywhere. Raw clips and every decoder are samplers, so nothing above can tell raw from lossy.
///
/// Cursors and block caches live in the sampler: one a thread.
pub trait Sampler {
    /// Overwrites `out`, which must have the clip's number of joints and float tracks, with the pose at a place in the clip:
    /// in samples from its start, so that a sample is hit exactly however long the clip is. Places outside it are clamped.
    fn sample(&mut self, at_sample: f64, out: &mut Pose);
}
