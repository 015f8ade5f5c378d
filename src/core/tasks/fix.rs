use super::TaskError;
use crate::import::{ChosenFixes, Finding, Fixed, Fixer};
use crate::model::{Clip, ClipId, Rig};
use crate::pipeline::{OwnFault, guard};
use std::path::PathBuf;
use std::sync::Arc;

/// Applies fixes to a clip of a file. To hold the feet of a take of ten minutes takes many seconds.
#[derive(Debug, Clone)]
pub struct FixTask {
    /// The clip.
    pub id: ClipId,
    /// Path of its file. `None` for the bundled sample.
    pub file: Option<PathBuf>,
    /// The rig in the file.
    pub rig: Arc<Rig>,
    /// All clips of the file, without fixes.
    pub clips: Arc<[Arc<Clip>]>,
    /// The fixes.
    pub chosen: ChosenFixes,
}

impl FixTask {
    /// Applies the fixes. Where numbers overflow, the clip stays as in its file, and a finding says so.
    ///
    /// # Errors
    ///
    /// Returns [`TaskFault::Unmade`](super::TaskFault::Unmade) for an internal error. The place is the clip.
    pub fn run(&self) -> Result<Fixed, TaskError> {
        let clip = self.clip();
        let fixed = guard(|| Ok::<_, OwnFault>(Fixer::new(&self.rig, &self.clips).fixed(clip, &self.chosen)));
        let fixed =
            fixed.map_err(|fault| TaskError::unmade(self.file.clone(), clip.name(), &self.chosen.fixes, fault))?;
        Ok(fixed.unwrap_or_else(|error| {
            let what = format!("its fixes are not applied: {error}");
            let finding = Finding::warning(clip.name(), what, "The clip is shown as in its file.");
            Fixed { clip: Clip::clone(clip), findings: vec![finding] }
        }))
    }

    pub(super) fn clip(&self) -> &Arc<Clip> {
        &self.clips[self.id.clip as usize]
    }

    /// True if the answer to one also answers the other.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.id == other.id && self.chosen == other.chosen && Arc::ptr_eq(&self.clips, &other.clips)
    }
}
