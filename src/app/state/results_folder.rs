use std::path::PathBuf;

/// The folder in which results of this window are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultsFolder {
    /// The folder of the store.
    pub path: PathBuf,
    /// True if only windows use it, so that this window may remove results that were not used for long.
    pub is_own: bool,
}
