use std::hint::black_box;
use std::time::{Duration, Instant};

/// Shortest time of a pass. In a shorter one, the clock's resolution would matter.
const LEAST_PASS: Duration = Duration::from_millis(4);
/// Number of passes. The median counts.
const PASSES: usize = 5;
/// Number of calls with cold caches. The median counts.
const COLD_CALLS: usize = 9;
/// Bytes written before each cold call: more than the caches of most processors.
const FLUSHED_BYTES: usize = 64 << 20;

/// Nanoseconds per call with warm caches. Calls get consecutive numbers.
pub fn warm_ns(mut call: impl FnMut(usize)) -> f64 {
    let (mut number, mut calls) = (0, 1);
    let mut pass = |calls: usize| {
        let started = Instant::now();
        (number..number + calls).for_each(&mut call);
        number += calls;
        started.elapsed()
    };
    while pass(calls) < LEAST_PASS {
        calls *= 2;
    }
    median((0..PASSES).map(|_| pass(calls)).collect()) / calls as f64
}

/// A buffer that evicts everything else from the caches.
pub struct CacheFlush(Vec<u64>);

impl CacheFlush {
    /// Allocates the buffer.
    pub fn new() -> Self {
        Self(vec![1; FLUSHED_BYTES / size_of::<u64>()])
    }

    /// Nanoseconds per call with cold caches. Calls get consecutive numbers.
    pub fn cold_ns(&mut self, mut call: impl FnMut(usize)) -> f64 {
        let mut one = |number| {
            self.0.iter_mut().for_each(|word| *word = word.wrapping_mul(3));
            black_box(&mut self.0);
            let started = Instant::now();
            call(number);
            started.elapsed()
        };
        median((0..COLD_CALLS).map(&mut one).collect())
    }
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_numbered_from_zero_without_a_gap() {
        let mut numbers = Vec::new();
        let ns = warm_ns(|number| numbers.push(number));
        assert!(ns > 0.0 && numbers.iter().copied().eq(0..numbers.len()));
        let mut numbers = Vec::new();
        CacheFlush(vec![1; 64]).cold_ns(|number| numbers.push(number));
        assert!(numbers.into_iter().eq(0..COLD_CALLS));
    }
}
