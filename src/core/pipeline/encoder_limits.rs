use crate::pipeline::MeasuredClip;
use crate::recipe::{JointLimits, Recipe, samples_of};
use std::sync::Arc;

/// The limits for a codec: the recipe's limits, with the contact weight on feet during contact and on marked pins.
pub(super) fn encoder_limits(source: &MeasuredClip, recipe: &Recipe) -> JointLimits {
    limits(source, recipe, &[])
}

/// Like [`encoder_limits`], with one extra factor per contact, then per marked pin. Those beyond the end of the list have the factor 1.
pub(super) fn limits(source: &MeasuredClip, recipe: &Recipe, weights: &[f32]) -> JointLimits {
    let (clip, plan) = (&source.clip, &source.plan);
    let mut limits = recipe.limits_of(&source.rig, clip);
    let duration_secs = clip.duration_secs();
    let contacts = plan.contacts.iter().map(|contact| {
        let spans: Vec<_> = contact.spans(duration_secs).collect();
        (spans, plan.feet[contact.foot].sole_joints())
    });
    let marked = source.pins.marked().map(|pin| (pin.spans(duration_secs).collect(), pin.joints().collect()));
    let weights = weights.iter().copied().chain(std::iter::repeat(1.0)).map(|more| more * recipe.contacts.weight);
    for ((spans, joints), more) in contacts.chain(marked).zip(weights).filter(|(_, more)| *more > 1.0) {
        let of_joints = Arc::make_mut(&mut limits.weights);
        for (start_secs, end_secs) in spans {
            let samples = samples_of(clip.grid(), start_secs, end_secs);
            for &joint in &joints {
                of_joints.change(joint, samples.clone(), |weight| weight * more);
            }
        }
    }
    limits
}
