//! Priority of background work: on all cores, below the thread that draws.

use posepress_core::threads::thread_count;
use thread_priority::{ThreadPriority, set_current_thread_priority};

/// Gives rayon's threads, which compress and measure, the lowest priority, so that the window stays responsive. Call it
/// once before anything is computed, because threads inherit the priority of the thread that first uses them.
pub fn yield_to_window(threads: Option<usize>) {
    let threads = threads.unwrap_or_else(|| thread_count(None));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).start_handler(|_| lower_priority());
    if let Err(error) = pool.build_global() {
        tracing::warn!("jobs run beside the window, not behind it: {error}");
    }
}

/// Gives the current thread the lowest priority.
fn lower_priority() {
    if let Err(error) = set_current_thread_priority(ThreadPriority::Min) {
        tracing::warn!("the system keeps the priority of a background thread: {error}");
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// Field 19 of proc(5): the nice value of the current thread.
    fn niceness() -> i32 {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        stat.rsplit(')').next().unwrap().split_whitespace().nth(16).unwrap().parse().unwrap()
    }

    #[test]
    fn a_background_thread_is_nicer_and_leaves_others_alone() {
        let before = niceness();
        let background = std::thread::spawn(|| {
            lower_priority();
            niceness()
        });
        assert!(background.join().unwrap() > before);
        assert_eq!(niceness(), before);
    }
}
