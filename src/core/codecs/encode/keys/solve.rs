//! The closed loop: parents are decided first, and children are measured on top of the decoded parents.

use super::choose::KeyChooser;
use super::effectors::Effectors;
use super::joint::{Decided, JointSolver};
use super::kept_points::KeptPoints;
use super::metric::{LocalThresholds, Metric};
use super::tracks::JointKeys;
use crate::codecs::encode::RawLocals;
use crate::codecs::runtime::{RotationFormat, TrackKind, TrackTable, VectorFormat};
use crate::codecs::{EncodeError, Progress, Source};
use crate::math::fifth_root;
use crate::model::Channel;
use rayon::Scope;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Settings for the removal of keys.
#[derive(Debug, Clone, Copy)]
pub struct SolveSettings<'a, C> {
    /// Chooses the keys of a track.
    pub chooser: &'a C,
    /// Formats in the order of trials. The last is used if no other is fine enough.
    pub rotation_formats: &'a [RotationFormat],
    /// The same for translation and scale.
    pub vector_formats: &'a [VectorFormat],
    pub choice: FormatChoice<'a>,
    pub metric: Metric,
    /// The points of joints that earlier attempts at the same source found.
    pub points: &'a KeptPoints,
    /// Largest error of any point, metres in object space.
    pub limit_m: f32,
    /// Weight of errors where the parent keeps a key, at least 1.
    pub parent_key_scale: f32,
    /// Divisors of each joint's limits: Riot's adaptive margins. `None` divides nothing.
    pub margins: Option<&'a [f32]>,
    /// Joints that correct the errors of the joints above them. `None` for none.
    pub pinned: Option<&'a [bool]>,
    /// Unreal's retargeting: animated tracks correct the errors of the joints above them. Others stay as they are.
    pub retarget: bool,
    /// Samples of the source's clip from one possible key to the next.
    pub stride: usize,
}

impl<C> SolveSettings<'_, C> {
    /// Largest error of a channel of a joint. `share` is the part of the tolerance for the chain down to it.
    pub fn limit(&self, joint: usize, channel: Channel, share: f32) -> f32 {
        let margin = self.margins.map_or(1.0, |margins| margins[joint]);
        self.metric.limit(channel, self.limit_m * share) / margin
    }

    pub fn is_pinned(&self, joint: usize) -> bool {
        self.pinned.is_some_and(|pinned| pinned[joint])
    }
}

/// The choice among several formats of a track.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FormatChoice<'a> {
    /// The first whose rounding stays within the track's share.
    FirstFine,
    /// The one with the fewest bits, of all whose rounding stays within the track's share.
    Smallest {
        /// True if keys with as many bits as a track needs are tried too.
        ranged: bool,
    },
    /// Keys are chosen among exact values. Then the kept ones get the format with the fewest bits that rounds each of them within these
    /// limits of its joint, alone in its track, or else the last format (Unreal). Without limits, the last format.
    AfterKeys(&'a [LocalThresholds]),
    /// The last, even if it is too coarse. If its rounding exceeds the limit, keys may be removed while that does not add to the error.
    Last,
}

/// Distribution of the limit along a chain of `n` animated tracks: the k-th may raise the error to `(k / n) ^ (this / 5)` of it.
///
/// At 5, all get equal parts. A lower value gives more to those near the root. For 2 ... 5, sizes on the corpus at 0.1 mm differ by 2 %.
/// This value is near the smallest, for hand-keyed and captured clips alike.
const SHARE_FIFTHS: i32 = 3;

/// The keys of all joints.
pub struct Solved {
    pub joints: Vec<JointKeys>,
    /// The largest weighted shell error of the decoded keys over all steps, metres. `None` if the metric measures no points.
    pub error_m: Option<f32>,
}

/// Decides every joint, each as soon as its parent is decided. Ends early with an error if the keys so far take more than the available
/// room.
pub fn solve<C: KeyChooser>(
    source: &Source<'_>,
    trivial: &TrackTable,
    settings: &SolveSettings<'_, C>,
    progress: &Progress,
) -> Result<Solved, EncodeError> {
    let job = SolveJob {
        source,
        trivial,
        settings,
        shares: Shares::new(source, trivial),
        effectors: Effectors::new(source),
        locals: settings.metric.has_points().then(|| RawLocals::new(source.clip)),
        below: counts_below(source),
        solved: SolvedJoints::new(source, progress),
    };
    let roots = (0..source.skeleton.len()).filter(|joint| source.skeleton.parent(*joint).is_none());
    let work = &job;
    rayon::scope(|scope| roots.for_each(|root| scope.spawn(move |scope| work.descend(scope, root, None))));
    job.solved.finish()
}

/// The work on one clip, shared by all threads.
struct SolveJob<'a, C> {
    source: &'a Source<'a>,
    trivial: &'a TrackTable,
    settings: &'a SolveSettings<'a, C>,
    shares: Shares,
    effectors: Effectors,
    locals: Option<RawLocals>,
    /// Numbers of descendants, one per joint.
    below: Vec<usize>,
    solved: SolvedJoints<'a>,
}

impl<C: KeyChooser> SolveJob<'_, C> {
    /// Decides a joint and its descendants. This thread goes on with the child that has most of them, since that way is the longest. Any
    /// thread may take the others.
    fn descend<'s>(&'s self, scope: &Scope<'s>, joint: usize, parent: Option<Arc<Decided>>) {
        let mut next = Some((joint, parent));
        while let Some((joint, parent)) = next.take() {
            if self.solved.has_ended() {
                return;
            }
            let raw = (&self.effectors, self.locals.as_ref());
            let around = (joint, parent.as_deref());
            let solver = JointSolver::new(self.source, self.trivial, self.settings, around, raw);
            let (keys, decided) = solver.solve(&self.shares);
            self.solved.add(joint, keys, decided.error_m(self.source, joint));
            let decided = Arc::new(decided);
            let children = self.source.skeleton.children(joint);
            let longest = children.iter().copied().max_by_key(|child| self.below[*child]);
            for child in children.iter().copied().filter(|child| Some(*child) != longest) {
                let decided = decided.clone();
                scope.spawn(move |scope| self.descend(scope, child, Some(decided)));
            }
            next = longest.map(|child| (child, Some(decided)));
        }
    }
}

/// Numbers of descendants, one per joint.
fn counts_below(source: &Source<'_>) -> Vec<usize> {
    let mut below = vec![0; source.skeleton.len()];
    for joint in (0..below.len()).rev() {
        if let Some(parent) = source.skeleton.parent(joint) {
            below[parent] += 1 + below[joint];
        }
    }
    below
}

/// The joints that are decided so far.
struct SolvedJoints<'a> {
    progress: &'a Progress,
    depths: Vec<usize>,
    state: Mutex<SolvedState>,
}

struct SolvedState {
    keys: Vec<Option<JointKeys>>,
    error_m: Option<f32>,
    /// Per depth, the joints that are not decided, and the bits of the keys of the others.
    levels: Vec<(usize, u64)>,
    /// Depths above which every joint is decided, and the bits of their keys.
    done: (usize, u64),
    ended: Option<EncodeError>,
}

impl<'a> SolvedJoints<'a> {
    fn new(source: &Source<'_>, progress: &'a Progress) -> Self {
        let depths = source.skeleton.depths();
        let mut levels = vec![(0, 0); depths.iter().max().map_or(0, |deepest| deepest + 1)];
        depths.iter().for_each(|depth| levels[*depth].0 += 1);
        let keys = depths.iter().map(|_| None).collect();
        Self {
            progress,
            depths,
            state: Mutex::new(SolvedState { keys, error_m: Some(0.0), levels, done: (0, 0), ended: None }),
        }
    }

    fn state(&self) -> MutexGuard<'_, SolvedState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if the job was cancelled, or has no room.
    fn has_ended(&self) -> bool {
        let mut state = self.state();
        if let Err(cancelled) = self.progress.check() {
            state.ended = Some(cancelled.into());
        }
        state.ended.is_some()
    }

    /// Adds a joint. The room is checked for whole levels, in order, so that the size in an error does not depend on the threads.
    fn add(&self, joint: usize, keys: JointKeys, error_m: Option<f32>) {
        let (depth, mut state) = (self.depths[joint], self.state());
        let (left, bits) = &mut state.levels[depth];
        (*left, *bits) = (*left - 1, *bits + keys.key_bits());
        state.keys[joint] = Some(keys);
        state.error_m = state.error_m.zip(error_m).map(|(worst_m, error_m)| worst_m.max(error_m));
        while let Some((0, bits)) = state.levels.get(state.done.0).copied()
            && state.ended.is_none()
        {
            state.done = (state.done.0 + 1, state.done.1 + bits);
            self.progress.set_fraction(state.done.0 as f32 / state.levels.len() as f32);
            state.ended = self.progress.check_room((state.done.1 / 8) as usize).err().map(EncodeError::from);
        }
    }

    fn finish(self) -> Result<Solved, EncodeError> {
        let SolvedState { keys, error_m, ended, .. } = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        ended.map_or_else(|| Ok(Solved { joints: keys.into_iter().flatten().collect(), error_m }), Err)
    }
}

/// Numbers of animated tracks above each joint, on it, and on the longest chain below.
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
