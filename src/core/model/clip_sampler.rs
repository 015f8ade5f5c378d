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
    fn duration_secs(&self) -> f32 {
        self.clip.duration_secs()
    }

    fn sample(&mut self, time_secs: f32, out: &mut Pose) {
        self.clip.sample(time_secs, out);
    }
}
