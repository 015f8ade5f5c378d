use super::ModelTrack;
use crate::math::Transform;
use crate::model::Channel;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Fewest samples in a row without loss that count as exact. It is shorter than any block of a codec that falls back to float32 per block.
const SHORTEST_RUN: usize = 16;

/// Counts of tracks and intervals that decode without any loss.
///
/// A codec that finds nothing coarser within its tolerance stores float32, for the whole clip or for parts of a long take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ExactTracks {
    /// Tracks that change during the clip. A track is one channel of one joint.
    pub animated: usize,
    /// Animated tracks that decode to exactly the values of the raw clip at every sample.
    pub exact: usize,
    /// Intervals between samples in which something moves and nothing is lost. Only runs of at least 16 samples count.
    pub exact_intervals: usize,
}

impl ExactTracks {
    /// Compares two tracks at the samples.
    pub(super) fn count(raw: &ModelTrack, lossy: &ModelTrack) -> Self {
        let moving = moving_tracks(raw);
        let mut differs = vec![false; moving.len()];
        let mut runs = Runs::default();
        let mut before: Option<Cow<'_, [Transform]>> = None;
        for step in samples(raw) {
            let (original, decoded) = (raw.locals(step), lossy.locals(step));
            let mut is_exact = true;
            for (&(joint, channel), differs) in moving.iter().zip(&mut differs) {
                let is_same = is_same(channel, &original[joint], &decoded[joint]);
                is_exact &= is_same;
                *differs |= !is_same;
            }
            let moves = |from: &[Transform]| {
                moving.iter().any(|&(joint, channel)| !is_same(channel, &from[joint], &original[joint]))
            };
            runs.add(is_exact && before.as_deref().is_some_and(moves));
            before = is_exact.then_some(original);
        }
        let exact = differs.iter().filter(|differs| !**differs).count();
        Self { animated: moving.len(), exact, exact_intervals: runs.finish() }
    }

    /// True if the clip moves and none of its motion is lost.
    pub fn is_all(self) -> bool {
        self.animated > 0 && self.exact == self.animated
    }
}

/// Sums the lengths of long runs.
#[derive(Default)]
struct Runs {
    sum: usize,
    run: usize,
}

impl Runs {
    fn add(&mut self, continues: bool) {
        if continues {
            self.run += 1;
        } else {
            self.sum += self.ended();
            self.run = 0;
        }
    }

    fn ended(&self) -> usize {
        if self.run + 1 >= SHORTEST_RUN { self.run } else { 0 }
    }

    fn finish(self) -> usize {
        self.sum + self.ended()
    }
}

fn samples(track: &ModelTrack) -> impl Iterator<Item = usize> {
    (0..track.steps()).step_by(track.sub_frames())
}

/// Channels whose samples are not all equal. Reads sample by sample, because a long track keeps only its recently used steps.
fn moving_tracks(raw: &ModelTrack) -> Vec<(usize, Channel)> {
    let first = raw.locals(0).into_owned();
    let mut moves = vec![[false; 3]; raw.joints()];
    for step in samples(raw) {
        for ((local, first), moves) in raw.locals(step).iter().zip(&first).zip(&mut moves) {
            Channel::ALL.iter().for_each(|&c| moves[c as usize] |= !is_same(c, first, local));
        }
    }
    let tracks =
        moves.iter().enumerate().flat_map(|(joint, moves)| Channel::ALL.map(|c| (joint, c, moves[c as usize])));
    tracks.filter(|track| track.2).map(|(joint, channel, _)| (joint, channel)).collect()
}

fn is_same(channel: Channel, a: &Transform, b: &Transform) -> bool {
    match channel {
        Channel::Rotation => a.rotation == b.rotation,
        Channel::Translation => a.translation == b.translation,
        Channel::Scale => a.scale == b.scale,
    }
}
