use posepress_core::pipeline::{OwnFault, guard};

/// Why a clip or file has no result.
struct Fault(String);

impl From<OwnFault> for Fault {
    fn from(fault: OwnFault) -> Self {
        Self(fault.to_string())
    }
}

/// Runs work on one clip or file and turns a panic into the reason of a row.
pub fn guarded<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    guard(|| work().map_err(Fault)).map_err(|fault| fault.0)
}
