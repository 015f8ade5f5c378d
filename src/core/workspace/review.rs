use super::state::Review;
use super::{ClipSlot, Workspace};
use crate::model::{Clip, ClipId, ClipKey};
use crate::project::{Decision, DecisionKind, Document, ReviewFilter, ReviewState, Reviewer};
use crate::recipe::Recipe;
use crate::report::DecidedFigures;
use crate::tasks::LoadedSource;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

impl Workspace {
    /// The review state of a clip.
    pub fn review_state(&self, clip: ClipId) -> ReviewState {
        self.review.states.get(&clip).copied().unwrap_or_default()
    }

    /// Number of clips in that review state.
    pub fn review_count(&self, of: ReviewFilter) -> usize {
        self.review.counts.get(&of).copied().unwrap_or(0)
    }

    /// The last decision about a clip, even if it does not hold any more.
    pub fn decision(&self, clip: ClipId) -> Option<&Decision> {
        let decisions = &self.document().decisions;
        let key = self.library.clip_key(clip)?;
        decisions.get(&key).or_else(|| {
            let names = self.names(clip).filter(|_| self.review_state(clip) != ReviewState::ToDo)?;
            decisions.values().find(|decision| (&*decision.file, &*decision.clip) == names)
        })
    }

    /// Decides about clips in the active slot, in one step, and returns how many. Clips without numbers for its recipe cannot be approved
    /// or rejected.
    pub fn decide(&mut self, clips: &[ClipId], kind: DecisionKind, by: &Reviewer) -> usize {
        let slot = self.active_slot;
        self.decide_each(clips.iter().map(|&clip| (ClipSlot { clip, slot }, by.clone())), kind)
    }

    /// Approves undecided clips that neither warn nor fail in some slot, each with the recipe that makes it smallest. Returns how many.
    pub fn approve_smallest(&mut self, by: &Reviewer) -> usize {
        let best: Vec<ClipSlot> = self.library.clip_ids().filter_map(|clip| self.smallest_passing(clip)).collect();
        self.decide_each(best.into_iter().map(|of| (of, by.clone())), DecisionKind::Approved)
    }

    /// Clips whose approval does not hold any more, because recipe, fixes or file changed.
    pub fn changed_approvals(&self) -> Vec<ClipId> {
        let is_changed = |id: &ClipId| self.review_state(*id) == ReviewState::Changed(DecisionKind::Approved);
        self.library.clip_ids().filter(is_changed).collect()
    }

    /// Those of [`Self::changed_approvals`] that neither warn nor fail in the active slot.
    pub fn passing_again(&self) -> Vec<ClipId> {
        let mut clips = self.changed_approvals();
        clips.retain(|clip| self.has_no_flag(*clip, self.active_slot));
        clips
    }

    /// Approves the clips of [`Self::passing_again`] in the active slot, in one step. Their notes stay. Returns how many.
    pub fn approve_again(&mut self, by: &Reviewer) -> usize {
        let slot = self.active_slot;
        let again = self.passing_again().into_iter().map(|clip| {
            let note = self.decision(clip).map_or(String::new(), |decision| decision.note.clone());
            (ClipSlot { clip, slot }, Reviewer { note, ..by.clone() })
        });
        let again: Vec<_> = again.collect();
        self.decide_each(again.into_iter(), DecisionKind::Approved)
    }

    fn smallest_passing(&self, clip: ClipId) -> Option<ClipSlot> {
        let slots = 0..self.document().recipes.len();
        let passing = slots.filter(|slot| self.has_no_flag(clip, *slot));
        let bytes = |slot: &usize| Some(self.answer(clip, *slot)?.report.as_ref().ok()?.bytes);
        let slot = passing.filter(|_| self.review_state(clip) == ReviewState::ToDo).min_by_key(bytes)?;
        Some(ClipSlot { clip, slot })
    }

    /// True if an undecided clip neither warns nor fails in some slot.
    pub fn has_passing_to_do(&self) -> bool {
        self.library.clip_ids().any(|clip| self.smallest_passing(clip).is_some())
    }

    fn decide_each(&mut self, of: impl Iterator<Item = (ClipSlot, Reviewer)>, kind: DecisionKind) -> usize {
        let decided: Vec<(ClipKey, Decision)> = of.filter_map(|(key, by)| self.decision_now(key, kind, &by)).collect();
        let count = decided.len();
        let label = match &decided[..] {
            [] => return 0,
            [(_, only)] => format!("{} {}", kind.verb(), only.clip),
            many => format!("{} {} clips", kind.verb(), many.len()),
        };
        self.edit(label, |document| document.decisions.extend(decided));
        count
    }

    fn decision_now(&self, of: ClipSlot, kind: DecisionKind, by: &Reviewer) -> Option<(ClipKey, Decision)> {
        let ClipSlot { clip, slot } = of;
        let ((file, name), key) = (self.names(clip)?, self.library.clip_key(clip)?);
        let answer = self.answer(clip, slot).filter(|answer| answer.done && self.is_fresh(clip, slot));
        let report = answer.and_then(|answer| answer.report.as_ref().ok());
        let figures = report.map(|report| DecidedFigures::of(report));
        if self.external_slot() == Some(slot) || figures.is_none() && kind != DecisionKind::Ignored {
            return None;
        }
        let decision = Decision {
            kind,
            note: by.note.trim().to_owned(),
            author: by.author.clone(),
            time: humantime::format_rfc3339_seconds(by.time).to_string(),
            file: file.to_owned(),
            clip: name.to_owned(),
            figures,
            worst: report.and_then(|report| report.worst_moment.clone()),
            fixes: self.document().fixes_of(&key).clone(),
            earlier: self.decision(clip).map(Decision::history).unwrap_or_default(),
            recipe: Recipe::clone(self.recipe_for(of)),
        };
        Some((key, decision))
    }

    /// Changes the note of a decision while it is typed. Returns false if there is no decision about the clip's current version.
    pub fn preview_note(&mut self, clip: ClipId, note: &str) -> bool {
        let key = self.library.clip_key(clip).filter(|key| self.document().decisions.contains_key(key));
        let Some(key) = key else { return false };
        self.preview("Note", |document| {
            document.decisions.entry(key).and_modify(|decision| note.clone_into(&mut decision.note));
        });
        true
    }

    /// Removes decisions about clips, so that they are undecided.
    pub fn undecide(&mut self, clips: &[ClipId]) {
        let keys: Vec<ClipKey> = clips.iter().filter_map(|clip| self.library.clip_key(*clip)).collect();
        let label =
            if keys.len() == 1 { "Decide later".to_owned() } else { format!("Decide {} clips later", keys.len()) };
        self.edit(label, |document| keys.iter().for_each(|key| drop(document.decisions.remove(key))));
    }

    /// Undecided clips that neither warn nor fail in the active slot.
    pub fn passing_to_do(&self) -> Vec<ClipId> {
        let passes = |clip: &ClipId| self.has_no_flag(*clip, self.active_slot);
        self.library.clip_ids().filter(|clip| self.review_state(*clip) == ReviewState::ToDo && passes(clip)).collect()
    }

    /// The next clip of a list that needs a decision, after the selected one. It wraps around at the end.
    pub fn next_to_decide(&self, clips: &[ClipId]) -> Option<ClipId> {
        let from = clips.iter().position(|id| Some(*id) == self.selected()).map_or(0, |at| at + 1);
        let (before, after) = clips.split_at(from.min(clips.len()));
        after.iter().chain(before).copied().find(|id| self.review_state(*id).is_open())
    }

    /// The approved clips of a file, with the recipes that they were approved with.
    pub(super) fn approved(&self, source: &LoadedSource) -> Vec<(Arc<Clip>, Arc<Recipe>)> {
        let id = |at: usize| ClipId { source: source.id, clip: at as u32 };
        let clips = source.clips.iter().enumerate().filter(|(at, _)| self.review_state(id(*at)).is_approved());
        clips.filter_map(|(at, clip)| Some((clip.clone(), Arc::new(self.decision(id(at))?.recipe.clone())))).collect()
    }

    /// Number of approved clips in the selected clip's file, which are exported together.
    pub fn approved_count(&self) -> usize {
        let source = self.selected.map(|id| id.source);
        let is_approved = |(id, state): &(&ClipId, &ReviewState)| Some(id.source) == source && state.is_approved();
        self.review.states.iter().filter(is_approved).count()
    }

    /// Checks again which decisions hold.
    pub(super) fn renew_review(&mut self) {
        let Document { decisions, .. } = self.document.present();
        let mut review = Review::default();
        if decisions.is_empty() {
            review.counts.insert(ReviewFilter::ToDo, self.library.clip_ids().count());
            self.review = review;
            return;
        }
        let keyed = |clip| Some((clip, self.library.clip_key(clip)?));
        let open: HashMap<ClipId, ClipKey> = self.library.clip_ids().filter_map(keyed).collect();
        let keys: HashSet<&ClipKey> = open.values().collect();
        // Decisions about older versions of files, or about files that are closed.
        let older = decisions.iter().filter(|(key, _)| !keys.contains(key));
        let older: HashMap<(&str, &str), &Decision> = older.map(|(_, d)| ((&*d.file, &*d.clip), d)).collect();
        for (&clip, key) in &open {
            let state = match decisions.get(key) {
                Some(decision) => self.state_of((clip, key), decision),
                None => self
                    .names(clip)
                    .and_then(|names| older.get(&names))
                    .map_or(ReviewState::ToDo, |decision| ReviewState::Changed(decision.kind)),
            };
            *review.counts.entry(ReviewFilter::of(state)).or_default() += 1;
            if state != ReviewState::ToDo {
                review.states.insert(clip, state);
            }
        }
        self.review = review;
    }

    /// The state of a decision about the current version of a clip.
    fn state_of(&self, (clip, key): (ClipId, &ClipKey), decision: &Decision) -> ReviewState {
        if *self.document().fixes_of(key) != decision.fixes {
            return ReviewState::Changed(decision.kind);
        }
        let recipes = 0..self.document().recipes.len();
        let is_made = |slot| self.recipe_for(ClipSlot { clip, slot }).is_same_for(&decision.recipe, &decision.clip);
        match decision.kind == DecisionKind::Ignored || recipes.clone().any(is_made) {
            true => ReviewState::Decided(decision.kind),
            false => ReviewState::Changed(decision.kind),
        }
    }

    /// Names of a clip's file and of the clip.
    pub(super) fn names(&self, clip: ClipId) -> Option<(&str, &str)> {
        Some((self.library.source(clip.source)?.name(), self.library.clip(clip)?.1.name()))
    }
}
