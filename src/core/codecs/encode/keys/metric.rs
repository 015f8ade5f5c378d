//! What a search takes for the error of a removed key.

use super::effectors::{EffectorThresholds, Effectors};
use crate::codecs::Source;
use crate::codecs::encode::{RawLocals, Reach, VertexSet, VirtualVertices};
use crate::math::{Transform, asin};
use crate::model::Channel;
use glam::{Affine3A, Quat};

/// Largest errors of a track by itself, whatever hangs on it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocalThresholds {
    pub rotation_rad: f32,
    /// Metres.
    pub translation_m: f32,
    pub scale: f32,
}

/// How the error of a removed key is judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Metric {
    /// The shell of the joint and of all that hangs on it, on top of the decoded parents.
    ObjectSpace,
    /// The track by itself, each channel with a threshold of its own.
    Local(LocalThresholds),
    /// Unreal's: the track by itself, and one virtual vertex of each end effector that hangs on it. Nobody makes sure that the
    /// vertex is off the axis of rotation, and the joints on the way to the leaf are not looked at.
    EndEffectors(LocalThresholds, EffectorThresholds),
}

impl Metric {
    /// True when it looks at points that hang on a joint.
    pub fn has_points(&self) -> bool {
        !matches!(self, Self::Local(_))
    }

    /// What a channel may err, in the unit of [`JointError::at_sq`]: `share_m` where it is a share of the tolerance.
    pub fn limit(&self, channel: Channel, share_m: f32) -> f32 {
        match (self, channel) {
            (Self::ObjectSpace, _) => share_m,
            // Not shared along the chain: what a parent has used up, its children can but make up for.
            (Self::EndEffectors(_, effectors), _) => effectors.most_m,
            (Self::Local(limits), Channel::Rotation) => limits.rotation_rad,
            (Self::Local(limits), Channel::Translation) => limits.translation_m,
            (Self::Local(limits), Channel::Scale) => limits.scale,
        }
    }
}

impl LocalThresholds {
    pub fn of(&self, channel: Channel) -> f32 {
        match channel {
            Channel::Rotation => self.rotation_rad,
            Channel::Translation => self.translation_m,
            Channel::Scale => self.scale,
        }
    }
}

/// The error of one joint under a metric.
#[derive(Debug)]
pub struct JointError {
    metric: Metric,
    /// Not needed by a local metric, and of a joint that does not move.
    vertices: Option<VirtualVertices>,
    /// Where the joint is in the raw clip, one per step; empty where the metric does not look at points.
    raw: Vec<Affine3A>,
}

impl JointError {
    /// Collects what the metric looks at; `effectors` are those of the rig. Where it looks at points: the local matrices of the raw
    /// clip, and where the joint's parent is there, if it has one.
    pub fn new(
        metric: Metric,
        source: &Source<'_>,
        effectors: &Effectors,
        (joint, is_animated): (usize, bool),
        (locals, parent): (Option<&RawLocals>, Option<&[Affine3A]>),
    ) -> Self {
        let Some(locals) = locals else { return Self { metric, vertices: None, raw: Vec::new() } };
        let counts = match &metric {
            Metric::EndEffectors(_, limits) => Some(effectors.counts(source, joint, limits)),
            Metric::ObjectSpace | Metric::Local(_) => None,
        };
        let points = counts.as_deref().map_or(VertexSet::All, VertexSet::Vertices);
        let all = 0..source.clip.samples();
        let local = |sample: usize, joint: usize| locals.of(joint)[sample];
        let vertices = is_animated.then(|| VirtualVertices::new(source, joint, points, all, local));
        let own = locals.of(joint);
        let raw = match parent {
            Some(parent) => parent.iter().zip(own).map(|(parent, own)| *parent * *own).collect(),
            None => own.to_vec(),
        };
        Self { metric, vertices, raw }
    }

    /// Square of the error that a local transform causes at one step, where it ought to be `target`; may stop at the first
    /// beyond `limit_sq`. `model` makes the joint's matrix of it. Never NaN.
    #[inline]
    pub fn at_sq(
        &self,
        step: usize,
        channel: Channel,
        (local, target): (&Transform, Transform),
        limit_sq: f32,
        model: impl FnOnce(&Transform) -> Affine3A,
    ) -> f32 {
        let own = || local_error(channel, target, local);
        match (&self.metric, &self.vertices) {
            (Metric::EndEffectors(limits, _), _) if own() > limits.of(channel) => f32::INFINITY,
            (_, Some(vertices)) => vertices.error_sq(step, (&self.raw[step], &model(local)), limit_sq),
            (_, None) => own() * own(),
        }
    }

    /// How far the joint's points reach at a step, where they alone decide.
    pub fn reach(&self, step: usize) -> Option<Reach> {
        match self.metric {
            Metric::ObjectSpace => self.vertices.as_ref().map(|vertices| vertices.reach(step)),
            Metric::Local(_) | Metric::EndEffectors(..) => None,
        }
    }

    /// Where the joint is in the raw clip, one per step; empty where the metric does not look at points.
    pub fn into_raw_model(self) -> Vec<Affine3A> {
        self.raw
    }
}

/// Distance of one channel of two transforms: radians, metres or parts of scale. Infinite instead of NaN.
pub fn local_error(channel: Channel, a: Transform, b: &Transform) -> f32 {
    let error = match channel {
        Channel::Rotation => angle_rad(a.rotation, b.rotation),
        Channel::Translation => a.translation.distance(b.translation),
        Channel::Scale => (a.scale - b.scale).abs().max_element(),
    };
    if error.is_nan() { f32::INFINITY } else { error }
}

/// The turn from one unit quaternion to another, by its chord: exact for small turns, where a cosine is not.
fn angle_rad(a: Quat, b: Quat) -> f32 {
    let chord = (a - b).length().min((a + b).length());
    4.0 * asin((0.5 * chord).min(1.0).into()) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    #[test]
    fn local_errors_are_angle_distance_and_part() {
        let turned = |rad: f32| Transform { rotation: Quat::from_axis_angle(Vec3::X, rad), ..Transform::IDENTITY };
        for rad in [1e-4f32, 0.01, 1.0, 3.0] {
            let back = Transform { rotation: -turned(rad).rotation, ..Transform::IDENTITY };
            for other in [turned(rad), back] {
                let found = local_error(Channel::Rotation, Transform::IDENTITY, &other);
                assert!((found - rad).abs() < 1e-6 + 1e-5 * rad, "{found} for {rad}");
            }
        }
        let moved =
            Transform { translation: Vec3::new(3.0, 4.0, 0.0), scale: Vec3::new(1.0, 1.25, 1.0), ..turned(0.0) };
        assert_eq!(local_error(Channel::Translation, Transform::IDENTITY, &moved), 5.0);
        assert_eq!(local_error(Channel::Scale, Transform::IDENTITY, &moved), 0.25);
        let nan = Transform { scale: Vec3::NAN, ..moved };
        assert_eq!(
            local_error(Channel::Translation, Transform { translation: Vec3::NAN, ..nan }, &moved),
            f32::INFINITY
        );
    }
}
