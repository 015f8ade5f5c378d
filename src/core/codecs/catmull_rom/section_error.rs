//! What a fit knows of its sections and keys, ordered by what is to be done first.

use std::cmp::Ordering;

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SectionError {
    pub worst_sq: f32,
    /// Step of the worst, the earliest of equals.
    pub step: usize,
}

/// A section that is to be split, the highest rank first, of equals the earliest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beyond {
    /// Not negative, so its bits are in its order.
    pub rank: f32,
    /// Samples of its keys.
    pub start: u32,
    pub end: u32,
}

impl Beyond {
    fn order(&self) -> (u32, u64) {
        (self.rank.to_bits(), !(u64::from(self.start) << 32 | u64::from(self.end)))
    }
}

impl Eq for Beyond {}

impl PartialOrd for Beyond {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Beyond {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order().cmp(&other.order())
    }
}

/// A key that could go, the one that leaves the smallest error first, of equals the earliest.
#[derive(Debug, PartialEq)]
pub struct Cost {
    pub error_sq: f32,
    pub key: usize,
}

impl Eq for Cost {}

impl PartialOrd for Cost {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cost {
    fn cmp(&self, other: &Self) -> Ordering {
        other.error_sq.total_cmp(&self.error_sq).then_with(|| other.key.cmp(&self.key))
    }
}
