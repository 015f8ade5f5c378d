use super::letters::EXTERNAL_LETTER;
use crate::codecs::{Codec, LinearKeys, Press, VariableRate};
use crate::export::ExportOptions;
use crate::import::{ChosenFixes, Fix, ImportOptions};
use crate::lod::Platform;
use crate::metrics::FootContacts;
use crate::model::{Additive, ClipKey, SourceDigest};
use crate::pipeline::TierSettings;
use crate::project::{
    Assignments, BlindTest, Decision, DocumentError, MomentNote, RigChoice, SLOT_LETTERS, wrong_name,
};
use crate::recipe::Recipe;
use crate::report::Screen;
use crate::settings::{At, Field, Range, Setting, Settings, Unit};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Everything that a person decides and can undo.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// Recipes of the slots A, B, C. Never empty.
    #[serde(default)] // an empty list is an error with a better message than serde's
    pub recipes: Vec<Recipe>,
    /// Contacts drawn by hand. In other clips, contacts are detected.
    #[serde(default)]
    pub contacts: BTreeMap<ClipKey, Vec<FootContacts>>,
    /// Clips marked as looping (true) or not (false). For other clips, loops are detected.
    #[serde(default)]
    pub loops: BTreeMap<ClipKey, bool>,
    /// Clips marked as additive or not. For other clips, the mark in the file applies.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub additive: BTreeMap<ClipKey, Additive>,
    /// Fixes per clip, applied before all else. Other clips have none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fixes: BTreeMap<ClipKey, BTreeSet<Fix>>,
    /// Rigs for the clips of files, by the file's digest. For other files the rig is found by joint names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rigs: BTreeMap<String, RigChoice>,
    /// Import options that were changed after opening, by the file's digest. They are not saved here: a project stores the options of each
    /// file.
    #[serde(skip)]
    pub readings: BTreeMap<String, ImportOptions>,
    /// Notes about clips, ordered by time.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub notes: BTreeMap<ClipKey, Vec<MomentNote>>,
    /// Decisions about clips. Other clips are undecided.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub decisions: BTreeMap<ClipKey, Decision>,
    /// Blind tests of clips, in the order in which they were made.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub blind_tests: BTreeMap<ClipKey, Vec<BlindTest>>,
    /// Tolerances of single clips, metres, by the letter of the slot. They replace the recipe's tolerance. A budget sets them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tolerances: BTreeMap<String, BTreeMap<ClipKey, f32>>,
    /// Names of slots, by their letter. Other slots are called by their recipe.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub slot_names: BTreeMap<String, String>,
    /// Named recipes. Slots have their own recipes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub named: BTreeMap<String, Recipe>,
    /// Clips that use a named recipe instead of their slot's, by the letter of the slot.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub assigned: BTreeMap<String, Assignments>,
    /// The external file in the last slot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external: Option<ExternalFile>,
    /// Options of the export.
    #[serde(default, skip_serializing_if = "ExportOptions::is_usual")]
    pub export: ExportOptions,
    /// The screen on which lengths are shown in pixels.
    #[serde(default, skip_serializing_if = "Screen::is_default")]
    pub screen: Screen,
    /// Settings for tiers, which containers are written without.
    #[serde(default, skip_serializing_if = "TierSettings::is_usual")]
    pub tiers: TierSettings,
    /// Levels of detail of platforms, by the platform's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub platforms: BTreeMap<String, Platform>,
    /// The platform whose levels are measured and shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
}

/// An external file in the place of a recipe. Its clips are judged and not compressed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExternalFile {
    /// Path of the file.
    pub path: PathBuf,
    /// Import options.
    #[serde(default)]
    pub options: ImportOptions,
    /// Its offset in time.
    #[serde(default)]
    pub alignment: Alignment,
    /// The tolerance, shells and contact settings that judge it. The codec is ignored.
    pub limits: Recipe,
}

/// The offset of an external file in time.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Alignment {
    /// Time in the external file at which the sources begin, seconds. Positive if the file has earlier frames.
    pub offset_secs: f32,
}

impl Settings for Alignment {
    const ALL: &'static [Setting<Self>] = &[Setting {
        key: "offset_secs",
        option: "offset",
        label: "Offset",
        help: "Time in the external file at which the source begins. Positive if it has frames before that.",
        field: Field::Number(
            At { get: |a| &a.offset_secs, get_mut: |a| &mut a.offset_secs },
            Range { min: -3600.0, max: 3600.0, unit: Unit::Seconds, decimals: (0, 4), slider: None },
        ),
        unset: None,
        in_form: true,
        only_if: None,
    }];
}

impl Document {
    /// Reads the text that [`Self::to_toml`] wrote.
    ///
    /// # Errors
    /// See [`DocumentError`].
    pub fn from_toml(text: &str) -> Result<Self, DocumentError> {
        toml::from_str::<Self>(text)?.validated()
    }

    /// The document as text, for saving.
    pub fn to_toml(&self) -> String {
        toml::to_string_pretty(self).expect("a document is plain data")
    }

    /// Checks all values once. A document that passes can be used without further checks.
    ///
    /// # Errors
    /// See [`DocumentError`].
    pub fn validated(mut self) -> Result<Self, DocumentError> {
        let found = self.recipes.len();
        if !(1..=SLOT_LETTERS.len()).contains(&found) {
            return Err(DocumentError::Slots { found });
        }
        for (recipe, letter) in self.recipes.iter_mut().zip(SLOT_LETTERS) {
            let valid = std::mem::take(recipe).validated();
            *recipe = valid.map_err(|error| DocumentError::Recipe { letter, error })?;
        }
        if let Some(ExternalFile { limits, alignment, .. }) = &mut self.external {
            let valid = std::mem::take(limits).validated();
            *limits = valid.map_err(|error| DocumentError::Recipe { letter: EXTERNAL_LETTER, error })?;
            alignment.check()?;
        }
        self.screen.check().map_err(DocumentError::Screen)?;
        self.tiers.check().map_err(DocumentError::Tiers)?;
        self.check_platforms()?;
        self.check_named()?;
        for (clip, decision) in &mut self.decisions {
            let valid = std::mem::take(&mut decision.recipe).validated();
            decision.recipe = valid.map_err(|error| DocumentError::Decision { clip: clip.clone(), error })?;
        }
        self.check_blind_tests()?;
        let of_slots = self.tolerances.iter();
        for (letter, clip, tolerance_m) in
            of_slots.flat_map(|(letter, own)| own.iter().map(move |(c, m)| (letter, c, *m)))
        {
            let checked = Recipe { tolerance_m, ..Recipe::default() }.validated();
            checked.map_err(|error| DocumentError::Tolerance { of: format!("{clip} with recipe {letter}"), error })?;
        }
        let notes = self.notes.iter().flat_map(|(clip, notes)| notes.iter().map(move |note| (clip, note)));
        for (clip, MomentNote { at_secs, text, .. }) in notes {
            if !(0.0..=LONGEST_SECS).contains(at_secs) {
                return Err(DocumentError::Note { clip: clip.clone(), at_secs: *at_secs, text: text.clone() });
            }
        }
        let feet = self.contacts.iter().flat_map(|(clip, feet)| feet.iter().map(move |foot| (clip, foot)));
        let spans = feet.flat_map(|(clip, foot)| foot.spans_secs.iter().map(move |span| (clip, &foot.joint, *span)));
        for (clip, joint, span_secs) in spans {
            let [start, end] = span_secs;
            if !(start <= end && start.abs() <= LONGEST_SECS && end <= LONGEST_SECS) {
                return Err(DocumentError::Contact { clip: clip.clone(), joint: joint.clone(), span_secs });
            }
        }
        Ok(self)
    }

    fn check_blind_tests(&mut self) -> Result<(), DocumentError> {
        for (clip, test) in
            self.blind_tests.iter_mut().flat_map(|(clip, tests)| tests.iter_mut().map(move |t| (clip, t)))
        {
            let failed = |fault| DocumentError::BlindTest { clip: clip.clone(), fault };
            let valid = std::mem::take(&mut test.recipe).validated();
            test.recipe = valid.map_err(|error| failed(error.to_string()))?;
            test.fault().map_or(Ok(()), |fault| Err(failed(fault)))?;
        }
        Ok(())
    }

    /// Checks that named recipes are valid and that every recipe in use exists.
    fn check_named(&mut self) -> Result<(), DocumentError> {
        let names = self.named.keys().chain(self.slot_names.values()).chain(self.platforms.keys());
        if let Some((name, why)) = names.filter_map(|name| Some((name, wrong_name(name)?))).next() {
            return Err(DocumentError::Name { name: name.clone(), why });
        }
        for (name, recipe) in &mut self.named {
            let valid = std::mem::take(recipe).validated();
            *recipe = valid.map_err(|error| DocumentError::NamedRecipe { name: name.clone(), error })?;
        }
        for (letter, assigned) in &self.assigned {
            if let Some(name) = assigned.names().find(|name| !self.named.contains_key(*name)) {
                return Err(DocumentError::Assigned { name: name.to_owned(), letter: letter.clone() });
            }
        }
        Ok(())
    }

    /// The recipes of all slots: the compressing recipes, then the recipe that judges the external file.
    pub fn slots(&self) -> impl Iterator<Item = &Recipe> {
        self.recipes.iter().chain(self.external.iter().map(|external| &external.limits))
    }

    /// The recipe of a slot, for changes.
    pub fn slot_mut(&mut self, slot: usize) -> Option<&mut Recipe> {
        let count = self.recipes.len();
        let limits = self.external.as_mut().map(|external| &mut external.limits).filter(|_| slot == count);
        self.recipes.get_mut(slot).or(limits)
    }

    /// Letter of a slot.
    pub fn letter(&self, slot: usize) -> &'static str {
        if slot < self.recipes.len() { SLOT_LETTERS[slot] } else { EXTERNAL_LETTER }
    }

    /// The fixes of a clip.
    pub fn fixes_of(&self, clip: &ClipKey) -> &BTreeSet<Fix> {
        static NONE: BTreeSet<Fix> = BTreeSet::new();
        self.fixes.get(clip).unwrap_or(&NONE)
    }

    /// The fixes of a clip, with the contacts that were drawn for it.
    pub fn chosen_fixes(&self, clip: &ClipKey) -> ChosenFixes {
        let drawn = self.contacts.get(clip).map_or(&[][..], Vec::as_slice);
        ChosenFixes::new(self.fixes_of(clip).clone(), drawn)
    }

    /// Sets the contacts of one foot of a clip. `None` removes them, so that contacts are detected.
    pub fn set_contacts(&mut self, clip: &ClipKey, joint: &str, spans_secs: Option<Vec<[f32; 2]>>) {
        let feet = self.contacts.entry(clip.clone()).or_default();
        feet.retain(|f| f.joint != joint);
        feet.extend(spans_secs.map(|spans_secs| FootContacts { joint: joint.to_owned(), spans_secs }));
        feet.sort_by(|a, b| a.joint.cmp(&b.joint));
        if feet.is_empty() {
            self.contacts.remove(clip);
        }
    }

    /// Marks a clip as looping or not. `None` removes the mark, so that loops are detected.
    pub fn mark_loop(&mut self, clip: &ClipKey, mark: Option<bool>) {
        match mark {
            Some(loops) => drop(self.loops.insert(clip.clone(), loops)),
            None => drop(self.loops.remove(clip)),
        }
    }

    /// Marks a clip as additive or not. `None` removes the mark, so that the mark in the file applies.
    pub fn mark_additive(&mut self, clip: &ClipKey, mark: Option<Additive>) {
        match mark {
            Some(additive) => drop(self.additive.insert(clip.clone(), additive)),
            None => drop(self.additive.remove(clip)),
        }
    }

    /// Turns a fix of a clip on or off.
    pub fn set_fix(&mut self, clip: &ClipKey, fix: Fix, is_on: bool) {
        let fixes = self.fixes.entry(clip.clone()).or_default();
        if is_on {
            fixes.insert(fix)
        } else {
            fixes.remove(&fix)
        };
        if fixes.is_empty() {
            self.fixes.remove(clip);
        }
    }

    /// Sets the rig for the clips of a file. `None` removes the choice, so that the rig is found by joint names.
    pub fn choose_rig(&mut self, file: &SourceDigest, choice: Option<RigChoice>) {
        match choice {
            Some(choice) => drop(self.rigs.insert(file.to_string(), choice)),
            None => drop(self.rigs.remove(&file.to_string())),
        }
    }

    /// Moves a file's choices from its old digest to the new one.
    pub(crate) fn renew_source(&mut self, old: &SourceDigest, new: &SourceDigest) {
        if let Some(choice) = self.rigs.remove(&old.to_string()) {
            self.rigs.entry(new.to_string()).or_insert(choice);
        }
        if let Some(reading) = self.readings.remove(&old.to_string()) {
            self.readings.entry(new.to_string()).or_insert(reading);
        }
        let of_old = RigChoice::Of(old.to_string());
        self.rigs.values_mut().filter(|of| **of == of_old).for_each(|of| *of = RigChoice::Of(new.to_string()));
    }

    /// Moves a clip's marks to another key. Decisions and blind tests stay, because they are about the bytes that were judged.
    pub(crate) fn move_marks(&mut self, old: &ClipKey, new: &ClipKey) {
        if let Some(contacts) = self.contacts.remove(old) {
            self.contacts.entry(new.clone()).or_insert(contacts);
        }
        if let Some(notes) = self.notes.remove(old) {
            self.notes.entry(new.clone()).or_insert(notes);
        }
        if let Some(loops) = self.loops.remove(old) {
            self.loops.entry(new.clone()).or_insert(loops);
        }
        if let Some(additive) = self.additive.remove(old) {
            self.additive.entry(new.clone()).or_insert(additive);
        }
        self.additive.values_mut().for_each(|additive| additive.base.rename(&old.to_string(), &new.to_string()));
        if let Some(fixes) = self.fixes.remove(old) {
            self.fixes.entry(new.clone()).or_insert(fixes);
        }
        for own in self.tolerances.values_mut() {
            if let Some(tolerance_m) = own.remove(old) {
                own.entry(new.clone()).or_insert(tolerance_m);
            }
        }
        for assigned in self.assigned.values_mut() {
            if let Some(name) = assigned.clips.remove(old) {
                assigned.clips.entry(new.clone()).or_insert(name);
            }
        }
    }
}

/// Largest time that a document accepts, seconds: eleven days.
pub(super) const LONGEST_SECS: f32 = 1e6;

fn recipe(codec: &'static dyn Codec, tolerance_m: f32) -> Recipe {
    Recipe { tolerance_m, ..Recipe::of(codec) }
}

impl Default for Document {
    /// Recipes with which a plain clip passes, including its props. A and B keep 0.1 mm with different codecs. C shows the saving at
    /// 0.2 mm.
    ///
    /// Shells come from the mesh, so that a sword is measured at its tip. Recipe B keeps the tolerance between samples too. Otherwise the
    /// tip would cut corners there.
    fn default() -> Self {
        let mut keys = recipe(&LinearKeys, 0.0001);
        keys.values.set_text(LinearKeys.params(), "between", "true").expect("a parameter of linear-keys");
        Self {
            recipes: vec![recipe(&Press, 0.0001), keys, recipe(&Press, 0.0002)],
            contacts: BTreeMap::new(),
            loops: BTreeMap::new(),
            additive: BTreeMap::new(),
            fixes: BTreeMap::new(),
            rigs: BTreeMap::new(),
            readings: BTreeMap::new(),
            notes: BTreeMap::new(),
            decisions: BTreeMap::new(),
            blind_tests: BTreeMap::new(),
            tolerances: BTreeMap::new(),
            slot_names: BTreeMap::new(),
            named: BTreeMap::new(),
            assigned: BTreeMap::new(),
            external: None,
            export: ExportOptions::default(),
            screen: Screen::default(),
            tiers: TierSettings::default(),
            platforms: BTreeMap::new(),
            platform: None,
        }
    }
}

impl Document {
    /// The recipes for the bundled sample. A removes keys within a large tolerance, so a foot slides. B uses `press`; feet and skin stay
    /// good. C chooses a bit rate for each track of each segment.
    pub fn of_sample() -> Self {
        let recipes = vec![recipe(&LinearKeys, 0.005), recipe(&Press, 0.0002), recipe(&VariableRate, 0.0002)];
        Self { recipes, ..Self::default() }
    }

    /// Replaces the sample's recipes when the user opens files. Recipes that were changed stay.
    pub fn leave_sample(&mut self) {
        let usual = Self::default().recipes.into_iter().zip(Self::of_sample().recipes);
        for (own, (usual, of_sample)) in self.recipes.iter_mut().zip(usual) {
            if *own == of_sample {
                *own = usual;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SourceDigest;

    #[test]
    fn a_document_is_read_again_and_what_does_not_fit_is_named() {
        let document = Document::default();
        assert_eq!(Document::from_toml(&document.to_toml()).unwrap(), document);
        let error = |text: &str| Document::from_toml(text).unwrap_err().to_string();
        assert!(error("recipes = [").contains("line 1"));
        assert!(
            error("recipes = []").starts_with("found 0 recipes for slots")
                && error("").contains("[[document.recipes]]")
        );
        for bad_m in [-1.0, f32::NAN, f32::INFINITY] {
            let mut bad = document.clone();
            bad.recipes[1].tolerance_m = bad_m;
            let text = error(&bad.to_toml());
            assert!(text.starts_with("recipe B: ") && text.contains("tolerance_m"), "{text}");
        }
    }

    #[test]
    fn recipes_of_the_sample_do_not_go_on_to_other_files_but_tuned_ones_do() {
        let mut document = Document::of_sample();
        document.recipes[1].tolerance_m = 0.003;
        let tuned = document.recipes[1].clone();
        document.leave_sample();
        let usual = Document::default().recipes;
        assert_eq!(document.recipes, [usual[0].clone(), tuned, usual[2].clone()]);
        assert_ne!(Document::of_sample(), Document::default());
    }

    #[test]
    fn contacts_are_spans_of_time() {
        let with = |span_secs| {
            let mut document = Document::default();
            let clip = ClipKey::new(&SourceDigest::of(b"walk"), "walk \"1\"\n");
            document.set_contacts(&clip, "foot_l", Some(vec![[0.0, 0.5], span_secs]));
            Document::from_toml(&document.to_toml())
        };
        assert_eq!(with([0.7, 0.9]).unwrap().contacts.len(), 1);
        for bad in [[0.9, 0.7], [f32::NAN, 0.9], [0.0, f32::INFINITY], [-1e30, 1.0]] {
            let text = with(bad).unwrap_err().to_string();
            assert!(text.contains("'foot_l'"), "{text}");
        }
    }
}
