//! The combinatorial number system: a number for each set of `chosen` of `things`.

/// Largest `things` for [`combinations`]: the numbers of all sets fit in [`crate::format::MAX_BITS_AT`] bits.
pub const MOST_THINGS: usize = 56;

/// Number of sets of `chosen` of `things`: the binomial coefficient. `things` is at most `MOST_THINGS`.
pub fn combinations(things: usize, chosen: usize) -> u64 {
    if chosen > things {
        return 0;
    }
    (0..chosen as u64).fold(1, |sets, i| sets * (things as u64 - i) / (i + 1))
}

/// Bits of the number of a set of `chosen` of `things`, at least one set.
pub fn combination_bits(things: usize, chosen: usize) -> u32 {
    u64::BITS - (combinations(things, chosen) - 1).leading_zeros()
}

/// Members of the set with that number, ascending. Sets without the first thing have the lower numbers, and so on for each thing.
pub fn combination(things: usize, chosen: usize, number: u64) -> impl Iterator<Item = usize> {
    let (mut number, mut left, mut sets) = (number, chosen, combinations(things, chosen));
    (0..things).filter(move |thing| {
        let rest = (things - thing) as u64;
        let without = sets * (rest - left as u64) / rest;
        let is_chosen = number >= without;
        (number, sets) = if is_chosen { (number - without, sets - without) } else { (number, without) };
        left -= usize::from(is_chosen);
        is_chosen
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn every_set_has_a_number() {
        for (things, chosen) in [(0, 0), (5, 0), (5, 5), (7, 3), (10, 9)] {
            let sets: Vec<Vec<usize>> =
                (0..combinations(things, chosen)).map(|n| combination(things, chosen, n).collect()).collect();
            assert!(sets.iter().all(|set| set.len() == chosen && set.iter().all(|thing| *thing < things)));
            assert!((1..sets.len()).all(|i| !sets[..i].contains(&sets[i])), "{things} {chosen}");
        }
        assert_eq!((combinations(7, 3), combinations(3, 4), combination_bits(7, 3)), (35, 0, 6));
        assert_eq!((combination_bits(9, 0), combination_bits(9, 9)), (0, 0));
    }

    #[test]
    fn numbers_fit_what_is_read_at_once() {
        let bits = |chosen| combination_bits(MOST_THINGS, chosen);
        assert_eq!((0..=MOST_THINGS).map(bits).max(), Some(53));
        let half = MOST_THINGS / 2;
        let last: Vec<usize> = combination(MOST_THINGS, half, combinations(MOST_THINGS, half) - 1).collect();
        assert_eq!(last, (0..half).collect::<Vec<_>>());
    }
}
