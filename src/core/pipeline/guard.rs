use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use thiserror::Error;

/// An internal error: work on one clip or file panicked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("stopped by an internal error ({what}); please report it")]
pub struct OwnFault {
    /// The message of the panic.
    pub what: String,
}

/// Runs work on one clip or file and turns a panic into an error, so that other work continues.
///
/// The work must not share anything that it changes. Its state is dropped after a panic.
///
/// # Errors
/// Returns the errors of the work, and [`OwnFault`] for a panic.
pub fn guard<T, E: From<OwnFault>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(OwnFault { what: words(panic.as_ref()) }.into()))
}

fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_with_its_words() {
        let at = |index: usize| [1, 2][index];
        let fault = guard(|| Ok::<_, OwnFault>(at(5))).unwrap_err();
        assert!(fault.to_string().contains("index is 5"), "{fault}");
        let fault = guard(|| -> Result<(), OwnFault> { panic!("as it is") }).unwrap_err();
        assert_eq!(fault.what, "as it is");
        assert_eq!(guard(|| Ok::<_, OwnFault>(1)), Ok(1));
    }
}
