use super::{ClipSlot, Workspace};
use crate::tasks::{CompressTask, KeptResults, Lane, Request, Task};

/// Most clips that are compressed in every slot without a request.
const FEW_CLIPS: usize = 100;

impl Workspace {
    /// The store in which results are kept and found again. It is none until one is set.
    pub fn results(&self) -> &KeptResults {
        self.scheduler.results()
    }

    /// Requests the missing results. The selected clip comes first, in the active slot and then in the others. Then come the trials of
    /// remedies. Then come the other clips, in the active slot and then in the others that [compress all](Self::compresses_all).
    pub(super) fn schedule(&mut self) {
        self.renew_trials();
        let slots = std::iter::once(self.active_slot).chain((0..self.recipes.len()).filter(|s| *s != self.active_slot));
        let keys = slots.clone().filter_map(|slot| Some((ClipSlot { clip: self.selected?, slot }, true)));
        let others = slots.filter(|slot| self.compresses_all(*slot)).flat_map(|slot| {
            let clips = self.library.clip_ids().filter(|id| Some(*id) != self.selected);
            clips.map(move |clip| (ClipSlot { clip, slot }, false))
        });
        let request = |(key, live)| self.compression(key, live);
        let requests = keys.filter_map(request).chain(self.trial_requests()).chain(others.filter_map(request));
        self.scheduler.set_wanted(Lane::Compress, requests.collect());
    }

    /// True if all clips are compressed in a slot: in the active one, where [`Self::compress_all`] was called, while the table is open,
    /// and if there are few clips. In other slots only the selected clip is.
    pub fn compresses_all(&self, slot: usize) -> bool {
        let is_asked = slot == self.active_slot || self.all_of.contains(&slot) || self.table.is_open;
        is_asked || self.library.clip_ids().nth(FEW_CLIPS).is_none()
    }

    /// Compresses all clips in a slot, also while another one is active.
    pub fn compress_all(&mut self, slot: usize) {
        self.all_of.insert(slot);
        self.schedule();
        self.changed();
    }

    /// The request for a clip and slot. `None` if there is a result, while the external file is read or fixes are applied, and for a default
    /// pose.
    fn compression(&self, key: ClipSlot, live: bool) -> Option<Request<Option<ClipSlot>>> {
        if self.is_answered(&key, live) || self.waits_for_file(key.slot) || self.library.is_rig(key.clip) {
            return None;
        }
        let (rig, clip) = self.library.clip(key.clip).filter(|_| !self.library.is_unfixed(key.clip))?;
        let file = self.library.source(key.clip.source)?.name().into();
        let recipe = self.recipe_for(key).clone();
        let external = self.judged(key);
        let task = CompressTask { file, rig: rig.clone(), clip: clip.clone(), recipe, external, skin: true };
        Some(Request { key: Some(key), task: Task::Compress(task), live })
    }

    fn is_answered(&self, key: &ClipSlot, live: bool) -> bool {
        self.answers.get(key).is_some_and(|answer| {
            self.answers_now(*key, answer) && answer.done && (!live || answer.full.is_some() || answer.report.is_err())
        })
    }
}
