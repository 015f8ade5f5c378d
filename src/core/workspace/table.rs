//! The table of all clips with all recipes of the document: the result of each, and the recipe that each clip uses.

use super::state::{Column, RecipeTable};
use super::{ClipSlot, Workspace};
use crate::metrics::Verdict;
use crate::model::{ClipId, ClipKey};
use crate::project::{Document, NamedClip, PatternRecipe, RecipePlace};
use crate::recipe::Recipe;
use crate::study::{ClipFigures, Studied, StudiedClips, StudyPoint};
use crate::tasks::{StudyTask, TaskError};
use std::sync::Arc;

impl Workspace {
    /// Opens or closes the table. Recipes that no slot has are compressed only while it is open.
    pub fn open_table(&mut self, is_open: bool) {
        if self.table.is_open != is_open {
            self.table.is_open = is_open;
            self.renew_table();
            self.schedule();
            self.schedule_study();
            self.changed();
        }
    }

    /// Recipes of the table: first the recipes of the slots, then the named recipes.
    pub fn table_places(&self) -> Vec<RecipePlace> {
        let slots = (0..self.document().recipes.len()).map(RecipePlace::Slot);
        slots.chain(self.document().named.keys().cloned().map(RecipePlace::Named)).collect()
    }

    /// Name of a recipe.
    pub fn place_name(&self, place: &RecipePlace) -> String {
        match place {
            RecipePlace::Slot(slot) => self.slot_letter(*slot).to_owned(),
            RecipePlace::Named(name) => name.clone(),
        }
    }

    /// The result of a clip with a recipe. `None` while it is computed, and if the clip cannot be compressed.
    pub fn table_figures(&self, place: &RecipePlace, clip: ClipId) -> Option<ClipFigures> {
        match self.slot_with(place, clip) {
            Some(slot) => {
                let answer = self.answer(clip, slot).filter(|answer| answer.done && self.is_fresh(clip, slot))?;
                answer.report.as_ref().ok().map(|report| ClipFigures::of(report))
            }
            None => {
                let Some(Ok(point)) = &self.column(place)?.found else { return None };
                let at = self.table.ids.binary_search(&clip).ok()?;
                point.clips.get(at).copied()
            }
        }
    }

    /// The reason why a recipe of the table has no numbers.
    pub fn table_failure(&self, place: &RecipePlace) -> Option<&TaskError> {
        match &self.column(place)?.found {
            Some(Err(why)) => Some(why),
            _ => None,
        }
    }

    /// A slot in which a clip uses that recipe, or an equal one.
    fn slot_with(&self, place: &RecipePlace, clip: ClipId) -> Option<usize> {
        let recipe = self.recipe_of(place)?;
        let has = |slot: &usize| {
            let own = self.base_recipe(ClipSlot { clip, slot: *slot });
            Arc::ptr_eq(own, recipe) || own == recipe
        };
        (0..self.document().recipes.len()).find(has)
    }

    fn recipe_of(&self, place: &RecipePlace) -> Option<&Arc<Recipe>> {
        match place {
            RecipePlace::Slot(slot) => self.recipes.get(*slot),
            RecipePlace::Named(name) => self.named_recipe(name),
        }
    }

    /// The recipe that makes a clip smallest among those with a good verdict. Ties go to the clip's recipe in the active slot, then to the
    /// first.
    pub fn smallest_in_table(&self, clip: ClipId) -> Option<RecipePlace> {
        let has = self.place_in(self.active_slot, clip);
        let known = |place: RecipePlace| Some((self.table_figures(&place, clip)?, place));
        let passing = self.table_places().into_iter().filter_map(known).filter(|(of, _)| of.verdict == Verdict::Good);
        passing.min_by_key(|(of, place)| (of.figures.bytes, *place != has)).map(|(_, place)| place)
    }

    /// Assigns a recipe of the table to clips in the active slot, in one step. A recipe of another slot becomes a named recipe.
    pub fn give(&mut self, clips: &[ClipId], place: &RecipePlace) {
        let words = format!("{} with {}", crate::text::count(clips.len(), "clip"), self.place_name(place));
        let given = clips.iter().map(|clip| (*clip, place.clone())).collect();
        self.give_each(words, given);
    }

    /// Assigns to each clip its recipe of [`Self::smallest_in_table`], in the active slot and in one step. Returns the number of clips
    /// whose recipe changed. Approved clips keep their recipe. Clips without a good verdict with any recipe keep theirs too.
    pub fn give_smallest(&mut self) -> usize {
        let slot = self.active_slot;
        let open = self.library.clip_ids().filter(|clip| !self.review_state(*clip).is_approved());
        let best = open.filter_map(|clip| Some((clip, self.smallest_in_table(clip)?)));
        let has = |clip: ClipId| self.document().recipe_at(&self.place_in(slot, clip));
        let given = best.filter(|(clip, place)| has(*clip) != self.document().recipe_at(place));
        let given: Vec<_> = given.collect();
        let count = given.len();
        if count > 0 {
            self.give_each("Best recipe per clip".into(), given);
        }
        count
    }

    fn give_each(&mut self, label: String, given: Vec<(ClipId, RecipePlace)>) {
        let slot = self.active_slot;
        let keyed = given.into_iter().filter_map(|(clip, place)| Some((self.library.clip_key(clip)?, place)));
        let keyed: Vec<(ClipKey, RecipePlace)> = keyed.collect();
        self.edit(label, |document| {
            for (key, place) in &keyed {
                let name = document.name_for(slot, place);
                document.assign(slot, std::slice::from_ref(key), name.as_deref());
            }
        });
    }

    /// Names the active recipe and assigns it to clips under that name.
    pub fn name_recipe(&mut self, name: &str, clips: &[ClipId]) {
        let (slot, recipe) = (self.active_slot, Recipe::clone(self.active_recipe()));
        let keys: Vec<ClipKey> = clips.iter().filter_map(|clip| self.library.clip_key(*clip)).collect();
        self.edit(format!("Recipe '{name}'"), |document| {
            document.named.insert(name.to_owned(), recipe);
            document.assign(slot, &keys, Some(name));
        });
    }

    fn column(&self, place: &RecipePlace) -> Option<&Column> {
        self.table.columns.iter().find(|column| column.place == *place)
    }

    /// Drops results of recipes and clips that changed.
    pub(super) fn renew_table(&mut self) {
        let ids: Vec<ClipId> = self.library.clip_ids().filter(|_| self.table.is_open).collect();
        if ids.is_empty() {
            self.table = RecipeTable { is_open: self.table.is_open, ..RecipeTable::default() };
            return;
        }
        let clips: StudiedClips =
            ids.iter().filter_map(|id| self.library.clip(*id).map(|(r, c)| (r.clone(), c.clone()))).collect();
        let known = std::mem::take(&mut self.table);
        let is_same = known.clips.as_ref().is_some_and(|known| {
            known.len() == clips.len() && known.iter().zip(&clips[..]).all(|(a, b)| Arc::ptr_eq(&a.1, &b.1))
        });
        let mut old = if is_same { known.columns } else { Vec::new() };
        let column = |place: RecipePlace| {
            let recipe = self.recipe_of(&place)?.clone();
            let at = old.iter().position(|old| old.place == place && *old.of.recipe == *recipe);
            let found = at.and_then(|at| old.swap_remove(at).found);
            Some(Column { place, of: Studied { recipe, engine: None }, found })
        };
        let needed: Vec<RecipePlace> = self.table_places().into_iter().filter(|place| self.is_apart(place)).collect();
        let columns = needed.into_iter().filter_map(column).collect();
        let clips = if is_same { known.clips } else { Some(clips) };
        self.table = RecipeTable { is_open: true, ids, clips, columns };
    }

    /// True if at least one clip uses the recipe in none of the slots. Then all clips are compressed with it in a study.
    fn is_apart(&self, place: &RecipePlace) -> bool {
        self.library.clip_ids().any(|clip| self.slot_with(place, clip).is_none())
    }

    /// True if the study is one of the table's.
    pub(super) fn is_of_table(&self, task: &StudyTask) -> bool {
        self.table.clips.as_ref().is_some_and(|clips| Arc::ptr_eq(clips, &task.clips))
    }

    pub(super) fn take_in_table(&mut self, task: &StudyTask, result: Result<StudyPoint, Arc<TaskError>>) {
        for column in self.table.columns.iter_mut().filter(|column| column.of == task.of) {
            column.found = Some(result.clone());
        }
    }

    /// True if a pattern matches a clip.
    pub fn is_named_by(&self, pattern: &PatternRecipe, clip: ClipId) -> bool {
        let of = self.library.source(clip.source).zip(self.library.clip(clip));
        of.is_some_and(|(source, (_, data))| {
            let (key, file) = (ClipKey::new(&source.digest, data.name()), source.place());
            pattern.names(&NamedClip { key: &key, file: &file, name: data.name() })
        })
    }
}

impl Document {
    /// The name under which clips of a slot use a recipe. `None` for the slot's own. A recipe of another slot is stored under its title.
    fn name_for(&mut self, slot: usize, place: &RecipePlace) -> Option<String> {
        match place {
            RecipePlace::Named(name) => Some(name.clone()),
            RecipePlace::Slot(own) if *own == slot => None,
            RecipePlace::Slot(other) => {
                let recipe = self.recipes.get(*other)?.clone();
                let known = self.named.iter().find(|(_, known)| **known == recipe).map(|(name, _)| name.clone());
                Some(known.unwrap_or_else(|| {
                    let name = self.free_name(&recipe.title());
                    self.named.insert(name.clone(), recipe);
                    name
                }))
            }
        }
    }
}
