/// The search for the two keys around a time. All searches find the same keys. The discriminant is the code on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum KeySearch {
    /// Starts where the last search ended. Forward playback needs few comparisons.
    Cursor = 0,
    /// Binary search.
    Binary = 1,
    /// Linear search from the first key.
    Linear = 2,
}

impl KeySearch {
    /// All searches, ordered by code.
    pub const ALL: [Self; 3] = [Self::Cursor, Self::Binary, Self::Linear];

    /// Index of the last key at or before a sample; at most that of the second-last key. `times` has at least two ascending samples.
    /// `cursor` is the result of the last search.
    #[inline]
    pub fn find(self, times: &[u16], sample: u16, cursor: usize) -> usize {
        let last = times.len() - 2;
        match self {
            Self::Cursor if holds(times, sample, cursor) => cursor,
            Self::Cursor if holds(times, sample, cursor + 1) => cursor + 1,
            Self::Cursor | Self::Binary => times.partition_point(|t| *t <= sample).saturating_sub(1).min(last),
            Self::Linear => times[1..].iter().position(|t| sample < *t).unwrap_or(last).min(last),
        }
    }
}

/// True if a sample lies between the key `index` and the next one. The next key is excluded.
#[inline(always)]
fn holds(times: &[u16], sample: u16, index: usize) -> bool {
    matches!(times.get(index..), Some([from, to, ..]) if *from <= sample && sample < *to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_searches_find_the_same_keys(steps in prop::collection::vec(1u16..9, 1..40), seek in 0.0f64..1.2) {
            let times: Vec<u16> = std::iter::once(0).chain(steps.iter().scan(0, |t, s| { *t += s; Some(*t) })).collect();
            let sample = (seek * f64::from(*times.last().unwrap())) as u16;
            let plain = (0..times.len() - 1).rev().find(|&i| times[i] <= sample).unwrap();
            for cursor in 0..times.len() - 1 {
                for search in KeySearch::ALL {
                    prop_assert_eq!(search.find(&times, sample, cursor), plain, "{:?} from {}", search, cursor);
                }
            }
        }
    }
}
