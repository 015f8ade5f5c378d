use crate::model::{ClipSampler, Sampler};
use crate::pipeline::{MeasuredClip, Outcome};
use crate::report::ClipReport;
use std::sync::Arc;

/// A raw clip beside a compressed one. A [`PairTask`](crate::tasks::PairTask) can put other sides here.
#[derive(Debug, Clone)]
pub struct Sides {
    /// The raw clip.
    pub source: MeasuredClip,
    /// The outcome shown in place of the raw clip. `None` for the original.
    pub reference: Option<Arc<Outcome>>,
    /// The compressed side.
    pub outcome: Arc<Outcome>,
    /// Its report for lists and files.
    pub report: Arc<ClipReport>,
}

impl Sides {
    /// Both sides of a clip and its outcome, with the report. `file` is the name of the clip's file.
    pub fn new(file: &str, source: MeasuredClip, outcome: Outcome) -> Self {
        let report = Arc::new(ClipReport::new(file, source.clip.name(), &source, &outcome));
        Self { source, reference: None, outcome: Arc::new(outcome), report }
    }

    /// A sampler of the raw side, or of the outcome shown in its place. Its positions are counted in samples of the clip.
    pub fn source_sampler(&self) -> Box<dyn Sampler + Send> {
        match &self.reference {
            Some(made) => made.sampler(),
            None => Box::new(ClipSampler::new(self.source.clip.clone())),
        }
    }
}
