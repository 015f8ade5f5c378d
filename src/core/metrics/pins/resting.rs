//! Stretches of a path that stay near one place.

use crate::metrics::contacts::median;
use glam::Vec3A;

/// The quietest part of a rest stays within this share of the limit (hysteresis).
const QUIET: f32 = 0.5;
/// The ends of a rest are no farther from its place than this multiple of the median distance.
const END_TIMES: f32 = 3.0;
/// The ends of a rest are at least allowed this share of the limit.
const END_SHARE: f32 = 0.08;

/// The middle half of a rest has at least this share of its spread. It is a quarter where a limb turns back, a half in an even drift.
const TURN_SHARE: f32 = 0.4;

/// A time during which a path stays near one place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rest {
    /// First moment. In a loop, the moments from there on may lie beyond the last.
    pub first: usize,
    /// Number of moments.
    pub count: usize,
    /// The place: the median per axis.
    pub place: Vec3A,
    /// The distance from that place at which it ends.
    pub end_m: f32,
}

impl Rest {
    /// Half the diagonal of the box around its moments.
    pub(super) fn spread_m(&self, path: &[Vec3A]) -> f32 {
        self.spread_of(path, 0..self.count)
    }

    /// True if the path only turns back there, as a limb that swings does. From its middle it then leaves with the square of the time.
    pub(super) fn only_turns(&self, path: &[Vec3A]) -> bool {
        let middle = self.spread_of(path, self.count / 4..self.count - self.count / 4);
        middle < TURN_SHARE * self.spread_m(path)
    }

    fn spread_of(&self, path: &[Vec3A], moments: std::ops::Range<usize>) -> f32 {
        spread_m(moments.map(|moment| path[(self.first + moment) % path.len()]))
    }
}

/// The rests of a path within `most_m` of a place, for at least `shortest` moments, ordered by time. Rests do not overlap.
pub(super) fn rests(path: &[Vec3A], most_m: f32, shortest: usize, looping: bool) -> Vec<Rest> {
    let count = path.len();
    if count < shortest || shortest == 0 {
        return Vec::new();
    }
    let windows = if looping { count } else { count + 1 - shortest };
    let spread = |first: usize| spread_m((first..first + shortest).map(|i| path[i % count]));
    let mut seeds: Vec<_> = (0..windows).map(|first| (spread(first), first)).collect();
    seeds.retain(|(spread_m, _)| *spread_m <= QUIET * most_m);
    seeds.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut taken = vec![false; count];
    let mut found = Vec::new();
    for (_, first) in seeds {
        if (first..first + shortest).any(|i| taken[i % count]) {
            continue;
        }
        let walk = Walk { path, taken: &taken, looping };
        let seed = walk.grown(first, shortest, median_of(path, first, shortest), most_m);
        let grown = walk.grown(first, shortest, median_of(path, seed.0, seed.1), most_m);
        (grown.0..grown.0 + grown.1).for_each(|i| taken[i % count] = true);
        found.extend(trimmed(path, grown, most_m).filter(|rest| rest.count >= shortest));
    }
    found.sort_by_key(|rest| rest.first);
    found
}

/// Half the diagonal of the box around some points.
pub(super) fn spread_m(points: impl Iterator<Item = Vec3A>) -> f32 {
    let start = (Vec3A::INFINITY, Vec3A::NEG_INFINITY);
    let (low, high) = points.fold(start, |(low, high), p| (low.min(p), high.max(p)));
    ((high - low).length() / 2.0).max(0.0)
}

struct Walk<'a> {
    path: &'a [Vec3A],
    taken: &'a [bool],
    looping: bool,
}

impl Walk<'_> {
    /// The moments around a seed that are near a place: first and count.
    fn grown(&self, first: usize, length: usize, place: Vec3A, most_m: f32) -> (usize, usize) {
        let count = self.path.len();
        let near = |moment: usize| !self.taken[moment] && self.path[moment].distance(place) <= most_m;
        let (mut first, mut length) = (first, length);
        while length < count && (self.looping || first + length < count) && near((first + length) % count) {
            length += 1;
        }
        while length < count && (self.looping || first > 0) && near((first + count - 1) % count) {
            first = (first + count - 1) % count;
            length += 1;
        }
        (first, length)
    }
}

/// The median of some moments, per axis.
fn median_of(path: &[Vec3A], first: usize, length: usize) -> Vec3A {
    let axis = |axis: usize| median((first..first + length).map(|i| path[i % path.len()][axis]).collect());
    Vec3A::new(axis(0), axis(1), axis(2))
}

/// A rest without the moments at its ends in which the point already leaves its place.
fn trimmed(path: &[Vec3A], (first, length): (usize, usize), most_m: f32) -> impl Iterator<Item = Rest> + use<> {
    let place = median_of(path, first, length);
    let distances: Vec<_> = (first..first + length).map(|i| path[i % path.len()].distance(place)).collect();
    let end_m = (median(distances.clone()) * END_TIMES).clamp(END_SHARE * most_m, most_m);
    let from = distances.iter().position(|m| *m <= end_m);
    let to = distances.iter().rposition(|m| *m <= end_m);
    let rest =
        from.zip(to).map(|(from, to)| Rest { first: (first + from) % path.len(), count: to + 1 - from, place, end_m });
    rest.into_iter()
}
