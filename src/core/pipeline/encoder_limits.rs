use crate::pipeline::MeasuredClip;
use crate::recipe::{JointLimits, Recipe, samples_of};
use std::sync::Arc;

/// The limits for a codec: the recipe's limits, with the contact weight on feet during contact.
pub(super) fn encoder_limits(source: &MeasuredClip, recipe: &Recipe) -> JointLimits {
    limits(source, recipe, &[])
}

/// Like [`encoder_limits`], with one extra factor per contact. Contacts beyond the end of the list have the factor 1.
pub(super) fn limits(source: &MeasuredClip, recipe: &Recipe, weights: &[f32]) -> JointLimits {
    let (clip, plan) = (&source.clip, &source.plan);
    let mut limits = recipe.limits_of(&source.rig, clip);
    let weights = weights.iter().copied().chain(std::iter::repeat(1.0)).map(|more| more * recipe.contacts.weight);
    for (contact, more) in plan.contacts.iter().zip(weights).filter(|(_, more)| *more > 1.0) {
        let of_joints = Arc::make_mut(&mut limits.weights);
        for (start_secs, end_secs) in contact.spans(clip.duration_secs()) {
            let samples = samples_of(clip.grid(), start_secs, end_secs);
            for joint in plan.feet[contact.foot].sole_joints() {
                of_joints.change(joint, samples.clone(), |weight| weight * more);
            }
        }
    }
    limits
}
