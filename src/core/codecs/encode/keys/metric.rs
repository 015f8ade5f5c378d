//! The error metrics of a search for keys.

use super::effectors::{EffectorThresholds, Effectors};
use super::kept_points::KeptPoints;
use crate::codecs::Source;
use crate::codecs::encode::{PointMotion, RawLocals, Reach, VertexSet, VirtualVertices};
use crate::math::four::{Axes, Vectors};
use crate::math::{Transform, asin};
use crate::model::Channel;
use glam::{Affine3A, Quat, Vec3A};
use std::sync::Arc;

/// Largest errors of a track alone, without its descendants.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocalThresholds {
    pub rotation_rad: f32,
    /// Metres.
    pub translation_m: f32,
    pub scale: f32,
}

/// The metric that judges a removed key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Metric {
    /// The shells of the joint and of all descendants, on top of the decoded parents.
    ObjectSpace,
    /// The track alone, with a threshold per channel.
    Local(LocalThresholds),
    /// Unreal's metric: the track alone, and one virtual vertex per end effector below it. The vertex may lie on the axis of rotation,
    /// where it shows no error. Joints between are not measured.
    EndEffectors(LocalThresholds, EffectorThresholds),
}

impl Metric {
    /// Its thresholds times a factor.
    pub fn times(self, factor: f32) -> Self {
        match self {
            Self::ObjectSpace => self,
            Self::Local(limits) => Self::Local(limits.times(factor)),
            Self::EndEffectors(limits, effectors) => Self::EndEffectors(limits.times(factor), effectors.times(factor)),
        }
    }

    /// True if it measures points of the joint and its descendants.
    pub fn has_points(&self) -> bool {
        !matches!(self, Self::Local(_))
    }

    /// Largest error of a channel, in the unit of [`JointError::at_sq`]. `share_m`: its share of the tolerance, for metrics that share it.
    pub fn limit(&self, channel: Channel, share_m: f32) -> f32 {
        match (self, channel) {
            (Self::ObjectSpace, _) => share_m,
            // Not shared along the chain. If a parent uses up the limit, its children can only correct that.
            (Self::EndEffectors(_, effectors), _) => effectors.most_m,
            (Self::Local(limits), Channel::Rotation) => limits.rotation_rad,
            (Self::Local(limits), Channel::Translation) => limits.translation_m,
            (Self::Local(limits), Channel::Scale) => limits.scale,
        }
    }
}

impl LocalThresholds {
    /// All of them times a factor.
    pub fn times(self, factor: f32) -> Self {
        Self {
            rotation_rad: factor * self.rotation_rad,
            translation_m: factor * self.translation_m,
            scale: factor * self.scale,
        }
    }

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
    /// `None` for a local metric, and for a joint that does not move.
    vertices: Option<Arc<VirtualVertices>>,
    /// `model_from_joint` in the raw clip, one per step. Empty if the metric has no points.
    raw: Vec<Affine3A>,
}

impl JointError {
    /// Collects the data of a metric; `effectors` are those of the rig. A metric with points needs the local matrices of the raw clip, and
    /// the parent's raw `model_from_joint` if there is a parent.
    pub fn new(
        metric: Metric,
        source: &Source<'_>,
        (effectors, kept): (&Effectors, &KeptPoints),
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
        let make = || VirtualVertices::new(source, joint, points, all, local);
        let is_kept = metric == Metric::ObjectSpace;
        let vertices = is_animated.then(|| kept.of(joint, is_kept, make));
        let own = locals.of(joint);
        let raw = match parent {
            Some(parent) => parent.iter().zip(own).map(|(parent, own)| *parent * *own).collect(),
            None => own.to_vec(),
        };
        Self { metric, vertices, raw }
    }

    /// Squared error of a local transform at one step, where `target` would be exact. May stop at the first error beyond `limit_sq`.
    /// `model` returns the joint's matrix for a local transform. Never NaN.
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

    /// The point that a joint's matrix moves farthest from its place at a step: where it is in the joint's space, its place in object
    /// space, and its weight. `None` if no points are measured.
    pub fn worst_point(&self, step: usize, model: &Affine3A) -> Option<(Vec3A, Vec3A, f32)> {
        let raw = self.raw.get(step)?;
        let (point, weight) = self.vertices.as_ref()?.worst_point(step, (raw, model));
        Some((point, raw.transform_point3a(point), weight))
    }

    /// `model_from_joint` in the raw clip, one per step, if the points alone decide.
    pub fn raw_of_points(&self) -> Option<&[Affine3A]> {
        (self.metric == Metric::ObjectSpace && self.vertices.is_some()).then_some(&self.raw)
    }

    /// True if no point of a step has a squared weighted error beyond a limit, for matrices that differ from those of the raw clip by
    /// `off` and `moved` in one lane.
    #[inline]
    pub fn moves_within(&self, step: usize, off: (&Axes, &Vectors), lane: usize, limit_sq: f32) -> bool {
        self.vertices
            .as_ref()
            .is_some_and(|vertices| vertices.moves_within(step, &PointMotion::lane(off, lane), limit_sq))
    }

    /// Reach of the joint's points at a step, if the points alone decide.
    pub fn reach(&self, step: usize) -> Option<Reach> {
        match self.metric {
            Metric::ObjectSpace => self.vertices.as_ref().map(|vertices| vertices.reach(step)),
            Metric::Local(_) | Metric::EndEffectors(..) => None,
        }
    }

    /// `model_from_joint` in the raw clip, one per step. Empty if the metric has no points.
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

/// The angle between two unit quaternions, by their chord. Precise for small angles, unlike the cosine.
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
