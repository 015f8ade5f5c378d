use crate::metrics::{ContactPlan, ModelTrack, Open, PinPlan, Travel};
use crate::model::{Clip, ClipSampler, Rig};
use crate::recipe::Recipe;
use std::sync::Arc;

/// A raw clip with its object-space track, contacts and pins. It does not depend on a codec, so it is made once and shared by recipes.
#[derive(Debug, Clone)]
pub struct MeasuredClip {
    /// The rig.
    pub rig: Arc<Rig>,
    /// The raw clip.
    pub clip: Arc<Clip>,
    /// Raw object-space matrices at every step.
    pub raw: Arc<ModelTrack>,
    /// Feet and contacts of the raw clip.
    pub plan: Arc<ContactPlan>,
    /// Pins of the raw clip.
    pub pins: Arc<PinPlan>,
    /// The path of the character over the ground.
    pub travel: Arc<Travel>,
}

impl MeasuredClip {
    /// Samples the raw clip and finds its contacts and pins by the recipe's settings.
    pub fn new(rig: Arc<Rig>, clip: Arc<Clip>, recipe: &Recipe) -> Self {
        let shared = clip.clone();
        let open: Open = Box::new(move || Box::new(ClipSampler::new(shared.clone())));
        let raw = ModelTrack::sampled_by(rig.clone(), open, clip.grid(), recipe.sub_frames, clip.float_tracks());
        let plan = ContactPlan::find(&rig, &clip, &raw, &recipe.contacts);
        let pins = PinPlan::find(&rig, &clip, &raw, &plan, &recipe.contacts);
        let travel = Arc::new(Travel::of(&raw));
        Self { rig, clip, raw: Arc::new(raw), plan: Arc::new(plan), pins: Arc::new(pins), travel }
    }
}
