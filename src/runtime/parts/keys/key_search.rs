use core::ops::Range;

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

    /// Index of the last key at or before a fractional sample; at most that of the second-last key. `times` has at least two ascending
    /// samples. `cursor` is the result of the last search.
    #[inline(always)]
    pub fn find(self, times: &[u16], at: f64, cursor: usize) -> usize {
        if self == Self::Cursor && holds(times, at, cursor) { cursor } else { self.move_on(times, at, cursor) }
    }

    /// Like [`KeySearch::find`], in a part of the keys: `around` returns a range that contains both keys around the time.
    #[inline(always)]
    pub fn find_among(self, times: &[u16], at: f64, cursor: usize, around: impl FnOnce() -> Range<usize>) -> usize {
        if self == Self::Cursor && holds(times, at, cursor) {
            return cursor;
        }
        if self == Self::Cursor && holds(times, at, cursor + 1) {
            return cursor + 1;
        }
        let around = around();
        let start = around.start;
        match times.get(start..around.end.min(times.len())) {
            Some(near) if near.len() > 1 => start + self.move_on(near, at, near.len()),
            _ => self.move_on(times, at, cursor),
        }
    }

    /// [`KeySearch::find`] for a time outside the interval of the cursor.
    fn move_on(self, times: &[u16], at: f64, cursor: usize) -> usize {
        let last = times.len() - 2;
        match self {
            Self::Cursor if holds(times, at, cursor + 1) => cursor + 1,
            Self::Cursor | Self::Binary => times.partition_point(|t| f64::from(*t) <= at).saturating_sub(1).min(last),
            Self::Linear => times[1..].iter().position(|t| at < f64::from(*t)).unwrap_or(last).min(last),
        }
    }
}

/// True if a fractional sample lies between the key `index` and the next one. The next key is excluded.
#[inline(always)]
fn holds(times: &[u16], at: f64, index: usize) -> bool {
    matches!(times.get(index..), Some([from, to, ..]) if f64::from(*from) <= at && at < f64::from(*to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_searches_find_the_same_keys(steps in prop::collection::vec(1u16..9, 1..40), seek in 0.0f64..1.2) {
            let times: Vec<u16> = std::iter::once(0).chain(steps.iter().scan(0, |t, s| { *t += s; Some(*t) })).collect();
            let end = f64::from(*times.last().unwrap());
            // Quarters, so that keys are hit exactly too.
            let at = (4.0 * seek * end).round() / 4.0;
            let plain = (0..times.len() - 1).rev().find(|&i| f64::from(times[i]) <= at).unwrap();
            for cursor in 0..times.len() - 1 {
                for search in KeySearch::ALL {
                    let among = search.find_among(&times, at, cursor, || plain.saturating_sub(1)..plain + 3);
                    prop_assert_eq!(among, plain, "{:?} from {}, among a few", search, cursor);
                    prop_assert_eq!(search.find(&times, at, cursor), plain, "{:?} from {}", search, cursor);
                }
            }
        }
    }
}
