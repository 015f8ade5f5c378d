//! The number of worker threads.

/// Most threads. More only cost memory, and the system may refuse them.
const MOST_THREADS: usize = 256;

/// Environment variable of rayon.
const VARIABLE: &str = "RAYON_NUM_THREADS";

/// Number of threads for a pool: the request, else the environment variable, else one per core. 0 and invalid numbers are ignored. The
/// limit is 256, or the number of cores if it is larger.
pub fn thread_count(asked: Option<u64>) -> usize {
    counted(asked, std::env::var(VARIABLE).ok().as_deref(), cores())
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn counted(asked: Option<u64>, variable: Option<&str>, cores: usize) -> usize {
    let of_variable = || variable?.trim().parse().map_or_else(most_of, Some);
    let wanted = asked.filter(|n| *n > 0).or_else(|| of_variable().filter(|n: &u64| *n > 0));
    let most = MOST_THREADS.max(cores);
    wanted.map_or(cores, |n| usize::try_from(n).unwrap_or(most).min(most))
}

/// The limit for a number that overflows.
fn most_of(error: std::num::ParseIntError) -> Option<u64> {
    matches!(error.kind(), std::num::IntErrorKind::PosOverflow).then_some(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_of_threads_is_out_of_reach() {
        for (asked, variable, expected) in [
            (None, None, 4),
            (Some(3), None, 3),
            (Some(3), Some("7"), 3),
            (None, Some("7"), 7),
            (Some(0), Some("7"), 7),
            (Some(0), None, 4),
            (None, Some("0"), 4),
            (None, Some("10000000"), MOST_THREADS),
            (None, Some("99999999999999999999999"), MOST_THREADS),
            (Some(10_000_000), None, MOST_THREADS),
            (None, Some("-3"), 4),
            (None, Some("many"), 4),
            (None, Some(""), 4),
        ] {
            assert_eq!(counted(asked, variable, 4), expected, "{asked:?} {variable:?}");
        }
        assert_eq!(counted(None, Some("10000000"), 500), 500);
    }
}
