//! The estimated work of a task, by which tasks are grouped and shared out.

use super::planner::{PlannedClip, PlannedFile, Planner};
use serde::Serialize;

/// Bytes of samples per byte of a file that was not imported yet. Measured: 0.6 for BVH, 1.3 to 1.5 for GLB with a mesh.
const RAW_PER_FILE_BYTE: f64 = 1.0;
/// Bytes of samples that one core imports, compresses with `press` and measures per second. Measured on a small machine.
const RAW_BYTES_PER_SEC: f64 = 1e6;

/// The estimated work of a task.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// Seconds of one core.
    #[serde(rename = "estimated_secs")]
    pub secs: f64,
    /// Size without compression, bytes.
    #[serde(rename = "estimated_raw_bytes")]
    pub raw_bytes: u64,
}

impl Estimate {
    fn of_raw_bytes(raw_bytes: f64) -> Self {
        let secs = raw_bytes / RAW_BYTES_PER_SEC;
        Self { secs: (secs * 1000.0).ceil() / 1000.0, raw_bytes: raw_bytes as u64 }
    }

    /// The work on all clips of a file, by its size.
    pub fn of_file(file: &PlannedFile) -> Self {
        Self::of_raw_bytes(file.input.bytes() as f64 * RAW_PER_FILE_BYTE)
    }

    /// The work on a clip: by its size in the last run, else an equal share of its file.
    pub fn of_clip(planner: &Planner, file: &PlannedFile, clip: &PlannedClip) -> Self {
        let last = planner.last.get(&(file.input.label.clone(), clip.name.clone()));
        match last.and_then(|row| row.numbers.as_ref()) {
            Some(numbers) => Self::of_raw_bytes(numbers.raw_bytes as f64),
            None => {
                let clips = file.clips().len().max(1);
                Self::of_raw_bytes(Self::of_file(file).raw_bytes as f64 / clips as f64)
            }
        }
    }
}
