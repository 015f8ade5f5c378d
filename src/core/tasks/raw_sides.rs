use crate::metrics::ContactSettings;
use crate::pipeline::MeasuredClip;
use crate::tasks::CompressTask;
use std::collections::VecDeque;
use std::sync::Arc;

/// Raw sides that are kept ready: the clip that is looked at in each slot, and the one before.
const KEPT: usize = 4;

/// Raw clips that were measured lately: a slider that is dragged measures its clip once.
#[derive(Debug, Default)]
pub struct RawSides {
    /// Latest first.
    kept: VecDeque<(ContactSettings, MeasuredClip)>,
}

impl RawSides {
    /// The raw side of a task, measured unless it is at hand. It is kept if the task is one of those that come again.
    pub(super) fn of(&mut self, task: &CompressTask) -> MeasuredClip {
        let recipe = &task.recipe;
        let fits = |(contacts, m): &(ContactSettings, MeasuredClip)| {
            Arc::ptr_eq(&m.clip, &task.clip)
                && m.raw.sub_frames() == recipe.sub_frames
                && contacts.same_plan(&recipe.contacts)
        };
        if let Some((_, known)) = self.kept.iter().find(|kept| fits(kept)) {
            return known.clone();
        }
        let measured = MeasuredClip::new(task.rig.clone(), task.clip.clone(), recipe);
        if task.skin {
            self.kept.push_front((recipe.contacts.clone(), measured.clone()));
            self.kept.truncate(KEPT);
        }
        measured
    }
}
