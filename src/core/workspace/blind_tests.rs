use super::{ClipSlot, Workspace};
use crate::project::{BlindTest, Reviewer, Trial};
use crate::recipe::Recipe;
use crate::report::Sides;

/// The blind tests of a clip.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BlindTests<'a> {
    /// Tests of the clip as the slot compresses it now.
    pub current: Vec<&'a BlindTest>,
    /// Tests of another recipe, or of an older version of the file.
    pub older: Vec<&'a BlindTest>,
}

/// Why the two sides of a clip cannot be compared in a blind test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Untestable {
    /// The slot holds an external file, which has no recipe.
    External,
    /// The result of the recipe is not there yet.
    NotMade,
    /// The recipe cannot compress the clip.
    Failed,
}

impl Workspace {
    /// The sides of the selected clip for a blind test of the active slot: the original and the finished result of the current recipe.
    ///
    /// # Errors
    /// See [`Untestable`].
    pub fn blind_sides(&self) -> Result<&Sides, Untestable> {
        let slot = self.active_slot;
        if self.external_slot() == Some(slot) {
            return Err(Untestable::External);
        }
        let clip = self.selected.ok_or(Untestable::NotMade)?;
        let answer = self.answer(clip, slot).filter(|answer| answer.done && self.is_fresh(clip, slot));
        match answer.map(|answer| (&answer.report, &answer.full)) {
            Some((Err(_), _)) => Err(Untestable::Failed),
            Some((Ok(_), Some(sides))) => Ok(sides),
            Some((Ok(_), None)) | None => Err(Untestable::NotMade),
        }
    }

    /// The blind tests of a clip, split by the recipe that its slot has now.
    pub fn blind_tests(&self, of: ClipSlot) -> BlindTests<'_> {
        let mut found = BlindTests::default();
        let (Some(key), Some(names)) = (self.library.clip_key(of.clip), self.names(of.clip)) else { return found };
        let recipe = self.recipe_for(of);
        for (of_key, test) in
            self.document().blind_tests.iter().flat_map(|(k, tests)| tests.iter().map(move |t| (k, t)))
        {
            let is_of_now = *of_key == key;
            if is_of_now && recipe.is_same_for(&test.recipe, &test.clip) {
                found.current.push(test);
            } else if is_of_now || self.is_older_version(of_key) && (&*test.file, &*test.clip) == names {
                found.older.push(test);
            }
        }
        found
    }

    /// True if no open clip has that key: its file was saved again since, or is closed.
    fn is_older_version(&self, key: &crate::model::ClipKey) -> bool {
        self.library.clip_ids().all(|clip| self.library.clip_key(clip).as_ref() != Some(key))
    }

    /// Adds a blind test of a clip as a slot compresses it now, in one step. Earlier tests stay, also those by the same person. Returns false if the clip is not open or there are no trials.
    pub fn add_blind_test(&mut self, of: ClipSlot, trials: Vec<Trial>, by: &Reviewer) -> bool {
        let Some((key, names)) = self.library.clip_key(of.clip).zip(self.names(of.clip)) else { return false };
        if trials.is_empty() {
            return false;
        }
        let test = BlindTest::new(names, Recipe::clone(self.recipe_for(of)), trials, by);
        let label = format!("Blind test of {}", test.clip);
        self.edit(label, |document| document.blind_tests.entry(key).or_default().push(test));
        true
    }
}
