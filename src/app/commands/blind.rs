//! Blind tests.

use crate::state::Shown;
use posepress_core::project::Letter;
use serde::{Deserialize, Serialize};

/// Blind tests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum BlindCommand {
    /// Open or close the sheet that starts a test.
    Ask(bool),
    /// Start a test of the selected clip in the active slot.
    Start {
        /// Number of trials.
        trials: usize,
        /// Seed of the hidden orders.
        seed: u64,
    },
    /// Show A, B or X.
    Show(Shown),
    /// Answer which letter X is, after so many seconds.
    Answer(Letter, f32),
    /// Keep the result of the finished test.
    Keep,
    /// End the test without a result.
    End,
}
