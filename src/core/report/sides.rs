use crate::model::{ClipSampler, Sampler};
use crate::pipeline::{MeasuredClip, Outcome};
use crate::report::ClipReport;
use std::sync::Arc;

/// A raw clip and a compressed one; or two other sides, see [`PairTask`](crate::tasks::PairTask).
#[derive(Debug, Clone)]
pub struct Sides {
    /// The raw side.
    pub source: MeasuredClip,
    /// Who made that side, if it is not the original.
    pub reference: Option<Arc<Outcome>>,
    /// The compressed side.
    pub outcome: Arc<Outcome>,
    /// What lists and files say of it.
    pub report: Arc<ClipReport>,
}

impl Sides {
    /// A clip of that file, and what became of it.
    pub fn new(file: &str, source: MeasuredClip, outcome: Outcome) -> Self {
        let report = Arc::new(ClipReport::new(file, source.clip.name(), &source, &outcome));
        Self { source, reference: None, outcome: Arc::new(outcome), report }
    }

    /// Plays the raw side, or what stands in its place, at the places of the clip's samples.
    pub fn source_sampler(&self) -> Box<dyn Sampler + Send> {
        match &self.reference {
            Some(made) => made.sampler(),
            None => Box::new(ClipSampler::new(self.source.clip.clone())),
        }
    }
}
