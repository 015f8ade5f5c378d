use core::ops::Range;

/// How a decoder finds the two keys around a time. All ways find the same keys; the number is the code on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum KeySearch {
    /// From where the last search ended: played forwards, one comparison.
    Cursor = 0,
    /// Halving the range.
    Binary = 1,
    /// From the first key on.
    Linear = 2,
}

impl KeySearch {
    /// In the order of their codes.
    pub const ALL: [Self; 3] = [Self::Cursor, Self::Binary, Self::Linear];

    /// Index of the last key at or before a fractional sample, but not of the very last key; `times` are ascending, at
    /// least two. `cursor` is where the last search ended.
    #[inline(always)]
    pub fn find(self, times: &[u32], at: f64, cursor: usize) -> usize {
        if self == Self::Cursor && holds(times, at, cursor) { cursor } else { self.move_on(times, at, cursor) }
    }

    /// [`KeySearch::find`], among keys of which `around` gives a range that holds both of those around the time.
    #[inline(always)]
    pub fn find_among(self, times: &[u32], at: f64, cursor: usize, around: impl FnOnce() -> Range<usize>) -> usize {
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

    /// [`KeySearch::find`] where the time has left the keys around the cursor.
    fn move_on(self, times: &[u32], at: f64, cursor: usize) -> usize {
        let last = times.len() - 2;
        match self {
            Self::Cursor if holds(times, at, cursor + 1) => cursor + 1,
            Self::Cursor | Self::Binary => times.partition_point(|t| f64::from(*t) <= at).saturating_sub(1).min(last),
            Self::Linear => times[1..].iter().position(|t| at < f64::from(*t)).unwrap_or(last).min(last),
        }
    }
}

/// True when a fractional sample lies between a key and the next.
#[inline(always)]
fn holds(times: &[u32], at: f64, index: usize) -> bool {
    matches!(times.get(index..), Some([from, to, ..]) if f64::from(*from) <= at && at < f64::from(*to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_searches_find_the_same_keys(steps in prop::collection::vec(1u32..9, 1..40), seek in 0.0f64..1.2) {
            let times: Vec<u32> = std::iter::once(0).chain(steps.iter().scan(0, |t, s| { *t += s; Some(*t) })).collect();
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
