use super::{Clip, Pose, Sampler};
use std::ops::Deref;

/// Samples a raw clip. `C` is a reference or an `Arc`.
#[derive(Debug, Clone)]
pub struct ClipSampler<C> {
    clip: C,
}

impl<C: Deref<Target = Clip>> ClipSampler<C> {
    /// A sampler of that clip.
    pub fn new(clip: C) -> Self {
        Self { clip }
    }
}

impl<C: Deref<Target = Clip>> Sampler for ClipSampler<C> {
    fn sample(&mut self, at_sample: f64, out: &mut Pose) {
        self.clip.sample(at_sample, out);
    }
}
