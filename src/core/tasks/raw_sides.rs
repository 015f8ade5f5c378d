use crate::metrics::ContactSettings;
use crate::pipeline::MeasuredClip;
use crate::tasks::CompressTask;
use std::collections::VecDeque;
use std::sync::Arc;

/// Number of raw clips that are kept: the displayed clip in each slot, and the one before.
const KEPT: usize = 4;

/// Recently measured raw clips. While a slider is dragged, its clip is measured once.
#[derive(Debug, Default)]
pub struct RawSides {
    /// Latest first.
    kept: VecDeque<(ContactSettings, MeasuredClip)>,
}

impl RawSides {
    /// The raw clip of a task, measured if it is not kept. It is kept for tasks that repeat.
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
