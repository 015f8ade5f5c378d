//! Steps on files that Windows refuses while another program has the file open.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Duration;

/// Pauses before the second try and the third. A virus scanner or an indexer lets go of a new file within them.
const PAUSES: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(250)];

/// Error codes of Windows: access denied, sharing violation, lock violation.
const ACCESS_DENIED: i32 = 5;
const SHARING_VIOLATION: i32 = 32;
const LOCK_VIOLATION: i32 = 33;

/// Carries out a step on a file. On Windows, a step that another program may hinder is tried three times.
///
/// # Errors
/// That of the last try.
pub fn patiently<T>(step: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    with_pauses(step, |error| cfg!(windows) && may_pass(error), std::thread::sleep)
}

/// True if the error comes from another program that has the file open and does not share it. Only Windows refuses such files. To replace one
/// is denied without that reason, so the file is opened to find it.
pub fn is_open_elsewhere(path: &Path, error: &io::Error) -> bool {
    let is_held_now = || File::options().write(true).open(path).is_err_and(|error| is_held(&error));
    cfg!(windows) && (is_held(error) || error.raw_os_error() == Some(ACCESS_DENIED) && is_held_now())
}

fn is_held(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(SHARING_VIOLATION | LOCK_VIOLATION))
}

/// To replace a file that is open elsewhere is denied, too.
fn may_pass(error: &io::Error) -> bool {
    is_held(error) || error.raw_os_error() == Some(ACCESS_DENIED)
}

fn with_pauses<T>(
    mut step: impl FnMut() -> io::Result<T>,
    may_pass: impl Fn(&io::Error) -> bool,
    mut pause: impl FnMut(Duration),
) -> io::Result<T> {
    for length in PAUSES {
        match step() {
            Err(error) if may_pass(&error) => pause(length),
            done => return done,
        }
    }
    step()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result of a step with these errors in turn, and the pauses.
    fn tried(codes: &[i32]) -> (io::Result<usize>, Vec<Duration>) {
        let (mut tries, mut pauses) = (0, Vec::new());
        let step = || {
            tries += 1;
            codes.get(tries - 1).map_or(Ok(tries), |code| Err(io::Error::from_raw_os_error(*code)))
        };
        let done = with_pauses(step, may_pass, |length| pauses.push(length));
        (done, pauses)
    }

    #[test]
    fn a_file_that_is_held_for_a_moment_is_tried_three_times() {
        assert!(matches!(tried(&[]), (Ok(1), pauses) if pauses.is_empty()));
        let (done, pauses) = tried(&[SHARING_VIOLATION, ACCESS_DENIED]);
        assert_eq!((done.unwrap(), &pauses[..]), (3, &PAUSES[..]));
        let (done, pauses) = tried(&[LOCK_VIOLATION; 3]);
        assert_eq!((done.unwrap_err().raw_os_error(), pauses.len()), (Some(LOCK_VIOLATION), 2));
    }

    #[test]
    fn other_errors_end_it_at_once() {
        let not_found = 2;
        let (done, pauses) = tried(&[not_found]);
        assert_eq!((done.unwrap_err().raw_os_error(), pauses.len()), (Some(not_found), 0));
    }
}
