use super::{Workspace, WorkspaceEvent};
use crate::import::{Fix, Fixed};
use crate::model::ClipId;
use crate::tasks::{FixTask, Lane, LoadedSource, Request, Settled, Task, TaskError, TaskFault, TaskSubject};

impl Workspace {
    /// Turns a fix of a clip on or off, in one step. Fixes are applied before all else.
    pub fn fix(&mut self, clip: ClipId, fix: Fix, is_on: bool) {
        if let Some(key) = self.library.clip_key(clip) {
            let label = fix.option().label;
            let label = if is_on { label.to_owned() } else { format!("{label}: off") };
            self.edit(label, |document| document.set_fix(&key, fix, is_on));
        }
    }

    /// The selected clip comes first.
    fn schedule_fixes(&self) {
        let mut tasks: Vec<FixTask> = self.library.unfixed().collect();
        tasks.sort_by_key(|task| Some(task.id) != self.selected);
        let request = |task| Request { key: None, task: Task::Fix(task), live: false };
        self.scheduler.set_wanted(Lane::Fix, tasks.into_iter().map(request).collect());
    }

    /// The clip whose fixes are being applied.
    pub fn fixing(&self) -> Option<ClipId> {
        self.library.unfixed().map(|task| task.id).min_by_key(|id| Some(*id) != self.selected)
    }

    pub(super) fn take_in_fixed(&mut self, task: &FixTask, result: Result<Fixed, TaskError>) -> Option<WorkspaceEvent> {
        let failed = self.library.take_in_fixed(task, result);
        self.library_changed();
        failed.map(WorkspaceEvent::Failed)
    }

    /// The error about the first clip of a file whose fixes are not applied yet.
    pub(super) fn first_unfixed(&self, of: &LoadedSource) -> Option<TaskError> {
        let mut clips = of.clips.iter().zip(0..);
        let (clip, _) = clips.find(|&(_, clip)| self.library.is_unfixed(ClipId { source: of.id, clip }))?;
        Some(TaskError { fault: Box::new(TaskFault::Unfixed), place: TaskSubject::clip(clip.name()) })
    }

    /// Applies the document's rigs, fixes and marks to the clips. Returns true if a clip changed.
    pub(super) fn settle(&mut self) -> bool {
        let Settled { is_changed, faults } = self.library.settle(self.document.present());
        self.unmade.extend(faults);
        self.schedule_fixes();
        is_changed
    }
}
