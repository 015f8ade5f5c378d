//! Sizes of containers beyond their clips: names, recipes, checksums and the rig.

use crate::format::{ListedClip, SharedText, bytes_besides_clips};
use crate::pipeline::Outcome;
use crate::recipe::Recipe;
use crate::text;
use serde::Serialize;
use std::collections::BTreeMap;

/// The entry of a clip in a container.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredClip {
    /// Codec of the bytes. After a search, the winner.
    pub codec: [u8; 4],
    /// The recipe without its tolerance, as TOML.
    pub recipe: SharedText,
    /// The tolerance.
    pub tolerance_m: f32,
    /// Size of the rig, which the clips of a container share, bytes.
    pub rig_bytes: usize,
}

/// A clip in one of several containers that are written together.
#[derive(Debug, Clone, Copy)]
pub struct FilePart<'a> {
    /// Number of the container.
    pub file: usize,
    /// Size of the clip's rig, bytes.
    pub rig_bytes: usize,
    /// Names of its float tracks.
    pub float_names: &'a [String],
    /// The clip.
    pub clip: ListedClip<'a>,
}

/// Size of containers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct FileSize {
    /// Total size on disk.
    pub bytes: usize,
    /// Size of the clips.
    pub clips_bytes: usize,
    /// Size of names, recipes, checksums and the rig.
    pub other_bytes: usize,
}

impl FileSize {
    /// The sizes of clips and of everything else, with their sum.
    pub fn new(clips_bytes: usize, other_bytes: usize) -> Self {
        Self { bytes: clips_bytes + other_bytes, clips_bytes, other_bytes }
    }

    /// The total size of the containers that hold these clips.
    pub fn of(parts: &[FilePart<'_>]) -> Self {
        let mut files: BTreeMap<usize, Vec<&FilePart<'_>>> = BTreeMap::new();
        parts.iter().for_each(|part| files.entry(part.file).or_default().push(part));
        let other = |parts: &Vec<&FilePart<'_>>| {
            let clips: Vec<ListedClip<'_>> = parts.iter().map(|part| part.clip).collect();
            parts.first().map_or(0, |first| bytes_besides_clips(first.rig_bytes, first.float_names, &clips))
        };
        Self::new(parts.iter().map(|part| part.clip.bytes).sum(), files.values().map(other).sum())
    }

    /// `150.0 KB: clips 147.2 KB + 2.8 KB other`.
    pub fn words(&self) -> String {
        let [all, clips, other] = [self.bytes, self.clips_bytes, self.other_bytes].map(|n| text::bytes(n as u64));
        format!("{all}: clips {clips} + {other} other")
    }
}

impl StoredClip {
    /// The entry of an outcome with encoded bytes, on a rig of `rig_bytes` bytes. `None` for an external result.
    pub fn of(outcome: &Outcome, rig_bytes: usize) -> Option<Self> {
        Some(Self::with(outcome.encoding()?.codec.id().0, &outcome.recipe, rig_bytes))
    }

    /// The entry of a clip whose codec and rig's size are known.
    pub fn with(codec: [u8; 4], recipe: &Recipe, rig_bytes: usize) -> Self {
        Self { codec, recipe: shared_recipe(recipe), tolerance_m: recipe.tolerance_m, rig_bytes }
    }

    /// The entry as a container lists it, with or without its recipe.
    pub fn listed<'a>(&'a self, name: &'a str, bytes: usize, with_recipe: bool) -> ListedClip<'a> {
        let recipe = if with_recipe { &self.recipe } else { "" };
        ListedClip { name, codec: self.codec, recipe, tolerance_m: self.tolerance_m, bytes }
    }
}

/// The part of a recipe that does not depend on its tolerance, as TOML.
pub fn shared_recipe(recipe: &Recipe) -> SharedText {
    Recipe { tolerance_m: Recipe::default().tolerance_m, ..recipe.clone() }.to_toml().into()
}
