//! Which keys a blend of their neighbours can rebuild: the same for every kind of track.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// In which order keys are tried for removal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyOrder {
    /// Forward in time: from each kept key the longest blend that holds.
    Forward,
    /// The key whose removal costs least, again and again.
    SmallestError,
}

/// The samples to keep, ascending, the first and the last among them.
///
/// `error(a, b, limit)` is the largest error strictly between the neighbouring keys `a` and `b`; it may return the first
/// error beyond `limit` that it finds. NaN must read as infinite.
pub fn reduce_keys(
    samples: usize,
    order: KeyOrder,
    limit: f32,
    error: impl FnMut(usize, usize, f32) -> f32,
) -> Vec<u32> {
    match order {
        KeyOrder::Forward => forward(samples, limit, error),
        KeyOrder::SmallestError => smallest_first(samples, limit, error),
    }
}

fn forward(samples: usize, limit: f32, mut error: impl FnMut(usize, usize, f32) -> f32) -> Vec<u32> {
    let last = samples - 1;
    let mut kept = vec![0];
    let mut key = 0;
    while key < last {
        key = farthest(key, last, |b| error(key, b, limit) <= limit);
        kept.push(key as u32);
    }
    kept
}

/// The end of a long blend from `start`: doubled while it holds, then narrowed down. Blends of neighbours always hold.
fn farthest(start: usize, last: usize, mut holds: impl FnMut(usize) -> bool) -> usize {
    let (mut good, mut step) = (start + 1, 1);
    let mut bad = loop {
        if good >= last {
            return last;
        }
        let next = (good + step).min(last);
        if !holds(next) {
            break next;
        }
        good = next;
        step *= 2;
    };
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if holds(middle) { good = middle } else { bad = middle }
    }
    good
}

/// A key that could go, best first: the smallest error, then the shortest blend, then the earliest.
#[derive(Debug, PartialEq)]
struct Candidate {
    error: f32,
    span: usize,
    key: usize,
    /// Of the two neighbours; outdated when one of them has changed since.
    neighbours: (usize, usize),
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        let rank = |c: &Self| (c.span, c.key, c.neighbours);
        other.error.total_cmp(&self.error).then_with(|| rank(other).cmp(&rank(self)))
    }
}

fn smallest_first(samples: usize, limit: f32, mut error: impl FnMut(usize, usize, f32) -> f32) -> Vec<u32> {
    let last = samples - 1;
    // Neighbours among the keys that are left; a removed key points to itself.
    let mut previous: Vec<usize> = (0..samples).map(|i| i.saturating_sub(1)).collect();
    let mut next: Vec<usize> = (0..samples).map(|i| (i + 1).min(last)).collect();
    let mut heap = BinaryHeap::new();
    let mut offer = |heap: &mut BinaryHeap<Candidate>, a: usize, key: usize, b: usize| {
        let error = error(a, b, limit);
        if error <= limit {
            heap.push(Candidate { error, span: b - a, key, neighbours: (a, b) });
        }
    };
    for key in 1..last {
        offer(&mut heap, key - 1, key, key + 1);
    }
    let mut is_kept = vec![true; samples];
    while let Some(Candidate { key, neighbours: (a, b), .. }) = heap.pop() {
        if !is_kept[key] || (previous[key], next[key]) != (a, b) {
            continue;
        }
        is_kept[key] = false;
        (next[a], previous[b]) = (b, a);
        if a > 0 {
            offer(&mut heap, previous[a], a, b);
        }
        if b < last {
            offer(&mut heap, a, b, next[b]);
        }
    }
    (0..samples as u32).filter(|&i| is_kept[i as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn blend_error(values: &[f32]) -> impl FnMut(usize, usize, f32) -> f32 {
        move |a, b, _| {
            let at = |i: usize| values[a] + (values[b] - values[a]) * (i - a) as f32 / (b - a) as f32;
            (a + 1..b).map(|i| (at(i) - values[i]).abs()).fold(0.0, f32::max)
        }
    }

    const ORDERS: [KeyOrder; 2] = [KeyOrder::Forward, KeyOrder::SmallestError];

    proptest! {
        #[test]
        fn what_is_removed_is_rebuilt_within_the_limit(values in prop::collection::vec(-1.0f32..1.0, 1..80), limit in 0.0f32..1.0) {
            for order in ORDERS {
                let kept = reduce_keys(values.len(), order, limit, blend_error(&values));
                prop_assert_eq!((kept[0], *kept.last().unwrap() as usize), (0, values.len() - 1));
                let mut error = blend_error(&values);
                for w in kept.windows(2) {
                    prop_assert!(w[0] < w[1] && error(w[0] as usize, w[1] as usize, limit) <= limit);
                }
            }
        }
    }

    #[test]
    fn corners_of_a_polyline_are_all_that_is_kept() {
        let values: Vec<f32> = (0..=30).map(|i: i32| (10 - (i - 10).abs()).max(i - 20).max(0) as f32).collect();
        for order in ORDERS {
            assert_eq!(reduce_keys(31, order, 1e-4, blend_error(&values)), [0, 10, 20, 30]);
        }
    }

    #[test]
    fn the_articles_example_rebuilds_its_third_key() {
        // Linear Key Reduction: lerp(0.35, 0.85, 0.5) = 0.6.
        assert_eq!(reduce_keys(3, KeyOrder::Forward, 1e-6, blend_error(&[0.35, 0.6, 0.85])), [0, 2]);
        assert_eq!(reduce_keys(3, KeyOrder::SmallestError, 1e-6, blend_error(&[0.6, 0.85, 0.96])), [0, 1, 2]);
    }
}
