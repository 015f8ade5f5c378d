//! The errors of sections and keys in a fit, ordered by the next to process.

use std::cmp::Ordering;

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SectionError {
    pub worst_sq: f32,
    /// Step of the largest error; ties go to the earliest.
    pub step: usize,
}

/// A section to split. The highest rank comes first; ties go to the earliest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beyond {
    /// Not negative, so that its bits sort like the number.
    pub rank: f32,
    /// Samples of its first and last key.
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

/// A key that could be removed. The smallest resulting error comes first; ties go to the earliest.
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
