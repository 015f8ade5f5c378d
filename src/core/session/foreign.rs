use super::{MeasuredClip, Recipe};
use crate::metrics::{ErrorReport, ModelTrack, Open, measure, measure_vertices};
use crate::model::{Clip, Pose, Sampler, TimeGrid};
use std::sync::Arc;

/// What another tool made of a clip, where an outcome of ours would stand: on the source's rig, played beside the source.
#[derive(Debug, Clone)]
pub struct ForeignClip {
    clip: Arc<Clip>,
    offset_secs: f64,
}

/// Plays it at the source's times.
struct ForeignSampler {
    clip: Arc<Clip>,
    source: TimeGrid,
    offset_secs: f64,
}

impl ForeignClip {
    /// A clip on the source's rig (see [`RigMatch`](super::RigMatch)) whose time is `offset_secs` where the source begins.
    pub fn new(clip: Arc<Clip>, offset_secs: f64) -> Self {
        Self { clip, offset_secs }
    }

    /// Measures it against the source by the recipe's limits. Before its start and after its end it holds still; between its
    /// samples it is blended as players blend.
    ///
    /// # Panics
    /// When it has other joints or float tracks than the source: a fault of the caller.
    pub fn judge(&self, source: &MeasuredClip, recipe: &Recipe) -> ErrorReport {
        let MeasuredClip { rig, clip, raw, plan, .. } = source;
        let (foreign, offset_secs, grid) = (self.clip.clone(), self.offset_secs, clip.grid());
        let open: Open =
            Box::new(move || Box::new(ForeignSampler { clip: foreign.clone(), source: grid, offset_secs }));
        let played = ModelTrack::sampled_by(rig.clone(), open, grid, raw.sub_frames(), clip.float_tracks());
        let (shells_m, tolerance_m) = (recipe.shells_m(rig), recipe.tolerance_m);
        let report = measure(rig, clip, raw, &played, plan, &shells_m, tolerance_m, &recipe.contacts);
        let vertex = measure_vertices(rig, raw, &played, raw.sub_frames());
        ErrorReport { limits: recipe.limits(), vertex, ..report }
    }
}

impl Sampler for ForeignSampler {
    fn sample(&mut self, at_sample: f64, out: &mut Pose) {
        let secs = f64::from(self.source.time_secs(at_sample)) + self.offset_secs;
        self.clip.sample(self.clip.grid().sample_at(secs as f32), out);
    }
}
