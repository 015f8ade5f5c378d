//! Fixes that help several clips, with their measured price.

use super::state::{CommonFix, CommonFixRow, FixPart, PricedFix};
use super::{ClipSlot, Workspace, WorkspaceEvent};
use crate::metrics::{Aspect, Verdict};
use crate::model::{ClipId, ClipKey};
use crate::project::{Document, RecipePlace};
use crate::recipe::Recipe;
use crate::report::{ClipReport, Remedy, finer_rate_hz};
use crate::study::ClipFigures;
use crate::tasks::{ImportTask, LoadedSource, PriceTask, SourceFile, TaskError};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

impl Workspace {
    /// Measures the prices of [`Self::common_fixes`] while it is open.
    pub fn open_common_fixes(&mut self, is_open: bool) {
        self.common_fixes.is_open = is_open;
        self.changed();
        self.schedule_study();
    }

    /// True if a fix would help clips of the active slot.
    pub fn has_common_fix(&self) -> bool {
        !self.common_fixes.fixes.is_empty()
    }

    /// The fixes for all clips of the active slot, each with its price. Prices are measured while the list is open.
    pub fn common_fixes(&self) -> Vec<CommonFixRow> {
        self.common_fixes.fixes.iter().map(PricedFix::row).collect()
    }

    /// Applies a fix to all clips that need it, in one step.
    ///
    /// If all clips of a slot's recipe need it, the recipe changes. Else these clips get a named recipe, so that the others and their
    /// decisions stay. Approved clips keep their recipe.
    pub fn fix_all(&mut self, fix: CommonFix) {
        let Some(known) = self.common_fixes.fixes.iter().find(|known| known.fix == fix) else { return };
        let (clips, label) = (known.clips.clone(), fix.title(known.clips.len(), known.files()));
        match fix.remedy() {
            Some(remedy) => self.change_recipes(label, &clips, fix.suffix(), |recipe| remedy.changed(recipe)),
            None => {
                let mut sources: Vec<u32> = clips.iter().map(|clip| clip.source).collect();
                sources.dedup();
                self.read_as(&label, &sources, |options| fix.options(options));
            }
        }
    }

    fn change_recipes(&mut self, label: String, clips: &[ClipId], suffix: &str, change: impl Fn(&Recipe) -> Recipe) {
        let slot = self.active_slot;
        let mut places: Vec<(RecipePlace, Vec<ClipKey>)> = Vec::new();
        for clip in clips {
            let Some(key) = self.library.clip_key(*clip) else { continue };
            let place = self.place_in(slot, *clip);
            match places.iter_mut().find(|(known, _)| *known == place) {
                Some((_, keys)) => keys.push(key),
                None => places.push((place, vec![key])),
            }
        }
        let have = |place: &RecipePlace| {
            let clips = self.library.clip_ids().filter(|clip| !self.library.is_rig(*clip));
            clips.filter(|clip| self.place_in(slot, *clip) == *place).count()
        };
        let is_whole = |(place, keys): &(RecipePlace, Vec<ClipKey>)| {
            matches!(place, RecipePlace::Slot(_)) && keys.len() == have(place)
        };
        let whole: Vec<bool> = places.iter().map(is_whole).collect();
        self.edit(label, |document| {
            for ((place, keys), is_whole) in places.iter().zip(&whole) {
                let Some(recipe) = document.recipe_at(place).map(&change) else { continue };
                match document.recipe_mut(place).filter(|_| *is_whole) {
                    Some(own) => *own = recipe,
                    None => document.assign_changed(slot, keys, (recipe, suffix)),
                }
            }
        });
    }

    /// Finds the fixes for the current results again. Measured prices stay where they are still right.
    pub(super) fn renew_common_fixes(&mut self) {
        let mut found: BTreeMap<CommonFix, Vec<ClipId>> = BTreeMap::new();
        if !self.is_external_active() {
            for clip in self.library.clip_ids() {
                self.fixes_for(clip).into_iter().for_each(|fix| found.entry(fix).or_default().push(clip));
            }
        }
        let old = std::mem::take(&mut self.common_fixes.fixes).into_iter();
        let old = old.flat_map(|of| of.parts.into_iter().map(move |part| ((of.fix, part.first), part)));
        let mut old: HashMap<(CommonFix, ClipId), FixPart> = old.collect();
        let is_open = self.common_fixes.is_open;
        let priced = |(fix, clips): (CommonFix, Vec<ClipId>)| {
            let mut parts = if is_open { self.fix_parts(fix, &clips) } else { Vec::new() };
            for part in &mut parts {
                let known = old.remove(&(fix, part.first)).filter(|known| part.is_same(known));
                part.found = known.and_then(|known| known.found);
            }
            PricedFix { fix, clips, parts }
        };
        self.common_fixes.fixes = found.into_iter().map(priced).collect();
        if self.common_fixes.open().next().is_some() {
            self.schedule_study();
        }
    }

    fn fixes_for(&self, clip: ClipId) -> Vec<CommonFix> {
        let key = ClipSlot { clip, slot: self.active_slot };
        let Some(report) = self.final_report(clip) else { return Vec::new() };
        let recipe = self.recipe_for(key);
        let has = |aspects: &[Aspect]| {
            report.judged.iter().any(|judged| judged.verdict > Verdict::Good && aspects.contains(&judged.by))
        };
        let mut all = Vec::new();
        if recipe.codec.promises_with(&recipe.values) && !self.review_state(clip).is_approved() {
            if has(&[Aspect::Slide, Aspect::Pin]) && !recipe.contacts.lock {
                all.push(CommonFix::LockContacts);
            }
            if has(&[Aspect::Skin]) && !recipe.shell_from_mesh {
                all.push(CommonFix::ShellFromMesh);
            }
        }
        all.extend(self.faster_reading(clip, report));
        all
    }

    /// The fix of a source that moves too fast for its sample rate. The bundled sample has no file to read.
    fn faster_reading(&self, clip: ClipId, report: &ClipReport) -> Option<CommonFix> {
        self.library.source(clip.source)?.path.as_ref()?;
        let of = |judged: &&crate::report::JudgedRow| judged.by == Aspect::Sampling && judged.verdict > Verdict::Good;
        let judged = report.judged.iter().find(of)?;
        let rate_hz = finer_rate_hz(judged.error_mm as f32, judged.warn_mm as f32, report.rate_hz);
        Some(CommonFix::ReadAgain { millihertz: (rate_hz * 1000.0).round() as u32 })
    }

    fn final_report(&self, clip: ClipId) -> Option<&ClipReport> {
        let answer = self.answer(clip, self.active_slot)?;
        let report = answer.report.as_ref().ok().filter(|_| answer.done && self.is_fresh(clip, self.active_slot));
        report.map(|report| &**report)
    }

    fn fix_parts(&self, fix: CommonFix, clips: &[ClipId]) -> Vec<FixPart> {
        match fix.remedy() {
            Some(remedy) => clips.iter().filter_map(|clip| self.recipe_part(&remedy, *clip)).collect(),
            None => {
                let mut sources: Vec<u32> = clips.iter().map(|clip| clip.source).collect();
                sources.dedup();
                sources.into_iter().filter_map(|id| self.library.source(id)).map(|of| self.file_part(fix, of)).collect()
            }
        }
    }

    fn recipe_part(&self, remedy: &Remedy, id: ClipId) -> Option<FixPart> {
        let (rig, clip) = self.library.clip(id)?;
        let recipe = Arc::new(remedy.changed(self.recipe_for(ClipSlot { clip: id, slot: self.active_slot })));
        let task = PriceTask::Recipe { rig: rig.clone(), clip: clip.clone(), recipe };
        let before = vec![ClipFigures::of(self.final_report(id)?)];
        Some(FixPart { first: id, before, task: Some(task), found: None })
    }

    fn file_part(&self, fix: CommonFix, source: &LoadedSource) -> FixPart {
        let id = |clip| ClipId { source: source.id, clip };
        let ids: Vec<ClipId> = (0..source.clips.len() as u32).map(id).collect();
        let before: Option<Vec<ClipFigures>> =
            ids.iter().map(|id| Some(ClipFigures::of(self.final_report(*id)?))).collect();
        let task = before.as_ref().and_then(|_| self.reading_task(fix, source, &ids));
        FixPart { first: id(0), before: before.unwrap_or_default(), task, found: None }
    }

    /// The file with the fix. `None` if its clips have choices that reading alone does not repeat.
    fn reading_task(&self, fix: CommonFix, source: &LoadedSource, ids: &[ClipId]) -> Option<PriceTask> {
        let file = SourceFile::Path(source.path.clone().filter(|_| source.is_as_read())?);
        let import = ImportTask { file, options: fix.options(source.options), containers: false };
        let recipe = |&clip| self.recipe_for(ClipSlot { clip, slot: self.active_slot }).clone();
        Some(PriceTask::Reading { import, recipes: ids.iter().map(recipe).collect() })
    }

    pub(super) fn take_in_price(
        &mut self,
        task: &PriceTask,
        result: Result<Vec<ClipFigures>, TaskError>,
    ) -> Option<WorkspaceEvent> {
        let parts = self.common_fixes.fixes.iter_mut().flat_map(|fix| &mut fix.parts);
        let found = result.map_err(drop);
        for part in parts.filter(|part| part.task.as_ref().is_some_and(|of| of.is_same(task))) {
            part.found = Some(found.clone());
        }
        None
    }
}

impl Document {
    /// Gives clips of a slot a changed recipe under a name. Their own tolerances stay.
    fn assign_changed(&mut self, slot: usize, clips: &[ClipKey], (recipe, suffix): (Recipe, &str)) {
        let known = self.named.iter().find(|(_, known)| **known == recipe).map(|(name, _)| name.clone());
        let name = known.unwrap_or_else(|| self.free_name(&format!("{}, {suffix}", recipe.title())));
        self.named.insert(name.clone(), recipe);
        let own = self.tolerances.clone();
        self.assign(slot, clips, Some(&name));
        self.tolerances = own;
    }
}
