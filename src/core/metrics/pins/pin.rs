use crate::metrics::ModelTrack;
use crate::metrics::contacts::{WORLD, span_steps, wrapped};
use crate::model::Skeleton;
use glam::{Affine3A, Vec3, Vec3A};
use serde::{Deserialize, Serialize};

/// The space in which a pinned joint keeps still.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum PinSpace {
    /// Object space.
    World,
    /// The space of a joint. Scales of the joint do not count.
    Joint(usize),
}

impl PinSpace {
    /// Name of the joint, or `world`.
    pub fn name(self, skeleton: &Skeleton) -> &str {
        match self {
            Self::World => WORLD,
            Self::Joint(joint) => skeleton.name(joint),
        }
    }

    /// A point of object space as seen from this space, metres.
    pub(super) fn place(self, model_from_joint: &[Affine3A], point: Vec3A) -> Vec3A {
        match self {
            Self::World => point,
            Self::Joint(joint) => {
                let Affine3A { matrix3, translation } = model_from_joint[joint];
                let axis = |axis: Vec3A| axis.normalize_or_zero().dot(point - translation);
                Vec3A::new(axis(matrix3.x_axis), axis(matrix3.y_axis), axis(matrix3.z_axis))
            }
        }
    }
}

/// The time during which a joint keeps still in a space.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pin {
    /// The joint.
    pub joint: usize,
    /// The point of the joint that keeps still, metres in its space.
    pub point: Vec3,
    /// The space in which it keeps still.
    pub on: PinSpace,
    /// First moment.
    pub start_secs: f32,
    /// Last moment. In a looping clip it may lie beyond the clip's end. The pin then continues at the clip's start.
    pub end_secs: f32,
    /// The largest distance of the raw point from where it is at the start, metres. It is not judged.
    pub source_m: f32,
    /// True if it is judged. Other pins are only offered.
    pub marked: bool,
}

impl Pin {
    /// The pin as one or two spans within a clip of that duration, as a timeline draws it.
    pub fn spans(&self, duration_secs: f32) -> impl Iterator<Item = (f32, f32)> + use<> {
        wrapped((self.start_secs, self.end_secs), duration_secs)
    }

    /// The steps of a track that the pin covers, in playing order.
    pub fn steps(&self, track: &ModelTrack) -> impl Iterator<Item = usize> + use<> {
        span_steps((self.start_secs, self.end_secs), track)
    }

    /// The joints whose errors move the pinned point.
    pub fn joints(&self) -> impl Iterator<Item = usize> + use<> {
        let on = match self.on {
            PinSpace::World => None,
            PinSpace::Joint(joint) => Some(joint),
        };
        std::iter::once(self.joint).chain(on)
    }

    /// The pinned point as seen from its space at a step, metres.
    pub(super) fn place(&self, track: &ModelTrack, step: usize) -> Vec3A {
        let pose = track.pose(step);
        self.on.place(&pose, pose[self.joint].transform_point3a(self.point.into()))
    }
}
