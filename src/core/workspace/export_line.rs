//! The command line that writes the same file as an export of the window.

use super::{ClipSlot, ExportScope, Workspace};
use crate::import::ImportOptions;
use crate::model::{Additive, ClipId, ClipKey};
use crate::tasks::LoadedSource;
use crate::workspace::{CommandLine, ExportLine, SourceWords};
use std::path::Path;
use std::sync::Arc;

impl Workspace {
    /// The command for the same export. `None` if there is none: approved clips have separate recipes, and the bundled sample has no file.
    pub fn export_line(&self, id: ClipId, scope: ExportScope, format: &str, output: &Path) -> Option<CommandLine> {
        let source = self.library.source(id.source)?;
        let slot = self.active_slot;
        let (recipe, clips) = match scope {
            ExportScope::Approved => return None,
            ExportScope::All => (self.recipe(slot), 0..source.clips.len() as u32),
            ExportScope::Clip => (self.recipe_for(ClipSlot { clip: id, slot }), id.clip..id.clip + 1),
        };
        let is_one = scope == ExportScope::Clip;
        let clip = source.clips.get(id.clip as usize).filter(|_| is_one);
        let ids: Vec<ClipId> = clips.map(|clip| ClipId { clip, ..id }).collect();
        let (said, says_all) = self.source_words(source, &ids);
        let line = ExportLine {
            source: source.path.as_deref()?,
            import: &source.options,
            said: &said,
            recipe,
            export: &self.document().export,
            tiers: &self.document().tiers,
            format,
            clip: clip.map(|clip| clip.name()),
            output,
        };
        let have_own = !is_one && self.have_own_recipes(slot);
        Some(CommandLine { words: line.words(), is_whole: line.is_whole() && says_all && !have_own })
    }

    /// The choices about clips of a file, and true if options cover all of them.
    fn source_words(&self, source: &LoadedSource, ids: &[ClipId]) -> (SourceWords, bool) {
        let mut words = SourceWords::default();
        let fixes: Vec<_> = ids.iter().filter_map(|id| source.fixes(id.clip as usize)).collect();
        let are_same = fixes.windows(2).all(|pair| pair[0] == pair[1]);
        words.fixes =
            fixes.first().filter(|_| are_same).map(|fixes| fixes.iter().copied().collect()).unwrap_or_default();
        words.additive = ids.iter().filter_map(|id| self.said_additive(source, *id)).collect();
        let loops_as_found = |id: &&ClipId| {
            let loops = source.clips.get(id.clip as usize).map(|clip| clip.is_looping());
            loops == source.found_loops.get(id.clip as usize).copied()
        };
        // No option says which contacts a fix holds.
        let has_drawn = |id: &ClipId| {
            let chosen = self.library.clip_key(*id).map(|key| self.document().chosen_fixes(&key));
            chosen.is_some_and(|chosen| !chosen.drawn.is_empty())
        };
        let mut says_all =
            are_same && !ids.iter().any(has_drawn) && ids.iter().filter(loops_as_found).count() == ids.len();
        if !Arc::ptr_eq(&source.rig, source.own_rig()) {
            let owner = self.library.sources().iter().find(|other| Arc::ptr_eq(other.own_rig(), &source.rig));
            words.rig = owner.and_then(|owner| owner.path.clone());
            says_all &= owner.is_some_and(|owner| owner.path.is_some() && owner.options == ImportOptions::default());
        }
        (words, says_all)
    }

    fn said_additive(&self, source: &LoadedSource, id: ClipId) -> Option<(String, Additive)> {
        let name = source.clips.get(id.clip as usize)?.name();
        let mark = self.document().additive.get(&ClipKey::new(&source.digest, name))?;
        Some((name.to_owned(), mark.clone()))
    }
}
