//! The closed loop: parents are decided first, children are judged on top of what their parents decode to.

use super::choose::KeyChooser;
use super::effectors::Effectors;
use super::joint::{Decided, JointSolver};
use super::metric::Metric;
use super::tracks::JointKeys;
use crate::codecs::encode::RawLocals;
use crate::codecs::runtime::{RotationFormat, TrackKind, TrackTable, VectorFormat};
use crate::codecs::{Cancelled, EncodeError, Progress, Source};
use crate::math::fifth_root;
use crate::model::Channel;
use rayon::prelude::*;

/// How keys are removed.
#[derive(Debug, Clone, Copy)]
pub struct SolveSettings<'a, C> {
    /// Chooses the keys of a track.
    pub chooser: &'a C,
    /// Tried in turn; the last is used where no other is fine enough.
    pub rotation_formats: &'a [RotationFormat],
    /// The same for translation and scale.
    pub vector_formats: &'a [VectorFormat],
    pub choice: FormatChoice,
    pub metric: Metric,
    /// Largest error at anything, metres in object space.
    pub limit_m: f32,
    /// An error counts this much more, at least once, where the parent keeps a key.
    pub parent_key_scale: f32,
    /// What the limits of each joint are divided by: Riot's adaptive margins. `None` divides nothing.
    pub margins: Option<&'a [f32]>,
    /// Joints that make up for what the joints above them err. `None` pins nothing.
    pub pinned: Option<&'a [bool]>,
    /// Unreal's: tracks that move make up for what the joints above them err. Others stay as they are.
    pub retarget: bool,
    /// Samples of the source's clip from one possible key to the next.
    pub stride: usize,
}

impl<C> SolveSettings<'_, C> {
    /// What a channel of a joint may err; `share` is the part of the tolerance that the chain down to it may take.
    pub fn limit(&self, joint: usize, channel: Channel, share: f32) -> f32 {
        let margin = self.margins.map_or(1.0, |margins| margins[joint]);
        self.metric.limit(channel, self.limit_m * share) / margin
    }

    pub fn is_pinned(&self, joint: usize) -> bool {
        self.pinned.is_some_and(|pinned| pinned[joint])
    }
}

/// Which of several formats a track gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormatChoice {
    /// The first whose rounding stays within the track's share.
    FirstFine,
    /// The one that takes the fewest bits of all whose rounding stays within the track's share.
    Smallest {
        /// Keys of as many bits as a track needs are tried too.
        ranged: bool,
    },
    /// The last, however coarse: where its rounding is beyond the limit, keys may go as long as they add nothing to it.
    Last,
}

/// How the limit is shared along a chain of `n` animated tracks: the k-th may raise the error to `(k / n) ^ (this / 5)` of it.
///
/// At 5 all get equal parts; less gives more to those near the root. Among 2 ... 5
/// sizes on the corpus at 0.1 mm differ by 2 %; this is near the smallest of hand-keyed and captured clips alike.
const SHARE_FIFTHS: i32 = 3;

/// Decides every joint, level by level from the roots. Ends early where the keys of some levels take more than there is room
/// for.
pub fn solve<C: KeyChooser>(
    source: &Source<'_>,
    trivial: &TrackTable,
    settings: &SolveSettings<'_, C>,
    progress: &Progress,
) -> Result<Vec<JointKeys>, EncodeError> {
    let (shares, effectors) = (Shares::new(source, trivial), Effectors::new(source));
    let locals = settings.metric.has_points().then(|| RawLocals::new(source.clip));
    let joints = source.skeleton.len();
    let mut keys: Vec<Option<JointKeys>> = (0..joints).map(|_| None).collect();
    // Of the level above: nobody looks farther up.
    let mut above: Vec<Option<Decided>> = Vec::new();
    let levels = levels(source);
    let total = levels.len() as f32;
    let mut key_bits = 0;
    for (done, level) in levels.into_iter().enumerate() {
        progress.set_fraction(done as f32 / total);
        let solved: Vec<(JointKeys, Decided)> = level
            .par_iter()
            .map(|&joint| {
                progress.check()?;
                let parent = source.skeleton.parent(joint).and_then(|p| above[p].as_ref());
                let raw = (&effectors, locals.as_ref());
                Ok(JointSolver::new(source, trivial, settings, (joint, parent), raw).solve(&shares))
            })
            .collect::<Result<_, Cancelled>>()?;
        key_bits += solved.iter().map(|(keys, _)| keys.key_bits()).sum::<u64>();
        progress.check_room((key_bits / 8) as usize)?;
        above = (0..joints).map(|_| None).collect();
        for (joint, (solved, decided)) in level.into_iter().zip(solved) {
            (keys[joint], above[joint]) = (Some(solved), Some(decided));
        }
    }
    Ok(keys.into_iter().flatten().collect())
}

/// Joints by their distance from the root.
fn levels(source: &Source<'_>) -> Vec<Vec<usize>> {
    let mut depths = vec![0; source.skeleton.len()];
    let mut levels: Vec<Vec<usize>> = Vec::new();
    for joint in 0..depths.len() {
        depths[joint] = source.skeleton.parent(joint).map_or(0, |p| depths[p] + 1);
        if levels.len() <= depths[joint] {
            levels.push(Vec::new());
        }
        levels[depths[joint]].push(joint);
    }
    levels
}

/// How many animated tracks lie above each joint, on it, and on the longest chain below.
pub struct Shares {
    above: Vec<u32>,
    own: Vec<u32>,
    below: Vec<u32>,
}

impl Shares {
    fn new(source: &Source<'_>, table: &TrackTable) -> Self {
        let animated = |kinds: &[TrackKind; 3]| kinds.iter().filter(|k| **k == TrackKind::Animated).count() as u32;
        let own: Vec<u32> = table.kinds.iter().map(animated).collect();
        let (mut above, mut below) = (vec![0; own.len()], vec![0; own.len()]);
        for joint in 0..own.len() {
            above[joint] = source.skeleton.parent(joint).map_or(0, |p| above[p] + own[p]);
        }
        for joint in (0..own.len()).rev() {
            if let Some(parent) = source.skeleton.parent(joint) {
                below[parent] = below[parent].max(below[joint] + own[joint]);
            }
        }
        Self { above, own, below }
    }

    /// Part of the limit that the error may reach once `done` of the joint's animated tracks are decided.
    pub fn part(&self, joint: usize, done: u32) -> f32 {
        let up_to_here = self.above[joint] + done;
        let all = self.above[joint] + self.own[joint] + self.below[joint];
        let share = f64::from(up_to_here) / f64::from(all.max(1));
        (0..SHARE_FIFTHS).fold(1.0, |product, _| product * fifth_root(share)) as f32
    }
}
