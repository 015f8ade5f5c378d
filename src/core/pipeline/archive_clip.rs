use crate::codecs::{self, ClipHeader, CodecId, Encoder};
use crate::format::{ByteReader, ClipEntry, SharedText};
use crate::import::readable;
use crate::pipeline::ArchiveError;
use crate::recipe::{Recipe, RecipeError};
use crate::settings::Settings;
use std::collections::HashMap;
use std::sync::Arc;

/// One clip of a container.
#[derive(Debug, Clone)]
pub struct ArchiveClip {
    /// Unique within the container.
    pub name: String,
    /// How it was made but for its tolerance, shared by clips that were made alike; `None` where that was left out.
    shared: Option<Arc<Recipe>>,
    /// What it is held to: the tolerance that it was made with, or that of what is left of it without its tiers.
    pub tolerance_m: f32,
    /// Its shape.
    pub header: ClipHeader,
    /// All that belongs to it.
    pub bytes: Vec<u8>,
    codec: &'static dyn Encoder,
}

/// Recipes of a container that were read, by their text: each is read once, however many clips share it.
#[derive(Default)]
pub(super) struct SharedRecipes(HashMap<*const u8, Arc<Recipe>>);

impl SharedRecipes {
    /// `None` where it was left out.
    fn read(&mut self, text: &SharedText) -> Result<Option<Arc<Recipe>>, RecipeError> {
        if text.is_empty() {
            return Ok(None);
        }
        if let Some(known) = self.0.get(&text.as_ptr()) {
            return Ok(Some(known.clone()));
        }
        let recipe = Arc::new(Recipe::from_toml(text)?);
        self.0.insert(text.as_ptr(), recipe.clone());
        Ok(Some(recipe))
    }
}

impl ArchiveClip {
    pub(super) fn new(entry: ClipEntry, recipes: &mut SharedRecipes) -> Result<Self, ArchiveError> {
        let ClipEntry { name, codec: id, recipe, tolerance_m, bytes } = entry;
        let name = readable(&name);
        let codec = codecs::by_id(CodecId(id)).ok_or_else(|| ArchiveError::Codec {
            clip: name.clone(),
            found: id.escape_ascii().to_string(),
            expected: codecs::encoders().map(|c| c.id().0.escape_ascii().to_string()).collect::<Vec<_>>().join(", "),
        })?;
        let failed = |error| ArchiveError::Recipe { clip: name.clone(), error };
        let shared = recipes.read(&recipe).map_err(failed)?;
        // Of a search, any codec may have won.
        let own = shared.as_ref().filter(|recipe| recipe.codec.encoder().is_some());
        if let Some(recipe) = own.filter(|recipe| recipe.codec.id() != codec.id()) {
            let (found, expected) = (codec.name(), recipe.codec.name());
            return Err(ArchiveError::OtherCodec { clip: name, found, expected });
        }
        let (header, _) = ClipHeader::read(&mut ByteReader::new(&bytes))
            .map_err(|error| ArchiveError::Clip { clip: name.clone(), error })?;
        let tolerance = Recipe { tolerance_m, ..Recipe::default() };
        tolerance.check().map_err(|error| ArchiveError::Recipe { clip: name.clone(), error: error.into() })?;
        Ok(Self { name, shared, tolerance_m, header, bytes, codec })
    }

    /// The same held to no less than that tolerance.
    pub(super) fn within(self, tolerance_m: f32) -> Self {
        Self { tolerance_m: self.tolerance_m.max(tolerance_m), ..self }
    }

    /// How it was made, with what it is held to; where that was left out, its codec and the tolerance, with the usual settings.
    pub fn recipe(&self) -> Recipe {
        let shared = self.shared.as_deref().cloned();
        Recipe { tolerance_m: self.tolerance_m, ..shared.unwrap_or_else(|| Recipe::of(self.codec)) }
    }

    /// The container says how it was made.
    pub fn has_recipe(&self) -> bool {
        self.shared.is_some()
    }

    /// The codec of its bytes: of a search, the winner.
    pub fn codec(&self) -> &'static dyn Encoder {
        self.codec
    }
}
