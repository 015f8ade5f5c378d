use super::{Clip, Pose, Sampler};

/// Samples a raw clip.
#[derive(Debug, Clone)]
pub struct ClipSampler<'a> {
    clip: &'a Clip,
}

impl<'a> ClipSampler<'a> {
    /// A sampler that borrows the clip.
    pub fn new(clip: &'a Clip) -> Self {
        Self { clip }
    }
}

impl Sampler for ClipSampler<'_> {
    fn sample(&mut self, at_sample: f64, out: &mut Pose) {
        self.clip.sample(at_sample, out);
    }
}
