//! The keys among a track's samples, each with its neighbours.

/// The keys among a track's samples, as a doubly linked list. Adding, removing and stepping take constant time. The first and the last
/// sample are always keys.
#[derive(Debug, Clone)]
pub struct KeyChain {
    /// The first key has itself.
    previous: Vec<u32>,
    /// The last key has itself.
    next: Vec<u32>,
    is_kept: Vec<bool>,
}

impl KeyChain {
    /// A chain with every sample as a key.
    pub fn all(samples: usize) -> Self {
        let last = samples as u32 - 1;
        Self {
            previous: (0..=last).map(|i| i.saturating_sub(1)).collect(),
            next: (0..=last).map(|i| (i + 1).min(last)).collect(),
            is_kept: vec![true; samples],
        }
    }

    /// A chain with only the first and the last sample as keys.
    pub fn ends(samples: usize) -> Self {
        let last = samples - 1;
        let mut chain = Self { previous: vec![0; samples], next: vec![0; samples], is_kept: vec![false; samples] };
        (chain.is_kept[0], chain.is_kept[last]) = (true, true);
        (chain.next[0], chain.next[last]) = (last as u32, last as u32);
        chain
    }

    pub fn is_key(&self, sample: usize) -> bool {
        self.is_kept[sample]
    }

    /// The keys on both sides of a key.
    pub fn neighbours(&self, key: usize) -> (usize, usize) {
        (self.previous[key] as usize, self.next[key] as usize)
    }

    /// The key that is `keys` keys before a key, or the first.
    pub fn back(&self, key: usize, keys: usize) -> usize {
        (0..keys).fold(key, |key, _| self.previous[key] as usize)
    }

    /// The key that is `keys` keys after a key, or the last.
    pub fn forward(&self, key: usize, keys: usize) -> usize {
        (0..keys).fold(key, |key, _| self.next[key] as usize)
    }

    /// The key before a key, `None` before the first.
    pub fn before(&self, key: usize) -> Option<usize> {
        (key > 0).then(|| self.previous[key] as usize)
    }

    /// The key after a key, `None` after the last.
    pub fn after(&self, key: usize) -> Option<usize> {
        (key + 1 < self.next.len()).then(|| self.next[key] as usize)
    }

    /// The keys from this one on.
    pub fn from(&self, key: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(key), |key| self.after(*key))
    }

    /// Removes a key that is neither the first nor the last.
    pub fn remove(&mut self, key: usize) {
        let (a, b) = self.neighbours(key);
        self.is_kept[key] = false;
        (self.next[a], self.previous[b]) = (b as u32, a as u32);
    }

    /// Adds `key` between the key `after` and the next one.
    pub fn insert(&mut self, key: usize, after: usize) {
        let next = self.next[after];
        self.is_kept[key] = true;
        (self.previous[key], self.next[key]) = (after as u32, next);
        (self.next[after], self.previous[next as usize]) = (key as u32, key as u32);
    }

    /// All keys, ascending.
    pub fn kept(&self) -> Vec<u32> {
        self.from(0).map(|key| key as u32).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_and_go_in_order() {
        let mut chain = KeyChain::ends(9);
        assert_eq!((chain.kept(), chain.before(0), chain.after(8)), (vec![0, 8], None, None));
        chain.insert(4, 0);
        chain.insert(6, 4);
        assert_eq!((chain.kept(), chain.neighbours(4)), (vec![0, 4, 6, 8], (0, 6)));
        assert_eq!((chain.back(6, 1), chain.back(6, 5), chain.forward(0, 2), chain.forward(0, 9)), (4, 0, 6, 8));
        chain.remove(4);
        assert_eq!((chain.kept(), chain.is_key(4)), (vec![0, 6, 8], false));
        assert_eq!((KeyChain::all(3).kept(), KeyChain::all(1).kept()), (vec![0, 1, 2], vec![0]));
        assert_eq!(KeyChain::ends(1).kept(), [0]);
    }
}
