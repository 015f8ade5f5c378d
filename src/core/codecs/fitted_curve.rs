use super::KeptKeys;
use crate::math::Transform;
use serde::{Deserialize, Serialize};

/// A request for the state of a track's fit after some of its keys.
#[derive(Debug, Clone, Copy)]
pub struct Replay<'a> {
    /// The track, with the order in which the fit inserted its keys.
    pub kept: &'a KeptKeys,
    /// The number of keys in the fit, at least the two that it begins with.
    pub keys: usize,
    /// Values per sample interval, at least 1.
    pub sub_frames: usize,
}

/// The state of a track's fit after some of its keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FittedCurve {
    /// Samples of the keys, ascending.
    pub samples: Vec<u32>,
    /// The joint at every step, as the keys would decode. Channels that the track does not move are at bind pose.
    pub values: Vec<Transform>,
}
