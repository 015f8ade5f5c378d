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
    /// Its name, unique within the container.
    pub name: String,
    /// Its recipe without the tolerance. Clips with the same recipe share it. `None` if the container has no recipes.
    shared: Option<Arc<Recipe>>,
    /// The tolerance that judges the clip: the recipe's. If tiers are missing, it is at least the error limit without them.
    pub tolerance_m: f32,
    /// Joints, tracks, samples and duration.
    pub header: ClipHeader,
    /// The encoded bytes of the clip.
    pub bytes: Vec<u8>,
    codec: &'static dyn Encoder,
}

/// The recipes of a container by their text. A recipe that many clips share is read once.
#[derive(Default)]
pub(super) struct SharedRecipes(HashMap<*const u8, Arc<Recipe>>);

impl SharedRecipes {
    /// Reads a recipe. `None` if the container has no recipes.
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
        // After a search, any codec may have won.
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

    /// The same clip with a tolerance of at least `tolerance_m`.
    pub(super) fn within(self, tolerance_m: f32) -> Self {
        Self { tolerance_m: self.tolerance_m.max(tolerance_m), ..self }
    }

    /// The recipe with the clip's tolerance. If the container has no recipes, the default recipe of its codec.
    pub fn recipe(&self) -> Recipe {
        let shared = self.shared.as_deref().cloned();
        Recipe { tolerance_m: self.tolerance_m, ..shared.unwrap_or_else(|| Recipe::of(self.codec)) }
    }

    /// True if the container has the clip's recipe.
    pub fn has_recipe(&self) -> bool {
        self.shared.is_some()
    }

    /// The codec of its bytes. After a search, the winner.
    pub fn codec(&self) -> &'static dyn Encoder {
        self.codec
    }
}
