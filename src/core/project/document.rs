use crate::codecs::{Codec, LinearKeys, Press, VariableRate};
use crate::export::ExportOptions;
use crate::import::{ImportOptions, Mend};
use crate::metrics::FootPlants;
use crate::model::{Additive, ClipKey, SourceDigest};
use crate::pipeline::TierSettings;
use crate::project::{Assignments, Decision, MomentNote, RigChoice, wrong_name};
use crate::recipe::{Recipe, RecipeError};
use crate::report::Screen;
use crate::settings::{At, Field, ParamError, Range, Setting, Settings, Unit};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use thiserror::Error;

/// What a person decides, and can take back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// Recipes of the slots A, B, C: never empty.
    #[serde(default)] // none is an error that says more than serde does
    pub recipes: Vec<Recipe>,
    /// Plants drawn by hand: what was found stands for all other clips.
    #[serde(default)]
    pub plants: BTreeMap<ClipKey, Vec<FootPlants>>,
    /// Clips marked as looping (true) or not (false): all others are as found.
    #[serde(default)]
    pub loops: BTreeMap<ClipKey, bool>,
    /// Clips that are marked as additive, or as standing for themselves: all others are as their files say.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub additive: BTreeMap<ClipKey, Additive>,
    /// What is mended of clips before anything else is done with them: nothing of all others.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub mends: BTreeMap<ClipKey, BTreeSet<Mend>>,
    /// Whose rig the clips of files move, by the digest of the file: of all others it is found by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rigs: BTreeMap<String, RigChoice>,
    /// How files are read that somebody wants read otherwise than they were opened, by the digest of the file. Projects say how each of
    /// their files is read.
    #[serde(skip)]
    pub readings: BTreeMap<String, ImportOptions>,
    /// What was said about moments of clips, in their order.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub notes: BTreeMap<ClipKey, Vec<MomentNote>>,
    /// What was decided about clips: the others are to do.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub decisions: BTreeMap<ClipKey, Decision>,
    /// Tolerances of single clips in place of a recipe's, metres, by the letter of its slot: what a budget gave them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tolerances: BTreeMap<String, BTreeMap<ClipKey, f32>>,
    /// Recipes besides those of the slots, by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub named: BTreeMap<String, Recipe>,
    /// Which clips have one of them in the place of their slot's, by the letter of the slot.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub assigned: BTreeMap<String, Assignments>,
    /// What stands in the slot behind those of the recipes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreign: Option<ForeignFile>,
    /// How clips are exported.
    #[serde(default, skip_serializing_if = "ExportOptions::is_usual")]
    pub export: ExportOptions,
    /// Where the clips are seen: lengths in pixels.
    #[serde(default, skip_serializing_if = "Screen::is_default")]
    pub screen: Screen,
    /// What containers are written without.
    #[serde(default, skip_serializing_if = "TierSettings::is_usual")]
    pub tiers: TierSettings,
}

/// Another tool's file, which stands where a recipe stands: its clips are judged instead of being compressed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForeignFile {
    /// Where it is.
    pub path: PathBuf,
    /// How it is read.
    #[serde(default)]
    pub options: ImportOptions,
    /// Where it lies in time.
    #[serde(default)]
    pub alignment: Alignment,
    /// What it is judged by: tolerance, shells, feet. Its codec is not asked.
    pub limits: Recipe,
}

/// Why a saved document cannot be used.
#[derive(Debug, Error)]
pub enum DocumentError {
    /// Not a document, or one of another version.
    #[error(transparent)]
    Toml(#[from] toml::de::Error),
    /// A recipe does not fit this version.
    #[error("recipe {letter}: {error}")]
    Recipe {
        /// Its slot.
        letter: &'static str,
        /// What does not fit.
        error: RecipeError,
    },
    /// The recipe that was decided about does not fit this version.
    #[error("the decision about {clip}: {error}")]
    Decision {
        /// About which clip.
        clip: ClipKey,
        /// What does not fit.
        error: RecipeError,
    },
    /// A clip's own tolerance is none.
    #[error("the tolerance of {of}: {error}")]
    Tolerance {
        /// Whose, and with which recipe.
        of: String,
        /// What does not fit.
        error: RecipeError,
    },
    /// A named recipe does not fit this version.
    #[error("recipe '{name}': {error}")]
    NamedRecipe {
        /// Its name.
        name: String,
        /// What does not fit.
        error: RecipeError,
    },
    /// A recipe has a name that none can have.
    #[error("recipe '{name}': {why}")]
    Name {
        /// The name.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Clips have a recipe that is not there.
    #[error("clips have recipe '{name}' in slot {letter}; expected one of the named recipes")]
    Assigned {
        /// The name.
        name: String,
        /// Letter of the slot.
        letter: String,
    },
    /// More recipes than slots, or none.
    #[error(
        "found {found} recipes of slots (`[[document.recipes]]`, each with its `codec`); expected 1 to {}. Copy them from another \
         project, or save the project again from the window",
        SLOT_LETTERS.len()
    )]
    Slots {
        /// Recipes found.
        found: usize,
    },
    /// Times of another tool's file that are none.
    #[error("the other file: {0}")]
    Alignment(#[from] ParamError),
    /// Limits of tiers that are none.
    #[error("the tiers: {0}")]
    Tiers(ParamError),
    /// A camera that is none.
    #[error("the screen: {0}")]
    Screen(ParamError),
    /// A note about no moment.
    #[error("{clip}: a note at {at_secs} s, '{text}'; expected seconds from the clip's start")]
    Note {
        /// About which clip.
        clip: ClipKey,
        /// Its moment.
        at_secs: f32,
        /// What it says.
        text: String,
    },
    /// A plant that is none.
    #[error("{clip}: a plant of '{joint}' from {} to {} s; expected seconds, the first not after the second", span_secs[0], span_secs[1])]
    Plant {
        /// Whose.
        clip: ClipKey,
        /// The foot.
        joint: String,
        /// Touch-down and lift-off.
        span_secs: [f32; 2],
    },
}

/// Where another tool's file lies in time.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Alignment {
    /// Its time where the sources begin, seconds: positive where it starts late.
    pub offset_secs: f32,
}

impl Settings for Alignment {
    const ALL: &'static [Setting<Self>] = &[Setting {
        key: "offset_secs",
        option: "offset",
        label: "Offset",
        help: "Time of the other file where the source begins: positive where it starts late.",
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
    /// Reads what [`Self::to_toml`] wrote.
    ///
    /// # Errors
    /// See [`DocumentError`].
    pub fn from_toml(text: &str) -> Result<Self, DocumentError> {
        toml::from_str::<Self>(text)?.validated()
    }

    /// The document as text, to be kept.
    pub fn to_toml(&self) -> String {
        toml::to_string_pretty(self).expect("a document is plain data")
    }

    /// Checks everything once; what passes can be worked with.
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
        if let Some(ForeignFile { limits, alignment, .. }) = &mut self.foreign {
            let valid = std::mem::take(limits).validated();
            *limits = valid.map_err(|error| DocumentError::Recipe { letter: FOREIGN_LETTER, error })?;
            alignment.check()?;
        }
        self.screen.check().map_err(DocumentError::Screen)?;
        self.tiers.check().map_err(DocumentError::Tiers)?;
        self.check_named()?;
        for (clip, decision) in &mut self.decisions {
            let valid = std::mem::take(&mut decision.recipe).validated();
            decision.recipe = valid.map_err(|error| DocumentError::Decision { clip: clip.clone(), error })?;
        }
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
        let feet = self.plants.iter().flat_map(|(clip, feet)| feet.iter().map(move |foot| (clip, foot)));
        let spans = feet.flat_map(|(clip, foot)| foot.spans_secs.iter().map(move |span| (clip, &foot.joint, *span)));
        for (clip, joint, span_secs) in spans {
            let [start, end] = span_secs;
            if !(start <= end && start.abs() <= LONGEST_SECS && end <= LONGEST_SECS) {
                return Err(DocumentError::Plant { clip: clip.clone(), joint: joint.clone(), span_secs });
            }
        }
        Ok(self)
    }

    /// Named recipes fit, and every one that clips have is there.
    fn check_named(&mut self) -> Result<(), DocumentError> {
        for (name, recipe) in &mut self.named {
            if let Some(why) = wrong_name(name) {
                return Err(DocumentError::Name { name: name.clone(), why });
            }
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

    /// What each slot works with: the recipes, then what another tool's file is judged by.
    pub fn slots(&self) -> impl Iterator<Item = &Recipe> {
        self.recipes.iter().chain(self.foreign.iter().map(|foreign| &foreign.limits))
    }

    /// What a slot works with, to be changed.
    pub fn slot_mut(&mut self, slot: usize) -> Option<&mut Recipe> {
        let count = self.recipes.len();
        let limits = self.foreign.as_mut().map(|foreign| &mut foreign.limits).filter(|_| slot == count);
        self.recipes.get_mut(slot).or(limits)
    }

    /// Letter of a slot.
    pub fn letter(&self, slot: usize) -> &'static str {
        if slot < self.recipes.len() { SLOT_LETTERS[slot] } else { FOREIGN_LETTER }
    }

    /// Sets the plants of one foot of a clip; `None` goes back to those that are found.
    pub fn set_plants(&mut self, clip: &ClipKey, joint: &str, spans_secs: Option<Vec<[f32; 2]>>) {
        let feet = self.plants.entry(clip.clone()).or_default();
        feet.retain(|f| f.joint != joint);
        feet.extend(spans_secs.map(|spans_secs| FootPlants { joint: joint.to_owned(), spans_secs }));
        feet.sort_by(|a, b| a.joint.cmp(&b.joint));
        if feet.is_empty() {
            self.plants.remove(clip);
        }
    }

    /// Marks a clip as looping or not; `None` goes back to what was found in its samples.
    pub fn mark_loop(&mut self, clip: &ClipKey, mark: Option<bool>) {
        match mark {
            Some(loops) => drop(self.loops.insert(clip.clone(), loops)),
            None => drop(self.loops.remove(clip)),
        }
    }

    /// Marks a clip as additive, or as standing for itself; `None` goes back to what its file says.
    pub fn mark_additive(&mut self, clip: &ClipKey, mark: Option<Additive>) {
        match mark {
            Some(additive) => drop(self.additive.insert(clip.clone(), additive)),
            None => drop(self.additive.remove(clip)),
        }
    }

    /// Mends something of a clip, or takes that back.
    pub fn set_mend(&mut self, clip: &ClipKey, mend: Mend, is_on: bool) {
        let mends = self.mends.entry(clip.clone()).or_default();
        if is_on {
            mends.insert(mend)
        } else {
            mends.remove(&mend)
        };
        if mends.is_empty() {
            self.mends.remove(clip);
        }
    }

    /// Says whose rig the clips of a file move; `None` goes back to what is found by names.
    pub fn choose_rig(&mut self, file: &SourceDigest, choice: Option<RigChoice>) {
        match choice {
            Some(choice) => drop(self.rigs.insert(file.to_string(), choice)),
            None => drop(self.rigs.remove(&file.to_string())),
        }
    }

    /// Gives a file what was said of it when it had other bytes.
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

    /// Gives a clip what was said of it under another key, but for decisions: those are about the bytes that were judged.
    pub(crate) fn move_marks(&mut self, old: &ClipKey, new: &ClipKey) {
        if let Some(plants) = self.plants.remove(old) {
            self.plants.entry(new.clone()).or_insert(plants);
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
        if let Some(mends) = self.mends.remove(old) {
            self.mends.entry(new.clone()).or_insert(mends);
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

/// No clip lasts eleven days.
const LONGEST_SECS: f32 = 1e6;

/// Letters of the slots.
pub const SLOT_LETTERS: [&str; 3] = ["A", "B", "C"];
/// Letter of the slot in which another tool's file stands.
const FOREIGN_LETTER: &str = "F";

fn recipe(codec: &'static dyn Codec, tolerance_m: f32) -> Recipe {
    Recipe { tolerance_m, ..Recipe::of(codec) }
}

impl Default for Document {
    /// Recipes that pass a plain clip, and what its joints carry: A and B hold a tenth of a millimetre in two ways, C shows
    /// what twice as much saves. Shells are measured on the mesh, so that a sword is held to its tip; keys are held between
    /// samples, too, where that tip would cut its corners.
    fn default() -> Self {
        let mut keys = recipe(&LinearKeys, 0.0001);
        keys.values.set_text(LinearKeys.params(), "between", "true").expect("a parameter of linear-keys");
        Self {
            recipes: vec![recipe(&Press, 0.0001), keys, recipe(&Press, 0.0002)],
            plants: BTreeMap::new(),
            loops: BTreeMap::new(),
            additive: BTreeMap::new(),
            mends: BTreeMap::new(),
            rigs: BTreeMap::new(),
            readings: BTreeMap::new(),
            notes: BTreeMap::new(),
            decisions: BTreeMap::new(),
            tolerances: BTreeMap::new(),
            named: BTreeMap::new(),
            assigned: BTreeMap::new(),
            foreign: None,
            export: ExportOptions::default(),
            screen: Screen::default(),
            tiers: TierSettings::default(),
        }
    }
}

impl Document {
    /// What a first start shows of the bundled sample: A removes keys, is within its tolerance, and lets a foot slide; B, our own codec, holds
    /// feet and skin; C chooses a bit rate for each track of each segment.
    pub fn of_sample() -> Self {
        let recipes = vec![recipe(&LinearKeys, 0.005), recipe(&Press, 0.0002), recipe(&VariableRate, 0.0002)];
        Self { recipes, ..Self::default() }
    }

    /// The sample makes room for somebody's own files: its recipes go, those that were tuned stay.
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
            error("recipes = []").starts_with("found 0 recipes of slots") && error("").contains("[[document.recipes]]")
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
    fn plants_are_spans_of_time() {
        let with = |span_secs| {
            let mut document = Document::default();
            let clip = ClipKey::new(&SourceDigest::of(b"walk"), "walk \"1\"\n");
            document.set_plants(&clip, "foot_l", Some(vec![[0.0, 0.5], span_secs]));
            Document::from_toml(&document.to_toml())
        };
        assert_eq!(with([0.7, 0.9]).unwrap().plants.len(), 1);
        for bad in [[0.9, 0.7], [f32::NAN, 0.9], [0.0, f32::INFINITY], [-1e30, 1.0]] {
            let text = with(bad).unwrap_err().to_string();
            assert!(text.contains("'foot_l'"), "{text}");
        }
    }
}
