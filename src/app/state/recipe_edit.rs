use posepress_core::project::{Document, RecipePlace};
use posepress_core::recipe::Recipe;
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::Error};
use std::sync::Arc;

/// A change of one recipe of the document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecipeEdit {
    /// Place of the recipe.
    pub of: RecipePlace,
    /// Undo label.
    pub label: String,
    change: Change,
}

#[derive(Clone)]
enum Change {
    By(Arc<dyn Fn(&mut Recipe) + Send + Sync>),
    /// The resulting recipe.
    To(Box<Recipe>),
}

impl RecipeEdit {
    /// An edit that changes the recipe by a function.
    pub fn new(
        of: RecipePlace,
        label: impl Into<String>,
        change: impl Fn(&mut Recipe) + Send + Sync + 'static,
    ) -> Self {
        Self { of, label: label.into(), change: Change::By(Arc::new(change)) }
    }

    /// The same edit with the resulting recipe instead of a function, so that it can be serialized. Unchanged if the
    /// document lacks the recipe.
    pub fn spelled_out(self, document: &Document) -> Self {
        let Some(mut recipe) = document.recipe_at(&self.of).cloned() else { return self };
        self.apply(&mut recipe);
        Self { change: Change::To(Box::new(recipe)), ..self }
    }

    /// Changes the recipe.
    pub fn apply(&self, recipe: &mut Recipe) {
        match &self.change {
            Change::By(change) => change(recipe),
            Change::To(wanted) => recipe.clone_from(wanted),
        }
    }
}

impl PartialEq for Change {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::By(own), Self::By(other)) => Arc::ptr_eq(own, other),
            (Self::To(own), Self::To(other)) => own == other,
            _ => false,
        }
    }
}

impl std::fmt::Debug for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::By(_) => f.write_str("By(..)"),
            Self::To(recipe) => f.debug_tuple("To").field(recipe).finish(),
        }
    }
}

impl Serialize for Change {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::By(_) => Err(S::Error::custom("the change of a recipe is not spelled out")),
            Self::To(recipe) => recipe.serialize(to),
        }
    }
}

impl<'de> Deserialize<'de> for Change {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Box::<Recipe>::deserialize(from).map(Self::To)
    }
}
