//! Whole poses at evenly spaced samples, with linear interpolation.

use super::Decode;
use crate::format::{BindPose, BitReader, DecodeError};
use crate::memory::NoMemory;
use crate::parts::{ClipHeader, PoseRows, PoseSlice};
use crate::{StateMemory, TimeGrid};

/// The samples that are keys: one in `keep_every` from `phase` on, the first and the last.
///
/// The last sample is always a key, because a loop's seam and the pose at the start of the next clip must be exact. The first sample is
/// always a key too. So no time is outside the keys, and key times are not stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptSamples {
    keep_every: usize,
    phase: usize,
    samples: usize,
}

impl KeptSamples {
    /// Bits of `keep_every` and `phase` on disk.
    pub const BITS: u32 = 2 * Self::NUMBER_BITS;
    /// Bits of each of the two.
    pub const NUMBER_BITS: u32 = 8;
    /// Largest `keep_every`.
    pub const MAX_KEEP_EVERY: usize = (1 << Self::NUMBER_BITS) - 1;

    /// The keys of a clip of `samples`. `keep_every` is clamped, and `phase` is taken modulo `keep_every`.
    pub fn new(keep_every: usize, phase: usize, samples: usize) -> Self {
        let keep_every = keep_every.clamp(1, Self::MAX_KEEP_EVERY);
        Self { keep_every, phase: phase % keep_every, samples }
    }

    /// Samples from a regular key to the next.
    pub fn keep_every(&self) -> usize {
        self.keep_every
    }

    /// Sample of the first regular key, less than [`KeptSamples::keep_every`].
    pub fn phase(&self) -> usize {
        self.phase
    }

    /// Reads `keep_every` and `phase`, for a clip of `samples`.
    ///
    /// # Errors
    /// [`DecodeError`] if they are missing, or `phase` is not less than `keep_every`.
    pub fn read(input: &mut BitReader<'_>, samples: usize) -> Result<Self, DecodeError> {
        let keep_every = input.read("one key in so many samples", Self::NUMBER_BITS)? as usize;
        let phase = input.read("phase of the keys", Self::NUMBER_BITS)? as usize;
        if phase < keep_every {
            return Ok(Self { keep_every, phase, samples });
        }
        let found = format_args!("one in {keep_every} from {phase}");
        Err(DecodeError::invalid("spacing of keys", 0, found, "one in 1 to 255, starting below that"))
    }

    /// Number of keys.
    pub fn count(&self) -> usize {
        let last = self.samples - 1;
        if last == 0 { 1 } else { self.first_regular() + self.regular_before_last() + 1 }
    }

    /// Sample of a key. `index` is less than [`KeptSamples::count`].
    pub fn sample(&self, index: usize) -> usize {
        match index.checked_sub(self.first_regular()) {
            None => 0,
            Some(regular) => (self.phase + regular * self.keep_every).min(self.samples - 1),
        }
    }

    /// The keys around a fractional sample, and its fraction of the way between them.
    #[inline]
    pub fn locate(&self, at: f64) -> ((usize, usize), f32) {
        let last_key = self.count() - 1;
        let regular = (at as usize).checked_sub(self.phase).map(|past| past / self.keep_every);
        let a = regular.map_or(0, |r| (r + self.first_regular()).min(last_key));
        if a == last_key {
            return ((a, a), 0.0);
        }
        let (start, end) = (self.sample(a) as f64, self.sample(a + 1) as f64);
        if at >= end {
            return ((a + 1, a + 1), 0.0);
        }
        ((a, a + 1), ((at - start) / (end - start)) as f32)
    }

    /// Index of the key at `phase`: 1 if the first sample is an extra key.
    fn first_regular(&self) -> usize {
        usize::from(self.phase > 0)
    }

    fn regular_before_last(&self) -> usize {
        (self.samples - 1).saturating_sub(self.phase).div_ceil(self.keep_every)
    }
}

/// Blends the stored poses around a time. Their positions are computed, so there is no search.
///
/// On disk: [`KeptSamples`], then [`PoseRows`], one row per key.
#[derive(Debug)]
pub struct EverySecondKeyDecoder {
    grid: TimeGrid,
    kept: KeptSamples,
    rows: PoseRows,
}

impl Decode for EverySecondKeyDecoder {
    const VERSION: u8 = 1;
    type Cursor = ();

    fn open(header: &ClipHeader, bytes: &[u8], bind: &BindPose) -> Result<Self, DecodeError> {
        let mut input = BitReader::new(bytes);
        let kept = KeptSamples::read(&mut input, header.grid.samples())?;
        let rows = PoseRows::read(input, bytes, bind, kept.count())?;
        Ok(Self { grid: header.grid, kept, rows })
    }

    fn own(&mut self, payload: &[u8]) -> Result<bool, NoMemory> {
        self.rows.own(payload).map(|()| true)
    }

    fn cursor(&self, _: &[u8], _: StateMemory) -> Result<(), NoMemory> {
        Ok(())
    }

    #[inline]
    fn sample(&self, bytes: &[u8], (): &mut (), at_sample: f64, out: PoseSlice<'_>) {
        let (keys, alpha) = self.kept.locate(self.grid.clamp(at_sample));
        self.rows.sample(bytes, keys, alpha, out);
    }

    fn heap_bytes(&self) -> usize {
        self.rows.heap_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_their_search_agree_with_a_plain_list() {
        for samples in 1..40 {
            for (keep_every, phase) in [(1, 0), (2, 0), (2, 1), (3, 2), (7, 5), (60, 0), (60, 59)] {
                let kept = KeptSamples::new(keep_every, phase, samples);
                let is_key =
                    |s: &usize| *s == 0 || *s == samples - 1 || (*s >= phase && (s - phase).is_multiple_of(keep_every));
                let plain: Vec<usize> = (0..samples).filter(is_key).collect();
                let found: Vec<usize> = (0..kept.count()).map(|i| kept.sample(i)).collect();
                assert_eq!(found, plain, "one in {keep_every} of {samples} from {phase}");
                for at in (0..4 * samples - 3).map(|i| i as f64 / 4.0) {
                    let ((a, b), alpha) = kept.locate(at);
                    let (start, end) = (plain[a] as f64, plain[b] as f64);
                    assert!((start + (end - start) * f64::from(alpha) - at).abs() < 1e-5, "{at}: {a} {b} {alpha}");
                    assert!(alpha < 1.0 && b <= a + 1);
                }
            }
        }
    }
}
