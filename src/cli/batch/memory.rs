//! The memory that a run may take: a file waits until there is room for it.

use crate::cli::load::NamedClip;
use posepress_core::text;

/// Memory of the program itself, bytes.
const OWN_BYTES: u64 = 40 << 20;
/// Memory of an imported clip per byte of its samples.
const LOADED_PER_RAW_BYTE: u64 = 3;
/// Memory of compressing and measuring a clip per byte of its samples. Measured with `press`: 27 to 29.
const WORK_PER_RAW_BYTE: u64 = 30;
/// Memory of a file before its import, per byte.
const PER_FILE_BYTE: u64 = 4;

/// A budget, and what is taken of it.
#[derive(Debug)]
pub struct Memory {
    /// Bytes. `None` without a limit.
    limit: Option<u64>,
    taken: u64,
}

impl Memory {
    /// A budget for all files and clips in work. Without a limit there is always room.
    pub fn new(limit: Option<u64>) -> Self {
        Self { limit, taken: OWN_BYTES }
    }

    /// Takes memory. True if there is room, or if nothing else is in work: then waiting would not help.
    pub fn take(&mut self, bytes: u64, is_alone: bool) -> bool {
        let has_room = self.limit.is_none_or(|limit| self.taken + bytes <= limit);
        if has_room || is_alone {
            self.taken += bytes;
        }
        has_room || is_alone
    }

    /// Takes memory for what is there already.
    pub fn hold(&mut self, bytes: u64) {
        self.taken += bytes;
    }

    /// Gives memory back.
    pub fn give_back(&mut self, bytes: u64) {
        self.taken = self.taken.saturating_sub(bytes);
    }

    /// Fails if the whole budget is too small for a need, with the words of a row.
    pub fn check(&self, bytes: u64) -> Result<(), String> {
        let need = bytes + OWN_BYTES;
        match self.limit.filter(|limit| need > *limit) {
            None => Ok(()),
            Some(limit) => {
                let [need, limit] = [need, limit].map(text::bytes);
                Err(format!("it needs about {need} of memory; --memory allows {limit}. Raise it, or cut the take"))
            }
        }
    }
}

/// Estimated memory of a file of that length during its import, bytes.
pub fn of_file(bytes: u64) -> u64 {
    bytes.saturating_mul(PER_FILE_BYTE)
}

/// Estimated memory of compressing an imported clip, bytes.
pub fn of_clip(clip: &NamedClip) -> u64 {
    raw_bytes(clip) * WORK_PER_RAW_BYTE
}

/// Estimated memory of an imported clip that waits, bytes.
pub fn of_waiting(clip: &NamedClip) -> u64 {
    raw_bytes(clip) * LOADED_PER_RAW_BYTE
}

/// Estimated memory of an imported file of that length, bytes.
pub fn of_imported(bytes: u64, clips: &[NamedClip]) -> u64 {
    bytes + clips.iter().map(of_waiting).sum::<u64>()
}

/// How a search over many clips divides the memory of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchMemory {
    /// For imported files, bytes.
    pub imports: u64,
    /// Bytes of the run. `None` without a limit.
    limit: Option<u64>,
}

impl SearchMemory {
    /// Imported files of a run without a limit, bytes.
    const IMPORTS: u64 = 1 << 30;

    /// Half of the limit for imported files, the rest for clips in work.
    pub fn of(limit: Option<u64>) -> Self {
        let half = limit.map(|limit| limit.saturating_sub(OWN_BYTES) / 2);
        Self { imports: half.unwrap_or(Self::IMPORTS), limit }
    }

    /// Fails if a clip needs more than all memory, with the words of a row.
    pub fn check(&self, work_bytes: u64) -> Result<(), String> {
        Memory::new(self.limit).check(work_bytes)
    }

    /// The number of threads, at most `most`. The largest clip takes `largest` bytes.
    pub fn threads(&self, largest: u64, most: usize) -> usize {
        let fits = self.limit.map_or(most as u64, |_| self.imports / largest.max(1));
        fits.clamp(1, most.max(1) as u64) as usize
    }
}

fn raw_bytes(clip: &NamedClip) -> u64 {
    clip.clip.raw_bytes() as u64
}

/// Reads a size such as `4GiB`.
pub fn size(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, u64); 6] =
        [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("KB", 1 << 10), ("MB", 1 << 20), ("GB", 1 << 30)];
    let in_unit = |(unit, factor): &(&str, u64)| {
        let number: f64 = text.trim().strip_suffix(unit)?.trim().parse().ok()?;
        Some(number * *factor as f64).filter(|bytes| (1.0..1e18).contains(bytes))
    };
    let bytes = UNITS.iter().find_map(in_unit).ok_or("expected a size such as 4GiB or 500MiB")?;
    Ok(bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!((size("4GiB"), size("0.5 MiB")), (Ok(4 << 30), Ok(1 << 19)));
        for wrong in ["4", "GiB", "-1MiB", "0KiB", "NaNGiB", "4TB"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_search_has_as_many_threads_as_there_is_memory_for() {
        let memory = SearchMemory::of(Some(OWN_BYTES + 1000));
        assert_eq!((memory.imports, memory.threads(100, 16), memory.threads(100, 4)), (500, 5, 4));
        assert_eq!((memory.threads(501, 16), memory.threads(0, 16)), (1, 16), "one clip is always in work");
        assert_eq!(SearchMemory::of(None).threads(u64::MAX, 16), 16);
        assert_eq!(SearchMemory::of(Some(1)).imports, 0);
    }

    #[test]
    fn work_waits_for_room_unless_it_is_alone() {
        let mut memory = Memory::new(Some(OWN_BYTES + 100));
        assert!(memory.take(60, false) && !memory.take(50, false));
        memory.give_back(60);
        assert!(memory.take(50, false) && memory.take(200, true), "nothing else would end");
        assert!(Memory::new(None).take(u64::MAX / 2, false));
        assert!(memory.check(100).is_ok() && memory.check(101).unwrap_err().contains("--memory"));
    }
}
