//! The folder of results, unless an option names one.

use std::env;
use std::path::PathBuf;

/// Environment variable with the folder of results, which window and batch share.
const VARIABLE: &str = "POSEPRESS_STORE";

/// The folder that the environment names.
pub fn shared_store() -> Option<PathBuf> {
    env::var_os(VARIABLE).filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

/// The folder of windows, in the system's folder of caches. `None` if the system has none.
pub fn store_of_windows() -> Option<PathBuf> {
    Some(dirs::cache_dir()?.join("posepress").join("store"))
}
