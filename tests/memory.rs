//! The allocator of test binaries: it counts what each thread takes, and has no memory where a test says so.
#![allow(unsafe_code)] // an allocator cannot be written without; it only passes calls on
#![allow(dead_code)] // each test binary uses its part

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt::Debug;

/// What a thread holds.
#[derive(Clone, Copy)]
struct Held {
    bytes: usize,
    /// The most since [`allocated`] began.
    peak: usize,
    /// How often it asked since then.
    calls: usize,
}

/// What is refused.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Refused {
    /// One allocation, as where others give memory back meanwhile.
    One,
    /// That one and all that follow.
    Rest,
}

thread_local! {
    static HELD: Cell<Held> = const { Cell::new(Held { bytes: 0, peak: 0, calls: 0 }) };
    /// How many allocations there is memory for; no end of them where there is none.
    static LEFT: Cell<Option<(usize, Refused)>> = const { Cell::new(None) };
}

struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

// Safety: every call is passed on to the system's allocator as it came, or refused, as it may be.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_refused() {
            return std::ptr::null_mut();
        }
        note(|held| held + layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // Memory may be given back by another thread than took it.
        note(|held| held.saturating_sub(layout.size()));
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        if is_refused() {
            return std::ptr::null_mut();
        }
        // What is large is moved page by page, and is never there twice.
        note(|held| (held + bytes).saturating_sub(layout.size()));
        unsafe { System.realloc(pointer, layout, bytes) }
    }
}

fn note(change: impl FnOnce(usize) -> usize) {
    // A thread that ends has no counter any more.
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

/// The most bytes that `run` holds at a time beyond what was held before, and how often it asks for some.
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

/// Runs with memory for so many allocations.
pub fn with_memory_for<T>(allocations: usize, refused: Refused, run: impl FnOnce() -> T) -> T {
    LEFT.set(Some((allocations, refused)));
    let out = run();
    LEFT.set(None);
    out
}

/// Runs again and again, each time with memory for one allocation more, until it gives what it gives with enough of it: before that
/// it must give `without`, and hold nothing any more. Returns how many allocations it takes.
///
/// # Panics
/// Where it does not. Where it ends the process, so does the test.
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
