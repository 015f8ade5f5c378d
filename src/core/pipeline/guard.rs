use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use thiserror::Error;

/// A fault of the program itself: work on one clip or file panicked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("stopped by a fault of its own ({what}); please report it")]
pub struct OwnFault {
    /// What the fault said of itself.
    pub what: String,
}

/// Does work on one clip or file; a panic becomes an error like any other, so that the others go on. The work must share nothing
/// that it changes: what a panic leaves behind is dropped with it.
///
/// # Errors
/// Those of the work, and [`OwnFault`].
pub fn guard<T, E: From<OwnFault>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(OwnFault { what: words(panic.as_ref()) }.into()))
}

fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "it said nothing".into())
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
