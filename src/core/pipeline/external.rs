use crate::metrics::{ModelTrack, Open};
use crate::model::{AddedSampler, Base, Clip, Pose, Sampler, TimeGrid};
use crate::pipeline::Made;
use crate::pipeline::measure::measured;
use crate::pipeline::{MeasuredClip, Outcome, RigMismatch};
use crate::recipe::Recipe;
use crate::text::listed;
use std::sync::Arc;
use thiserror::Error;

/// An external result: another tool's version of a clip, on the source's rig, played beside the source.
#[derive(Debug, Clone)]
pub struct ExternalClip {
    /// The name of its file for reports.
    pub file: Arc<str>,
    /// The clip on the source's rig (see [`RigMatch`](crate::pipeline::RigMatch)).
    pub clip: Arc<Clip>,
    /// Size of the clip's keys and their times in its file, bytes.
    pub bytes: u64,
    /// Time in the external clip at which the source begins, seconds.
    pub offset_secs: f64,
    /// The source's base, if the clip has differences from it.
    pub base: Option<Arc<Base>>,
}

/// Two external clips are equal if they share one clip object. Samples are not compared.
impl PartialEq for ExternalClip {
    fn eq(&self, other: &Self) -> bool {
        let is_same = Arc::ptr_eq(&self.clip, &other.clip) && self.file == other.file && self.bytes == other.bytes;
        let base = |of: &Self| of.base.as_ref().map(Arc::as_ptr);
        is_same && self.offset_secs == other.offset_secs && base(self) == base(other)
    }
}

/// Why an external file has no counterpart for a clip.
#[derive(Debug, Clone, PartialEq, Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum NoCounterpart {
    /// The file has no clip of that name.
    #[error("{file} has no clip '{clip}'; it has {others}")]
    Clip { file: Arc<str>, clip: String, others: String },
    /// The file has another rig.
    #[error("{file} has another rig: {why}")]
    Rig { file: Arc<str>, why: Arc<RigMismatch> },
}

impl NoCounterpart {
    /// Builds the error for a file that has no clip of that name.
    pub fn among(file: &Arc<str>, clip: &str, others: &[Arc<Clip>]) -> Self {
        let names: Vec<&str> = others.iter().map(|other| other.name()).collect();
        let others = if names.is_empty() { "none".to_owned() } else { listed(&names) };
        Self::Clip { file: file.clone(), clip: clip.to_owned(), others }
    }
}

/// The index of a clip's counterpart among the clips of another file: the clip of the same name, or the only clip if each side has one.
pub fn counterpart(clip: &str, clips: usize, others: &[Arc<Clip>]) -> Option<usize> {
    let of_name = others.iter().position(|other| other.name() == clip);
    of_name.or_else(|| (clips == 1 && others.len() == 1).then_some(0))
}

/// Plays the external clip at the source's times.
struct ExternalSampler {
    clip: Arc<Clip>,
    source: TimeGrid,
    offset_secs: f64,
}

impl ExternalClip {
    /// The counterpart of a clip, on its rig.
    ///
    /// If the source is additive, the external clip may hold differences or full poses. Its own mark decides. Without a mark, it holds the
    /// same as the source's file.
    pub fn beside(source: &Clip, (file, clip): (Arc<str>, Arc<Clip>), bytes: u64, offset_secs: f64) -> Self {
        let is_added = clip.holds_differences() || (clip.additive().is_none() && source.holds_differences());
        let base = source.base().filter(|_| is_added).cloned();
        Self { file, clip, bytes, offset_secs, base }
    }

    /// Measures it against the source by the recipe's limits, except for the error on the skin.
    ///
    /// It keeps its first pose before its start, and its last pose after its end. Between samples it is blended as players blend.
    ///
    /// # Panics
    /// Panics if it has other joints or float tracks than the source.
    pub fn judge(&self, source: &MeasuredClip, recipe: &Recipe) -> Outcome {
        let (own, grid) = (self.clone(), source.clip.grid());
        let open: Open = Box::new(move || own.sampler(grid));
        let float_tracks = source.clip.float_tracks();
        let played = ModelTrack::sampled_by(source.rig.clone(), open, grid, source.raw.sub_frames(), float_tracks);
        measured(source, recipe, Made::Elsewhere(self.clone()), Arc::new(played))
    }

    /// Size of the clip in its file, bytes.
    pub fn bytes(&self) -> usize {
        self.bytes as usize
    }

    /// A sampler whose positions are counted in samples of the source.
    pub fn sampler(&self, source: TimeGrid) -> Box<dyn Sampler + Send> {
        let played = ExternalSampler { clip: self.clip.clone(), source, offset_secs: self.offset_secs };
        match &self.base {
            None => Box::new(played),
            Some(base) => Box::new(AddedSampler::new(played, base.clone(), source)),
        }
    }
}

impl Sampler for ExternalSampler {
    fn sample(&mut self, at_sample: f64, out: &mut Pose) {
        let secs = f64::from(self.source.time_secs(at_sample)) + self.offset_secs;
        self.clip.sample(self.clip.grid().sample_at(secs as f32), out);
    }
}
