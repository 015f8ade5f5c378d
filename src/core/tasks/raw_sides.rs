use crate::metrics::ContactSettings;
use crate::pipeline::MeasuredClip;
use crate::tasks::CompressTask;
use std::collections::VecDeque;
use std::sync::Arc;

/// Number of raw clips that are kept: one per slot for the displayed clip, and one more.
const KEPT: usize = 4;

/// Recently measured raw clips. While a slider is dragged, the raw clip is measured only once.
#[derive(Debug, Default)]
pub struct RawSides {
    /// Latest first.
    kept: VecDeque<(ContactSettings, MeasuredClip)>,
}

impl RawSides {
    /// The raw clip of a task, measured if it is not kept yet. It is kept if the task measures the error on the skin too.
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
