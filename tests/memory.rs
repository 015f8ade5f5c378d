//! The allocator of test binaries: it counts the memory of each thread, and fails where a test wants it.
#![allow(unsafe_code)] // an allocator needs unsafe code; this one only passes calls on
#![allow(dead_code)] // each test binary uses a part

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt::Debug;

/// Memory of a thread.
#[derive(Clone, Copy)]
struct Held {
    bytes: usize,
    /// Largest number of bytes since [`allocated`] began.
    peak: usize,
    /// Number of allocations since [`allocated`] began.
    calls: usize,
}

/// The allocations that fail.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Refused {
    /// One allocation, as if other threads freed memory afterwards.
    One,
    /// That allocation and all after it.
    Rest,
}

thread_local! {
    static HELD: Cell<Held> = const { Cell::new(Held { bytes: 0, peak: 0, calls: 0 }) };
    /// Number of allocations that succeed. `None` for no limit.
    static LEFT: Cell<Option<(usize, Refused)>> = const { Cell::new(None) };
}

struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

// Safety: every call is passed unchanged to the system's allocator, or fails, which an allocator may do.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_refused() {
            return std::ptr::null_mut();
        }
        note(|held| held + layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // Memory may be freed by another thread than the one that allocated it.
        note(|held| held.saturating_sub(layout.size()));
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        if is_refused() {
            return std::ptr::null_mut();
        }
        // Large blocks are moved page by page and never exist twice.
        note(|held| (held + bytes).saturating_sub(layout.size()));
        unsafe { System.realloc(pointer, layout, bytes) }
    }
}

fn note(change: impl FnOnce(usize) -> usize) {
    // A thread that is ending has no counter any more.
    let _ = HELD.try_with(|held| {
        let Held { bytes, peak, calls } = held.get();
        let after = change(bytes);
        held.set(Held { bytes: after, peak: peak.max(after), calls: calls + usize::from(after > bytes) });
    });
}

fn is_refused() -> bool {
    let next = |left: &Cell<Option<(usize, Refused)>>| match left.get() {
        None => false,
        Some((0, Refused::Rest)) => true,
        Some((0, Refused::One)) => {
            left.set(None);
            true
        }
        Some((more, refused)) => {
            left.set(Some((more - 1, refused)));
            false
        }
    };
    LEFT.try_with(next).unwrap_or(false)
}

/// Runs `run`. Returns the largest number of additional bytes that it held at once, its number of allocations, and its result.
pub fn allocated<T>(run: impl FnOnce() -> T) -> (usize, usize, T) {
    let before = HELD.with(|held| {
        let now = held.get().bytes;
        held.set(Held { bytes: now, peak: now, calls: 0 });
        now
    });
    let out = run();
    let Held { peak, calls, .. } = HELD.get();
    (peak - before, calls, out)
}

/// Runs with memory for a number of allocations.
pub fn with_memory_for<T>(allocations: usize, refused: Refused, run: impl FnOnce() -> T) -> T {
    LEFT.set(Some((allocations, refused)));
    let out = run();
    LEFT.set(None);
    out
}

/// Runs repeatedly, each time with memory for one more allocation, until the result equals that with enough memory. Before
/// that, the result must be `without`, and no memory may be kept. Returns the number of allocations that a run needs.
///
/// # Panics
/// If that does not hold. If the run ends the process, the test ends too.
pub fn assert_survives<T: PartialEq + Debug>(what: &str, without: &T, run: impl Fn() -> T) -> usize {
    let expected = run();
    assert_ne!(expected, *without, "{what}: with all memory that there is");
    let mut needed = 0;
    for refused in [Refused::One, Refused::Rest] {
        needed = 0;
        loop {
            let before = HELD.get().bytes;
            let found = with_memory_for(needed, refused, &run);
            if found == expected {
                break;
            }
            assert!(found == *without, "{what}: {found:?} with memory for {needed} allocations");
            drop(found);
            assert_eq!(HELD.get().bytes, before, "{what}: bytes that are kept, after allocation {needed} failed");
            needed += 1;
        }
    }
    needed
}
