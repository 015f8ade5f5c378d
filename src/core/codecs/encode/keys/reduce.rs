//! Removes keys that a blend of their neighbours reproduces. The same for every kind of track.

use super::key_chain::KeyChain;
use crate::math::mix;
use crate::model::Channel;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Order in which keys are tried for removal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyOrder {
    /// Forward in time: from each kept key, the longest blend within the limit. Kept keys that such a blend makes unnecessary are removed.
    Forward,
    /// Repeatedly removes the key with the smallest error.
    SmallestError,
    /// In a random order, repeated until no more keys can be removed.
    Random {
        /// Equal seeds give equal orders on every machine.
        seed: u64,
    },
}

impl KeyOrder {
    /// The order for one track. A random order differs between tracks.
    pub fn of_track(self, joint: usize, channel: Channel) -> Self {
        match self {
            Self::Random { seed } => Self::Random { seed: mix(seed ^ mix(3 * joint as u64 + channel as u64)) },
            order => order,
        }
    }
}

/// Returns the samples to keep, ascending, with the first and the last.
///
/// `error(a, b, limit)` returns the largest error strictly between the neighbouring keys `a` and `b`. It may return the first error beyond
/// `limit` instead. It must return infinity instead of NaN.
pub fn reduce_keys(
    samples: usize,
    order: KeyOrder,
    limit: f32,
    error: impl FnMut(usize, usize, f32) -> f32,
) -> Vec<u32> {
    reduce_keys_to(samples, order, limit, usize::MAX, error).expect("as many keys as are needed")
}

/// The same. `None` if more than `max_keys` are needed. Forward in time, that includes keys that later ones would make unnecessary.
pub fn reduce_keys_to(
    samples: usize,
    order: KeyOrder,
    limit: f32,
    max_keys: usize,
    error: impl FnMut(usize, usize, f32) -> f32,
) -> Option<Vec<u32>> {
    let kept = match order {
        KeyOrder::Forward => forward(samples, limit, max_keys, error),
        KeyOrder::SmallestError => smallest_first(samples, limit, error),
        KeyOrder::Random { seed } => random(samples, limit, seed, error),
    };
    (kept.len() <= max_keys).then_some(kept)
}

/// Ends early, with one key too many, if `max_keys` are not enough.
fn forward(samples: usize, limit: f32, max_keys: usize, mut error: impl FnMut(usize, usize, f32) -> f32) -> Vec<u32> {
    let last = samples - 1;
    let mut kept = vec![0];
    let mut key = 0;
    while key < last && kept.len() <= max_keys {
        key = farthest(key, last, |b| error(key, b, limit) <= limit);
        while let [.., before, _] = kept[..]
            && error(before as usize, key, limit) <= limit
        {
            kept.pop();
        }
        kept.push(key as u32);
    }
    kept
}

/// The end of a long blend from `start`. Its length is doubled while it is within the limit, then bisected. Blends of neighbours always
/// are.
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

/// A removable key. Best first: the smallest error, then the shortest blend, then the earliest.
#[derive(Debug, PartialEq)]
struct Candidate {
    error: f32,
    span: usize,
    key: usize,
    /// The two neighbours. The candidate is outdated if one of them has changed.
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
    let mut chain = KeyChain::all(samples);
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
    while let Some(Candidate { key, neighbours: (a, b), .. }) = heap.pop() {
        if !chain.is_key(key) || chain.neighbours(key) != (a, b) {
            continue;
        }
        chain.remove(key);
        if a > 0 {
            offer(&mut heap, chain.back(a, 1), a, b);
        }
        if b < last {
            offer(&mut heap, a, b, chain.forward(b, 1));
        }
    }
    chain.kept()
}

fn random(samples: usize, limit: f32, seed: u64, mut error: impl FnMut(usize, usize, f32) -> f32) -> Vec<u32> {
    let mut chain = KeyChain::all(samples);
    let mut left: Vec<usize> = (1..samples.saturating_sub(1)).collect();
    left.sort_by_key(|key| (mix(seed ^ *key as u64), *key));
    loop {
        let before = left.len();
        left.retain(|&key| {
            let (a, b) = chain.neighbours(key);
            let can_go = error(a, b, limit) <= limit;
            if can_go {
                chain.remove(key);
            }
            !can_go
        });
        if left.len() == before {
            return chain.kept();
        }
    }
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

    const ORDERS: [KeyOrder; 3] = [KeyOrder::Forward, KeyOrder::SmallestError, KeyOrder::Random { seed: 5 }];

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

    #[test]
    fn no_order_leaves_a_key_that_could_go() {
        let mut random = 1u64;
        let mut next = || {
            random = mix(random);
            random as f32 / u64::MAX as f32
        };
        for _ in 0..50 {
            let values: Vec<f32> = (0..80).map(|_| next()).collect();
            let (limit, mut error) = (next(), blend_error(&values));
            for order in ORDERS {
                let kept = reduce_keys(values.len(), order, limit, blend_error(&values));
                let could_go = kept.windows(3).find(|w| error(w[0] as usize, w[2] as usize, limit) <= limit);
                assert_eq!(could_go, None, "{order:?} within {limit}");
            }
        }
    }

    #[test]
    fn a_limit_of_keys_changes_nothing_but_whether_there_are_any() {
        let values: Vec<f32> = (0..60).map(|i| (i as f32 * 0.3).sin()).collect();
        for order in [KeyOrder::Forward, KeyOrder::SmallestError, KeyOrder::Random { seed: 1 }] {
            let kept = reduce_keys(60, order, 0.02, blend_error(&values));
            assert!((5..55).contains(&kept.len()), "{kept:?}");
            for max_keys in 0..60 {
                let found = reduce_keys_to(60, order, 0.02, max_keys, blend_error(&values));
                assert_eq!(found, (max_keys >= kept.len()).then(|| kept.clone()), "{order:?}, at most {max_keys}");
            }
        }
    }

    #[test]
    fn a_seed_gives_one_order_and_tracks_have_orders_of_their_own() {
        let values: Vec<f32> = (0..60).map(|i| (i as f32 * 0.3).sin()).collect();
        let kept = |order| reduce_keys(60, order, 0.02, blend_error(&values));
        let random = KeyOrder::Random { seed: 1 };
        assert_eq!(kept(random), kept(random));
        let others = (0..8).map(|joint| kept(random.of_track(joint, Channel::Rotation)));
        assert!(others.into_iter().any(|other| other != kept(random)));
        // No removable key is left.
        let (kept, mut error) = (kept(random), blend_error(&values));
        assert!(kept.windows(3).all(|w| error(w[0] as usize, w[2] as usize, 0.02) > 0.02));
    }
}
