//! Signs that a joint that keeps still is held there, and does not just keep still because nothing moves.

use super::resting::spread_m;
use super::{Pin, PinSpace};
use crate::metrics::ModelTrack;
use crate::model::Skeleton;
use glam::Vec3A;

/// Most steps of a pin at which motion is looked at.
const LOOKS: usize = 24;

/// True if a joint between the pinned joint and its space moves that far, as seen from that space. A chain of joints that
/// all keep still is not held by anything.
pub(super) fn is_held(skeleton: &Skeleton, raw: &ModelTrack, pin: &Pin, least_m: f32) -> bool {
    moves(raw, pin, &between(skeleton, pin), pin.on, least_m)
}

/// True if any joint moves that far in the world.
pub(super) fn body_moves(raw: &ModelTrack, pin: &Pin, least_m: f32) -> bool {
    let all: Vec<_> = (0..raw.joints()).collect();
    moves(raw, pin, &all, PinSpace::World, least_m)
}

/// True if the origin of one of the joints moves that far in a space.
fn moves(raw: &ModelTrack, pin: &Pin, joints: &[usize], space: PinSpace, least_m: f32) -> bool {
    let steps: Vec<_> = pin.steps(raw).collect();
    let stride = steps.len().div_ceil(LOOKS).max(1);
    let places = |step: &usize| {
        let pose = raw.pose(*step);
        joints.iter().map(|&joint| space.place(&pose, pose[joint].translation)).collect::<Vec<Vec3A>>()
    };
    let rows: Vec<_> = steps.iter().step_by(stride).map(places).collect();
    (0..joints.len()).any(|joint| spread_m(rows.iter().map(|row| row[joint])) >= least_m)
}

/// The joints between the pinned joint and its space. The pinned joint counts if its pinned point is not its origin.
fn between(skeleton: &Skeleton, pin: &Pin) -> Vec<usize> {
    let up = |joint: usize| std::iter::once(joint).chain(skeleton.ancestors(joint)).collect::<Vec<_>>();
    let mut own = up(pin.joint);
    let mut other = match pin.on {
        PinSpace::World => Vec::new(),
        PinSpace::Joint(on) => up(on),
    };
    while own.len() > 1 && other.len() > 1 && own[own.len() - 2] == other[other.len() - 2] {
        own.pop();
        other.pop();
    }
    let is_end = |joint: &usize| PinSpace::Joint(*joint) != pin.on && *joint != pin.joint;
    let mut all: Vec<_> = own.into_iter().chain(other).filter(is_end).collect();
    all.sort_unstable();
    all.dedup();
    if pin.on == PinSpace::World && pin.point.length_squared() > 0.0 {
        all.push(pin.joint);
    }
    all
}
