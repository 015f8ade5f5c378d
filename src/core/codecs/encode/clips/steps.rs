//! The times at which a search measures the error: at the samples, or halfway between them too.

use crate::codecs::{EncodeError, Source};
use crate::model::{Clip, ClipData};

/// A source whose clip has a sample at every step.
#[derive(Debug)]
pub struct Steps {
    clip: Option<Clip>,
    /// Steps per sample: 1 or 2.
    pub stride: usize,
}

impl Steps {
    /// Steps at the samples and, with `between`, halfway between them.
    pub fn new(clip: &Clip, between: bool) -> Result<Self, EncodeError> {
        let clip = between.then(|| with_half_samples(clip)).transpose()?;
        Ok(Self { clip, stride: if between { 2 } else { 1 } })
    }

    /// The source with a sample at every step.
    pub fn source<'a>(&'a self, source: &Source<'a>) -> Source<'a> {
        let clip = self.clip.as_ref().unwrap_or(source.clip);
        Source { clip, weights: source.weights.at_steps(self.stride), ..*source }
    }
}

/// The clip with a blended pose between every two samples. Stepped intervals are blended here too: they are stored separately, so keys need
/// not follow them.
fn with_half_samples(clip: &Clip) -> Result<Clip, EncodeError> {
    let mut transforms = Vec::with_capacity(2 * clip.samples() * clip.joints());
    for sample in 0..clip.samples() {
        if sample > 0 {
            let (before, after) = (clip.pose(sample - 1), clip.pose(sample));
            transforms.extend(before.iter().zip(after).map(|(a, b)| a.lerp(*b, 0.5)));
        }
        transforms.extend_from_slice(clip.pose(sample));
    }
    Clip::new(ClipData {
        name: clip.name().into(),
        joints: clip.joints(),
        duration_secs: clip.grid().duration_secs(),
        transforms,
        float_tracks: 0,
        floats: Vec::new(),
        holds: Vec::new(),
        looping: None,
    })
    .map_err(|e| EncodeError::Unsupported(format!("clip '{}' between its samples: {e}", clip.name())))
}
