//! Waiting for other threads: the one place where tests wait.

use std::fmt::Debug;
use std::time::{Duration, Instant};

/// Largest sum of the pauses of a wait. Then it fails.
const MOST_PAUSES: Duration = Duration::from_secs(60);
const SHORTEST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(25);

/// Steps until the result of a step is the expected one, and returns it.
///
/// The clock of a wait is the sum of its own pauses, so that a stall of the machine does not count.
///
/// # Panics
/// If the result does not come. The message has the last result.
pub fn until<S: Debug>(what: &str, mut step: impl FnMut() -> S, is_there: impl Fn(&S) -> bool) -> S {
    let mut paused = Duration::ZERO;
    for steps in 1.. {
        let began = Instant::now();
        let seen = step();
        if is_there(&seen) {
            return seen;
        }
        assert!(paused < MOST_PAUSES, "{what}: not after {steps} steps; seen last: {seen:?}");
        // Other threads need the core, too.
        let pause = (2 * began.elapsed()).clamp(SHORTEST_PAUSE, LONGEST_PAUSE);
        std::thread::park_timeout(pause);
        paused += pause;
    }
    unreachable!("steps have no end")
}
