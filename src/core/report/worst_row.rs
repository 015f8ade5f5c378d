use crate::metrics::ShellReport;
use crate::model::Rig;
use serde::{Deserialize, Serialize};

/// A joint and a time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)] // named by its keys
pub struct WorstRow {
    pub joint: String,
    pub time_secs: f32,
}

impl WorstRow {
    pub(super) fn new(rig: &Rig, shell: &ShellReport) -> Self {
        Self { joint: rig.skeleton.name(shell.worst.joint).into(), time_secs: shell.worst.time_secs }
    }
}
