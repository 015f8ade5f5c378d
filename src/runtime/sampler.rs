use crate::Pose;

/// Reads an animation at any time. Raw clips and every decoder are samplers, so nothing above can tell raw from lossy.
///
/// Cursors and block caches live in the sampler: one a thread.
pub trait Sampler {
    /// Time of the last sample; times outside `0..=duration` are clamped.
    fn duration_secs(&self) -> f32;
    /// Overwrites `out`, which must have the clip's number of joints and float tracks.
    fn sample(&mut self, time_secs: f32, out: &mut Pose);
}
