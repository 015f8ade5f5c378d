//! The decisions of a project about a clip, for work without the window.

use super::{DecisionKind, Document, NamedClip, Project, ProjectSource, RecipePlace};
use crate::import::Fix;
use crate::metrics::FootContacts;
use crate::model::{Additive, ClipKey};
use crate::recipe::Recipe;
use std::collections::BTreeSet;
use std::path::Path;

/// The slot whose recipes count: A.
const SLOT: usize = 0;

/// A file of a project, as it is now.
#[derive(Debug, Clone, Copy)]
pub struct KnownSource<'a> {
    /// The file in the project.
    pub source: &'a ProjectSource,
    /// True if it has the bytes from when the project was saved. Approvals hold only then.
    pub is_same: bool,
}

/// Marks of a clip that change what is compressed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ClipMarks {
    /// True if it loops, false if not. `None`: detected.
    pub loops: Option<bool>,
    /// Additive mark. `None`: the file's.
    pub additive: Option<Additive>,
    /// Fixes of the import.
    pub fixes: BTreeSet<Fix>,
    /// Contacts drawn by hand.
    pub contacts: Vec<FootContacts>,
}

/// A recipe that a person chose for one clip.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnRecipe {
    /// The recipe.
    pub recipe: Recipe,
    /// True if the clip was approved with it.
    pub is_approved: bool,
    /// Its origin for people: `approved by Ann`.
    pub words: String,
}

impl Project {
    /// The file of the project with these bytes, else the file at this absolute path.
    pub fn known(&self, digest: &str, path: &Path) -> Option<KnownSource<'_>> {
        let same = self.sources.iter().find(|source| source.digest == digest);
        let moved = || self.sources.iter().find(|source| source.path == path);
        let known = |source, is_same| KnownSource { source, is_same };
        same.map(|source| known(source, true)).or_else(|| moved().map(|source| known(source, false)))
    }

    /// True if the clips of a file use the rig of another file.
    pub fn has_other_rig(&self, of: KnownSource<'_>) -> bool {
        matches!(self.document.rigs.get(&of.source.digest), Some(super::RigChoice::Of(_)))
    }

    /// The recipe that slot A has for a clip, without what a person chose for this clip alone.
    pub fn start_recipe(&self, of: KnownSource<'_>, clip: &str) -> Recipe {
        let key = of.source.clip_key(clip);
        let file = of.source.path.to_string_lossy();
        let named = NamedClip { key: &key, file: &file, name: clip };
        let assigned = self.document.assigned.get(self.document.letter(SLOT));
        let pattern = assigned.and_then(|assigned| assigned.by_pattern(&named));
        let place = pattern.map_or(RecipePlace::Slot(SLOT), |name| RecipePlace::Named(name.to_owned()));
        self.document.recipe_at(&place).cloned().unwrap_or_default()
    }

    /// The recipe that a person chose for this clip alone: the approved one, else a named recipe or a tolerance of its own.
    pub fn own_recipe(&self, of: KnownSource<'_>, clip: &str) -> Option<OwnRecipe> {
        let Document { decisions, tolerances, assigned, .. } = &self.document;
        let key = of.source.clip_key(clip);
        let decision = decisions.get(&key).filter(|decision| decision.kind == DecisionKind::Approved && of.is_same);
        if let Some(decision) = decision {
            let by = if decision.author.is_empty() { String::new() } else { format!(" by {}", decision.author) };
            let words = format!("approved{by}");
            return Some(OwnRecipe { recipe: decision.recipe.clone(), is_approved: true, words });
        }
        let letter = self.document.letter(SLOT);
        let given = assigned.get(letter).and_then(|assigned| assigned.clips.get(&key));
        let tolerance = tolerances.get(letter).and_then(|own| own.get(&key));
        let words = match (given.filter(|name| !name.is_empty()), tolerance) {
            (Some(name), _) => format!("recipe '{name}' of the clip"),
            (None, Some(_)) => "tolerance of the clip".to_owned(),
            (None, None) => return None,
        };
        let file = of.source.path.to_string_lossy();
        let recipe = self.document.recipe_for(SLOT, &NamedClip { key: &key, file: &file, name: clip })?;
        Some(OwnRecipe { recipe, is_approved: false, words })
    }

    /// Names of the clips of a file that have marks.
    pub fn marked_clips(&self, of: KnownSource<'_>) -> BTreeSet<&str> {
        let Document { loops, additive, fixes, contacts, .. } = &self.document;
        let keys = loops.keys().chain(additive.keys()).chain(fixes.keys()).chain(contacts.keys());
        keys.filter(|key| key.is_of(&of.source.digest)).map(ClipKey::clip_name).collect()
    }

    /// The marks of a clip.
    pub fn marks(&self, of: KnownSource<'_>, clip: &str) -> ClipMarks {
        let key = of.source.clip_key(clip);
        let Document { loops, additive, fixes, contacts, .. } = &self.document;
        ClipMarks {
            loops: loops.get(&key).copied(),
            additive: additive.get(&key).cloned(),
            fixes: fixes.get(&key).cloned().unwrap_or_default(),
            contacts: contacts.get(&key).cloned().unwrap_or_default(),
        }
    }
}
