use super::letters::SLOT_LETTERS;
use crate::lod::PlatformError;
use crate::model::ClipKey;
use crate::recipe::RecipeError;
use crate::settings::ParamError;
use thiserror::Error;

/// Why a saved document cannot be used.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum DocumentError {
    /// The text is not a document, or one of another version.
    #[error(transparent)]
    Toml(#[from] toml::de::Error),
    /// A recipe is not valid in this version.
    #[error("recipe {letter}: {error}")]
    Recipe { letter: &'static str, error: RecipeError },
    /// The recipe of a decision is not valid in this version.
    #[error("the decision about {clip}: {error}")]
    Decision { clip: ClipKey, error: RecipeError },
    /// A blind test is not valid.
    #[error("the blind test of {clip}: {fault}")]
    BlindTest { clip: ClipKey, fault: String },
    /// A clip's own tolerance is not valid.
    #[error("the tolerance of {of}: {error}")]
    Tolerance {
        /// The clip and its recipe.
        of: String,
        error: RecipeError,
    },
    /// A named recipe is not valid in this version.
    #[error("recipe '{name}': {error}")]
    NamedRecipe { name: String, error: RecipeError },
    /// A recipe's name is not allowed.
    #[error("recipe '{name}': {why}")]
    Name { name: String, why: &'static str },
    /// Clips use a named recipe that does not exist.
    #[error("clips use recipe '{name}' in slot {letter}, which does not exist; expected one of the named recipes")]
    Assigned { name: String, letter: String },
    /// There are no recipes, or more than slots.
    #[error(
        "found {found} recipes for slots (`[[document.recipes]]`, each with its `codec`); expected 1 to {}. Copy them from another \
         project, or save the project again from the window",
        SLOT_LETTERS.len()
    )]
    Slots { found: usize },
    /// The offset of the external file is not valid.
    #[error("the external file: {0}")]
    Alignment(#[from] ParamError),
    /// The limits of tiers are not valid.
    #[error("the tiers: {0}")]
    Tiers(ParamError),
    /// The levels of detail of a platform are not valid.
    #[error("platform '{name}': {error}")]
    Platform { name: String, error: PlatformError },
    /// The platform that is shown does not exist.
    #[error("the platform '{name}' is shown, which does not exist; expected one of `platforms`")]
    NoPlatform { name: String },
    /// The camera or screen is not valid.
    #[error("the screen: {0}")]
    Screen(ParamError),
    /// The time of a note is not valid.
    #[error("{clip}: note '{text}' is at {at_secs} s; expected seconds from the clip's start")]
    Note { clip: ClipKey, at_secs: f32, text: String },
    /// A contact drawn by hand is not valid.
    #[error("{clip}: contact of '{joint}' from {} to {} s; expected seconds, with the start not after the end", span_secs[0], span_secs[1])]
    Contact { clip: ClipKey, joint: String, span_secs: [f32; 2] },
}
