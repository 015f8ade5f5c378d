use super::ModelTrack;
use crate::math::Transform;
use crate::model::Channel;

/// Tracks that move, and how many of them lose nothing.
///
/// A codec that finds nothing coarser within its tolerance stores float32: then all of them are exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExactTracks {
    /// Tracks of joints that move.
    pub animated: usize,
    /// Those that decode to the very numbers of the raw clip at every sample.
    pub exact: usize,
}

/// What is known of a joint's three channels.
#[derive(Clone, Copy, Default)]
struct Seen {
    moves: [bool; 3],
    differs: [bool; 3],
}

impl ExactTracks {
    /// Looks at the samples.
    pub(super) fn count(raw: &ModelTrack, lossy: &ModelTrack) -> Self {
        let mut joints = vec![Seen::default(); raw.joints()];
        let first: Vec<Transform> = (0..raw.joints()).map(|joint| raw.local(0, joint)).collect();
        for step in (0..raw.steps()).step_by(raw.sub_frames()) {
            for (joint, seen) in joints.iter_mut().enumerate() {
                seen.look(&first[joint], &raw.local(step, joint), &lossy.local(step, joint));
            }
        }
        let tracks = || joints.iter().flat_map(|seen| seen.moves.into_iter().zip(seen.differs)).filter(|t| t.0);
        Self { animated: tracks().count(), exact: tracks().filter(|t| !t.1).count() }
    }

    /// True when something moves and nothing of it is lost.
    pub fn is_all(self) -> bool {
        self.animated > 0 && self.exact == self.animated
    }
}

impl Seen {
    fn look(&mut self, first: &Transform, raw: &Transform, lossy: &Transform) {
        for channel in Channel::ALL {
            let is_same = |a: &Transform, b: &Transform| match channel {
                Channel::Rotation => a.rotation == b.rotation,
                Channel::Translation => a.translation == b.translation,
                Channel::Scale => a.scale == b.scale,
            };
            self.moves[channel as usize] |= !is_same(first, raw);
            self.differs[channel as usize] |= !is_same(raw, lossy);
        }
    }
}
