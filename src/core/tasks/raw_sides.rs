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
    /// The raw clip of a task, measured if it is not kept yet.
    pub(super) fn of(&mut self, task: &CompressTask) -> MeasuredClip {
        self.known(task).unwrap_or_else(|| {
            let measured = MeasuredClip::new(task.rig.clone(), task.clip.clone(), &task.recipe);
            self.keep(task, measured.clone());
            measured
        })
    }

    /// The raw clip of a task, if it is kept.
    pub(super) fn known(&self, task: &CompressTask) -> Option<MeasuredClip> {
        let recipe = &task.recipe;
        let fits = |(contacts, m): &&(ContactSettings, MeasuredClip)| {
            Arc::ptr_eq(&m.clip, &task.clip)
                && m.raw.sub_frames() == recipe.sub_frames
                && contacts.same_plan(&recipe.contacts)
        };
        self.kept.iter().find(fits).map(|(_, known)| known.clone())
    }

    /// Keeps the raw clip of a task that measures the error on the skin too.
    pub(super) fn keep(&mut self, task: &CompressTask, measured: MeasuredClip) {
        if task.skin {
            self.kept.push_front((task.recipe.contacts.clone(), measured));
            self.kept.truncate(KEPT);
        }
    }
}
