use super::KeptKeys;
use crate::math::Transform;

/// A track whose fit is to be seen again, and up to which key.
#[derive(Debug, Clone, Copy)]
pub struct Replay<'a> {
    /// The track, with the order in which its keys were inserted.
    pub kept: &'a KeptKeys,
    /// Keys that the fit had; it began with two, which are there whatever this says.
    pub keys: usize,
    /// Values wanted from one sample to the next, at least 1.
    pub sub_frames: usize,
}

/// What a fit made of a track when it had some of its keys.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedCurve {
    /// Samples of its keys, ascending.
    pub samples: Vec<u32>,
    /// The joint at every step, as its keys would decode; channels that the track does not move are at bind pose.
    pub values: Vec<Transform>,
}
